"""Pages, blocks and comments."""
