"""The current rows of an environment's tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from twindiff.environments.environments import LoadedEnvironment
from twindiff.kit.errors import ApiError
from twindiff.kit.rows import Column, Expression, Table
from twindiff.kit.suggestions import did_you_mean
from twindiff.server.service import Service
from twindiff.storage.journal import Values

_TYPES: dict[str, Any] = {"integer": int, "float": float, "boolean": bool}


class TableNotFound(ApiError):
    """The environment has no such table."""

    status = 404


class AmbiguousTable(ApiError):
    """Several twins of the environment have a table of this name."""


class InvalidCondition(ApiError):
    """A condition names a column and the value that it is to have."""


class RowsFound(NamedTuple):
    """A page of a table's rows in order of their keys; `total` counts all that match."""

    twin: str
    table: Table
    rows: list[Values]
    total: int


async def read_rows(
    service: Service, env_id: str, name: str, where: Mapping[str, str], limit: int, offset: int
) -> RowsFound:
    """Read rows whose columns equal the values of `where`; `name` may have its twin's as prefix (`slack.messages`).
    Raises TableNotFound, AmbiguousTable, InvalidCondition.
    """
    environment = service.environments.get(env_id)
    await service.loader.load(environment)
    await service.loader.run_due_work(environment.id)
    twin, table = _find_table(service, environment, name)
    wanted = [_condition(table, column, value) for column, value in where.items()]
    order = tuple(table.columns[column] for column in table.key)

    def read(moment: Any) -> RowsFound:
        rows = moment.db.rows(table.row, *wanted, order=order, limit=limit, offset=offset)
        values = [msgspec.structs.asdict(row) for row in rows]
        return RowsFound(twin, table, values, moment.db.count(table.row, *wanted))

    return service.engine.read(environment.id, twin, read, at=0)


def _find_table(service: Service, environment: LoadedEnvironment, name: str) -> tuple[str, Table]:
    given_twin, dot, given_table = name.rpartition(".")
    tables = {twin: service.registry.schemas[twin].tables for twin in environment.twins}
    matches = [
        (twin, tables[twin][given_table]) for twin in tables if given_table in tables[twin] and given_twin in ("", twin)
    ]
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = " or ".join(f"{twin}.{given_table}" for twin, _ in matches)
        raise AmbiguousTable(f"several twins have a table '{name}': say {names}")
    known = [f"{twin}.{table}" if dot else table for twin, its in tables.items() for table in its]
    listed = ", ".join(sorted(known)[:100])
    raise TableNotFound(f"there is no table '{name[:100]}'.{did_you_mean(name, known)} There are {listed}.")


def _condition(table: Table, name: str, value: str) -> Expression:
    column: Column[Any] | None = table.columns.get(name)
    if column is None:
        columns = ", ".join(table.columns)
        near = did_you_mean(name, table.columns)
        raise InvalidCondition(f"{table.name} has no column '{name[:100]}'.{near} It has {columns}.")
    if column.kind == "json":
        raise InvalidCondition(f"{table.name}.{name} holds JSON, which has no one value to compare with")
    try:
        return column == msgspec.convert(value, _TYPES.get(column.kind, str), strict=False)
    except msgspec.ValidationError:
        raise InvalidCondition(f"'{value[:100]}' is no {column.kind}, which {table.name}.{name} is") from None
