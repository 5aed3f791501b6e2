"""Rich text: parsing, normalising, rendering."""
