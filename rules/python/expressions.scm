; Expressions. Nodes that match no pattern here are opaque to the model.

(call
  function: (_) @callee
  arguments: (_) @arguments) @expr.call

(attribute
  object: (_) @object
  attribute: (identifier) @name) @expr.member

(subscript
  value: (_) @object
  .
  subscript: (_) @key) @expr.index

; `Optional[Redis]` in an annotation is a node type of its own.
(generic_type
  .
  (identifier) @object
  (type_parameter) @key) @expr.index

(identifier) @expr.name

; Wrappers that do not change the value.
(parenthesized_expression
  (_) @inner) @expr.same

(type
  (_) @inner) @expr.same

(expression_list
  .
  (_) @inner
  .) @expr.same

(await
  (_) @inner) @expr.await

(named_expression
  name: (identifier) @target
  value: (_) @value) @expr.assigned

(yield) @expr.yield

(binary_operator) @expr.operation

(boolean_operator) @expr.operation

(comparison_operator) @expr.operation

(not_operator) @expr.operation

(unary_operator) @expr.operation

(union_type) @expr.operation

; `[start:stop]`
(slice) @expr.operation

(conditional_expression) @expr.choice

(lambda
  parameters: (_)? @parameters
  body: (_) @body) @expr.function
