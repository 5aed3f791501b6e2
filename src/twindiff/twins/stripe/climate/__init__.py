"""Climate: orders of carbon removal."""
