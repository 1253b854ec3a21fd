"""A project that is asked about again and again, by an editor or an assistant: what one answer took serves the next.

Modules are imported one by one: a command that only fixes does not need what links.
"""
