"""Git's objects, histories, diffs and merges of the GitHub twin."""
