"""Slack lists and their items."""
