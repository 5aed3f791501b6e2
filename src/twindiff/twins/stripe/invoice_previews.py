"""Previews of invoices: what would be billed next, or if something were changed, without changing anything.

What is asked for is done and taken back, so that a preview cannot differ from what will be billed.
https://docs.stripe.com/api/invoices/create_preview
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.kit.styles.stripe import StripeError

from . import cycles, invoiceitems, invoicing, subscription_changes
from .customers import CUSTOMERS, Customer
from .discounts import OptDiscounts, give
from .invoice_objects import INVOICES, make_invoice
from .objects import Fields, now, refer, retrieve, show
from .params import Integer, OptAutomaticTax, OptBool, OptInteger, OptMetadata, OptText, Params, Part
from .price_params import PriceData
from .subscription_objects import ENDED, SUBSCRIPTIONS, Subscription, items_of
from .subscription_params import Behavior, ChangedItem, CreateSubscription, ItemFields, UpdateSubscription
from .subscriptions import create_subscription
from .test_clocks import enter

api = Operations(prefix="/v1/invoices")


class PreviewPeriod(Part):
    """From when until when."""

    end: Integer
    start: Integer


class PreviewItem(Part, kw_only=True):
    """What is on the preview besides what waits."""

    amount: OptInteger = UNSET
    currency: OptText = UNSET
    description: OptText = UNSET
    discountable: OptBool = UNSET
    metadata: OptMetadata = UNSET
    period: PreviewPeriod | UnsetType = UNSET
    price: OptText = UNSET
    price_data: PriceData | UnsetType = UNSET
    quantity: OptInteger = UNSET
    tax_rates: list[str] | UnsetType = UNSET


class PreviewSubscription(Part, kw_only=True):
    """How a subscription would be."""

    billing_cycle_anchor: Literal["now", "unchanged"] | UnsetType = UNSET
    cancel_at_period_end: OptBool = UNSET
    cancel_now: OptBool = UNSET
    items: list[ChangedItem] | UnsetType = UNSET
    proration_behavior: Behavior | UnsetType = UNSET
    proration_date: OptInteger = UNSET
    trial_end: OptText = UNSET


class CreatePreview(Params, kw_only=True):
    """The parameters of a preview."""

    automatic_tax: OptAutomaticTax = UNSET
    currency: OptText = UNSET
    customer: OptText = UNSET
    discounts: OptDiscounts = UNSET
    invoice_items: list[PreviewItem] | UnsetType = UNSET
    preview_mode: Literal["next", "recurring"] | UnsetType = UNSET
    subscription: OptText = UNSET
    subscription_details: PreviewSubscription | UnsetType = UNSET


class Seen(Exception):
    """An invoice that was seen."""

    def __init__(self, invoice: Fields) -> None:
        super().__init__()
        self.invoice = invoice


@api.post("/create_preview")
def create_preview(call: Call, params: Annotated[CreatePreview, Body]) -> Fields:
    """Show what would be billed."""
    memo = dict(call.memo)
    try:
        with call.db.savepoint():
            raise Seen(show(call, INVOICES, retrieve(call, INVOICES, _made(call, params))))
    except Seen as seen:
        invoice = seen.invoice
    finally:
        call.memo.clear()
        call.memo.update(memo)
    times = dict.fromkeys(("number", "effective_at", "hosted_invoice_url", "invoice_pdf", "ending_balance"))
    return {**invoice, **times, "id": f"upcoming_{invoice['id']}", "billing_reason": "upcoming", "status": "draft",
            "amount_paid": 0, "amount_remaining": invoice["amount_due"],
            "attempted": False, "attempt_count": 0}  # fmt: skip


def _made(call: Call, params: CreatePreview) -> str:
    """Make the invoice that is to be seen; gives its id."""
    row = _subscription(call, params)
    if row is None and not params.customer:
        message = "You must pass one of customer, or subscription."
        raise StripeError(message, code="parameter_missing", param="customer")
    customer = refer(call, CUSTOMERS, row.customer if row else str(params.customer), "customer")
    enter(call, customer.test_clock)
    _add_items(call, params, customer)
    if row:
        return _next(call, row, params.subscription_details)
    if isinstance(params.subscription_details, PreviewSubscription):
        return _first(call, params.subscription_details, customer)
    discounts = give(call, params.discounts, customer.id)
    draft = make_invoice(call, customer, currency=params.currency or customer.currency or "usd", discounts=discounts)
    invoicing.take_pending(call, draft)
    if not invoicing.lines_of(call, draft.id):
        raise _none(customer.id)
    return invoicing.created(call, draft).id


def _none(customer: str) -> StripeError:
    message = f"No upcoming invoices for customer: {customer}"
    return StripeError(message, status=404, code="invoice_upcoming_none")


def _subscription(call: Call, params: CreatePreview) -> Subscription | None:
    if not isinstance(params.subscription, str) or not params.subscription:
        return None
    row = refer(call, SUBSCRIPTIONS, params.subscription, "subscription")
    if row.status in ENDED:
        raise _none(row.customer)
    return row


def _add_items(call: Call, params: CreatePreview, customer: Customer) -> None:
    for item in params.invoice_items if isinstance(params.invoice_items, list) else []:
        pricing = invoiceitems.Pricing(price=item.price) if item.price else UNSET
        period = invoiceitems.Period(end=item.period.end, start=item.period.start) if item.period else UNSET
        invoiceitems.create_invoiceitem(
            call,
            invoiceitems.CreateItem(
                customer=customer.id,
                amount=item.amount,
                currency=item.currency,
                description=item.description,
                discountable=item.discountable,
                metadata=item.metadata,
                period=period,
                price_data=item.price_data,
                pricing=pricing,
                quantity=item.quantity,
                tax_rates=item.tax_rates,
            ),
        )


def _next(call: Call, row: Subscription, wanted: PreviewSubscription | UnsetType) -> str:
    """The invoice of a subscription's change, if it is billed at once, or else its next one."""
    latest = row.latest_invoice
    if isinstance(wanted, PreviewSubscription):
        row = _changed(call, row, wanted)
    if row.latest_invoice and row.latest_invoice != latest:
        return row.latest_invoice
    if row.status not in ENDED:
        call.memo["now"] = max(min(item.current_period_end for item in items_of(call, row.id)), now(call))
        cycles.renew(call, row.id)
    seen = retrieve(call, SUBSCRIPTIONS, row.id).latest_invoice
    if seen is None or seen == latest:
        raise _none(row.customer)
    return seen


def _changed(call: Call, row: Subscription, wanted: PreviewSubscription) -> Subscription:
    if wanted.cancel_now is True:
        prorate = wanted.proration_behavior not in (UNSET, "none")
        return subscription_changes.cancel(call, row, prorate=prorate, invoice_now=True)
    fields: dict[str, Any] = {name: getattr(wanted, name) for name in wanted.__struct_fields__ if name != "cancel_now"}
    return subscription_changes.apply(call, row, UpdateSubscription(**fields))


def _first(call: Call, wanted: PreviewSubscription, customer: Customer) -> str:
    """The first invoice of a subscription that is not there yet."""
    items = [
        ItemFields(price=item.price, price_data=item.price_data, quantity=item.quantity, tax_rates=item.tax_rates)
        for item in (wanted.items if isinstance(wanted.items, list) else [])
    ]
    made = create_subscription(
        call,
        CreateSubscription(
            customer=customer.id, items=items, payment_behavior="default_incomplete", trial_end=wanted.trial_end
        ),
    )
    return str(made["latest_invoice"])
