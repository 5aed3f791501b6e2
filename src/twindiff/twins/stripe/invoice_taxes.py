"""Automatic tax on an invoice, and what becomes of one whose customer's location is not known.

https://docs.stripe.com/tax/customer-locations#invoice-finalization-errors
"""

from __future__ import annotations

from twindiff.kit import Call
from twindiff.kit.styles.stripe import StripeError

from .automatic_tax import OFF, Sold, check_sold, is_on, place_of, taxes, unrecognized
from .customers import Customer
from .events import record_row
from .invoice_objects import INVOICES, Invoice
from .line_items import LineItem, Totals, lines_of
from .objects import Fields, find
from .subscription_objects import SUBSCRIPTIONS, state, told

LACKING = "requires_location_inputs"


def reckon(call: Call, draft: Invoice, customer: Customer, totals: Totals, method: str | None) -> Invoice:
    """A draft that says how the last calculation went, whose taxes are put on its lines."""
    if not is_on(draft):
        return draft
    place = place_of(call, customer, method)
    if place:
        sold = [_sold(line, left) for line, left in zip(totals.lines, totals.taxable(), strict=True)]
        totals.taxes = [[each] for each in taxes(call, place, customer, sold, draft.currency)]
    status = {**draft.automatic_tax, "status": "complete" if place else LACKING}
    return call.db.change(draft, automatic_tax=status) if status != draft.automatic_tax else draft


def _sold(line: LineItem, left: int) -> Sold:
    pricing: Fields = line.pricing or {}
    details: Fields = pricing.get("price_details") or {}
    return Sold(left, details.get("price"), line.product)


def check(call: Call, draft: Invoice) -> None:
    """Raise for a draft with automatic tax on which there is what cannot be taxed so."""
    if is_on(draft):
        lines = lines_of(call, draft.id)
        rates = [*draft.default_tax_rates, *(id for line in lines for id in line.tax_rates)]
        check_sold(call, [_sold(line, 0).price for line in lines], rates)


def lacks_location(draft: Invoice) -> bool:
    """Whether the tax of a draft could not be reckoned."""
    return is_on(draft) and draft.automatic_tax["status"] == LACKING


def go_on_without(call: Call, draft: Invoice) -> Invoice:
    """A subscription's draft without automatic tax, as its subscription is from now on; raises for any other draft."""
    row = find(call, SUBSCRIPTIONS, draft.subscription) if draft.subscription else None
    if row is None:
        raise unrecognized()
    before = state(call, row)
    call.db.change(row, automatic_tax={**OFF, "disabled_reason": LACKING})
    told(call, before)
    return call.db.change(draft, automatic_tax={**OFF, "disabled_reason": f"finalization_{LACKING}"})


def refused(call: Call, draft: Invoice) -> StripeError | None:
    """Why a draft cannot become final, which is noted on it and told."""
    if draft.subscription or not lacks_location(draft):
        return None
    error = unrecognized()
    said = {"code": error.fields["code"], "message": str(error), "type": "invalid_request_error"}
    failed = call.db.change(draft, last_finalization_error=said)
    record_row(call, "invoice.finalization_failed", INVOICES, failed)
    return error
