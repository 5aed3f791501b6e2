"""Pull requests and reviews of the GitHub twin."""
