"""Rules about which parameters of Checkout sessions and payment links go together.

https://docs.stripe.com/api/checkout/sessions/create, https://docs.stripe.com/api/payment-link/create
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from twindiff.kit import UNSET
from twindiff.twins.stripe.core.wire_style import StripeError

from ..catalog.prices import Price
from ..core.params import is_set

MAX_ITEMS_OF_PAYMENT = 100
MAX_ITEMS_OF_SUBSCRIPTION = 20
"""Maximum of line items with recurring prices in subscription mode, and of those with one-time prices."""
MAX_ITEMS_OF_LINK = 20

_NOT_IN_MODE = "You can not pass `{name}` in `{mode}` mode."
_ONLY_WITH_RECURRING = "You can only set `{name}` if there are recurring prices."


class ModeRule(NamedTuple):
    """The modes in which a parameter can be used, and the message elsewhere."""

    modes: tuple[str, ...]
    message: str = _NOT_IN_MODE


MODE_RULES = {
    "automatic_tax": ModeRule(
        ("payment", "subscription"), "You cannot set `automatic_tax[enabled]=true` in `{mode}` mode."
    ),
    "customer_creation": ModeRule(("payment", "setup"), "`{name}` can only be used in `payment` mode."),
    "discounts": ModeRule(("payment", "subscription")),
    "invoice_creation": ModeRule(
        ("payment",),
        "You can only enable invoice creation when `mode` is set to `payment`. Invoices are created automatically when "
        "`mode` is set to `subscription`, and are not supported when `mode` is set to `setup`.",
    ),
    "line_items": ModeRule(("payment", "subscription")),
    "optional_items": ModeRule(("payment", "subscription")),
    "payment_intent_data": ModeRule(("payment",)),
    "payment_method_collection": ModeRule(("subscription",), _ONLY_WITH_RECURRING),
    "phone_number_collection": ModeRule(("payment", "subscription")),
    "saved_payment_method_options": ModeRule(("payment", "subscription")),
    "setup_intent_data": ModeRule(("setup",)),
    "shipping_options": ModeRule(("payment",), "`{name}` is only supported in `payment` mode."),
    "submit_type": ModeRule(("payment", "subscription")),
    "subscription_data": ModeRule(("subscription",)),
}
"""Modes by parameter; an object that is not `enabled` can be passed in all of them."""

NOT_IN_ELEMENTS = (
    "after_expiration", "branding_settings", "custom_fields", "custom_text", "optional_items", "origin_context",
    "submit_type",
)  # fmt: skip
"""Parameters of Stripe's own pages, which a form that a shop builds of elements does not have."""

EXCLUSIVE = (
    ("allow_promotion_codes", "discounts"),
    ("customer", "customer_creation"),
    ("customer", "customer_email"),
)
"""Pairs of parameters of which a session takes one."""


def check_mode_params(params: Any, mode: str) -> None:
    """Raise StripeError for parameters that cannot be used in the mode of a session or link."""
    for name, rule in MODE_RULES.items():
        value = getattr(params, name, UNSET)
        if is_set(value) and mode not in rule.modes and getattr(value, "enabled", True):
            raise StripeError(rule.message.format(name=name, mode=mode), param=name)


def check_exclusive_params(params: Any, ui_mode: str) -> None:
    """Raise StripeError for parameters that exclude each other, or that the `ui_mode` does not have."""
    for pair in EXCLUSIVE:
        if all(is_set(getattr(params, name)) for name in pair):
            message = f"You may only specify one of these parameters: {', '.join(pair)}."
            raise StripeError(message, param=pair[0])
    for name in NOT_IN_ELEMENTS if ui_mode == "elements" else ():
        if is_set(getattr(params, name)):
            raise StripeError(f"`{name}` can not be used when `ui_mode` is `{ui_mode}`.", param=name)


def check_item_counts(prices: Iterable[Price], mode: str, param: str = "line_items") -> None:
    """Raise StripeError for more items than a session in this mode takes."""
    types = [price.type for price in prices]
    if mode != "subscription":
        counts = ((len(types), MAX_ITEMS_OF_PAYMENT, ""),)
    else:
        counts = tuple(
            (types.count(type), MAX_ITEMS_OF_SUBSCRIPTION, f" with {spoken} prices")
            for type, spoken in (("recurring", "recurring"), ("one_time", "one-time"))
        )
    for count, most, spoken in counts:
        if count > most:
            raise StripeError(f"You can have up to {most} line items{spoken} in `{mode}` mode.", param=param)
