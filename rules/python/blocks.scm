; Stretches of statements that run under a condition, again and again, or guarded.

(for_statement
  left: (_) @target
  right: (_) @head
  body: (block) @body) @block.for

(while_statement
  condition: (_) @head
  body: (block) @body) @block.while

(if_statement
  condition: (_) @head
  consequence: (block) @body) @block.if

(elif_clause
  condition: (_) @head
  consequence: (block) @body) @block.if

(else_clause
  body: (block) @body) @block.else

(case_clause
  consequence: (block) @body) @block.case

(try_statement
  body: (block) @body) @block.try

(except_clause
  (block) @body) @block.except

(finally_clause
  (block) @body) @block.finally

(with_statement
  body: (block) @body) @block.with
