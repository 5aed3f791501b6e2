"""What the PaymentIntent and the subscription of a checkout session or a payment link have.

https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-payment_intent_data
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import convert
from msgspec.structs import replace

from twindiff.kit import UNSET, Call, UnsetType

from .cycles import whole_period
from .objects import Fields, now
from .params import Issuer, OptInteger, OptText, Part, Shipping
from .payment_intents import TransferData
from .prices import Price
from .pricing import prorated
from .sale_items import SaleItem, prices_for
from .subscription_params import (
    AnchorConfig,
    BillingMode,
    CreateSubscription,
    PendingInterval,
    SubscriptionTransfer,
    TrialSettings,
)


class IntentData(Part):
    """What a session's PaymentIntent has."""

    capture_method: Literal["automatic", "automatic_async", "manual"] | UnsetType = UNSET
    description: OptText = UNSET
    metadata: dict[str, str] | UnsetType = UNSET
    receipt_email: OptText = UNSET
    setup_future_usage: Literal["off_session", "on_session"] | UnsetType = UNSET
    statement_descriptor: OptText = UNSET
    statement_descriptor_suffix: OptText = UNSET
    application_fee_amount: OptInteger = UNSET
    on_behalf_of: OptText = UNSET
    shipping: Shipping | UnsetType = UNSET
    transfer_data: TransferData | UnsetType = UNSET
    transfer_group: OptText = UNSET


class SubscriptionInvoices(Part):
    """What the invoices of a session's subscription have."""

    issuer: Issuer | UnsetType = UNSET


class SubscriptionData(Part):
    """What a session's subscription has."""

    application_fee_percent: float | UnsetType = UNSET
    billing_cycle_anchor: OptInteger = UNSET
    billing_cycle_anchor_config: AnchorConfig | UnsetType = UNSET
    billing_mode: BillingMode | UnsetType = UNSET
    default_tax_rates: list[str] | UnsetType = UNSET
    description: OptText = UNSET
    invoice_settings: SubscriptionInvoices | UnsetType = UNSET
    metadata: dict[str, str] | UnsetType = UNSET
    on_behalf_of: OptText = UNSET
    pending_invoice_item_interval: PendingInterval | UnsetType = UNSET
    proration_behavior: Literal["create_prorations", "none"] | UnsetType = UNSET
    transfer_data: SubscriptionTransfer | UnsetType = UNSET
    trial_end: OptInteger = UNSET
    trial_period_days: OptInteger = UNSET
    trial_settings: TrialSettings | UnsetType = UNSET


def subscription_fields(data: Fields) -> Fields:
    """What is kept of a subscription to come, as the parameters that it begins with."""
    known = {name: value for name, value in data.items() if value is not None}
    if "trial_end" in known:
        known["trial_end"] = str(known["trial_end"])
    params = convert(known, CreateSubscription)
    return {name: getattr(params, name) for name in known}


def until_anchor(call: Call, items: Sequence[SaleItem], data: Fields) -> list[SaleItem]:
    """What is paid at once of items whose first period is a short one, up to an anchor: a part of it, or nothing."""
    anchor: int | None = data.get("billing_cycle_anchor")
    if anchor is None:
        return [*items]
    prices = prices_for(call, [*items])
    return [_until(call, item, prices[item.price], anchor, data) for item in items]


def _until(call: Call, item: SaleItem, price: Price, anchor: int, data: Fields) -> SaleItem:
    if price.type != "recurring":
        return item
    left, whole = anchor - now(call), whole_period(anchor, now(call), price)
    if data.get("proration_behavior") == "none":
        left = 0
    names = ("amount_subtotal", "amount_tax", "amount_total")
    return replace(item, **{name: prorated(getattr(item, name), left, whole) for name in names})
