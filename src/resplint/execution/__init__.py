"""How often code runs: roles, lifetimes, frequency."""
