"""References that move, and what follows them."""
