"""A connection that runs each statement by a single libpq call.

A request runs about ten statements. psycopg's `Cursor.execute` takes three times the processor time, most of it in
Python, and releases the GIL several times per statement, for which many threads then contend.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

import psycopg
from psycopg import errors
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus
from psycopg.pq.abc import PGresult
from psycopg.rows import TupleRow

Stored = tuple[Any, ...]

STATEMENTS = 400
"""Statements tracked by a connection, most of them prepared."""
ROWS_AT_ONCE = 1_000
"""Rows written by one statement."""


class PostgresConnection(psycopg.Connection[TupleRow]):
    """A connection that also runs statements directly, with `%s` for each parameter; repeated ones are prepared.

    Cursors must not prepare statements (`prepare_threshold=None`): psycopg would deallocate all prepared ones,
    including these, after a rollback.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._values = Transformer(self)
        self._names: dict[tuple[str, tuple[int, ...] | None], bytes] = {}
        self._named = 0

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[Stored]:
        """Run a statement and return its rows."""
        return self._load_rows(self._run(statement, parameters))

    def row(self, statement: str, parameters: Sequence[Any] = ()) -> Stored | None:
        """Run a statement and return its first row, or None."""
        rows = self.rows(statement, parameters)
        return rows[0] if rows else None

    def count(self, statement: str, parameters: Sequence[Any] = ()) -> int:
        """Run a statement and return the number of rows it wrote."""
        return self._run(statement, parameters).command_tuples or 0

    def write_all(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement that takes rows as one array per column, in batches of ROWS_AT_ONCE."""
        for at in range(0, len(rows), ROWS_AT_ONCE):
            self._run(statement, by_column(rows[at : at + ROWS_AT_ONCE]))

    def script(self, statements: str, parameters: Sequence[Any] = ()) -> list[Stored]:
        """Run several statements in one round trip, with parameters as literals; return the rows of the last."""
        literals = [self._values.as_literal(value) for value in parameters]
        text = statements.encode() % tuple(literals) if literals else statements.encode()
        return self._load_rows(self._check_result(self.pgconn.exec_(text)))

    def _load_rows(self, result: PGresult) -> list[Stored]:
        self._values.set_pgresult(result)
        rows = self._values.load_rows(0, result.ntuples, tuple)
        self._values.set_pgresult(None)  # frees the result, which may be large
        return rows

    def _run(self, statement: str, parameters: Sequence[Any]) -> PGresult:
        values = self._values.dump_sequence(parameters, [PyFormat.AUTO] * len(parameters))
        types, formats = self._values.types, self._values.formats
        key = (statement, types)
        name = self._names.pop(key, None)
        if name is None:
            # The first run is not prepared, since many statements run only once.
            self._keep(key, b"")
            return self._check_result(self.pgconn.exec_params(_number_parameters(statement), values, types, formats))
        if not name:
            self._named += 1
            name = b"s%d" % self._named
            self._check_result(self.pgconn.prepare(name, _number_parameters(statement), types))
        self._keep(key, name)
        return self._check_result(self.pgconn.exec_prepared(name, cast(Any, values), formats))

    def _keep(self, key: tuple[str, tuple[int, ...] | None], name: bytes) -> None:
        """Mark a statement as the most recently used; evicts the least recently used one if necessary."""
        if len(self._names) >= STATEMENTS:
            oldest = self._names.pop(next(iter(self._names)))
            if oldest:
                self._check_result(self.pgconn.exec_(b"DEALLOCATE " + oldest))
        self._names[key] = name

    def _check_result(self, result: PGresult) -> PGresult:
        """Return a successful result; raise the psycopg error of a failed one."""
        if result.status in _FINE:
            return result
        if self.pgconn.status != ConnStatus.OK and not result.error_field(DiagnosticField.SQLSTATE):
            raise psycopg.OperationalError(self.pgconn.get_error_message())
        raise errors.error_from_result(result, encoding=self._values.encoding)


def by_column(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Transpose rows to one list per column."""
    return [list(column) for column in zip(*rows, strict=True)]


_FINE = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)


@lru_cache(maxsize=4 * STATEMENTS)
def _number_parameters(statement: str) -> bytes:
    """Convert `%s` placeholders to `$1`, `$2` and so on, and `%%` to `%`."""
    first, *rest = statement.split("%s")
    return "".join([first, *(f"${at}{part}" for at, part in enumerate(rest, 1))]).replace("%%", "%").encode()
