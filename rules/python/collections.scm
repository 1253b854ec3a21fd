; Collections written out, and comprehensions, which stand for any number of elements.

(list) @expr.collection

(tuple) @expr.collection

(set) @expr.collection

(dictionary) @expr.collection

; `Dict[str, Redis]` in an annotation: the types between the brackets.
(type_parameter) @expr.collection

(expression_list
  (_)
  .
  (_)) @expr.collection

(list_comprehension
  body: (_) @body) @expr.generated

(set_comprehension
  body: (_) @body) @expr.generated

(dictionary_comprehension
  body: (_) @body) @expr.generated

(generator_expression
  body: (_) @body) @expr.generated
