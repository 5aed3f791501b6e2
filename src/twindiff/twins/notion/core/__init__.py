"""Rules that every operation shares: bodies, lists, rights, order."""
