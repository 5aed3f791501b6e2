"""Templates: immutable rows in the tables of the twins, under artificial environment ids."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

import msgspec

from twindiff.storage import EnvironmentOrigin, Template
from twindiff.storage.journal import Values

from .bulk_writes import as_copy, without_capture
from .connections import PostgresConnection, PostgresPool, reaching
from .store import PostgresStore
from .tables import PostgresSchemaSql


def template_env(hash: str) -> str:
    """Return the `env_id` of a template's rows."""
    return f"template:{hash}"


class PostgresTemplates:
    """The templates of a database."""

    def __init__(self, pool: PostgresPool, tables: Mapping[str, PostgresSchemaSql]) -> None:
        self._pool = pool
        self._tables = tables
        self._known: set[tuple[str, str]] = set()

    def keep(self, tables: PostgresSchemaSql, rows: Mapping[str, list[Values]], counters: dict[str, int]) -> Template:
        """Store full rows by table name as a template; the order of rows does not affect its hash."""
        schema = tables.schema
        digest = schema.content_hash(rows, counters)
        template = Template(digest, schema.hash, counters)
        if not self.has(schema.twin, digest):
            self._write(tables, template, rows)
        return template

    def has(self, twin: str, hash: str) -> bool:
        """Whether a template is stored; templates are never deleted."""
        if (twin, hash) in self._known:
            return True
        query = "SELECT 1 FROM twindiff.templates WHERE twin = %s AND hash = %s"
        with self._pool.connection() as connection:
            row = connection.row(query, (twin, hash))
        if row:
            self._known.add((twin, hash))
        return bool(row)

    def _write(self, tables: PostgresSchemaSql, template: Template, rows: Mapping[str, list[Values]]) -> None:
        twin = tables.schema.twin
        with without_capture(self._pool) as connection:
            counters = msgspec.json.encode(template.counters).decode()
            query = "INSERT INTO twindiff.templates VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING"
            if not connection.count(query, (twin, template.hash, template.schema_hash, counters)):
                return  # another process has written it first
            as_copy(connection, template_env(template.hash))
            for name, values in rows.items():
                form = tables.by_name[name]
                connection.write_all(form.insert_all, [form.insert_values(each) for each in values])

    def check(self, origin: EnvironmentOrigin) -> None:
        """Raise LookupError if a template of an environment is missing."""
        for twin, hash in origin.templates.items():
            if not self.has(twin, hash):
                raise LookupError(f"There is no {twin} template {hash}")

    def rows(self, twin: str, hash: str) -> PostgresStore:
        """Return the rows of a template as a read-only store; raises LookupError."""
        if not self.has(twin, hash):
            raise LookupError(f"There is no {twin} template {hash}")

        @contextmanager
        def opener() -> Generator[PostgresConnection]:
            with self._pool.connection() as connection, reaching(), connection.transaction():
                connection.rows("SELECT set_config('app.env_id', %s, true)", (template_env(hash),))
                yield connection

        return PostgresStore(opener, self._tables[twin], None)
