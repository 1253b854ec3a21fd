"""What to write instead, where a fix can say it."""
