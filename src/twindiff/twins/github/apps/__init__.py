"""GitHub Apps of the GitHub twin."""
