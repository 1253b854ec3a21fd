; Control leaves the block.

(return_statement) @jump.return

(throw_statement) @jump.raise

(break_statement) @jump.break

(continue_statement) @jump.continue

; The value of a branch goes to the switch around it.
(yield_statement
  (expression) @value) @expr.yield
