"""GraphQL of the GitHub twin."""
