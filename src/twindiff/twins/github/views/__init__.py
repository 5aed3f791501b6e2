"""Objects of the API of the GitHub twin."""
