"""The delay between two attempts: constant, growing, with jitter."""
