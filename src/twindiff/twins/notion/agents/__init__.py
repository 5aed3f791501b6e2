"""Custom agents, their sessions, which are also threads, and agents of other systems."""
