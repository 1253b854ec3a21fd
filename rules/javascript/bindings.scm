; Names that get a value where they are declared. Assignments are expressions and stand in expressions.scm.

(variable_declarator
  name: (_) @target
  value: (_)? @value) @bind.local

; A field of a class; nothing else in its body has a property.
(class_body
  (_
    property: (_) @target
    value: (_)? @value) @bind.field)
