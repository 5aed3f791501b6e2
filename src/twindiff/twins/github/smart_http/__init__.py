"""Git over HTTP of the GitHub twin."""
