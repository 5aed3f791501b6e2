"""Seeding of an account from a configuration: customers, products, prices, meters and billing history."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import Literal

import msgspec

from twindiff.kit import UNSET, Call, written_once
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding, SeedSection
from twindiff.twins.stripe.core.wire_style import StripeError

from .account.accounts import OWN, Account, ApiKey, empty
from .account.restricted_keys import PERMISSIONS
from .catalog.price_params import Recurring
from .catalog.prices import CreatePrice, create_price
from .catalog.products import CreateProduct, create_product
from .core.objects import Fields
from .customer.customers import CreateCustomer, create_customer
from .metering.meters import Aggregation, CreateMeter, CreateMeterEvent, create_meter, create_meter_event
from .seed_billing import (
    Books,
    PastAction,
    SeedCharge,
    SeedDispute,
    SeedInvoice,
    SeedPaymentMethod,
    SeedRefund,
    SeedSubscription,
    act_at,
    bill_until,
)


class SeedCustomer(SeedSection):
    """A customer, with a name, an email address or both."""

    name: str | None = None
    email: str | None = None
    description: str | None = None
    balance: int | None = None
    """The amount the customer owes, in the smallest unit of the currency; a negative amount is credit."""
    metadata: dict[str, str] = msgspec.field(default_factory=dict[str, str])


class SeedPrice(SeedSection):
    """An amount in the smallest unit of a currency, paid once or every `interval`."""

    unit_amount: int
    currency: str = "usd"
    interval: Literal["day", "week", "month", "year"] | None = None
    lookup_key: str | None = None


class SeedProduct(SeedSection):
    """A product with its prices."""

    name: str
    description: str | None = None
    prices: list[SeedPrice] = msgspec.field(default_factory=list[SeedPrice])


class SeedUsage(SeedSection):
    """Usage of a customer, named by email or name."""

    customer: str
    value: int = 1


class SeedMeter(SeedSection):
    """A meter of an event name."""

    display_name: str
    event_name: str
    aggregation: Literal["count", "last", "sum"] = "sum"
    events: list[SeedUsage] = msgspec.field(default_factory=list[SeedUsage])


class SeedKey(SeedSection):
    """A restricted key and its permissions: `customer_read`, `charge_write` … Write access includes read access."""

    key: str
    permissions: list[str]


class StripeConfig(msgspec.Struct):
    """The configuration of a seeded account."""

    customers: list[SeedCustomer] = []
    products: list[SeedProduct] = []
    meters: list[SeedMeter] = []
    restricted_keys: list[SeedKey] = []
    card_tokens: bool = False
    """Whether customers and charges take card tokens, as an account's API policies may allow."""
    payment_methods: list[SeedPaymentMethod] = []
    subscriptions: list[SeedSubscription] = []
    invoices: list[SeedInvoice] = []
    charges: list[SeedCharge] = []
    refunds: list[SeedRefund] = []
    disputes: list[SeedDispute] = []


BILLING = ("payment_methods", "subscriptions", "invoices", "charges", "refunds", "disputes")


def write(call: Call, config: StripeConfig, people: Sequence[Person]) -> dict[str, int]:
    """Fill an empty account, owned by the first person; returns the number of objects by kind.

    Raises InvalidSeedConfig with all parts that Stripe would reject.
    """
    problems: list[str] = []
    books = Books(call.clock.micros, _intervals(config))
    deeds = _deeds(books, config, problems)
    began = min((deed.at for deed in deeds if deed.at), default=call.clock.micros)
    then = act_at(call, began)
    _open_shop(then, people, takes_card_tokens=config.card_tokens)
    for number, customer in enumerate(config.customers):
        with _noting(problems, f"customers[{number}]"):
            _add_customer(then, customer, books.customers)
    for number, product in enumerate(config.products):
        with _noting(problems, f"products[{number}]"):
            _add_product(then, product, books.prices)
    for number, meter in enumerate(config.meters):
        with _noting(problems, f"meters[{number}]"):
            _add_meter(call, meter, books.customers)
    for number, key in enumerate(config.restricted_keys):
        with _noting(problems, f"restricted_keys[{number}]"):
            _add_key(call, key)
    if not problems:
        _do(call, deeds, began, problems)
    if problems:
        raise InvalidSeedConfig(problems)
    return _counts(config)


def _counts(config: StripeConfig) -> dict[str, int]:
    counts = {"customers": len(config.customers), "products": len(config.products), "meters": len(config.meters)}
    counts["prices"] = sum(len(product.prices) for product in config.products)
    usages = sum(len(meter.events) for meter in config.meters)
    more = {"meter_events": usages, "restricted_keys": len(config.restricted_keys)}
    more |= {kind: len(getattr(config, kind)) for kind in BILLING}
    return counts | {kind: count for kind, count in more.items() if count}


