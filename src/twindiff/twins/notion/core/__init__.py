"""What every operation shares: bodies, lists, rights, order, people and files."""
