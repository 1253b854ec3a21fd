"""resplint: static analysis of Redis and Valkey usage."""

from resplint._version import __version__

__all__ = ["__version__"]
