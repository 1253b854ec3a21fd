"""How often code runs: once in the life of a process, or per request, message or turn of a loop."""
