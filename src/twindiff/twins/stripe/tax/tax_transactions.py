"""Tax transactions: recorded taxes of sales and refunds, for tax reports.

https://docs.stripe.com/api/tax/transactions
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from msgspec.structs import replace

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import Fields, StripeObject, build_view, new, now, refer, resource, retrieve
from ..core.params import (
    Integer,
    ListParams,
    NestedParams,
    OptInteger,
    OptMetadata,
    Params,
    merge_metadata,
    value_of,
)
from .tax_calculations import CALCULATIONS
from .tax_line_items import LINES, TaxLine, lines_of, lines_within, list_lines

api = Operations(prefix="/v1/tax/transactions")


class TaxTransaction(
    StripeObject, table="tax_transactions", key=("id",), unique=(("seq",), ("reference",)), indexes=(("original",),)
):
    currency: Column[str]
    customer: Column[str | None] = column(default=None)
    customer_details: Column[Json]
    metadata: Column[Json] = column(default={})
    original: Column[str | None] = column(default=None)
    """The transaction that a reversal reverses."""
    posted_at: Column[int]
    reference: Column[str]
    ship_from_details: Column[Json] = column(default=None)
    shipping_cost: Column[Json] = column(default=None)
    tax_date: Column[int]
    type: Column[str] = column(default="transaction")


def _reversal(row: TaxTransaction) -> Fields | None:
    return {"original_transaction": row.original} if row.original else None


TRANSACTIONS = resource(
    TaxTransaction,
    "tax.transaction",
    "tax_",
    build_view(TaxTransaction, "tax.transaction", "original", reversal=_reversal),
    spoken="tax transaction",
    param="transaction",
    includes={"line_items": lines_within},
)


class CreateTransaction(Params, kw_only=True):
    """The parameters of a transaction from a calculation."""

    longest: ClassVar = {"reference": 500}

    calculation: str
    reference: str
    metadata: OptMetadata = UNSET
    posted_at: OptInteger = UNSET


class ReversedLine(NestedParams, kw_only=True):
    """The reversed part of a line."""

    amount: Integer
    amount_tax: Integer
    original_line_item: str
    reference: str
    metadata: dict[str, str] | UnsetType = UNSET
    quantity: OptInteger = UNSET


class ReversedShipping(NestedParams):
    """The reversed part of the shipping cost."""

    amount: Integer
    amount_tax: Integer


class CreateReversal(Params, kw_only=True):
    """The parameters of a reversal."""

    longest: ClassVar = {"reference": 500}

    mode: Literal["full", "partial"]
    original_transaction: str
    reference: str
    flat_amount: OptInteger = UNSET
    line_items: list[ReversedLine] | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    shipping_cost: ReversedShipping | UnsetType = UNSET


_SHARED = ("currency", "customer", "customer_details", "ship_from_details", "shipping_cost", "tax_date")


@api.post("/create_from_calculation")
def create_from_calculation(call: Call, params: Annotated[CreateTransaction, Body]) -> Fields:
    """Create a tax transaction from a calculation."""
    source = refer(call, CALCULATIONS, params.calculation, "calculation")
    if source.expires_at <= now(call):
        raise StripeError(f"The tax calculation {source.id} has expired.", param="calculation")
    _check_reference(call, params.reference)
    shared = {name: getattr(source, name) for name in _SHARED}
    posted = params.posted_at if isinstance(params.posted_at, int) else now(call)
    metadata = merge_metadata({}, params.metadata)
    made = new(call, TRANSACTIONS, **shared, metadata=metadata, posted_at=posted, reference=params.reference)
    for line in lines_of(call, source.id):
        _write(call, made, line, line.amount, line.amount_tax, reference=line.reference)
    return TRANSACTIONS.show(made)


def _write(call: Call, made: TaxTransaction, like: TaxLine, amount: int, tax: int, **other: object) -> None:
    """Create a line copied from another one, with other amounts."""
    same = {name: getattr(like, name) for name in ("product", "quantity", "tax_behavior", "tax_code", "metadata")}
    new(call, LINES, parent=made.id, amount=amount, amount_tax=tax, **{**same, **other})


def _check_reference(call: Call, reference: str) -> None:
    if known := call.db.find(TaxTransaction, TaxTransaction.reference == reference):
        message = f"The tax transaction {known.id} already has the reference '{reference[:100]}'."
        raise StripeError(message, code="resource_already_exists", param="reference")


@api.post("/create_reversal")
def create_reversal(call: Call, params: Annotated[CreateReversal, Body]) -> Fields:
    """Reverse a tax transaction, wholly or in part."""
    original = refer(call, TRANSACTIONS, params.original_transaction, "original_transaction")
    if original.type != "transaction":
        raise StripeError("Only transactions of sales can be reversed.", param="original_transaction")
    _check_reference(call, params.reference)
    lines, cost = _compute_unreversed(call, original)
    wanted = _all(lines) if params.mode == "full" else _some(params, lines)
    shared = {name: getattr(original, name) for name in _SHARED}
    made = new(
        call,
        TRANSACTIONS,
        **{**shared, "shipping_cost": _shipping(params, cost)},
        metadata=merge_metadata({}, params.metadata),
        original=original.id,
        posted_at=now(call),
        reference=params.reference,
        type="reversal",
    )
    for line, each in wanted:
        more: Fields = {"metadata": value_of(each.metadata)} if each.metadata is not UNSET else {}
        quantity = each.quantity if isinstance(each.quantity, int) else line.quantity
        other = {"reference": each.reference, "reversal_of": line.id, "quantity": quantity, **more}
        _write(call, made, line, each.amount, each.amount_tax, **other)
    return TRANSACTIONS.show(made)


def _compute_unreversed(call: Call, original: TaxTransaction) -> tuple[list[TaxLine], Fields | None]:
    """Return the lines and the shipping cost of a transaction, less former reversals."""
    lines, cost = list(lines_of(call, original.id)), original.shipping_cost
    reversals = call.db.rows(TaxTransaction, TaxTransaction.original == original.id)
    if not reversals:
        return lines, cost
    amounts, taxes = Counter[str | None](), Counter[str | None]()
    for back in call.db.rows(TaxLine, TaxLine.parent.in_([each.id for each in reversals])):
        amounts[back.reversal_of] += back.amount
        taxes[back.reversal_of] += back.amount_tax
    lines = [_less(line, amounts[line.id], taxes[line.id]) for line in lines]
    for each in reversals:
        if cost and (back := each.shipping_cost):
            cost = {**cost, **{name: cost[name] + back[name] for name in ("amount", "amount_tax")}}
    if not any((*map(_total, lines), cost and cost["amount"])):
        message = f"The tax transaction {original.id} has already been reversed in full."
        raise StripeError(message, param="original_transaction")
    return lines, cost


def _less(line: TaxLine, amount: int, tax: int) -> TaxLine:
    """Return a line reduced by a reversal, whose amounts are negative."""
    return replace(line, amount=line.amount + amount, amount_tax=line.amount_tax + tax)


def _all(lines: Sequence[TaxLine]) -> list[tuple[TaxLine, ReversedLine]]:
    return [(line, _back(line, -line.amount, -line.amount_tax)) for line in lines]


def _back(line: TaxLine, amount: int, tax: int) -> ReversedLine:
    return ReversedLine(amount=amount, amount_tax=tax, original_line_item=line.id, reference=line.reference)


def _some(params: CreateReversal, lines: Sequence[TaxLine]) -> list[tuple[TaxLine, ReversedLine]]:
    """Return the lines that are partially reversed."""
    if isinstance(params.flat_amount, int):
        return _spread(params.flat_amount, lines)
    if params.line_items is UNSET and params.shipping_cost is UNSET:
        raise StripeError("Missing required param: line_items.", code="parameter_missing", param="line_items")
    by_id, wanted = {line.id: line for line in lines}, list[tuple[TaxLine, ReversedLine]]()
    for number, each in enumerate(params.line_items or []):
        at = f"line_items[{number}]"
        if each.original_line_item not in by_id:
            raise LINES.missing(each.original_line_item, param=f"{at}[original_line_item]", status=400)
        line = by_id[each.original_line_item]
        _check_part(each.amount, line.amount, f"{at}[amount]")
        _check_part(each.amount_tax, line.amount_tax, f"{at}[amount_tax]")
        by_id[line.id] = _less(line, each.amount, each.amount_tax)
        wanted.append((line, each))
    return wanted


def _check_part(amount: int, whole: int, param: str) -> None:
    if amount > 0:
        raise StripeError("This value must be less than or equal to 0.", code="parameter_invalid_integer", param=param)
    if -amount > whole:
        raise StripeError(f"You cannot reverse more than {whole}, which is left of what was recorded.", param=param)


def _spread(flat: int, lines: Sequence[TaxLine]) -> list[tuple[TaxLine, ReversedLine]]:
    """Distribute a flat amount, tax included, over all lines in proportion."""
    whole = sum(_total(line) for line in lines)
    _check_part(flat, whole, "flat_amount")
    parts, left = list[tuple[TaxLine, ReversedLine]](), -flat
    for number, line in enumerate(lines):
        part = left if number == len(lines) - 1 else _total(line) * -flat // (whole or 1)
        left -= part
        tax = (2 * part * line.amount_tax + _total(line)) // (2 * _total(line) or 1)
        amount = part if line.tax_behavior == "inclusive" else part - tax
        parts.append((line, _back(line, -amount, -tax)))
    return parts


def _total(line: TaxLine) -> int:
    return line.amount if line.tax_behavior == "inclusive" else line.amount + line.amount_tax


def _shipping(params: CreateReversal, cost: Fields | None) -> Fields | None:
    """Return the shipping cost to reverse."""
    if isinstance(params.shipping_cost, ReversedShipping):
        whole, back = cost or {}, params.shipping_cost
        _check_part(back.amount, whole.get("amount", 0), "shipping_cost[amount]")
        _check_part(back.amount_tax, whole.get("amount_tax", 0), "shipping_cost[amount_tax]")
        return {**cost, **value_of(back)} if cost else None
    if cost is None or params.mode == "partial":
        return None
    return {**cost, "amount": -cost["amount"], "amount_tax": -cost["amount_tax"]}


@api.get("/{transaction}")
def retrieve_tax_transaction(call: Call, transaction: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a transaction."""
    return TRANSACTIONS.show(retrieve(call, TRANSACTIONS, transaction))


@api.get("/{transaction}/line_items")
def list_transaction_lines(call: Call, transaction: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the lines of a transaction."""
    return list_lines(call, retrieve(call, TRANSACTIONS, transaction).id, params)
