"""Changes of a subscription's plan on the billing portal's page, as its configuration says.

https://docs.stripe.com/customer-management/configure-portal
"""

from __future__ import annotations

from html import escape
from typing import Any

from twindiff.kit import UNSET, Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ..billing.subscriptions.prorations import full_price
from ..billing.subscriptions.schedule_phases import Duration, Phase, PhaseItem
from ..billing.subscriptions.subscription_params import ChangedItem, UpdateSubscription
from ..billing.subscriptions.subscription_schedules import (
    CreateSchedule,
    UpdateSchedule,
    create_schedule,
    update_schedule,
)
from ..billing.subscriptions.subscriptions import update_subscription
from ..billing.tables.subscription_tables import Subscription, SubscriptionItem, items_of
from ..catalog.discounts import DiscountParams
from ..catalog.prices import PRICES, Price
from ..catalog.product_tables import PRODUCTS
from ..core.currencies import format_amount
from ..core.objects import Fields, find, retrieve
from ..core.periods import MONTHS, SECONDS
from .portal_flows import check_plan, check_updatable

DAYS_OF_MONTH = 30
"""Length of a month in days where intervals are compared."""


def render_plan_form(call: Call, row: Subscription, feature: Fields) -> str:
    """Return the form that changes the plan of a subscription, or "" if its configuration offers nothing."""
    items = items_of(call, row.id)
    if not feature["enabled"] or len(items) > 1 or row.schedule:
        return ""
    options = "".join(
        _option(call, price, row, selected=price == items[0].price)
        for price in dict.fromkeys(each for product in feature["products"] or () for each in product["prices"])
    )
    if not options:
        return ""
    quantity = "" if items[0].quantity is None else _quantity_input(items[0].quantity)
    return (
        f'<form method="post"><input type="hidden" name="subscription" value="{escape(row.id, quote=True)}">'
        f'<label>Plan <select name="price">{options}</select></label>{quantity}'
        '<button name="wish" value="update">Update subscription</button></form>'
    )


def _quantity_input(quantity: int) -> str:
    return f'<label>Quantity <input type="number" name="quantity" min="1" value="{quantity}"></label>'


def _option(call: Call, id: str, row: Subscription, *, selected: bool) -> str:
    price = find(call, PRICES, id)
    if (
        price is None
        or not price.active
        or (row.currency != price.currency and row.currency not in price.currency_options)
    ):
        return ""
    chosen = " selected" if selected else ""
    return f'<option value="{escape(id, quote=True)}"{chosen}>{escape(describe_price(call, price))}</option>'


def describe_price(call: Call, price: Price) -> str:
    """Return a price as customers read it: `Pro: $20.00 per month`."""
    product = retrieve(call, PRODUCTS, price.product)
    return f"{product.name}: {format_amount(price.unit_amount or 0, price.currency)} per {price.interval}"


def render_confirmation(call: Call, row: Subscription, part: Fields) -> str:
    """Return the form that confirms the update of a flow."""
    (item,) = items_of(call, row.id)
    wanted: Fields = part["items"][0]
    price = retrieve(call, PRICES, wanted.get("price") or item.price)
    quantity: int | None = wanted.get("quantity") or item.quantity
    several = f"{quantity} \N{MULTIPLICATION SIGN} " if quantity and quantity != 1 else ""
    return (
        f"<h2>Confirm your updates</h2><p>{escape(several + describe_price(call, price))}</p>"
        f'<form method="post"><input type="hidden" name="subscription" value="{escape(row.id, quote=True)}">'
        '<button name="wish" value="confirm">Confirm</button></form>'
    )


def change_plan(call: Call, row: Subscription, feature: Fields, wanted: Fields) -> None:
    """Change the price and quantity of a subscription's item, now or at the end of its period.

    `wanted` has `price`, `quantity` and `discounts`, each of which may be missing. Raises StripeError for what the
    configuration does not offer.
    """
    check_updatable(call, row)
    (item,) = items_of(call, row.id)
    price = retrieve(call, PRICES, wanted.get("price") or item.price)
    quantity: int | None = wanted.get("quantity") or item.quantity
    check_plan(feature, item, price.id, quantity, "items[0]")
    if (price.id, quantity) == (item.price, item.quantity) and not wanted.get("discounts"):
        raise StripeError("There are no changes to confirm.")
    if _waits(call, item, price, quantity, row.currency, feature):
        _change_later(call, row, price, quantity)
        return
    changed = ChangedItem(id=item.id, price=price.id, quantity=UNSET if quantity is None else quantity)
    update_subscription(call, row.id, UpdateSubscription(items=[changed], **_build_options(row, feature, wanted)))


def _build_options(row: Subscription, feature: Fields, wanted: Fields) -> dict[str, Any]:
    """Return the parameters of an update besides its items, as the configuration says."""
    options: dict[str, Any] = {"proration_behavior": feature["proration_behavior"]}
    if feature["billing_cycle_anchor"] == "now":
        options["billing_cycle_anchor"] = "now"
    if row.status == "trialing" and feature["trial_update_behavior"] == "end_trial":
        options["trial_end"] = "now"
    if row.cancel_at_period_end:
        options["cancel_at_period_end"] = False
    if discounts := wanted.get("discounts"):
        options["discounts"] = [DiscountParams(**each) for each in discounts]
    return options


def _waits(
    call: Call, item: SubscriptionItem, price: Price, quantity: int | None, currency: str, feature: Fields
) -> bool:
    """Return whether a change takes effect at the end of the period: a cheaper item, or a shorter interval."""
    kinds = {each["type"] for each in feature["schedule_at_period_end"]["conditions"]}
    former = retrieve(call, PRICES, item.price)
    is_shorter = _days(price) < _days(former)
    is_cheaper = full_price(price, quantity, currency) < full_price(former, item.quantity, currency)
    return ("shortening_interval" in kinds and is_shorter) or ("decreasing_item_amount" in kinds and is_cheaper)


def _days(price: Price) -> int:
    every: Fields = price.recurring
    unit = every["interval"]
    days = SECONDS[unit] // 86_400 if unit in SECONDS else MONTHS[unit] * DAYS_OF_MONTH
    return days * every["interval_count"]


def _change_later(call: Call, row: Subscription, price: Price, quantity: int | None) -> None:
    """Schedule a change for the end of the current period."""
    made = create_schedule(call, CreateSchedule(from_subscription=row.id))
    current: Fields = made["phases"][0]
    (item,) = items_of(call, row.id)
    kept = Phase(
        items=[PhaseItem(price=item.price, quantity=UNSET if item.quantity is None else item.quantity)],
        start_date=str(current["start_date"]),
        end_date=str(current["end_date"]),
    )
    every: Fields = price.recurring
    later = Phase(
        items=[PhaseItem(price=price.id, quantity=UNSET if quantity is None else quantity)],
        duration=Duration(interval=every["interval"], interval_count=every["interval_count"]),
    )
    update_schedule(call, made["id"], UpdateSchedule(phases=[kept, later]))
