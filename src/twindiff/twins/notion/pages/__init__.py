"""Pages with their properties, templates, and comments."""
