"""A connection whose statements go to the server in one call of libpq each.

A request runs ten of them. A cursor's `execute` costs three times the processor, most of it in Python, and gives up the
interpreter several times on its way, which many threads then argue about.
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
"""Statements that a connection keeps planned."""
ROWS_AT_ONCE = 1_000
"""Rows that one statement writes."""


class PostgresConnection(psycopg.Connection[TupleRow]):
    """A connection that also runs statements directly, `%s` for each parameter; those that come again are prepared.

    A cursor must not prepare any: once one had, a rollback would drop all that are prepared, these too.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._values = Transformer(self)
        self._names: dict[tuple[str, tuple[int, ...] | None], bytes] = {}
        self._named = 0

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[Stored]:
        """The rows that a statement gives."""
        return self._load_rows(self._run(statement, parameters))

    def row(self, statement: str, parameters: Sequence[Any] = ()) -> Stored | None:
        """The first row that a statement gives, if any."""
        rows = self.rows(statement, parameters)
        return rows[0] if rows else None

    def count(self, statement: str, parameters: Sequence[Any] = ()) -> int:
        """How many rows a statement wrote."""
        return self._run(statement, parameters).command_tuples or 0

    def write_all(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement over rows, which it takes by column; many are sent in several parts."""
        for at in range(0, len(rows), ROWS_AT_ONCE):
            self._run(statement, by_column(rows[at : at + ROWS_AT_ONCE]))

    def script(self, statements: str, parameters: Sequence[Any] = ()) -> list[Stored]:
        """The rows that the last of several statements gives; they travel together, with their parameters inside."""
        literals = [self._values.as_literal(value) for value in parameters]
        text = statements.encode() % tuple(literals) if literals else statements.encode()
        return self._load_rows(self._check_result(self.pgconn.exec_(text)))

    def _load_rows(self, result: PGresult) -> list[Stored]:
        self._values.set_pgresult(result)
        rows = self._values.load_rows(0, result.ntuples, tuple)
        self._values.set_pgresult(None)  # which may be large
        return rows

    def _run(self, statement: str, parameters: Sequence[Any]) -> PGresult:
        values = self._values.dump_sequence(parameters, [PyFormat.AUTO] * len(parameters))
        types, formats = self._values.types, self._values.formats
        key = (statement, types)
        name = self._names.pop(key, None)
        if name is None:
            # What is asked once is not worth a plan that is kept; the second time tells.
            self._keep(key, b"")
            return self._check_result(self.pgconn.exec_params(_number_parameters(statement), values, types, formats))
        if not name:
            self._named += 1
            name = b"s%d" % self._named
            self._check_result(self.pgconn.prepare(name, _number_parameters(statement), types))
        self._keep(key, name)
        return self._check_result(self.pgconn.exec_prepared(name, cast(Any, values), formats))

    def _keep(self, key: tuple[str, tuple[int, ...] | None], name: bytes) -> None:
        """Remember a statement as the latest; the one that was not run for longest makes room."""
        if len(self._names) >= STATEMENTS:
            oldest = self._names.pop(next(iter(self._names)))
            if oldest:
                self._check_result(self.pgconn.exec_(b"DEALLOCATE " + oldest))
        self._names[key] = name

    def _check_result(self, result: PGresult) -> PGresult:
        """Raises what went wrong."""
        if result.status in _FINE:
            return result
        if self.pgconn.status != ConnStatus.OK and not result.error_field(DiagnosticField.SQLSTATE):
            raise psycopg.OperationalError(self.pgconn.get_error_message())
        raise errors.error_from_result(result, encoding=self._values.encoding)


def by_column(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Rows as one list for each column."""
    return [list(column) for column in zip(*rows, strict=True)]


_FINE = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)


@lru_cache(maxsize=4 * STATEMENTS)
def _number_parameters(statement: str) -> bytes:
    """A statement as the server reads it, with `$1`, `$2` … for the parameters."""
    first, *rest = statement.split("%s")
    return "".join([first, *(f"${at}{part}" for at, part in enumerate(rest, 1))]).replace("%%", "%").encode()
