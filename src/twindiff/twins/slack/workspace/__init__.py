"""The workspace and its settings."""
