"""The embedded engine: each environment is an SQLite database in memory; journal and catalog are in one file."""

from .engine import SqliteEngine as SqliteEngine
