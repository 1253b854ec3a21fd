; Stretches of statements that run under a condition, again and again, or guarded. A body may be one bare statement.

(enhanced_for_statement
  type: (_) @annotation
  name: (_) @target
  value: (_) @head
  body: _ @body) @block.for

; The condition may be absent; condition and updates are read from the node, since they run at every turn.
(for_statement
  body: _ @body) @block.while

(while_statement
  condition: (_) @head
  body: _ @body) @block.while

(do_statement
  body: _ @body
  condition: (_) @head) @block.while

(if_statement
  condition: (_) @head
  consequence: _ @body) @block.if

(if_statement
  alternative: _ @body) @block.else

; Its branches are read from the body.
(switch_expression
  condition: (_) @head
  body: (switch_block) @body) @block.case

(try_statement
  body: (block) @body) @block.try

(try_with_resources_statement
  body: (block) @body) @block.with

(catch_clause
  body: (block) @body) @block.except

(finally_clause
  (block) @body) @block.finally
