; Comments that speak to resplint.

((comment) @comment
  (#match? @comment "resplint:"))
