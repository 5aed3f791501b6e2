"""Parameters of the operations on subscriptions and their items."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from twindiff.kit import UNSET, Meta, UnsetType

from ...catalog.discounts import OptDiscounts
from ...catalog.price_params import PriceData, RecurringPriceData
from ...core.params import (
    Issuer,
    ListParams,
    NestedParams,
    OptAutomaticTax,
    OptBool,
    OptInteger,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    Unset,
    or_none,
)

Behavior = Literal["always_invoice", "create_prorations", "none"]
PaymentBehavior = Literal["allow_incomplete", "error_if_incomplete", "pending_if_incomplete", "default_incomplete"]
Collection = Literal["charge_automatically", "send_invoice"]
Missing = Literal["cancel", "create_invoice", "pause"]
Status = Literal[
    "active", "past_due", "unpaid", "canceled", "incomplete", "incomplete_expired", "trialing", "paused", "all", "ended"
]  # fmt: skip


class BillingThresholds(NestedParams):
    """The amount that triggers an invoice, and whether a new period starts then."""

    amount_gte: OptInteger = UNSET
    reset_billing_cycle_anchor: OptBool = UNSET

    @property
    def kept(self) -> dict[str, Any]:
        """Both fields, as subscriptions store and show them."""
        return {name: or_none(getattr(self, name)) for name in self.__struct_fields__}


class ItemThresholds(NestedParams):
    """The usage that triggers an invoice."""

    usage_gte: Annotated[int, Meta(ge=1)]


OptThresholds = BillingThresholds | Unset | UnsetType
OptItemThresholds = ItemThresholds | Unset | UnsetType


class ItemFields(NestedParams, kw_only=True):
    """An item of a subscription."""

    billing_thresholds: OptItemThresholds = UNSET
    discounts: OptDiscounts = UNSET
    metadata: OptMetadata = UNSET
    plan: OptText = UNSET
    price: OptName = UNSET
    price_data: RecurringPriceData | UnsetType = UNSET
    quantity: OptInteger = UNSET
    tax_rates: list[str] | Unset | UnsetType = UNSET


class ChangedItem(ItemFields, kw_only=True):
    """An item of a subscription that is updated, added or deleted."""

    id: OptText = UNSET
    clear_usage: OptBool = UNSET
    deleted: OptBool = UNSET


class OnceItem(NestedParams, kw_only=True):
    """A one-time item on the first invoice."""

    discountable: OptBool = UNSET
    discounts: OptDiscounts = UNSET
    metadata: OptMetadata = UNSET
    price: OptName = UNSET
    price_data: PriceData | UnsetType = UNSET
    quantity: OptInteger = UNSET
    tax_rates: list[str] | Unset | UnsetType = UNSET


class BillingMode(NestedParams):
    """The billing mode of a subscription."""

    type: Literal["classic", "flexible"]
    flexible: dict[str, str] | UnsetType = UNSET


class AnchorConfig(NestedParams):
    """The day and time of a month or year at which periods start."""

    day_of_month: Annotated[int, Meta(ge=1, le=31)]
    hour: Annotated[int, Meta(ge=0, le=23)] | UnsetType = UNSET
    minute: Annotated[int, Meta(ge=0, le=59)] | UnsetType = UNSET
    month: Annotated[int, Meta(ge=1, le=12)] | UnsetType = UNSET
    second: Annotated[int, Meta(ge=0, le=59)] | UnsetType = UNSET


class EndBehavior(NestedParams):
    """The behavior at the end of a trial."""

    missing_payment_method: Missing
    billing_cycle_anchor: Literal["now", "unchanged"] | UnsetType = UNSET


class TrialSettings(NestedParams):
    """Trial settings."""

    end_behavior: EndBehavior


class PaymentSettings(NestedParams):
    """Payment settings of a subscription."""

    payment_method_options: dict[str, Any] | UnsetType = UNSET
    payment_method_types: list[str] | Unset | UnsetType = UNSET
    save_default_payment_method: Literal["off", "on_subscription"] | UnsetType = UNSET


class InvoiceSettings(NestedParams):
    """Settings of a subscription's invoices."""

    account_tax_ids: list[str] | Unset | UnsetType = UNSET
    issuer: Issuer | UnsetType = UNSET
    custom_fields: list[dict[str, str]] | Unset | UnsetType = UNSET
    description: OptText = UNSET
    footer: OptText = UNSET


class PendingInterval(NestedParams):
    """An interval and its count."""

    interval: Literal["day", "month", "week", "year"]
    interval_count: OptInteger = UNSET


OptPendingInterval = PendingInterval | Unset | UnsetType


class SubscriptionTransfer(NestedParams, kw_only=True):
    """The connected account that is paid, and its percentage of each invoice."""

    destination: str
    amount_percent: float | UnsetType = UNSET


