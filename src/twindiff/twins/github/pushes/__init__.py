"""References that are moved by pushes, merges and the API, and what follows."""
