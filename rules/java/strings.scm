; Literals. Escapes and holes are read from the string node itself.

(string_literal) @expr.text

(character_literal) @expr.text

(decimal_integer_literal) @expr.integer

(hex_integer_literal) @expr.integer

(octal_integer_literal) @expr.integer

(binary_integer_literal) @expr.integer

(decimal_floating_point_literal) @expr.float

(hex_floating_point_literal) @expr.float

(true) @expr.true

(false) @expr.false

(null_literal) @expr.none
