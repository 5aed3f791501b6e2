"""The tables of the GitHub twin."""
