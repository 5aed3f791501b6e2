"""Issues, their history, relations and filters."""
