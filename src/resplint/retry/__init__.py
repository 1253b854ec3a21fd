"""Retries: what is tried again, when it ends, and what a failure does."""
