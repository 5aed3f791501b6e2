"""Items as Box shows them."""
