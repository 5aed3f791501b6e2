"""Meters of usage, and alerts about it."""
