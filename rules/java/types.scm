; Types, as they stand in declarations.

(type_identifier) @expr.name

(integral_type) @expr.name

(floating_point_type) @expr.name

(boolean_type) @expr.name

(void_type) @expr.name

; `Map.Entry`
(scoped_type_identifier) @expr.member

; `List<String>`
(generic_type) @expr.index

; `String[]`
(array_type) @expr.index

; The arguments of a generic type, and the types of `catch (A | B e)`.
(type_arguments) @expr.collection

(catch_type) @expr.collection

; `@Nullable String`
(annotated_type
  [
    (type_identifier)
    (scoped_type_identifier)
    (generic_type)
    (array_type)
    (integral_type)
    (floating_point_type)
    (boolean_type)
  ] @inner) @expr.same

; `? extends Jedis`
(wildcard
  [
    (type_identifier)
    (scoped_type_identifier)
    (generic_type)
    (array_type)
    (annotated_type)
  ] @inner) @expr.same
