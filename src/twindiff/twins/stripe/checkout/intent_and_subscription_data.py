"""Parameters for the PaymentIntent and the subscription that a checkout session or payment link creates.

https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-payment_intent_data
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import convert
from msgspec.structs import replace

from twindiff.kit import UNSET, Call, Meta, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..billing.subscriptions.billing_cycles import whole_period
from ..billing.subscriptions.requested_items import moment, trial_end_of
from ..billing.subscriptions.subscription_creation import check_anchor
from ..billing.subscriptions.subscription_params import (
    AnchorConfig,
    BillingMode,
    CreateSubscription,
    PendingInterval,
    SubscriptionTransfer,
    TrialSettings,
)
from ..catalog.price_calculation import prorate_amount
from ..catalog.prices import Price
from ..connect.destination_charges import check_subscription
from ..core.objects import Fields, now
from ..core.params import (
    Issuer,
    NestedParams,
    OptInteger,
    OptText,
    Shipping,
    merge_metadata,
)
from ..core.periods import DAY, check_trial_days, next_day
from ..payments.payment_intents import TransferData
from ..sales.sale_items import SaleItem, prices_for
from ..tax.tax_rates import tax_rates_of


class LinkIntentData(NestedParams, kw_only=True):
    """Settings of the PaymentIntents of a payment link."""

    capture_method: Literal["automatic", "automatic_async", "manual"] | UnsetType = UNSET
    description: OptText = UNSET
    metadata: dict[str, str] | UnsetType = UNSET
    setup_future_usage: Literal["off_session", "on_session"] | UnsetType = UNSET
    statement_descriptor: OptText = UNSET
    statement_descriptor_suffix: OptText = UNSET
    transfer_group: OptText = UNSET


class IntentData(LinkIntentData, kw_only=True):
    """Settings of a session's PaymentIntent."""

    receipt_email: OptText = UNSET
    application_fee_amount: OptInteger = UNSET
    on_behalf_of: OptText = UNSET
    shipping: Shipping | UnsetType = UNSET
    transfer_data: TransferData | UnsetType = UNSET


class SubscriptionInvoices(NestedParams):
    """Invoice settings of a session's subscription."""

    issuer: Issuer | UnsetType = UNSET


class LinkSubscriptionData(NestedParams, kw_only=True):
    """Settings of the subscriptions of a payment link."""

    description: OptText = UNSET
    invoice_settings: SubscriptionInvoices | UnsetType = UNSET
    metadata: dict[str, str] | UnsetType = UNSET
    trial_period_days: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    trial_settings: TrialSettings | UnsetType = UNSET


class SubscriptionData(LinkSubscriptionData, kw_only=True):
    """Settings of a session's subscription."""

    application_fee_percent: float | UnsetType = UNSET
    billing_cycle_anchor: OptInteger = UNSET
    billing_cycle_anchor_config: AnchorConfig | UnsetType = UNSET
    billing_mode: BillingMode | UnsetType = UNSET
    default_tax_rates: list[str] | UnsetType = UNSET
    on_behalf_of: OptText = UNSET
    pending_invoice_item_interval: PendingInterval | UnsetType = UNSET
    proration_behavior: Literal["create_prorations", "none"] | UnsetType = UNSET
    transfer_data: SubscriptionTransfer | UnsetType = UNSET
    trial_end: OptInteger = UNSET


AT = "subscription_data"


def check_data(call: Call, data: SubscriptionData, at: str = AT) -> None:
    """Raise StripeError for settings that a subscription cannot start with."""
    check_subscription(call, data, at)
    merge_metadata({}, data.metadata, f"{at}[metadata]")
    tax_rates_of(call, data.default_tax_rates or [], f"{at}[default_tax_rates]")
    if isinstance(data.trial_end, int) and data.trial_end < now(call) + 2 * DAY:
        raise StripeError("The `trial_end` date has to be at least 2 days in the future.", param=f"{at}[trial_end]")
    if data.billing_cycle_anchor is not UNSET:
        moment(call, str(data.billing_cycle_anchor), f"{at}[billing_cycle_anchor]")
    if data.trial_end is not UNSET:
        trial_end_of(call, str(data.trial_end), f"{at}[trial_end]")
    check_trial(data, at)
    given = [name for name in _STARTS if getattr(data, name) is not UNSET]
    if len(given) > 1:
        message = f"You may only specify one of these parameters: {', '.join(given[:2])}."
        raise StripeError(message, param=f"{at}[{given[0]}]")


_STARTS = ("billing_cycle_anchor", "billing_cycle_anchor_config", "trial_end", "trial_period_days")
"""Parameters of which each says when the first period is billed.

https://docs.stripe.com/changelog/dahlia/2026-06-24/checkout-sessions-billing-cycle-anchor-config
"""


def check_trial(data: LinkSubscriptionData, at: str = AT) -> None:
    """Raise StripeError for a trial of more than two years."""
    if isinstance(data.trial_period_days, int):
        check_trial_days(data.trial_period_days, f"{at}[trial_period_days]")


def check_periods(call: Call, data: SubscriptionData, items: Sequence[SaleItem]) -> None:
    """Raise StripeError for a billing anchor that does not match the intervals of the items."""
    prices = [price for price in prices_for(call, [*items]).values() if price.type == "recurring"]
    if prices:
        check_anchor(call, data, prices, AT)


def subscription_fields(data: Fields) -> Fields:
    """Convert stored settings to the parameters that create the subscription."""
    known = {name: value for name, value in data.items() if value is not None}
    if "trial_end" in known:
        known["trial_end"] = str(known["trial_end"])
    params = convert(known, CreateSubscription)
    return {name: getattr(params, name) for name in known}


def until_anchor(call: Call, items: Sequence[SaleItem], data: Fields) -> list[SaleItem]:
    """Return the items with prorated amounts, or none due, for the partial period before a billing anchor."""
    anchor: int | None = data.get("billing_cycle_anchor")
    if config := data.get("billing_cycle_anchor_config"):
        anchor = next_day(now(call), {name: config.get(name) for name in AnchorConfig.__struct_fields__})
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
    return replace(item, amount_subtotal=prorate_amount(item.amount_subtotal, left, whole))
