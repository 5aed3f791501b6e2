"""Tables of the Notion twin."""
