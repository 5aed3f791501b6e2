"""Search with qualifiers of the GitHub twin."""
