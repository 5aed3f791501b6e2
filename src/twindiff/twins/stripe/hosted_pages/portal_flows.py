"""Flows of the billing portal: the one task that a session's page is for, and how it ends.

https://docs.stripe.com/customer-management/portal-deep-links
"""

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit import UNSET, Call, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..billing.tables.subscription_tables import ENDED, SUBSCRIPTION_ITEMS, SUBSCRIPTIONS, Subscription, items_of
from ..catalog.coupons import COUPONS, check_redeemable
from ..catalog.prices import PRICES
from ..catalog.promotion_codes import PROMOTION_CODES, check_code
from ..core.objects import Fields, refer
from ..core.params import NestedParams, OptInteger, OptName, OptText, check_count, is_set, value_of
from ..core.urls import check_url

MAX_CONFIRMED_ITEMS = 1
MAX_CONFIRMED_DISCOUNTS = 1
_DISABLED = (
    "This subscription cannot be {done} because the subscription {feature} feature in the portal configuration is "
    "disabled."
)


class Retention(NestedParams):
    """An offer to customers who want to cancel."""

    type: Literal["coupon_offer"]
    coupon_offer: dict[str, str]


class UpdateFlow(NestedParams):
    """The subscription to update."""

    subscription: str


class CancelFlow(UpdateFlow):
    """The subscription to cancel."""

    retention: Retention | UnsetType = UNSET


class FlowItem(NestedParams):
    """The new state of an item."""

    id: str
    price: OptName = UNSET
    quantity: OptInteger = UNSET


class FlowDiscount(NestedParams):
    """A coupon or promotion code for the update."""

    coupon: OptName = UNSET
    promotion_code: OptName = UNSET


class ConfirmFlow(UpdateFlow, kw_only=True):
    """The update to confirm."""

    items: list[FlowItem]
    discounts: list[FlowDiscount] | UnsetType = UNSET


class FlowConfirmation(NestedParams):
    """The page at the end of a flow."""

    custom_message: OptText = UNSET


class FlowRedirect(NestedParams):
    """The address at the end of a flow."""

    return_url: str


class AfterFlow(NestedParams):
    """What follows a flow."""

    type: Literal["hosted_confirmation", "portal_homepage", "redirect"]
    hosted_confirmation: FlowConfirmation | UnsetType = UNSET
    redirect: FlowRedirect | UnsetType = UNSET


class Flow(NestedParams):
    """The flow that the customer is sent to."""

    type: Literal[
        "customer_update",
        "payment_method_update",
        "subscription_cancel",
        "subscription_update",
        "subscription_update_confirm",
    ]
    after_completion: AfterFlow | UnsetType = UNSET
    subscription_cancel: CancelFlow | UnsetType = UNSET
    subscription_update: UpdateFlow | UnsetType = UNSET
    subscription_update_confirm: ConfirmFlow | UnsetType = UNSET


def build_flow(call: Call, wanted: Flow | UnsetType, customer: str, features: dict[str, Fields]) -> Fields | None:
    """Return a flow as sessions store and show it; raises StripeError for one that the configuration does not allow."""
    if not isinstance(wanted, Flow):
        return None
    _check_ending(wanted.after_completion)
    if wanted.type.startswith("subscription"):
        _check_subscription_flow(call, wanted, customer, features)
    elif not features[wanted.type]["enabled"]:
        raise StripeError(
            f"The flow `{wanted.type}` is not possible because that feature in the portal configuration is disabled.",
            param="flow_data[type]",
        )
    names = ("after_completion", "subscription_cancel", "subscription_update", "subscription_update_confirm")
    after: Fields = {"type": "portal_homepage", "hosted_confirmation": None, "redirect": None}
    return {**dict.fromkeys(names), **value_of(wanted), "after_completion": {**after, **_ending(wanted)}}


def _ending(wanted: Flow) -> Fields:
    return value_of(wanted.after_completion) if isinstance(wanted.after_completion, AfterFlow) else {}


def _check_ending(after: AfterFlow | UnsetType) -> None:
    if isinstance(after, AfterFlow) and after.type == "redirect":
        param = "flow_data[after_completion][redirect]"
        if not isinstance(after.redirect, FlowRedirect):
            raise StripeError(f"Missing required param: {param}.", code="parameter_missing", param=param)
        check_url(after.redirect.return_url, f"{param}[return_url]")


