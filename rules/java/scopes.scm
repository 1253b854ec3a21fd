; Regions that own names. Modifiers, bases and members are read from the node.

(class_declaration
  name: (identifier) @name
  body: (_) @body) @scope.class

(interface_declaration
  name: (identifier) @name
  body: (_) @body) @scope.class

(enum_declaration
  name: (identifier) @name
  body: (_) @body) @scope.class

(record_declaration
  name: (identifier) @name
  parameters: (_) @parameters
  body: (_) @body) @scope.class

(annotation_type_declaration
  name: (identifier) @name
  body: (_) @body) @scope.class

; An abstract method has no body.
(method_declaration
  type: (_) @returns
  name: (identifier) @name
  parameters: (formal_parameters) @parameters
  body: (block)? @body) @scope.function

(constructor_declaration
  name: (identifier) @name
  parameters: (formal_parameters) @parameters
  body: (_) @body) @scope.function

; The constructor of a record without its parameters.
(compact_constructor_declaration
  name: (identifier) @name
  body: (_) @body) @scope.function

; Initialisers run when an object is made; those that are static belong to the class itself.
(class_body
  (block) @scope.function)

(enum_body_declarations
  (block) @scope.function)
