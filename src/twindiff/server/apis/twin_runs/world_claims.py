"""Compares claims about a world with its rows: how many rows of a table satisfy a `where` of the assertion language.

A path may follow a column that has the id of another row: `{"user_id.real_name": "Ben"}`. So one claim can say that two
names belong together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, cast

import msgspec

from twindiff.checks import JudgingStopped, JudgingTime, SpecError, judging_within
from twindiff.checks.conditions import where as parse_where
from twindiff.checks.match import satisfies, value_at
from twindiff.checks.references import of_where
from twindiff.checks.regexes import UndecidedError, time_limit
from twindiff.checks.spec import Condition, Group, Predicate, Where
from twindiff.environments.registry import did_you_mean
from twindiff.kit.rows import table_of
from twindiff.storage.schema import Schema

Row = dict[str, Any]
Rows = Mapping[str, Sequence[Row]]
"""The rows of a twin, by table name."""
JUDGING_SECONDS = 5.0
"""CPU seconds for all claims of one answer."""
AGENT_EMAIL = "agent@example.com"
MAX_PATH_COLUMNS = 5
MIN_ID_DIGITS = 6
"""Digits of a number that is taken for an id where no column is declared to have ids of one table."""
_NEGATIVE = frozenset({"ne", "not_in", "not_contains", "exists", "is_null"})
"""Operators whose operand is not what the row has."""

Count = Annotated[int, msgspec.Meta(ge=0)]


class WorldClaim(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A model's claim that rows of a finished world show a statement of the prompt; `statement` counts from 1."""

    statement: int
    twin: str
    table: str
    where: dict[str, Any] = {}
    count: Count | None = None
    min: Count | None = None
    max: Count | None = None

    @property
    def least(self) -> int:
        """The least number of rows that it claims."""
        if self.count is not None:
            return self.count
        return self.min if self.min is not None else int(self.max is None)

    @property
    def most(self) -> int | None:
        """The greatest number of rows that it claims; None if it sets no limit."""
        return self.max if self.count is None else self.count

    @property
    def is_denial(self) -> bool:
        """Return whether it claims that there are no such rows."""
        return self.most == 0

    @property
    def text(self) -> str:
        """The claim as JSON."""
        return msgspec.json.encode(self).decode()


class ClaimResult(NamedTuple):
    """A claim with what the world has of it. `problem` is why it does not hold, or empty."""

    claim: WorldClaim
    problem: str = ""
    values: tuple[dict[str, Any], ...] = ()
    """Of each matching row, the values that the claim compares, by path."""
    operands: tuple[tuple[str, str, Any], ...] = ()
    """The path, operator and operand of each comparison; operators under `not`, `or` and the like are `other`."""
    tables: frozenset[str] = frozenset()
    """The table of the claim, and those that its paths follow to."""
    has_agent: bool = False
    """Whether one of the rows is, or refers to, the agent, whom no number of people includes."""
    present: tuple[str, ...] = ()
    """For a claim of no rows, the texts it compares with that records have in their columns."""


