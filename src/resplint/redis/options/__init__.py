"""How a client was configured: options in code and settings, and defaults by version."""
