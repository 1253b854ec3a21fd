"""The records that the files below ``rules/`` are read into."""
