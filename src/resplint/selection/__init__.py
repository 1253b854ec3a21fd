"""Which files can matter, from names before anything is solved."""
