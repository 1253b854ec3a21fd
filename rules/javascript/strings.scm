; Literals. Holes of templates are read from the node itself.

(string) @expr.text

(template_string) @expr.text

(number) @expr.integer

(true) @expr.true

(false) @expr.false

(null) @expr.none

(undefined) @expr.none
