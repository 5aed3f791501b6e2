"""Rendering of objects in Slack's form."""
