; Literals. Holes are read from the string node itself.

(string_literal) @expr.text

(multiline_string_literal) @expr.text

(character_literal) @expr.text

(number_literal) @expr.integer

(float_literal) @expr.float