def _intervals(config: StripeConfig) -> dict[str, str | None]:
    """Return the intervals of prices, by lookup key, and of first prices by the name of their product."""
    intervals: dict[str, str | None] = {}
    for product in config.products:
        for price in product.prices:
            for name in filter(None, (product.name, price.lookup_key)):
                intervals.setdefault(name, price.interval)
    return intervals


def _deeds(books: Books, config: StripeConfig, problems: list[str]) -> list[PastAction]:
    """Return the actions of a configuration's billing history, in order of time."""
    deeds: list[PastAction] = []
    for kind, steps in books.steps().items():
        for number, part in enumerate(getattr(config, kind)):
            with _noting(problems, f"{kind}[{number}]"):
                deeds += [PastAction(at, f"{kind}[{number}]", do) for at, do in steps(part)]
    return sorted(deeds, key=attrgetter("at"))


def _do(call: Call, deeds: Sequence[PastAction], began: int, problems: list[str]) -> None:
    """Run the actions of a history, with the jobs due in between."""
    for deed in deeds:
        with _noting(problems, deed.where):
            bill_until(call, deed.at)
            then = act_at(call, deed.at or began)
            with written_once(then):
                deed.do(then)
    if deeds and not problems:
        with _noting(problems, "subscriptions"):
            bill_until(call, call.clock.micros)


@contextmanager
def _noting(problems: list[str], part: str) -> Generator[None]:
    """Add a StripeError raised in the block to the problems, under the name of a part."""
    try:
        yield
    except StripeError as error:
        problems.append(f"{part}: {error}")


def _open_shop(call: Call, people: Sequence[Person], *, takes_card_tokens: bool) -> None:
    shop = empty()
    account: Fields = shop["accounts"][0] | ({"email": people[0].email} if people else {})
    account |= {"takes_card_tokens": True} if takes_card_tokens else {}
    call.db.add(Account(**account))
    for key in shop["api_keys"]:
        call.db.add(ApiKey(**key))


def _add_key(call: Call, key: SeedKey) -> None:
    if not key.key.startswith("rk_test_"):
        raise StripeError(f"A restricted key begins with rk_test_, unlike '{key.key[:50]}'")
    if unknown := sorted(set(key.permissions) - PERMISSIONS):
        known = ", ".join(sorted(PERMISSIONS))
        raise StripeError(f"No such permissions: {', '.join(unknown)[:500]}. There are {known}")
    call.db.add(ApiKey(key=key.key, account=OWN, permissions=key.permissions), taken=KeyTaken)


class KeyTaken(StripeError):
    """A key can be given once."""


def _add_customer(call: Call, customer: SeedCustomer, ids: dict[str, str]) -> None:
    made = create_customer(
        call,
        CreateCustomer(
            name=customer.name or UNSET,
            email=customer.email or UNSET,
            description=customer.description or UNSET,
            balance=UNSET if customer.balance is None else customer.balance,
            metadata=customer.metadata,
        ),
    )
    ids.update({each: made["id"] for each in (customer.name, customer.email) if each})


def _add_product(call: Call, product: SeedProduct, ids: dict[str, str]) -> None:
    made = create_product(call, CreateProduct(name=product.name, description=product.description or UNSET))
    for price in product.prices:
        sold = create_price(
            call,
            CreatePrice(
                product=made["id"],
                currency=price.currency,
                unit_amount=price.unit_amount,
                recurring=Recurring(interval=price.interval) if price.interval else UNSET,
                lookup_key=price.lookup_key or UNSET,
            ),
        )
        for name in filter(None, (product.name, price.lookup_key)):
            ids.setdefault(name, sold["id"])


def _add_meter(call: Call, meter: SeedMeter, ids: dict[str, str]) -> None:
    formula = Aggregation(formula=meter.aggregation)
    name = meter.event_name
    create_meter(call, CreateMeter(display_name=meter.display_name, event_name=name, default_aggregation=formula))
    for usage in meter.events:
        if usage.customer not in ids:
            raise StripeError(f"'{usage.customer}' is not among the customers; there are {', '.join(ids) or 'none'}")
        payload = {"stripe_customer_id": ids[usage.customer], "value": str(usage.value)}
        create_meter_event(call, CreateMeterEvent(event_name=name, payload=payload))


seeding = Seeding(StripeConfig, write)
