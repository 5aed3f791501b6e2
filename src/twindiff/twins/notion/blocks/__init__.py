"""Blocks of every type, their children in order, and long appends."""
