"""Pages of the library: twins, templates and suites."""

from __future__ import annotations

from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from twindiff.catalog import SuiteRecord, TemplateRecord
from twindiff.kit.twin import Twin
from twindiff.server.apis.inspector import row_listing
from twindiff.server.apis.inspector.page_context import number
from twindiff.server.apis.inspector.rendering import page, pretty
from twindiff.server.apis.inspector.tables import file_of, filters_of, table_context
from twindiff.server.service import Service


class VendorCoverage(NamedTuple):
    """Numbers of operations of a vendor's API that a twin has, always refuses and lacks; `share` is in percent."""

    reading: int
    writing: int
    refused: int
    missing: int | None
    share: int | None


def coverage(twin: Twin) -> VendorCoverage:
    """Count the operations of a twin, and those documented by the vendor that it refuses or lacks."""
    reading = sum(each.reads for each in twin.served_operations)
    missing = None if twin.missing is None else len(twin.missing)
    share = None if twin.coverage_percent is None else round(twin.coverage_percent)
    return VendorCoverage(reading, len(twin.served_operations) - reading, len(twin.refused), missing, share)


async def twins(service: Service, request: Request) -> Response:
    """List the installed twins."""
    return page("twins.html", twins=[(twin, coverage(twin)) for twin in service.registry.twins.values()])


async def twin(service: Service, request: Request) -> Response:
    """One twin: its operations, those it lacks, and its tables."""
    requested = service.registry.get(request.path_params["twin"])
    operations = sorted(requested.dispatch.operations, key=lambda each: each.name)
    return page("twin.html", twin=requested, coverage=coverage(requested), operations=operations)


async def templates(service: Service, request: Request) -> Response:
    """List templates by twin and name."""
    records = sorted(service.templates.list(), key=lambda each: (each.service, each.name))
    return page("templates.html", templates=records)


async def template(service: Service, request: Request) -> Response:
    """One template: its tables with their row counts."""
    record = service.templates.get(request.path_params["id"])
    store = service.engine.template(record.service, record.hash)
    counts = [(each, store.count(each.row)) for each in service.registry.get(record.service).tables]
    return page("template.html", template=record, counts=counts)


async def template_table(service: Service, request: Request) -> Response:
    """Rows of one table of a template."""
    record: TemplateRecord = service.templates.get(request.path_params["id"])
    table = row_listing.table_named(service.registry.schemas[record.service], request.path_params["table"])
    filters, as_file = filters_of(request), request.query_params.get("format", "")
    limit = row_listing.MAX_ROWS if as_file else row_listing.PAGE
    store = service.engine.template(record.service, record.hash)
    sheet = row_listing.read(store, table, filters, number(request.query_params.get("offset")), limit)
    if as_file:
        return await service.runtime.run_in_thread(lambda: file_of(sheet, as_file))
    base = f"/inspect/templates/{record.template_id}/tables"
    return page("template_table.html", template=record, at="", **table_context(sheet, filters, base))


async def suites(service: Service, request: Request) -> Response:
    """List suites, newest first."""
    records: list[SuiteRecord] = service.suites.list(request.query_params.get("q", ""))
    return page("suites.html", suites=records, words=request.query_params.get("q", ""))


async def suite(service: Service, request: Request) -> Response:
    """One suite with its tests and their checks."""
    record = service.suites.get(request.path_params["id"])
    tests = [(each, pretty(each.spec)) for each in service.suites.tests(record.suite_id)]
    return page("suite.html", suite=record, tests=tests)
