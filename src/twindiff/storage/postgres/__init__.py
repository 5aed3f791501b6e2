"""The server engine: environments in PostgreSQL, shared by any number of processes."""

from .engine import PostgresEngine as PostgresEngine
