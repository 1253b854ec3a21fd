; Regions that own names. Parameters, bases and decorators are read from the node.

(function_declaration
  name: (_) @name
  body: (_) @body) @scope.function

(generator_function_declaration
  name: (_) @name
  body: (_) @body) @scope.function

(class_body
  (method_definition
    name: (_) @name
    body: (_) @body) @scope.function)

(class_declaration
  name: (_) @name
  body: (_) @body) @scope.class
