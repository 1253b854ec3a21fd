; Names and members that get a value. The adapter reads modifiers and declarators from the node.

(field_declaration
  type: (_) @annotation) @bind.field

; A field of an interface.
(constant_declaration
  type: (_) @annotation) @bind.field

(local_variable_declaration
  type: (_) @annotation) @bind.local

(resource
  type: (_) @annotation
  name: (identifier) @target
  value: (_) @value) @bind.with

; A resource that was opened before is still closed here.
(resource
  .
  [
    (identifier)
    (field_access)
  ] @value
  .) @bind.with

; `value instanceof Type name`
(instanceof_expression
  left: (_) @value
  right: (_) @annotation
  name: (identifier) @target) @bind.assign

; `value instanceof Type(var name)`
(instanceof_expression
  pattern: (record_pattern) @target) @bind.other

(assignment_expression
  left: (_) @target
  operator: "="
  right: (_) @value) @expr.assigned

(assignment_expression
  left: (_) @target
  operator: [
    "+="
    "-="
    "*="
    "/="
    "%="
    "&="
    "|="
    "^="
    "<<="
    ">>="
    ">>>="
  ] @operator
  right: (_) @value) @bind.augment

(update_expression
  (expression) @target) @bind.augment

; `((Jedis) connection)`: what the value is taken for.
(cast_expression
  type: [(type_identifier) (generic_type) (scoped_type_identifier)] @annotation
  value: (_) @value) @bind.cast
