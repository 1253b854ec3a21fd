; Expressions. Nodes that match no pattern here are opaque to the model.

(method_invocation
  name: (identifier) @callee
  arguments: (argument_list) @arguments) @expr.call

; `this(…)` and `super(…)` in front of a constructor's body.
(explicit_constructor_invocation
  constructor: (_) @callee
  arguments: (argument_list) @arguments) @expr.call

; The body of an anonymous class is read from the node.
(object_creation_expression
  type: (_) @callee
  arguments: (argument_list) @arguments) @expr.new

(field_access
  object: (_) @object
  field: (_) @name) @expr.member

; `X.class`
(class_literal) @expr.member

(array_access
  array: (_) @object
  index: (_) @key) @expr.index

; `pool::getResource`, `Pool::new`
(method_reference) @expr.reference

(identifier) @expr.name

(this) @expr.this

(super) @expr.super

(lambda_expression
  parameters: (_) @parameters
  body: (_) @body) @expr.function

; Wrappers that do not change the value.
(parenthesized_expression
  (expression) @inner) @expr.same

(cast_expression
  value: (_) @inner) @expr.same

; `i++`: when it is used as a value, which of the two does not matter.
(update_expression
  (expression) @inner) @expr.same

; `STR."text \{hole}"`
(template_expression
  template_argument: (_) @inner) @expr.same

(binary_expression) @expr.operation

(unary_expression) @expr.operation

(instanceof_expression) @expr.operation

(ternary_expression) @expr.choice

; The values of its branches; a switch that is a statement is never asked for them.
(switch_expression) @expr.choice

; `{"a", "b"}` after a declaration or after `new String[]`
(array_initializer) @expr.collection

(array_creation_expression
  value: (_) @inner) @expr.same
