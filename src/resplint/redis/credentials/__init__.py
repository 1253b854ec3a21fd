"""How clients show who they are: passwords in code, addresses and settings, and certificates that nobody checks."""
