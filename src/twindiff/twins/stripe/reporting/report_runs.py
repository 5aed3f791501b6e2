"""Runs of reports, each of which gives a CSV file after a while.

https://docs.stripe.com/api/reporting/report_run, https://docs.stripe.com/reports/api
"""

from __future__ import annotations

import csv
from io import StringIO
from typing import Annotated, Literal

import msgspec

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.balance_transactions import DAY
from ..core.currencies import parse_currency
from ..core.events import record_row
from ..core.file_tables import FILES, File
from ..core.objects import Fields, StripeObject, build_view, new, now, resource, retrieve, show, show_all
from ..core.pagination import list_of, to_range_conditions
from ..core.params import ListParams, NestedParams, OptName, OptRange, Params, value_of
from .report_types import ReportWindow, find_type

api = Operations(prefix="/v1/reporting/report_runs")

Category = Literal[
    "advance", "advance_funding", "anticipation_repayment", "charge", "charge_failure", "climate_order_purchase",
    "climate_order_refund", "connect_collection_transfer", "connect_reserved_funds", "contribution", "dispute",
    "dispute_reversal", "fee", "financing_paydown", "financing_paydown_reversal", "financing_payout",
    "financing_payout_reversal", "issuing_authorization_hold", "issuing_authorization_release", "issuing_dispute",
    "issuing_transaction", "network_cost", "other_adjustment", "partial_capture_reversal", "payout",
    "payout_reversal", "platform_earning", "platform_earning_refund", "refund", "refund_failure",
    "risk_reserved_funds", "tax", "topup", "topup_reversal", "transfer", "transfer_reversal",
    "unreconciled_customer_funds",
]  # fmt: skip
"""What a transaction is counted as.  https://docs.stripe.com/reports/reporting-categories"""
RUN_SECONDS = 10
"""How long a report takes, which no page says."""


class ReportRun(
    StripeObject, table="report_runs", key=("id",), unique=(("seq",),), indexes=(("due_on",), ("created",))
):
    due_on: Column[int] = column(default=0, derived=True)
    error: Column[str | None] = column(default=None)
    parameters: Column[Json] = column(default={})
    report_type: Column[str]
    result: Column[str | None] = column(default=None)
    status: Column[str] = column(default="pending")
    succeeded_at: Column[int | None] = column(default=None)


def _fill_results(call: Call, runs: list[Fields]) -> None:
    """Set the file of each rendered run."""
    ids = [each["result"] for each in runs if each["result"]]
    files = {each["id"]: each for each in show_all(call, FILES, call.db.rows(File, File.id.in_(ids)))} if ids else {}
    for each in runs:
        each["result"] = files.get(each["result"])


RUNS = resource(
    ReportRun,
    "reporting.report_run",
    "frr_",
    build_view(ReportRun, "reporting.report_run", "due_on"),
    spoken="report run",
    param="report_run",
    fill=_fill_results,
)


class RunParameters(NestedParams):
    """What a report is about."""

    columns: list[str] | UnsetType = UNSET
    connected_account: OptName = UNSET
    currency: OptName = UNSET
    interval_end: int | UnsetType = UNSET
    interval_start: int | UnsetType = UNSET
    payout: OptName = UNSET
    reporting_category: Category | UnsetType = UNSET
    timezone: OptName = UNSET


class CreateRun(Params, kw_only=True):
    """The parameters of a new run."""

    report_type: str
    parameters: RunParameters | UnsetType = UNSET


class ListRuns(ListParams):
    """The parameters of a list of runs."""

    created: OptRange = UNSET


@api.post("")
def create_run(call: Call, params: Annotated[CreateRun, Body]) -> Fields:
    """Begin a report; an event tells when it has succeeded.

    https://docs.stripe.com/api/reporting/report_run/create
    """
    kind = find_type(params.report_type, 400)
    given = params.parameters if isinstance(params.parameters, RunParameters) else RunParameters()
    for name in ("connected_account", "payout", "timezone"):
        if getattr(given, name) not in (UNSET, "Etc/UTC"):
            message = f"The report type '{kind.id}' does not support the parameter `{name}`."
            raise StripeError(message, param=f"parameters[{name}]")
    for name in ("interval_start", "interval_end"):
        if getattr(given, name) is UNSET:
            param = f"parameters[{name}]"
            raise StripeError(f"Missing required param: {param}.", code="parameter_missing", param=param)
    _check_interval(call, given)
    if isinstance(given.currency, str):
        given = msgspec.structs.replace(given, currency=parse_currency(given.currency, "parameters[currency]"))
    for each in given.columns or ():
        if each not in kind.columns:
            message = f"Invalid column '{each[:100]}'. It must be one of {', '.join(kind.columns)}."
            raise StripeError(message, param="parameters[columns]")
    made = new(call, RUNS, report_type=kind.id, parameters=value_of(given), due_on=now(call) + RUN_SECONDS)
    return show(call, RUNS, made)


def _check_interval(call: Call, given: RunParameters) -> None:
    """Raise StripeError for an interval that is empty, or ends after the data, which end at the last midnight."""
    start, end = int(given.interval_start or 0), int(given.interval_end or 0)
    if start >= end:
        message = "`interval_start` must be before `interval_end`."
        raise StripeError(message, param="parameters[interval_start]")
    last = now(call) // DAY * DAY
    if end > last:
        message = f"`interval_end` must be at or before {last}, up to which data are available."
        raise StripeError(message, param="parameters[interval_end]")


@api.get("/{report_run}")
def retrieve_run(call: Call, report_run: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a run."""
    return show(call, RUNS, retrieve(call, RUNS, report_run))


@api.get("")
def list_runs(call: Call, params: Annotated[ListRuns, Body]) -> Fields:
    """List runs."""
    return list_of(
        call, RUNS, params, "/v1/reporting/report_runs", *to_range_conditions(ReportRun.created, params.created)
    )


@api.due(ReportRun.due_on, ReportRun.due_on > 0)
def finish_run(call: Call, row: ReportRun) -> None:
    """Scheduled job: write the file of a report."""
    asked: Fields = row.parameters
    window = ReportWindow(
        asked["interval_start"], asked["interval_end"], asked.get("currency", ""), asked.get("reporting_category", "")
    )
    kind = find_type(row.report_type, 400)
    text = StringIO()
    columns = asked.get("columns") or kind.columns[: kind.shown]
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(kind.lines(call, window))
    data = text.getvalue().encode()
    name = f"{row.id}.csv"
    made = new(
        call,
        FILES,
        filename=name,
        purpose="finance_report_run",
        size=len(data),
        title=f"FinanceReportRun {row.id}",
        type="csv",
        content_type="text/csv",
        digest=call.blobs.put(data),
    )
    call.db.change(made, url=f"{call.base_url}/v1/files/{made.id}/contents")
    done = call.db.change(row, status="succeeded", succeeded_at=now(call), result=made.id, due_on=0)
    record_row(call, "reporting.report_run.succeeded", RUNS, done)
