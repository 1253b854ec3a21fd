"""Calls of commands: their options and scripts, how long they wait, what becomes of the reply."""
