"""Types of reports: their columns, and the rows of each from the account's balance transactions.

https://docs.stripe.com/api/reporting/report_type, https://docs.stripe.com/reports/report-types/balance
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Annotated, NamedTuple

from twindiff.kit import Body, Call, Operations
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.balance_transactions import DAY, BalanceTransaction
from ..core.currencies import decimals
from ..core.objects import Fields, now
from ..core.pagination import list_object
from ..core.params import Params

api = Operations(prefix="/v1/reporting/report_types")
Line = dict[str, str]
PAYOUTS = ("payout", "payout_reversal")


class ReportWindow(NamedTuple):
    """What a report is about: Unix timestamps, of which `end` is not included, and filters that may be empty."""

    start: int
    end: int
    currency: str = ""
    category: str = ""


class ReportType(NamedTuple):
    """A type of report: all columns, of which a run without a choice has the first `shown`, and its lines."""

    id: str
    name: str
    columns: tuple[str, ...]
    shown: int
    lines: Callable[[Call, ReportWindow], Iterator[Line]]


def _transactions(call: Call, window: ReportWindow, *, of_payouts: bool | None = None) -> list[BalanceTransaction]:
    table = BalanceTransaction
    where = [table.created >= window.start, table.created < window.end]
    if window.currency:
        where.append(table.currency == window.currency)
    if window.category:
        where.append(table.reporting_category == window.category)
    rows = call.db.rows(table, *where, order=table.seq)
    return [row for row in rows if of_payouts is None or (row.reporting_category in PAYOUTS) == of_payouts]


def _money(amount: int, currency: str) -> str:
    places = decimals(currency)
    return f"{amount / 10**places:.{places}f}"


def _instant(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _itemize(rows: Sequence[BalanceTransaction]) -> Iterator[Line]:
    for row in rows:
        yield {
            "balance_transaction_id": row.id,
            "created_utc": _instant(row.created),
            "created": _instant(row.created),
            "available_on_utc": _instant(row.available_on),
            "available_on": _instant(row.available_on),
            "currency": row.currency,
            "gross": _money(row.amount, row.currency),
            "fee": _money(row.fee, row.currency),
            "net": _money(row.net, row.currency),
            "reporting_category": row.reporting_category,
            "source_id": row.source or "",
            "description": row.description or "",
            "payout_id": (row.source if row.reporting_category in PAYOUTS else row.payout) or "",
            "effective_at_utc": _instant(row.created),
        }


def _summarize(rows: Sequence[BalanceTransaction]) -> Iterator[Line]:
    groups: dict[tuple[str, str], list[BalanceTransaction]] = {}
    for row in rows:
        groups.setdefault((row.reporting_category, row.currency), []).append(row)
    for (category, currency), members in sorted(groups.items()):
        yield {
            "reporting_category": category,
            "currency": currency,
            "count": str(len(members)),
            "gross": _money(sum(each.amount for each in members), currency),
            "fee": _money(sum(each.fee for each in members), currency),
            "net": _money(sum(each.net for each in members), currency),
        }


def _balance(call: Call, window: ReportWindow) -> Iterator[Line]:
    before = _transactions(call, window._replace(start=0, end=window.start))
    within = _transactions(call, window)
    for currency in sorted({row.currency for row in (*before, *within)}):
        own = [row for row in within if row.currency == currency]
        start = sum(row.net for row in before if row.currency == currency)
        activity = [row for row in own if row.reporting_category not in PAYOUTS]
        amounts = {
            "starting_balance": ("Starting balance", start),
            "activity_gross": ("Account activity before fees", sum(row.amount for row in activity)),
            "activity_fee": ("Less fees", -sum(row.fee for row in activity)),
            "activity": ("Net balance change from activity", sum(row.net for row in activity)),
            "payouts": ("Total payouts", sum(row.net for row in own if row.reporting_category in PAYOUTS)),
            "ending_balance": ("Ending balance", start + sum(row.net for row in own)),
        }
        for category, (description, amount) in amounts.items():
            net = _money(amount, currency)
            yield {"category": category, "description": description, "net_amount": net, "currency": currency}


_ITEMS = (
    "balance_transaction_id",
    "created_utc",
    "created",
    "available_on_utc",
    "available_on",
    "currency",
    "gross",
    "fee",
    "net",
    "reporting_category",
    "source_id",
    "description",
)
_PAYOUT_ITEMS = (
    "payout_id",
    "effective_at_utc",
    "currency",
    "balance_transaction_id",
    "gross",
    "fee",
    "net",
    "reporting_category",
    "description",
)
_SUMMARY = ("reporting_category", "currency", "count", "gross", "fee", "net")
_BALANCE = ("category", "description", "net_amount", "currency")


Render = Callable[[Sequence[BalanceTransaction]], Iterator[Line]]


def _of(of_payouts: bool, render: Render) -> Callable[[Call, ReportWindow], Iterator[Line]]:
    def lines(call: Call, window: ReportWindow) -> Iterator[Line]:
        return render(_transactions(call, window, of_payouts=of_payouts))

    return lines


TYPES = {
    each.id: each
    for each in (
        ReportType("balance.summary.1", "Balance summary", _BALANCE, 4, _balance),
        ReportType(
            "balance_change_from_activity.itemized.3",
            "Itemized balance change from activity",
            _ITEMS,
            11,
            _of(False, _itemize),
        ),
        ReportType(
            "balance_change_from_activity.summary.1",
            "Balance change from activity summary",
            _SUMMARY,
            6,
            _of(False, _summarize),
        ),
        ReportType("payouts.itemized.3", "Itemized payouts", _PAYOUT_ITEMS, 8, _of(True, _itemize)),
        ReportType("payouts.summary.1", "Payouts summary", _SUMMARY, 6, _of(True, _summarize)),
    )
}


def _render(call: Call, kind: ReportType) -> Fields:
    """Render a report type; its data reach from the first transaction to the last midnight (UTC)."""
    first = call.db.rows(BalanceTransaction, order=BalanceTransaction.created, limit=1)
    today = now(call) // DAY * DAY
    start = min(first[0].created // DAY * DAY, today) if first else today
    return {
        "id": kind.id,
        "object": "reporting.report_type",
        "data_available_end": today,
        "data_available_start": start,
        "default_columns": list(kind.columns[: kind.shown]),
        "livemode": False,
        "name": kind.name,
        "updated": today,
        "version": int(kind.id.rpartition(".")[2]),
    }


def find_type(id: str, status: int) -> ReportType:
    """Return a report type; raises StripeError of this status for an unknown one."""
    if id not in TYPES:
        message = f"No such report type: '{id[:500]}'"
        raise StripeError(message, status=status, code="resource_missing", param="report_type")
    return TYPES[id]


@api.get("")
def list_report_types(call: Call, params: Annotated[Params, Body]) -> Fields:
    """List the types of reports."""
    return list_object([_render(call, each) for each in TYPES.values()], "/v1/reporting/report_types")


@api.get("/{report_type}")
def retrieve_report_type(call: Call, report_type: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a type of reports."""
    return _render(call, find_type(report_type, 404))
