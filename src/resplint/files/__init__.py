"""Reading and writing files that somebody else wrote: safely, as text with places, and back again."""
