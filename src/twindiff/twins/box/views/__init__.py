"""Rendering of items in Box's format."""
