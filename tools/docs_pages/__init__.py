"""What is generated for readers: the pages of `docs/` and the schema of the configuration."""