class WorldTables:
    """The rows of a world by twin and table, and the schemas that say which columns refer to which table."""

    def __init__(self, schemas: Mapping[str, Schema], rows: Mapping[str, Rows]) -> None:
        self._schemas = schemas
        self._rows = rows
        self._by_key: dict[tuple[str, str], dict[Any, Row]] = {}

    def judge(self, claims: Iterable[WorldClaim]) -> list[ClaimResult]:
        """Compare claims with the rows; one that cannot be judged in time does not hold."""
        with judging_within(JudgingTime(JUDGING_SECONDS)), time_limit():
            return [self._judge(each) for each in claims]

    def _judge(self, claim: WorldClaim) -> ClaimResult:
        try:
            where = self._read(claim)
            paths = [*dict.fromkeys(_list_paths(where))]
            tables = frozenset({claim.table, *self._list_tables(claim, paths)})
            rows = [self._follow(claim.twin, claim.table, row, paths) for row in self._rows[claim.twin][claim.table]]
            matched = [row for row in rows if satisfies(where, row)]
        except (SpecError, UndecidedError) as error:
            return ClaimResult(claim, str(error))
        except (JudgingStopped, RecursionError):
            return ClaimResult(claim, "it takes too long to judge")
        operands = tuple(_list_operands(where))
        problem, present = _refute_count(claim, len(matched), rows), ()
        if claim.is_denial and not problem:
            problem, present = self._look_for_subjects(claim, operands)
        values = tuple({path: value_at(row, path) for path, *_ in operands} for row in matched)
        has_agent = any(self._is_of_agent(claim, row) for row in matched)
        return ClaimResult(claim, problem, values, operands, tables, has_agent, present)

    def _read(self, claim: WorldClaim) -> Where:
        """Parse the `where` of a claim; raises SpecError for names that do not exist."""
        if claim.twin not in self._rows:
            raise SpecError(
                "twin", f"there is no API '{claim.twin}' here", advice=f"There are: {', '.join(self._rows)}"
            )
        tables = self._schemas[claim.twin].tables
        if claim.table not in tables:
            advice = did_you_mean(claim.table, tables).strip()
            raise SpecError("table", f"{claim.twin} has no table '{claim.table}'", advice=advice)
        where = parse_where(claim.where, "where", extended=True)
        for place, _ in of_where(where, "where"):
            raise SpecError(place, "refers to another claim; follow the column of an id, such as user_id.name")
        return where

    def _list_tables(self, claim: WorldClaim, paths: Sequence[str]) -> Iterator[str]:
        """Yield the tables that paths lead to; raises SpecError for a column that does not exist."""
        for path in paths:
            tables = [claim.table]
            columns = path.split(".")
            if len(columns) > MAX_PATH_COLUMNS:
                raise SpecError(f"where.{path}", f"has more than {MAX_PATH_COLUMNS} columns")
            for at, column in enumerate(columns):
                known = self._schemas[claim.twin].tables
                has = [table for table in tables if column in known[table].columns]
                if not has:
                    near = did_you_mean(column, sorted({name for table in tables for name in known[table].columns}))
                    place = tables[0] if len(tables) == 1 else "no table"
                    problem = f"{place} has {'no' if len(tables) == 1 else 'a'} column '{column}'"
                    raise SpecError(f"where.{path}", problem, advice=near.strip())
                if at and len(tables) == 1:
                    yield tables[0]
                if known[has[0]].columns[column].kind == "json" or at == len(columns) - 1:
                    break
                tables = self._targets(claim.twin, has[0], column)

    def _targets(self, twin: str, table: str, column: str) -> list[str]:
        """The tables whose keys a column has: the declared one, or those whose keys are among its values."""
        referred = self._schemas[twin].tables[table].columns[column].references
        if referred is not None:
            return [table_of(referred).name]
        values = {row[column] for row in self._rows[twin][table] if is_id(row.get(column))}
        return [name for name in self._rows[twin] if not values.isdisjoint(self._keys(twin, name))] or [
            *self._rows[twin]
        ]

    def _keys(self, twin: str, table: str) -> dict[Any, Row]:
        if (twin, table) not in self._by_key:
            key = self._schemas[twin].tables[table].key
            rows = self._rows[twin].get(table, ()) if len(key) == 1 else ()
            self._by_key[twin, table] = {row[key[0]]: row for row in rows}
        return self._by_key[twin, table]

    def _follow(self, twin: str, table: str, row: Row, paths: Iterable[str]) -> dict[str, Any]:
        """Return a row in whose columns with ids the rows stand that paths lead to."""
        beyond: dict[str, list[str]] = defaultdict(list)
        for path in paths:
            column, _, rest = path.partition(".")
            if rest:
                beyond[column].append(rest)
        joined = dict(row)
        for column, rests in beyond.items():
            target = self._find(twin, table, column, row.get(column))
            if target:
                joined[column] = self._follow(twin, target[0], target[1], rests)
        return joined

    def _is_of_agent(self, claim: WorldClaim, row: Row) -> bool:
        """Whether a row is the agent, or refers to the agent."""
        referred = (self._find(claim.twin, claim.table, column, value) for column, value in row.items())
        rows = [row, *(target[1] for target in referred if target), *(value for value in row.values() if is_row(value))]
        return any(AGENT_EMAIL in (each.get("email"), each.get("login")) for each in rows)

    def _find(self, twin: str, table: str, column: str, value: Any) -> tuple[str, Row] | None:
        """The row whose id a column has, with its table; None if there is not exactly one."""
        referred = self._schemas[twin].tables[table].columns[column].references
        if value is None or isinstance(value, dict | list):
            return None
        if referred is None and not is_id(value):
            return None
        tables = [table_of(referred).name] if referred is not None else [*self._rows[twin]]
        matches = [(name, self._keys(twin, name)[value]) for name in tables if value in self._keys(twin, name)]
        return matches[0] if len(matches) == 1 else None

    def _look_for_subjects(
        self, claim: WorldClaim, operands: Sequence[tuple[str, str, Any]]
    ) -> tuple[str, tuple[str, ...]]:
        """Return why a claim of no rows is about nothing, or empty, and the texts it compares with that are there.

        That a record has none of something needs the record; a name must be looked for in the column that has it.
        """
        present: list[str] = []
        for path, operator, operand in operands:
            if operator != "eq" or not isinstance(operand, str):
                continue
            *before, column = path.split(".")
            rows = self._rows[claim.twin][claim.table]
            if not before:
                present += [operand] if any(row.get(column) == operand for row in rows) else []
                other = next((name for row in rows for name, value in row.items() if value == operand), column)
                if other != column and operand not in present:
                    return f"it looks for '{operand[:100]}' in {column}, but {other} has it", ()
                continue
            tables = self._list_last_tables(claim, before)
            if tables and not any(
                row.get(column) == operand for name in tables for row in self._rows[claim.twin][name]
            ):
                return f"there is none of {' or '.join(tables)} whose {column} is '{operand[:100]}'", ()
            present.append(operand)
        return "", tuple(present)

    def _list_last_tables(self, claim: WorldClaim, columns: Sequence[str]) -> list[str]:
        """The tables that the last of a path's columns refers to; empty for a path within JSON."""
        tables = [claim.table]
        for column in columns:
            known = next(each for each in tables if column in self._schemas[claim.twin].tables[each].columns)
            if self._schemas[claim.twin].tables[known].columns[column].kind == "json":
                return []
            tables = self._targets(claim.twin, known, column)
        return tables


