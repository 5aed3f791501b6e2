"""In-person payments: locations, readers and their configurations."""
