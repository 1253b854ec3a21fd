"""The version of the package, kept here so that it can be read without importing anything else."""

__version__ = "0.1.0"
RELEASED = False
"""Whether this version is on PyPI and at its tag in the repository; `tools/release.py` says so."""
