"""Projects of the GitHub twin."""
