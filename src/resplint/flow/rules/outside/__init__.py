"""Rules for what comes from outside the project: injected, kept under a name, or made by code that nobody sees."""
