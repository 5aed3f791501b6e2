"""Organizations and teams of the GitHub twin."""
