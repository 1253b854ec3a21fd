; Types where they are written as annotations, bases or arguments of generics: they are expressions like others.

(type_identifier) @expr.name

(predefined_type) @expr.name

; What a method returns that hands out its own object.
(this_type) @expr.this

(nested_type_identifier
  module: (_) @object
  name: (_) @name) @expr.member

(nested_identifier
  object: (_) @object
  property: (_) @name) @expr.member

(generic_type
  name: (_) @object
  type_arguments: (_) @key) @expr.index

; `Order[]` is `Array<Order>`.
(array_type
  (primary_type) @key) @expr.index

(lookup_type
  .
  (_) @object
  .
  (_) @key) @expr.index

; `(client: Redis) => void`
(function_type) @expr.signature

(union_type) @expr.operation

(intersection_type) @expr.operation

(tuple_type) @expr.collection

(type_arguments) @expr.collection

; Wrappers that do not change the type.
(type_annotation
  (type) @inner) @expr.same

(parenthesized_type
  (type) @inner) @expr.same

(readonly_type
  (type) @inner) @expr.same

(optional_type
  (type) @inner) @expr.same

(literal_type
  (_) @inner) @expr.same

; The type of a value is as good as the value.
(type_query
  (_) @inner) @expr.same
