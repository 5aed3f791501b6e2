"""The server engine: environments in PostgreSQL, for any number of processes."""

from .engine import PostgresEngine as PostgresEngine
