"""What is kept from one run to the next, on disk and in memory, and when it still holds."""
