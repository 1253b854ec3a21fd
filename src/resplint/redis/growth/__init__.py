"""Which hashes and other collections grow with the data, and who reads them as a whole."""
