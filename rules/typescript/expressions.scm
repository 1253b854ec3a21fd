; What TypeScript wraps around values: it changes only what the compiler believes of them.

(as_expression
  .
  (expression) @inner) @expr.same

(satisfies_expression
  .
  (expression) @inner) @expr.same

(non_null_expression
  (expression) @inner) @expr.same

(instantiation_expression
  .
  (_) @inner) @expr.same
