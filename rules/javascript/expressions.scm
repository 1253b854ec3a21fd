; Expressions. Nodes that match no pattern here are opaque to the model: regular expressions, JSX.
;
; All patterns of this folder fit the grammars of TypeScript as well, which has further ones in its own folder.

(call_expression
  function: (_) @callee
  arguments: (_) @arguments) @expr.call

(new_expression
  constructor: (_) @callee
  arguments: (_)? @arguments) @expr.new

(member_expression
  object: (_) @object
  property: (_) @name) @expr.member

(subscript_expression
  object: (_) @object
  index: (_) @key) @expr.index

(identifier) @expr.name

(this) @expr.this

(super) @expr.super

; Wrappers that do not change the value. Comments may stand in them, too.
(parenthesized_expression
  [
    (expression)
    (sequence_expression)
  ] @inner) @expr.same

(sequence_expression
  (expression) @inner
  .) @expr.same

(await_expression
  (expression) @inner) @expr.await

(assignment_expression
  left: (_) @target
  right: (_) @value) @expr.assigned

(augmented_assignment_expression
  left: (_) @target
  right: (_) @value) @expr.assigned

(update_expression
  argument: (_) @target) @expr.assigned

(yield_expression) @expr.yield

(binary_expression) @expr.operation

(unary_expression) @expr.operation

(ternary_expression) @expr.choice

(object) @expr.collection

(array) @expr.collection

(arrow_function
  body: (_) @body) @expr.function

(function_expression
  body: (_) @body) @expr.function

(generator_function
  body: (_) @body) @expr.function

(object
  (method_definition
    body: (_) @body) @expr.function)

(class
  body: (_) @body) @expr.function
