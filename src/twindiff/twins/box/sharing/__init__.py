"""Shared links, collaborations, file requests and collections."""
