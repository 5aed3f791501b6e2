"""Operations on lines of draft invoices: add, update and remove, also in bulk.

https://docs.stripe.com/api/invoice-line-item/bulk
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ...catalog.discounts import OptDiscounts
from ...catalog.price_params import LinePriceData
from ...core.events import update
from ...core.objects import Fields, find, refer, retrieve, show
from ...core.params import NestedParams, OptBool, OptInteger, OptMetadata, OptText, Params, merge_metadata
from ...core.test_clocks import use_clock_time
from ..tables.invoice_line_items import LINE_ITEMS, LineItem
from ..tables.invoice_tables import INVOICE_ITEMS, INVOICES, Invoice, InvoiceItem
from .invoice_items import (
    CreateItem,
    ItemParams,
    Period,
    Pricing,
    check_amount_alone,
    create_invoiceitem,
    delete_invoiceitem,
    update_invoiceitem,
)
from .invoice_lifecycle import add_items, remove_item_line

api = Operations(prefix="/v1/invoices")

MAX_LINES_PER_REQUEST = 250


class Line(NestedParams, kw_only=True):
    """A line: an amount, a price, or a pending invoice item."""

    amount: OptInteger = UNSET
    description: OptText = UNSET
    discountable: OptBool = UNSET
    discounts: OptDiscounts = UNSET
    invoice_item: OptText = UNSET
    metadata: OptMetadata = UNSET
    period: Period | UnsetType = UNSET
    price_data: LinePriceData | UnsetType = UNSET
    pricing: Pricing | UnsetType = UNSET
    quantity: OptInteger = UNSET
    quantity_decimal: OptText = UNSET
    tax_rates: list[str] | UnsetType = UNSET


class ChangedLine(Line, kw_only=True):
    """A line to update."""

    id: str


class RemovedLine(NestedParams, kw_only=True):
    """A line to remove; its invoice item is deleted, or becomes pending again."""

    id: str
    behavior: Literal["delete", "unassign"]


class LinesParams(Params, kw_only=True):
    """Parameters shared by the bulk operations."""

    invoice_metadata: OptMetadata = UNSET


class AddLines(LinesParams, kw_only=True):
    """The lines to add."""

    lines: list[Line]


class UpdateLines(LinesParams, kw_only=True):
    """The lines to update."""

    lines: list[ChangedLine]


class RemoveLines(LinesParams, kw_only=True):
    """The lines to remove."""

    lines: list[RemovedLine]


class UpdateLine(ItemParams, kw_only=True):
    """The parameters of an update of one line."""


@api.post("/{invoice}/add_lines")
def add_lines(call: Call, invoice: str, params: Annotated[AddLines, Body]) -> Fields:
    """Add lines to a draft; each becomes an invoice item."""
    _begin(call, invoice, params.lines, params)
    for number, line in enumerate(params.lines):
        check_amount_alone(line, f"lines[{number}]")
        _add(call, retrieve(call, INVOICES, invoice), line, f"lines[{number}][invoice_item]")
    return show(call, INVOICES, retrieve(call, INVOICES, invoice))


@api.post("/{invoice}/update_lines")
def update_lines(call: Call, invoice: str, params: Annotated[UpdateLines, Body]) -> Fields:
    """Update lines of a draft."""
    _begin(call, invoice, params.lines, params)
    for number, wanted in enumerate(params.lines):
        check_amount_alone(wanted, f"lines[{number}]")
        line = _line(call, invoice, wanted.id, f"lines[{number}][id]", 400)
        said = {name: getattr(wanted, name) for name in Line.__struct_fields__ if name != "invoice_item"}
        _change(call, line, ItemParams(**said))
    return show(call, INVOICES, retrieve(call, INVOICES, invoice))


@api.post("/{invoice}/remove_lines")
def remove_lines(call: Call, invoice: str, params: Annotated[RemoveLines, Body]) -> Fields:
    """Remove lines from a draft."""
    draft = _begin(call, invoice, params.lines, params)
    for number, wanted in enumerate(params.lines):
        line = _line(call, invoice, wanted.id, f"lines[{number}][id]", 400)
        item = _item_of(call, line)
        if wanted.behavior == "delete":
            delete_invoiceitem(call, item.id, Params())
        else:
            remove_item_line(call, draft, item.id)
            call.db.change(item, invoice=None)
    return show(call, INVOICES, retrieve(call, INVOICES, invoice))


@api.post("/{invoice}/lines/{line_item}")
def update_line(call: Call, invoice: str, line_item: str, params: Annotated[UpdateLine, Body]) -> Fields:
    """Update a line of a draft."""
    _begin(call, invoice, [], LinesParams())
    line = _line(call, invoice, line_item, "line_item_id", 404)
    _change(call, line, params)
    return LINE_ITEMS.show(retrieve(call, LINE_ITEMS, line.id))


def _begin(call: Call, invoice: str, lines: Sequence[NestedParams], params: LinesParams) -> Invoice:
    """Return the draft whose lines change; raises StripeError unless it is a draft, or for too many lines."""
    draft = retrieve(call, INVOICES, invoice)
    use_clock_time(call, draft.test_clock)
    if draft.status != "draft":
        message = "Invalid invoice: This invoice is no longer editable"
        raise StripeError(message, code="invoice_not_editable", param="invoice")
    if len(lines) > MAX_LINES_PER_REQUEST:
        raise StripeError(f"At most {MAX_LINES_PER_REQUEST} lines can be given at once.", param="lines")
    if params.invoice_metadata is UNSET:
        return draft
    metadata = merge_metadata(draft.metadata, params.invoice_metadata, "invoice_metadata")
    return update(call, INVOICES, draft, metadata=metadata)


def _line(call: Call, invoice: str, id: str, param: str, status: int) -> LineItem:
    line = retrieve(call, LINE_ITEMS, id, param=param, status=status)
    if line.invoice != invoice:
        raise LINE_ITEMS.missing(id, param=param, status=status)
    return line


def _item_of(call: Call, line: LineItem) -> InvoiceItem:
    """Return the invoice item of a line; raises StripeError for a line of a subscription's period, which has none."""
    item = find(call, INVOICE_ITEMS, line.invoice_item or "")
    if item is None:
        message = f"The line item {line.id} comes from a subscription, so that only its description can be changed."
        raise StripeError(message, param="line_item_id")
    return item


def _change(call: Call, line: LineItem, params: ItemParams) -> None:
    """Update the invoice item of a line, or the description and metadata of a subscription's line."""
    if line.invoice_item:
        update_invoiceitem(call, line.invoice_item, params)
        return
    fields = {name for name in ItemParams.__struct_fields__ if name != "expand" and getattr(params, name) is not UNSET}
    if fields - {"description", "metadata"}:
        _item_of(call, line)
    said = {"description": params.description or line.description}
    call.db.change(line, **said, metadata=merge_metadata(line.metadata, params.metadata))


def _add(call: Call, draft: Invoice, line: Line, param: str) -> None:
    if isinstance(line.invoice_item, str):
        item = refer(call, INVOICE_ITEMS, line.invoice_item, param)
        if item.invoice or item.customer != draft.customer:
            raise StripeError(f"The invoice item {item.id} does not wait for an invoice of this customer.", param=param)
        add_items(call, draft, [call.db.change(item, invoice=draft.id)])
        return
    said = {name: getattr(line, name) for name in Line.__struct_fields__ if name != "invoice_item"}
    currency = UNSET if line.amount is UNSET else draft.currency
    create_invoiceitem(call, CreateItem(customer=draft.customer, invoice=draft.id, currency=currency, **said))
