"""Billing history of a configuration: payment methods, subscriptions, invoices, charges, refunds and disputes.

Each object is created by the operation that Stripe has for it, at its configured time, so that rows, ledger and events
agree. Jobs that are due until then, such as renewals, run in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec

from twindiff.kit import UNSET, Call, Clock, written_once
from twindiff.kit.clock import SECOND, micros_of
from twindiff.kit.seeding import SeedSection
from twindiff.twins.stripe.core.wire_style import StripeError

from .billing.invoices.invoice_items import CreateItem, create_invoiceitem
from .billing.invoices.invoices import (
    CreateInvoice,
    Finalize,
    Pay,
    create_invoice,
    finalize_invoice,
    mark_uncollectible,
    pay_invoice,
    void_invoice,
)
from .billing.subscriptions.subscription_params import CancelSubscription, CreateSubscription, ItemFields
from .billing.subscriptions.subscriptions import cancel_subscription, create_subscription
from .core.due_jobs import BillingWork, perform
from .core.events import update
from .core.objects import Fields, retrieve
from .core.params import Params
from .payments.disputes import open_dispute
from .payments.payment_intents import CreateIntent, create_payment_intent
from .payments.payment_methods import attach, method_named
from .payments.refunds import CreateRefund, create_refund
from .payments.test_cards import find_card
from .tables.charge_tables import CHARGES, Charge
from .tables.customer_tables import CUSTOMERS

V = TypeVar("V")
Step = tuple[int, Callable[[Call], Any]]
"""A time in microseconds since 1970, and the function to run at that time."""

DAY = 86_400 * SECOND
PAST_DUE_DAYS = {"day": 2, "week": 8, "month": 32, "year": 367}
"""Age in days of a subscription whose first renewal has failed, by its interval."""
MAX_RENEWAL_STEPS = 1000
"""Jobs, of which a renewal takes several, that billing may run between two parts of a configuration."""
FAILING_CARD = "chargeCustomerFail"
"""Stripe's test card that can be saved and is declined when charged."""

Cents = Annotated[int, msgspec.Meta(ge=0)]
Positive = Annotated[int, msgspec.Meta(ge=1)]


class SeedPaymentMethod(SeedSection):
    """A test card of a customer, by Stripe's name without `pm_card_`: `visa`, `mastercard`, `chargeCustomerFail` …"""

    customer: str
    card: str = "visa"
    default: bool = True


class SeedSubscription(SeedSection):
    """A subscription of a customer to a price, named by its product's name or its `lookup_key`.

    It starts at `created`, by default now, or before its last renewal if it is `past_due`. A `canceled` one ends at
    `canceled`, or now.
    """

    customer: str
    price: str
    status: Literal["active", "trialing", "past_due", "canceled", "incomplete"] = "active"
    quantity: Positive = 1
    trial_days: Positive | None = None
    cancel_at_period_end: bool = False
    created: str | None = None
    canceled: str | None = None
    metadata: dict[str, str] = msgspec.field(default_factory=dict[str, str])


class SeedInvoiceItem(SeedSection):
    """A line of an invoice, in the smallest unit of its currency."""

    description: str
    amount: int


class SeedInvoice(SeedSection):
    """An invoice that does not belong to a subscription."""

    customer: str
    items: list[SeedInvoiceItem]
    currency: str = "usd"
    status: Literal["draft", "open", "paid", "void", "uncollectible"] = "open"
    created: str | None = None
    description: str | None = None


class SeedCharge(SeedSection):
    """A card payment, optionally of a customer; a `failed` one uses a card that is declined.

    Refunds and disputes refer to it by its description.
    """

    amount: Positive
    customer: str | None = None
    currency: str = "usd"
    description: str | None = None
    status: Literal["succeeded", "failed"] = "succeeded"
    card: str | None = None
    created: str | None = None
    metadata: dict[str, str] = msgspec.field(default_factory=dict[str, str])


class SeedRefund(SeedSection):
    """A refund of a charge, named by its description; without an amount, all that is left is refunded."""

    charge: str
    amount: Positive | None = None
    reason: Literal["duplicate", "fraudulent", "requested_by_customer"] | None = None
    created: str | None = None


