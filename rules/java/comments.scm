; Comments that speak to resplint.

((line_comment) @comment
  (#match? @comment "resplint:"))

((block_comment) @comment
  (#match? @comment "resplint:"))