def _check_subscription_flow(call: Call, wanted: Flow, customer: str, features: dict[str, Fields]) -> None:
    param, part = f"flow_data[{wanted.type}]", getattr(wanted, wanted.type)
    if part is UNSET:
        raise StripeError(f"Missing required param: {param}.", code="parameter_missing", param=param)
    row = refer(call, SUBSCRIPTIONS, part.subscription, f"{param}[subscription]")
    if row.customer != customer:
        raise SUBSCRIPTIONS.missing(row.id, param=f"{param}[subscription]", status=400)
    done, feature = ("canceled", "cancellation") if isinstance(part, CancelFlow) else ("updated", "update")
    if not features["subscription_cancel" if isinstance(part, CancelFlow) else "subscription_update"]["enabled"]:
        raise StripeError(_DISABLED.format(done=done, feature=feature))
    if row.status in ENDED:
        raise StripeError(
            f"This subscription cannot be {done} because it is {row.status}.", param=f"{param}[subscription]"
        )
    if isinstance(part, CancelFlow):
        _check_cancellation(row, param)
    else:
        check_updatable(call, row)
    if isinstance(part, ConfirmFlow):
        _check_confirmation(call, row, part, features["subscription_update"], param)


def _check_cancellation(row: Subscription, param: str) -> None:
    if row.cancel_at is not None:
        message = "The subscription is already set to be canceled at period end."
        raise StripeError(message, param=f"{param}[subscription]")


def check_updatable(call: Call, row: Subscription) -> None:
    """Raise StripeError for a subscription that customers cannot update: one with several items, or a schedule."""
    if len(items_of(call, row.id)) > 1:
        raise StripeError("This subscription cannot be updated because it has multiple items.")
    if row.schedule:
        raise StripeError("This subscription cannot be updated because it is managed by a subscription schedule.")


def _check_confirmation(call: Call, row: Subscription, part: ConfirmFlow, feature: Fields, at: str) -> None:
    check_count(part.items, f"{at}[items]", MAX_CONFIRMED_ITEMS)
    if not part.items:
        raise StripeError(f"Missing required param: {at}[items].", code="parameter_missing", param=f"{at}[items]")
    wanted, (item,) = part.items[0], items_of(call, row.id)
    if wanted.id != item.id:
        raise SUBSCRIPTION_ITEMS.missing(wanted.id, param=f"{at}[items][0][id]", status=400)
    if is_set(wanted.price):
        refer(call, PRICES, str(wanted.price), f"{at}[items][0][price]")
    price = str(wanted.price or item.price)
    quantity = wanted.quantity if isinstance(wanted.quantity, int) else item.quantity
    check_plan(feature, item, price, quantity, f"{at}[items][0]")
    _check_discounts(call, row, part, at)
    if (price, quantity) == (item.price, item.quantity) and not is_set(part.discounts):
        raise StripeError("There are no changes to confirm.", param=f"{at}[items]")


def check_plan(feature: Fields, item: Any, price: str, quantity: int | None, at: str) -> None:
    """Raise StripeError for a price or quantity that the configuration does not offer for a subscription item."""
    products: list[Fields] = feature["products"] or []
    allowed: list[str] = feature["default_allowed_updates"]
    offered = next((each for each in products if price in each["prices"]), None)
    if price != item.price and (offered is None or "price" not in allowed):
        message = f"This subscription cannot be updated to the price `{price}`, "
        raise StripeError(message + "which the portal configuration does not offer.", param=f"{at}[price]")
    if quantity == item.quantity:
        return
    bounds: Fields = offered["adjustable_quantity"] if offered else {"enabled": False}
    if "quantity" not in allowed and not bounds["enabled"]:
        message = (
            "This subscription cannot be updated because the portal configuration does not allow quantity updates."
        )
        raise StripeError(message, param=f"{at}[quantity]")
    least, most = bounds.get("minimum") or 1, bounds.get("maximum")
    if quantity is None or quantity < least or (most is not None and quantity > most):
        limits = f"from {least} to {most}" if most is not None else f"at least {least}"
        raise StripeError(f"Invalid quantity: must be {limits}.", param=f"{at}[quantity]")


def _check_discounts(call: Call, row: Subscription, part: ConfirmFlow, at: str) -> None:
    given = part.discounts if isinstance(part.discounts, list) else []
    check_count(given, f"{at}[discounts]", MAX_CONFIRMED_DISCOUNTS)
    for number, each in enumerate(given):
        param = f"{at}[discounts][{number}]"
        if is_set(each.promotion_code):
            code = refer(call, PROMOTION_CODES, str(each.promotion_code), f"{param}[promotion_code]")
            check_code(call, code, row.customer, f"{param}[promotion_code]")
        else:
            check_redeemable(refer(call, COUPONS, str(each.coupon or ""), f"{param}[coupon]"), f"{param}[coupon]")
