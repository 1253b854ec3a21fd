"""Loops over data: what differs from turn to turn, and what each turn sends."""
