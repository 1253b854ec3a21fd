"""Rules of a user's own: the page of each, the one check that judges them all, and the examples that show them."""
