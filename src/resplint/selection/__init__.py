"""Which files can matter, told from names before anything is solved."""
