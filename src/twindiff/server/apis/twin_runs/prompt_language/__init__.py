"""Worlds of prompts by tables: each vendor declares its kinds, how they are made and how they are read from rows."""
