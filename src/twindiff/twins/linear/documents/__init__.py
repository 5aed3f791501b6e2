"""Documents and comments."""
