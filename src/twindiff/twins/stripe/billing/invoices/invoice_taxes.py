"""Automatic tax on an invoice, and the handling of customers without a valid tax location.

https://docs.stripe.com/tax/customer-locations#invoice-finalization-errors
"""

from __future__ import annotations

from collections.abc import Sequence

from twindiff.kit import Call, revise
from twindiff.twins.stripe.core.wire_style import StripeError

from ...core.events import record_row
from ...core.objects import Fields, find
from ...tables.customer_tables import Customer
from ...tax.automatic_tax import (
    OFF,
    TaxableSale,
    build_location_error,
    check_default,
    check_taxable,
    find_tax_location,
    is_on,
    shipping_taxed,
    tax_on_shipping,
    taxes,
)
from ..tables.invoice_line_items import LineItem, Totals, lines_of
from ..tables.invoice_tables import INVOICES, Invoice, InvoiceItem
from ..tables.subscription_tables import SUBSCRIPTIONS, record_subscription_update, state

LACKING = "requires_location_inputs"


def reckon(call: Call, draft: Invoice, customer: Customer, totals: Totals, method: str | None) -> Invoice:
    """Calculate automatic tax: set its status on the draft and the taxes on its lines."""
    if not is_on(draft):
        return draft
    place = find_tax_location(call, customer, method)
    changes: Fields = {"automatic_tax": {**draft.automatic_tax, "status": "complete" if place else LACKING}}
    if place:
        lefts = totals.taxable()
        sold = [
            each._replace(amount=left)
            for each, left in zip(_build_taxable_sales(call, totals.lines), lefts, strict=True)
        ]
        totals.taxes = [[each] for each in taxes(call, place, customer, sold, draft.currency)]
    if draft.shipping_cost:
        tax = tax_on_shipping(call, place, customer, draft.shipping_cost, draft.currency) if place else None
        totals.on_shipping = [tax] if tax else []
        changes["shipping_cost"] = shipping_taxed(draft.shipping_cost, tax)
    return revise(call.db, draft, **changes)


def _build_taxable_sales(call: Call, lines: Sequence[LineItem]) -> list[TaxableSale]:
    """Return the taxable sales of lines; the tax code comes from the price, or from an item without a real price."""
    ids = [line.invoice_item for line in lines if line.invoice_item]
    columns = (InvoiceItem.id, InvoiceItem.taxed_as)
    said: dict[str, Fields] = dict(call.db.rows(InvoiceItem, InvoiceItem.id.in_(ids), columns=columns)) if ids else {}
    sold: list[TaxableSale] = []
    for line in lines:
        pricing: Fields = line.pricing or {}
        details: Fields = (pricing.get("price_details") if line.product else None) or {}
        own: Fields = said.get(line.invoice_item or "") or {}
        sold.append(TaxableSale(0, details.get("price"), line.product, own.get("tax_behavior"), own.get("tax_code")))
    return sold


def check(call: Call, draft: Invoice) -> None:
    """Raise StripeError for a draft with automatic tax that has prices or tax rates incompatible with it."""
    if is_on(draft):
        lines = lines_of(call, draft.id)
        rates = [*draft.default_tax_rates, *(id for line in lines for id in line.tax_rates)]
        sold = _build_taxable_sales(call, lines)
        check_taxable(call, [each.price for each in sold], rates)
        if any(not each.price and each.behavior in (None, "unspecified") for each in sold):
            check_default(call, "An item of the invoice")


def lacks_location(draft: Invoice) -> bool:
    """Return whether the last tax calculation of a draft failed for lack of a location."""
    return is_on(draft) and draft.automatic_tax["status"] == LACKING


def go_on_without(call: Call, draft: Invoice) -> Invoice:
    """Disable automatic tax on a subscription's draft and on the subscription itself.

    Raises StripeError for a draft without a subscription.
    """
    row = find(call, SUBSCRIPTIONS, draft.subscription) if draft.subscription else None
    if row is None:
        raise build_location_error()
    before = state(call, row)
    call.db.change(row, automatic_tax={**OFF, "disabled_reason": LACKING})
    record_subscription_update(call, before)
    cost = draft.shipping_cost and shipping_taxed(draft.shipping_cost, None)
    off = {**OFF, "disabled_reason": f"finalization_{LACKING}"}
    return call.db.change(draft, automatic_tax=off, shipping_cost=cost)


def record_finalization_failure(call: Call, draft: Invoice) -> StripeError | None:
    """Record on the draft why it cannot be finalized, record the event, and return the error; None if it can be."""
    if draft.subscription or not lacks_location(draft):
        return None
    error = build_location_error()
    said = {"code": error.fields["code"], "message": str(error), "type": "invalid_request_error"}
    failed = call.db.change(draft, last_finalization_error=said)
    record_row(call, "invoice.finalization_failed", INVOICES, failed)
    return error