class SeedDispute(SeedSection):
    """A dispute of a charge, which is named by its description."""

    charge: str
    reason: Literal["fraudulent", "product_not_received", "inquiry"] = "fraudulent"
    created: str | None = None


class PastAction(NamedTuple):
    """An action in the history of an account, at a time in microseconds since 1970."""

    at: int
    where: str
    do: Callable[[Call], None]


class Books:
    """Names of customers, prices and charges while billing is seeded, by which parts refer to each other."""

    def __init__(self, now: int, intervals: Mapping[str, str | None]) -> None:
        self._now = now
        self._intervals = intervals
        """Intervals of prices, by the name of the product and by lookup key."""
        self.customers: dict[str, str] = {}
        self.prices: dict[str, str] = {}
        self._charges: dict[str, str] = {}

    def steps(self) -> dict[str, Callable[[Any], Iterator[Step]]]:
        """Return the functions that yield the steps of a part, by its kind, in order.

        They raise StripeError for an invalid time.
        """
        return {
            "payment_methods": self._method,
            "subscriptions": self._subscription,
            "invoices": self._invoice,
            "charges": self._charge,
            "refunds": self._refund,
            "disputes": self._dispute,
        }

    def _method(self, part: SeedPaymentMethod) -> Iterator[Step]:
        yield 0, lambda call: self._save_card(call, self._customer(part.customer), part.card, default=part.default)

    def _save_card(self, call: Call, customer: str, card: str, *, default: bool) -> None:
        if find_card(f"pm_card_{card}") is None:
            raise StripeError(f"'{card[:50]}' is none of Stripe's test cards, such as visa, mastercard, {FAILING_CARD}")
        saved = attach(call, method_named(call, f"pm_card_{card}"), customer)
        if default:
            row = retrieve(call, CUSTOMERS, customer)
            update(
                call,
                CUSTOMERS,
                row,
                invoice_settings={**row.invoice_settings, "default_payment_method": saved.id},
            )

    def _subscription(self, part: SeedSubscription) -> Iterator[Step]:
        interval = _find_named(self._intervals, part.price, "price or product")
        if interval is None:
            raise StripeError(f"'{part.price}' is paid once; a subscription needs a price with an interval")
        is_late = part.status == "past_due"
        began = self._at(part.created, PAST_DUE_DAYS[interval] if is_late else 0)
        made: dict[str, str] = {}

        def begin(call: Call) -> None:
            customer = self._customer(part.customer)
            if part.status in ("active", "past_due", "canceled"):
                self._ensure_card(call, customer)
            trial = (part.trial_days or 14) if part.status == "trialing" else part.trial_days or UNSET
            asked = CreateSubscription(
                customer=customer,
                items=[ItemFields(price=self.prices[part.price], quantity=part.quantity)],
                payment_behavior="default_incomplete" if part.status == "incomplete" else UNSET,
                cancel_at_period_end=part.cancel_at_period_end or UNSET,
                trial_period_days=trial,
                metadata=part.metadata,
            )
            made["id"] = create_subscription(call, asked)["id"]
            if is_late:
                self._save_card(call, customer, FAILING_CARD, default=True)

        yield began, begin
        if part.status == "canceled":
            ended = self._at(part.canceled)
            yield ended, lambda call: cancel_subscription(call, made["id"], CancelSubscription())

    def _ensure_card(self, call: Call, customer: str) -> None:
        if not retrieve(call, CUSTOMERS, customer).invoice_settings.get("default_payment_method"):
            self._save_card(call, customer, "visa", default=True)

    def _invoice(self, part: SeedInvoice) -> Iterator[Step]:
        def bill(call: Call) -> None:
            customer = self._customer(part.customer)
            asked = CreateInvoice(customer=customer, currency=part.currency, description=part.description or UNSET)
            id = create_invoice(call, asked)["id"]
            for item in part.items:
                line: Fields = {"amount": item.amount, "currency": part.currency, "description": item.description}
                create_invoiceitem(call, CreateItem(customer=customer, invoice=id, **line))
            _bring_to(call, id, part.status)

        yield self._at(part.created), bill

    def _charge(self, part: SeedCharge) -> Iterator[Step]:
        card = part.card or ("visa" if part.status == "succeeded" else "chargeDeclined")
        if find_card(f"pm_card_{card}") is None:
            raise StripeError(f"'{card[:50]}' is none of Stripe's test cards, such as visa, chargeDeclined")

        def pay(call: Call) -> None:
            asked = CreateIntent(
                amount=part.amount,
                currency=part.currency,
                customer=self._customer(part.customer) if part.customer else UNSET,
                description=part.description or UNSET,
                payment_method=f"pm_card_{card}",
                payment_method_types=["card"],
                confirm=True,
                metadata=part.metadata,
            )
            create_payment_intent(call, asked)
            made = call.db.rows(Charge, order=-Charge.seq, limit=1)
            if not made or made[0].status != part.status:
                raise StripeError(f"a payment with the card '{card}' is not {part.status}")
            if part.description:
                self._charges[part.description] = made[0].id

        yield self._at(part.created), pay

    def _refund(self, part: SeedRefund) -> Iterator[Step]:
        def give_back(call: Call) -> None:
            charge = _find_named(self._charges, part.charge, "charge until then")
            asked = CreateRefund(charge=charge, amount=part.amount or UNSET, reason=part.reason or UNSET)
            create_refund(call, asked)

        yield self._at(part.created), give_back

    def _dispute(self, part: SeedDispute) -> Iterator[Step]:
        def dispute(call: Call) -> None:
            charge = retrieve(call, CHARGES, _find_named(self._charges, part.charge, "charge until then"))
            if charge.disputed or charge.status != "succeeded":
                raise StripeError(f"'{part.charge}' is disputed already, or was not paid")
            open_dispute(call, charge, part.reason)

        yield self._at(part.created), dispute

    def _customer(self, name: str) -> str:
        return _find_named(self.customers, name, "customer")

    def _at(self, created: str | None, days_ago: int = 0) -> int:
        """Parse an ISO 8601 date or time in UTC to microseconds; raises StripeError for an invalid or future one."""
        if created is None:
            return self._now - days_ago * DAY
        try:
            instant = datetime.fromisoformat(created)
        except ValueError:
            raise StripeError(f"created: '{created[:50]}' is no ISO 8601 date or time, such as 2025-12-02") from None
        at = micros_of(instant if instant.tzinfo else instant.replace(tzinfo=UTC))
        if not 0 < at <= self._now:
            raise StripeError(
                f"created: '{created[:50]}' is later than the world's beginning, {Clock(self._now).iso()[:16]}"
            )
        return at


