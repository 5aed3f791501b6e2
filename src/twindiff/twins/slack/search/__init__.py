"""Search of messages and files."""
