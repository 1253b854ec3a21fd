"""From findings to results: where each stands, what identifies it, which comments silence it."""
