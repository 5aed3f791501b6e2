"""Users and their settings."""
