; Names and members that get a value.

; Fields, locals and what stands at the top of a file; the adapter reads accessors and delegates from the node.
(property_declaration) @bind.local

; Another name of a class. (Fields that are declared as parameters, and enum constants, are read from their class.)
(type_alias) @bind.other

(assignment
  left: (_) @target
  operator: _ @operator
  right: (_) @value) @bind.assign

(unary_expression
  argument: (_) @target
  operator: ["++" "--"] @operator) @bind.augment

(unary_expression
  operator: ["++" "--"] @operator
  argument: (_) @target) @bind.augment

; `connection as Jedis`: what the value is taken for.
(as_expression
  left: (_) @value
  right: (_) @annotation) @bind.cast