def _find_named(among: Mapping[str, V], name: str, kind: str) -> V:
    """Return the value of a name; raises StripeError that lists the known names."""
    if name not in among:
        raise StripeError(f"there is no {kind} '{name[:100]}'; there are {', '.join([*among][:20]) or 'none'}")
    return among[name]


def _bring_to(call: Call, invoice: str, status: str) -> None:
    """Bring a draft invoice to the configured status."""
    if status == "draft":
        return
    finalize_invoice(call, invoice, Finalize())
    if status == "paid":
        pay_invoice(call, invoice, Pay(paid_out_of_band=True))
    elif status == "void":
        void_invoice(call, invoice, Params())
    elif status == "uncollectible":
        mark_uncollectible(call, invoice, Params())


def act_at(call: Call, at: int) -> Call:
    """Return a call like this one, at another time."""
    return Call(call.actor, call.db, Clock(at))


def bill_until(call: Call, at: int) -> None:
    """Run the jobs due until a time; raises StripeError after `MAX_RENEWAL_STEPS` jobs."""
    for _ in range(MAX_RENEWAL_STEPS):
        waiting = call.db.rows(BillingWork, BillingWork.due <= at // SECOND, order=BillingWork.due, limit=1)
        if not waiting:
            return
        due = waiting[0].due or 0
        then = act_at(call, due * SECOND)
        with written_once(then):
            perform(then, waiting[0], due)
    raise StripeError(f"more than {MAX_RENEWAL_STEPS} renewals would lie in the past; let subscriptions begin later")
