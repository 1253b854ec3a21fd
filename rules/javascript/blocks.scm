; Stretches of statements that run under a condition, again and again, or guarded. Their parts may be single statements.

(if_statement
  condition: (_) @head
  consequence: (_) @body) @block.if

(else_clause
  (statement) @body) @block.else

; The cases are read from the body.
(switch_statement
  body: (_) @body) @block.case

; A default is evaluated when there is no value.
(assignment_pattern
  right: (_) @body) @block.case

(object_assignment_pattern
  right: (_) @body) @block.case

(for_in_statement
  left: (_) @target
  right: (_) @head
  body: (_) @body) @block.for

(for_statement
  condition: (_) @head
  body: (_) @body) @block.while

(while_statement
  condition: (_) @head
  body: (_) @body) @block.while

(do_statement
  body: (_) @body
  condition: (_) @head) @block.while

(try_statement
  body: (_) @body) @block.try

(catch_clause
  body: (_) @body) @block.except

(finally_clause
  body: (_) @body) @block.finally
