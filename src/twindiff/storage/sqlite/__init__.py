"""The embedded engine: every environment an SQLite database in memory, the journal and the catalog in one file."""

from .engine import SqliteEngine as SqliteEngine
