"""Search: queries, filters and ranking."""
