"""Acceptance of quotes, which creates a subscription, a subscription schedule or an invoice.

https://docs.stripe.com/api/quotes/accept
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType

from ..billing.invoices import invoice_lifecycle
from ..billing.subscriptions.schedule_phases import Phase, PhaseItem
from ..billing.subscriptions.subscription_params import (
    BillingMode,
    CreateSubscription,
    ItemFields,
    OnceItem,
    SubscriptionTransfer,
)
from ..billing.subscriptions.subscription_schedules import CreateSchedule, create_schedule
from ..billing.subscriptions.subscriptions import create_subscription
from ..billing.tables.invoice_tables import make_invoice
from ..catalog.discounts import DiscountParams
from ..catalog.inline_prices import accept_inline
from ..core.objects import Fields, refer
from ..core.params import Params
from ..core.test_clocks import use_clock_time
from ..tables.customer_tables import CUSTOMERS
from ..tax import automatic_tax
from .quotes import Quote, become, require_quote_status
from .sale_invoices import take_items
from .sale_items import SaleItem, is_recurring, items_for, items_params, prices_for

api = Operations(prefix="/v1/quotes")


@api.post("/{quote}/accept")
def accept_quote(call: Call, quote: str, params: Annotated[Params, Body]) -> Fields:
    """Accept a quote, and create its subscription, schedule or invoice."""
    row = require_quote_status(call, quote, "open", "accepted")
    use_clock_time(call, row.test_clock)
    items = items_for(call, row.id)
    accept_inline(call, [item.price for item in items])
    if row.subscription_data.get("effective_date"):
        fields = {"subscription_schedule": _plan(call, row, items)}
    elif is_recurring(call, items):
        fields = {"subscription": _subscribe(call, row, items)}
    else:
        fields = {"invoice": _invoice(call, row, items)}
    return become(call, row, "accepted", "accepted_at", "quote.accepted", **fields)


def _build_shared_params(row: Quote) -> Fields:
    """Return the parameters that a phase and a subscription share."""
    transfer: Fields = row.transfer_data or {}
    percent = transfer.get("amount_percent")
    part = UNSET if percent is None else percent
    paid_on = SubscriptionTransfer(destination=transfer["destination"], amount_percent=part) if transfer else UNSET
    fee = row.application_fee_percent
    return {
        "application_fee_percent": UNSET if fee is None else fee,
        "automatic_tax": automatic_tax.copy_automatic_tax(row),
        "default_tax_rates": row.default_tax_rates or UNSET,
        "discounts": [DiscountParams(discount=id) for id in row.discounts],
        "on_behalf_of": row.on_behalf_of or UNSET,
        "transfer_data": paid_on,
    }


def _mode(row: Quote) -> BillingMode | UnsetType:
    mode: Fields | None = row.subscription_data.get("billing_mode")
    return BillingMode(type="classic" if mode["type"] == "classic" else "flexible") if mode else UNSET


def _plan(call: Call, row: Quote, items: list[SaleItem]) -> str:
    """Create a schedule that starts the subscription on its `effective_date`; returns its id."""
    prices = prices_for(call, items)
    wanted = [{name: value for name, value in each.items() if value} for each in items_params(items)]
    phase = Phase(
        items=[PhaseItem(**each) for each in wanted if prices[each["price"]].type == "recurring"],
        add_invoice_items=[OnceItem(**each) for each in wanted if prices[each["price"]].type == "one_time"] or UNSET,
        **_build_shared_params(row),
    )
    begins = str(row.subscription_data["effective_date"])
    planned = CreateSchedule(customer=row.customer or "", start_date=begins, phases=[phase], billing_mode=_mode(row))
    return str(create_schedule(call, planned)["id"])


def _subscribe(call: Call, row: Quote, items: list[SaleItem]) -> str:
    data: Fields = row.subscription_data
    days = row.invoice_settings.get("days_until_due")
    more: dict[str, Any] = {name: data[name] for name in ("description", "metadata") if data.get(name)}
    if data.get("trial_period_days"):
        more["trial_period_days"] = data["trial_period_days"]
    if row.collection_method == "send_invoice":
        more |= {"collection_method": "send_invoice", "days_until_due": days or 30}
    prices = prices_for(call, items)
    wanted: list[Fields] = [{name: value for name, value in each.items() if value} for each in items_params(items)]
    again = [ItemFields(**each) for each in wanted if prices[each["price"]].type == "recurring"]
    once = [OnceItem(**each) for each in wanted if prices[each["price"]].type == "one_time"]
    made = create_subscription(
        call,
        CreateSubscription(
            customer=row.customer or "",
            items=again,
            add_invoice_items=once or UNSET,
            billing_mode=_mode(row),
            **_build_shared_params(row),
            **more,
        ),
    )
    return str(made["id"])


def _invoice(call: Call, row: Quote, items: list[SaleItem]) -> str:
    customer = refer(call, CUSTOMERS, row.customer or "", "customer")
    transfer: Fields = row.transfer_data or {}
    paid_on = {name: transfer[name] for name in ("amount", "destination") if transfer.get(name) is not None}
    connected = {"application_fee_amount": row.application_fee_amount, "on_behalf_of": row.on_behalf_of}
    draft = make_invoice(
        call,
        customer,
        automatic_tax=row.automatic_tax,
        connect={name: value for name, value in {**connected, "transfer_data": paid_on}.items() if value},
        currency=row.currency or "usd",
        collection_method=row.collection_method,
        default_tax_rates=row.default_tax_rates,
        discounts=row.discounts,
        parent={"type": "quote_details", "quote_details": {"quote": row.id}, "subscription_details": None},
    )
    take_items(call, draft, customer, items)
    return invoice_lifecycle.publish_draft(call, draft).id
