"""Texts: constant or run-time data, templates of keys, which hash has which fields."""
