"""Channels, direct messages and their members."""
