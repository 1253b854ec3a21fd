; Control leaves the block. Yields are expressions and stand in expressions.scm.

(return_statement) @jump.return

(throw_statement) @jump.raise

(break_statement) @jump.break

(continue_statement) @jump.continue
