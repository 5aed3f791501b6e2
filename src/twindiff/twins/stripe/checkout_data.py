"""What the PaymentIntent and the subscription of a checkout session or a payment link have.

https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-payment_intent_data
"""

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit import UNSET, UnsetType

from .params import OptInteger, OptText, Part, Shipping
from .payment_intents import TransferData


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


class SubscriptionData(Part):
    """What a session's subscription has."""

    billing_mode: dict[str, Any] | UnsetType = UNSET
    default_tax_rates: list[str] | UnsetType = UNSET
    description: OptText = UNSET
    metadata: dict[str, str] | UnsetType = UNSET
    proration_behavior: Literal["create_prorations", "none"] | UnsetType = UNSET
    trial_end: OptInteger = UNSET
    trial_period_days: OptInteger = UNSET
    trial_settings: dict[str, Any] | UnsetType = UNSET
