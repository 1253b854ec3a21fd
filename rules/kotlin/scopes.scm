; Regions that own names. Lambdas and objects without a name stand in expressions.scm.

(class_declaration
  name: (identifier) @name) @scope.class

(object_declaration
  name: (identifier) @name) @scope.class

(function_declaration
  name: (identifier) @name
  (function_value_parameters) @parameters) @scope.function

(secondary_constructor
  (function_value_parameters) @parameters) @scope.function