class SubscriptionParams(Params, kw_only=True):
    """Parameters shared by the create and update operations."""

    longest: ClassVar = {"description": 500}

    add_invoice_items: list[OnceItem] | UnsetType = UNSET
    automatic_tax: OptAutomaticTax = UNSET
    application_fee_percent: float | Unset | UnsetType = UNSET
    billing_thresholds: OptThresholds = UNSET
    cancel_at: OptText = UNSET
    cancel_at_period_end: OptBool = UNSET
    collection_method: Collection | UnsetType = UNSET
    days_until_due: OptInteger = UNSET
    default_payment_method: OptText = UNSET
    default_tax_rates: list[str] | Unset | UnsetType = UNSET
    description: OptText = UNSET
    discounts: OptDiscounts = UNSET
    invoice_settings: InvoiceSettings | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    off_session: OptBool = UNSET
    on_behalf_of: OptText = UNSET
    payment_behavior: PaymentBehavior | UnsetType = UNSET
    payment_settings: PaymentSettings | UnsetType = UNSET
    pending_invoice_item_interval: OptPendingInterval = UNSET
    proration_behavior: Behavior | UnsetType = UNSET
    transfer_data: SubscriptionTransfer | Unset | UnsetType = UNSET
    trial_end: OptText = UNSET
    trial_from_plan: OptBool = UNSET
    trial_settings: TrialSettings | UnsetType = UNSET


class CreateSubscription(SubscriptionParams, kw_only=True):
    """The parameters of a new subscription."""

    customer: OptName = UNSET
    customer_account: OptText = UNSET
    items: list[ItemFields] | UnsetType = UNSET
    backdate_start_date: OptInteger = UNSET
    billing_cycle_anchor: OptInteger = UNSET
    billing_cycle_anchor_config: AnchorConfig | UnsetType = UNSET
    billing_mode: BillingMode | UnsetType = UNSET
    currency: OptName = UNSET
    trial_period_days: OptInteger = UNSET


class Cancellation(NestedParams):
    """Feedback of a customer who cancels."""

    comment: OptText = UNSET
    feedback: (
        Literal[
            "",
            "customer_service",
            "low_quality",
            "missing_features",
            "other",
            "switched_service",
            "too_complex",
            "too_expensive",
            "unused",
        ]
        | UnsetType
    ) = UNSET
    feedback_option: OptText = UNSET


class PauseCollection(NestedParams):
    """The handling of invoices while collection is paused."""

    behavior: Literal["keep_as_draft", "mark_uncollectible", "void"]
    resumes_at: OptInteger = UNSET


class UpdateSubscription(SubscriptionParams, kw_only=True):
    """The parameters of an update."""

    items: list[ChangedItem] | UnsetType = UNSET
    billing_cycle_anchor: Literal["now", "unchanged"] | UnsetType = UNSET
    cancellation_details: Cancellation | UnsetType = UNSET
    pause_collection: PauseCollection | Unset | UnsetType = UNSET
    proration_date: OptInteger = UNSET


class CancelSubscription(Params, kw_only=True):
    """The parameters of a cancellation."""

    cancellation_details: Cancellation | UnsetType = UNSET
    invoice_now: OptBool = UNSET
    prorate: OptBool = UNSET


class ResumeSubscription(Params, kw_only=True):
    """The parameters of a resumption."""

    billing_cycle_anchor: Literal["now", "unchanged"] | UnsetType = UNSET
    payment_behavior: Literal["resume_on_payment_success"] | UnsetType = UNSET
    proration_behavior: Behavior | UnsetType = UNSET
    proration_date: OptInteger = UNSET


class FlexibleMode(NestedParams, kw_only=True):
    """The only billing mode that a subscription can migrate to."""

    type: Literal["flexible"]
    flexible: dict[str, str] | UnsetType = UNSET


class MigrateSubscription(Params, kw_only=True):
    """The parameters of a migration."""

    billing_mode: FlexibleMode


class ListSubscriptions(ListParams, kw_only=True):
    """The parameters of a list of subscriptions."""

    collection_method: Collection | UnsetType = UNSET
    created: OptRange = UNSET
    current_period_end: OptRange = UNSET
    current_period_start: OptRange = UNSET
    customer: OptName = UNSET
    customer_account: OptText = UNSET
    plan: OptText = UNSET
    price: OptName = UNSET
    status: Status | UnsetType = UNSET
    test_clock: OptName = UNSET


class ListSubscriptionItems(ListParams, kw_only=True):
    """The parameters of a list of items."""

    subscription: str


class CreateSubscriptionItem(Params, kw_only=True):
    """The parameters of a new item."""

    subscription: str
    billing_thresholds: OptItemThresholds = UNSET
    discounts: OptDiscounts = UNSET
    metadata: OptMetadata = UNSET
    payment_behavior: PaymentBehavior | UnsetType = UNSET
    plan: OptText = UNSET
    price: OptName = UNSET
    price_data: RecurringPriceData | UnsetType = UNSET
    proration_behavior: Behavior | UnsetType = UNSET
    proration_date: OptInteger = UNSET
    quantity: OptInteger = UNSET
    tax_rates: list[str] | Unset | UnsetType = UNSET


class UpdateSubscriptionItem(Params, kw_only=True):
    """The parameters of an update."""

    billing_thresholds: OptItemThresholds = UNSET
    discounts: OptDiscounts = UNSET
    metadata: OptMetadata = UNSET
    off_session: OptBool = UNSET
    payment_behavior: PaymentBehavior | UnsetType = UNSET
    plan: OptText = UNSET
    price: OptName = UNSET
    price_data: RecurringPriceData | UnsetType = UNSET
    proration_behavior: Behavior | UnsetType = UNSET
    proration_date: OptInteger = UNSET
    quantity: OptInteger = UNSET
    tax_rates: list[str] | Unset | UnsetType = UNSET


class DeleteSubscriptionItem(Params, kw_only=True):
    """The parameters of a deletion."""

    clear_usage: OptBool = UNSET
    payment_behavior: PaymentBehavior | UnsetType = UNSET
    proration_behavior: Behavior | UnsetType = UNSET
    proration_date: OptInteger = UNSET
