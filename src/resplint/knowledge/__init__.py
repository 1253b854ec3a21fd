"""What resplint knows, loaded from ``rules/``: client libraries, Redis commands, roles of code, the rule book."""
