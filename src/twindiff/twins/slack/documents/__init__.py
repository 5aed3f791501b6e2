"""Canvases and their sections."""
