"""The version of the package, kept here so that it can be read without importing anything else."""

__version__ = "0.1.0"
