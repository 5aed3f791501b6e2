"""Pages of tables: rows, one row with the last writer of each column, and the inspector views of a twin."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from twindiff.environments.environments import LoadedEnvironment
from twindiff.kit import Call
from twindiff.kit.clock import Clock
from twindiff.kit.errors import ApiError
from twindiff.kit.header_values import disposition_value
from twindiff.kit.inspector_views import Screen
from twindiff.kit.rows import Table
from twindiff.server.apis.inspector import row_listing
from twindiff.server.apis.inspector.page_context import PageContext, head_context, living, look, number, point, twin_of
from twindiff.server.apis.inspector.rendering import HEADERS, page
from twindiff.server.apis.inspector.row_listing import Filter, RowListing
from twindiff.server.apis.inspector.screen_masking import mask_screen
from twindiff.server.service import Service
from twindiff.storage.journal import JournalRecord, Values
from twindiff.storage.values import changed_columns

MAX_BLAME_RECORDS = 10_000
"""Number of latest operations that are searched for writers of a row."""


class ScreenNotFound(ApiError):
    """The twin shows nothing there."""

    status = 404


async def tables(service: Service, request: Request) -> Response:
    """List all tables with their row counts, non-empty ones first."""
    looking = await look(service, request.path_params["id"])
    environment = living(looking, service)
    counts = {
        name: service.engine.read(
            environment.id,
            name,
            lambda moment, twin=twin: sorted(
                ((each, moment.db.count(each.row)) for each in twin.tables), key=lambda counted: not counted[1]
            ),
            at=0,
        )
        for name, twin in environment.twins.items()
    }
    return page("tables.html", **head_context(looking, "tables"), counts=counts)


async def table(service: Service, request: Request) -> Response:
    """Rows of one table; `?format=csv` and `?format=json` download them."""
    looking = await look(service, request.path_params["id"])
    environment = living(looking, service)
    twin = twin_of(service, environment, request)
    wanted = row_listing.table_named(service.registry.schemas[twin.name], request.path_params["table"])
    filters, as_file = filters_of(request), request.query_params.get("format", "")
    offset, seq = number(request.query_params.get("offset")), point(service, looking, request.query_params.get("at"))
    if seq is None:
        limit = row_listing.MAX_ROWS if as_file else row_listing.PAGE
        sheet = service.engine.read(
            environment.id, twin.name, lambda moment: row_listing.read(moment.db, wanted, filters, offset, limit), at=0
        )
    else:
        sheet = await row_listing.at_point(service, environment, twin.name, wanted, filters, seq, offset)
    if as_file:
        return await service.runtime.run_in_thread(lambda: file_of(sheet, as_file))
    values = {**head_context(looking, "tables"), **table_context(sheet, filters, f"{looking.base}/tables/{twin.name}")}
    return page("table.html", **values, twin=twin.name, at="" if seq is None else str(seq))


def filters_of(request: Request) -> list[Filter]:
    """Parse the filters in the URL."""
    given = [request.query_params.getlist(name) for name in ("column", "op", "value")]
    return [Filter(*each) for each in zip(*given, strict=False) if each[0]]


def table_context(sheet: RowListing, filters: list[Filter], base: str) -> dict[str, Any]:
    """The template variables of a table's page; `base` is the URL of its twin's tables."""
    described = [{"column": each.column, "op": each.op, "value": each.value} for each in filters]
    given = {name: [each[name] for each in described] for name in ("column", "op", "value")}
    return {
        "sheet": sheet,
        "filters": filters,
        "given": given,
        "ops": list(row_listing.OPS),
        "columns": [name for name, column in sheet.table.columns.items() if column.kind != "json"],
        "leads": row_listing.leads_to(sheet.table),
        "tables": base,
    }


def file_of(sheet: RowListing, kind: str) -> Response:
    """Respond with rows as a CSV or JSON file, at most 10,000."""
    name = f"{sheet.table.name}.{'csv' if kind == 'csv' else 'json'}"
    headers = {**HEADERS, "Content-Disposition": disposition_value("attachment", name)}
    if kind == "csv":
        return Response(
            row_listing.as_csv(sheet.table, sheet.rows), headers=headers, media_type="text/csv; charset=utf-8"
        )
    return Response(msgspec.json.encode(sheet.rows), headers=headers, media_type="application/json")


class ColumnWriter(NamedTuple):
    """The last operation that wrote a column."""

    seq: int
    operation: str
    actor: str
    at: str


async def row(service: Service, request: Request) -> Response:
    """One row: its columns with their last writers, and links to rows that refer to it."""
    looking = await look(service, request.path_params["id"])
    environment = living(looking, service)
    twin = twin_of(service, environment, request)
    schema = service.registry.schemas[twin.name]
    wanted = row_listing.table_named(schema, request.path_params["table"])
    key = request.query_params.get("key", "")
    values = service.engine.read(
        environment.id, twin.name, lambda moment: row_listing.find(moment.db, wanted, key), at=0
    )
    blamed = await _blame(service, looking, environment, twin.name, wanted, values)
    return page(
        "row.html",
        **head_context(looking, "tables"),
        twin=twin.name,
        table=wanted,
        values=values,
        blame=blamed,
        leads=row_listing.leads_to(wanted),
        referring=row_listing.refer_to(schema, wanted) if len(wanted.key) == 1 else [],
        tables=f"{looking.base}/tables/{twin.name}",
    )


async def _blame(
    service: Service, looking: PageContext, environment: LoadedEnvironment, twin: str, table: Table, values: Values
) -> dict[str, ColumnWriter]:
    """Find the last operation that wrote each column; columns unchanged since the template are left out."""
    start = max(0, looking.seq - MAX_BLAME_RECORDS)
    since = await service.runtime.run_steps(service.points.difference(environment.id, start, None))
    key = tuple(values[name] for name in table.key)

    def compose() -> dict[str, ColumnWriter]:
        blamed: dict[str, ColumnWriter] = {}
        for record in since.records:
            for change in record.changes:
                if record.twin == twin and change.table == table.name and tuple(change.key) == key:
                    blamed |= dict.fromkeys(_written_columns(change.before, change.after), _wrote(record))
        return blamed

    return await service.runtime.compose(since.records, compose)


def _written_columns(before: Values | None, after: Values | None) -> list[str]:
    return changed_columns(before, after) if before and after else list(after or ())


def _wrote(record: JournalRecord) -> ColumnWriter:
    return ColumnWriter(record.seq, record.operation, record.actor, Clock(record.clock).iso())


async def screen(service: Service, request: Request) -> Response:
    """An inspector view of a twin, such as Slack's channels or Stripe's payments."""
    looking = await look(service, request.path_params["id"])
    environment = living(looking, service)
    twin = twin_of(service, environment, request)
    path = request.path_params.get("path", "")

    now = Clock(service.clocks.show(environment.id).now)

    def read(moment: Any) -> Screen | None:
        return twin.screen(Call("", moment.db, now, base_url=""), path) if twin.screen else None

    seen = service.engine.read(environment.id, twin.name, read, at=0)
    if seen is None:
        raise ScreenNotFound(f"{twin.name} shows nothing at '{path[:200]}'")
    base = f"{looking.base}/screens/{twin.name}"
    return page(
        "screen.html",
        **head_context(looking, f"screen {twin.name}"),
        twin=twin.name,
        screen=mask_screen(seen),
        base=base,
        here=path,
    )
