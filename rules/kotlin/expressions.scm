; Expressions. Nodes that match no pattern here are opaque to the model. The grammar names few children, so that the
; adapter reads operands and arguments from the node.

(call_expression) @expr.call

; An object of an anonymous class. A base class with its arguments stands in annotations, too.
(object_literal) @expr.new

(constructor_invocation) @expr.new

(navigation_expression) @expr.member

; `pool::getResource`, and `::connect` without an object.
(callable_reference) @expr.reference

(index_expression) @expr.index

(this_expression) @expr.this

(super_expression) @expr.super

; Keywords such as `true` and `null` are identifiers to the grammar.
(identifier) @expr.name

; A declared type is the name of a class, perhaps qualified, perhaps with types in brackets.
(user_type) @expr.name

; `(Jedis) -> Unit`
(function_type) @expr.signature

; Wrappers that do not change the value.
(parenthesized_expression
  (expression) @inner) @expr.same

(annotated_expression
  (expression) @inner) @expr.same

(labeled_expression
  (expression) @inner) @expr.same

(annotated_lambda
  (lambda_literal) @inner) @expr.same

(as_expression
  left: (_) @inner) @expr.same

(spread_expression
  (expression) @inner) @expr.same

(unary_expression
  argument: (_) @inner
  operator: "!!") @expr.same

(nullable_type
  (type) @inner) @expr.same

(parenthesized_type
  (type) @inner) @expr.same

(type_projection
  (type) @inner) @expr.same

(binary_expression) @expr.operation

(unary_expression) @expr.operation

(in_expression) @expr.operation

(is_expression) @expr.operation

(range_expression) @expr.operation

(infix_expression) @expr.operation

(if_expression) @expr.choice

(when_expression) @expr.choice

(try_expression) @expr.choice

(collection_literal) @expr.collection

(lambda_literal) @expr.function

(anonymous_function) @expr.function
