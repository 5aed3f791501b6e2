"""Filling a workspace from a configuration, from folders of Markdown and from Notion's exports."""
