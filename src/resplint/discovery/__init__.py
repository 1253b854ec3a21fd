"""Which files are looked at: found below the paths, not ignored, no tests, naming a client library."""
