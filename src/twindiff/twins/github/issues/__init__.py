"""Issues, labels, milestones and comments of the GitHub twin."""
