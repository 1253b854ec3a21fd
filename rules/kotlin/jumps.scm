; Control leaves the block.

(return_expression) @jump.return

(throw_expression) @jump.raise

; The grammar takes these words for identifiers, and their labels for those of an expression.
((identifier) @jump.break
  (#eq? @jump.break "break"))

((identifier) @jump.continue
  (#eq? @jump.continue "continue"))

((labeled_expression
  (label) @_label) @jump.break
  (#eq? @_label "break@"))

((labeled_expression
  (label) @_label) @jump.continue
  (#eq? @_label "continue@"))
