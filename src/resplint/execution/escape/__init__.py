"""Where a value goes from the function that makes it: stored, returned, handed on, or dropped."""
