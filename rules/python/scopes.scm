; Regions that own names.

(function_definition
  name: (identifier) @name
  parameters: (parameters) @parameters
  return_type: (_)? @returns
  body: (block) @body) @scope.function

(class_definition
  name: (identifier) @name
  superclasses: (_)? @bases
  body: (block) @body) @scope.class

(decorated_definition
  definition: (_) @definition) @scope.decorated

(global_statement) @declare.global

(nonlocal_statement) @declare.nonlocal
