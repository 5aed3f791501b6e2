"""Users of the GitHub twin."""
