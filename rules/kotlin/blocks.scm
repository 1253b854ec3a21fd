; Stretches of statements that run under a condition, again and again, or guarded. Branches may be single expressions,
; which the adapter reads from the node.

(for_statement) @block.for

(while_statement
  condition: (_) @head) @block.while

(do_while_statement
  condition: (_) @head) @block.while

(if_expression
  condition: (_) @head) @block.if

(when_expression
  (when_entry) @body) @block.case

(try_expression
  (block) @body) @block.try

(try_expression
  (catch_block) @body) @block.except

(try_expression
  (finally_block) @body) @block.finally
