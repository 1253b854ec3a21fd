; Regions that own names, and names that get a value, which only TypeScript has.

(abstract_class_declaration
  name: (_) @name
  body: (_) @body) @scope.class

(interface_declaration
  name: (_) @name
  body: (_) @body) @scope.class

; `type Connections = { users: Redis }` is as good as an interface.
(type_alias_declaration
  name: (_) @name
  value: (object_type) @body) @scope.class

(enum_declaration
  name: (_) @name
  body: (_) @body) @scope.class

; Methods without a body tell the type of what they return.
(class_body
  (abstract_method_signature
    name: (_) @name) @scope.function)

(interface_body
  (method_signature
    name: (_) @name) @scope.function)

(type_alias_declaration
  value: (object_type
    (method_signature
      name: (_) @name) @scope.function))

(public_field_definition
  name: (_) @target
  value: (_)? @value) @bind.field

(interface_body
  (property_signature
    name: (_) @target) @bind.field)

(type_alias_declaration
  value: (object_type
    (property_signature
      name: (_) @target) @bind.field))

; `connect: () => Promise<Redis>` is as good as a method.
(interface_body
  (property_signature
    name: (_) @name
    type: (type_annotation
      (function_type))) @scope.function)

(type_alias_declaration
  value: (object_type
    (property_signature
      name: (_) @name
      type: (type_annotation
        (function_type))) @scope.function))

; The default of a parameter is evaluated when there is no argument.
(required_parameter
  value: (_) @body) @block.case

(type_alias_declaration
  name: (_) @target
  value: (_) @value) @bind.local

; `import Client = redis.Client`
(import_alias) @bind.other

; `connection as Redis`: what the value is taken for.
(as_expression
  .
  (expression) @value
  [(type_identifier) (generic_type) (nested_type_identifier)] @annotation) @bind.cast

; `{ [station: string]: string }`: members of any name.
(interface_body
  (index_signature
    name: (_) @name) @scope.function)

(type_alias_declaration
  value: (object_type
    (index_signature
      name: (_) @name) @scope.function))
