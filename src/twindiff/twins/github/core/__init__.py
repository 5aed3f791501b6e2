"""What every page needs of the GitHub twin."""
