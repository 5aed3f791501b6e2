"""The workspace, its integrations and tools."""