def is_row(value: Any) -> bool:
    """Return whether a value is an object, such as a row that stands in place of its id."""
    return isinstance(value, dict)


def is_id(value: Any) -> bool:
    """Return whether a value may be an id of any table: a text that is no small number."""
    return isinstance(value, str) and bool(value) and (len(value) >= MIN_ID_DIGITS or not value.isdigit())


def _refute_count(claim: WorldClaim, got: int, rows: Sequence[Row]) -> str:
    if claim.least <= got and (claim.most is None or got <= claim.most):
        return ""
    sample = {path: value_at(rows[0], path) for path in _list_paths(parse_where(claim.where, "", extended=True))[:6]}
    first = f"; the first has {msgspec.json.encode(sample).decode()[:300]}" if sample else ""
    return f"{got} of the {len(rows)} rows of {claim.table} are so{first if rows else ''}"


def _list_paths(where: Where) -> list[str]:
    return [path for clause in where for path in clause.paths]


def _list_operands(where: Where, *, is_plain: bool = True) -> Iterator[tuple[str, str, Any]]:
    for clause in where:
        if isinstance(clause, Group):
            for part in clause.parts:
                yield from _list_operands(part, is_plain=is_plain and clause.connective == "and")
        else:
            yield from _list_of_predicate(clause, clause.predicate, is_plain=is_plain)


def _list_of_predicate(clause: Condition, predicate: Predicate, *, is_plain: bool) -> Iterator[tuple[str, str, Any]]:
    if predicate.operator in ("and", "or", "not"):
        for part in cast("tuple[Predicate, ...]", predicate.value):
            yield from _list_of_predicate(clause, part, is_plain=is_plain and predicate.operator == "and")
    else:
        is_kept = is_plain or (predicate.operator in _NEGATIVE)
        yield clause.path, predicate.operator if is_plain and is_kept else "other", predicate.value
