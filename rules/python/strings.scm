; Literals. Holes of f-strings are read from the string node itself.

(string) @expr.text

(concatenated_string) @expr.texts

(integer) @expr.integer

(float) @expr.float

(true) @expr.true

(false) @expr.false

(none) @expr.none
