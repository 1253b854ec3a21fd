"""Names to definitions: scopes, reaching definitions, imports, modules, classes and their bases. No values."""
