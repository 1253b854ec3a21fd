; `<Type>value`, a node that the grammar of TSX does not have: it does without this file.

(type_assertion
  .
  (type_arguments)
  .
  (expression) @inner) @expr.same
