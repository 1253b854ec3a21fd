; Control leaves the block. Yields are expressions and stand in expressions.scm.

(return_statement) @jump.return

(raise_statement) @jump.raise

(break_statement) @jump.break

(continue_statement) @jump.continue
