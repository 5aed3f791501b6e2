"""Search by title, and meeting notes."""
