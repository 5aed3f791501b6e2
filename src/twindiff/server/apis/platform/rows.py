"""Operations for the current rows of an environment's tables."""

from __future__ import annotations

from typing import Any

import msgspec

from twindiff.kit.http import Response, json_answer
from twindiff.kit.rows import Table, table_of
from twindiff.kit.twin import Operations
from twindiff.server.parameters import After, Limit
from twindiff.server.service import Service
from twindiff.server.use_cases.rows import InvalidCondition, read_rows

api = Operations()


class RowList(msgspec.Struct):
    """A page of rows in order of their keys; `total` counts all matches, `key` names the columns of the key."""

    twin: str
    table: str
    key: list[str]
    rows: list[dict[str, Any]]
    total: int


@api.get("/env/{envId}/rows/{table}")
async def rows(
    service: Service, env_id: str, table: str, where: str = "", limit: Limit = 100, offset: After = 0
) -> RowList | Response:
    """Rows of a table, named as `messages` or `slack.messages`.
    `where` is a JSON object of columns and the values that they must have, as strings.
    """
    page = await read_rows(service, env_id, table, _conditions(where), limit, offset)

    def compose() -> Response:
        return json_answer(RowList(page.twin, page.table.name, [*page.table.key], page.rows, page.total))

    return await service.runtime.run_in_thread(compose)


class TableColumn(msgspec.Struct):
    """A column; `references` names the table whose key it holds. A `derived` one is left out of diffs by default."""

    name: str
    kind: str
    derived: bool
    references: str | None


class TableShown(msgspec.Struct):
    """A table of a twin; checks name it as `entity`, and as `twin.table` where there are several twins."""

    name: str
    key: list[str]
    columns: list[TableColumn]


class TableList(msgspec.Struct):
    twin: str
    tables: list[TableShown]


@api.get("/twins/{twin}/tables")
def list_tables(service: Service, twin: str) -> TableList:
    """The tables and columns of a twin, as diffs and checks name them."""
    named = service.registry.get(twin)
    tables = service.registry.schemas[named.name].tables.values()
    return TableList(named.name, [_render_table(each) for each in tables if each.visibility != "bookkeeping"])


def _render_table(table: Table) -> TableShown:
    columns = [
        TableColumn(each.name, each.kind, each.derived, table_of(each.references).name if each.references else None)
        for each in table.columns.values()
    ]
    return TableShown(table.name, [*table.key], columns)


def _conditions(where: str) -> dict[str, str]:
    try:
        return msgspec.json.decode(where or "{}", type=dict[str, str])
    except (msgspec.MsgspecError, RecursionError):
        example = '{"user_id": "U1"}'
        raise InvalidCondition(f"where is a JSON object of texts, such as {example}, not '{where[:100]}'") from None
