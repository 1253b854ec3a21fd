"""The configuration: its keys, the check of their values, and where it is read from."""
