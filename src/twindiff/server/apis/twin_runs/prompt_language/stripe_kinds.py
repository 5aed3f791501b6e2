"""The kinds of Stripe: customers, products, subscriptions, invoices, payments, refunds and disputes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twindiff.server.apis.twin_runs.world_prompt_details import Price

from .kinds import Kind, KindField, Rows, Vendor, Verb, World, WorldEntity, drop_none

DEFAULT_PRICE = Price(4900, "usd", "month")
AMOUNT = KindField("amount", "money", leads=("of", "for", "over", "at", "worth"))
MIN_PAYMENT = 50
"""The least amount of a payment in dollars or euros, in cents."""
LIVE = ("active", "trialing", "past_due")
KINDS = (
    Kind(
        "stripe.customer",
        (("customer", "customers"), ("client", "clients")),
        (),
        (
            KindField(
                "email", "text", leads=("with the email", "with the email address", "with email", "whose email is")
            ),
        ),
    ),
    Kind(
        "stripe.product",
        (("product", "products"), ("plan", "plans")),
        (),
        (KindField("price", "money", leads=("at", "for", "costs", "cost", "priced at", "costing", "is")),),
        through={"stripe.customer": "stripe.subscription"},
        most=50,
    ),
    Kind(
        "stripe.subscription",
        (("subscription", "subscriptions"),),
        ("stripe.customer",),
        (
            KindField(
                "status",
                "choice",
                {
                    "active": "active",
                    "running": "live",
                    "trialing": "trialing",
                    "in trial": "trialing",
                    "on trial": "trialing",
                    "past due": "past_due",
                    "past-due": "past_due",
                    "canceled": "canceled",
                    "cancelled": "canceled",
                    "incomplete": "incomplete",
                },
                usual=("active", "live"),
                otherwise="canceled",
            ),
            KindField("product", "text"),
            KindField("price", "money", leads=("at", "for", "of")),
        ),
        dict.fromkeys(("subscribes", "subscribed", "subscribe"), Verb(home="stripe.customer")),
        link="product",
        implied={
            "active": (("stripe.invoice", "paid"), ("stripe.payment", "succeeded")),
            "live": (("stripe.invoice", "paid"), ("stripe.payment", "succeeded")),
            "trialing": (("stripe.invoice", "paid"),),
            "incomplete": (("stripe.invoice", "open"),),
            "canceled": (("stripe.invoice", "paid"), ("stripe.payment", "succeeded")),
        },
        needs="stripe.customer",
    ),
    Kind(
        "stripe.invoice",
        (("invoice", "invoices"), ("bill", "bills")),
        ("stripe.customer",),
        (
            KindField(
                "status",
                "choice",
                {
                    "unpaid": "open",
                    "open": "open",
                    "outstanding": "open",
                    "paid": "paid",
                    "settled": "paid",
                    "draft": "draft",
                    "void": "void",
                    "voided": "void",
                    "uncollectible": "uncollectible",
                },
                usual=("open",),
                otherwise="paid",
            ),
            AMOUNT,
        ),
        needs="stripe.customer",
    ),
    Kind(
        "stripe.payment",
        (("payment", "payments"), ("charge", "charges")),
        ("stripe.customer",),
        (
            KindField(
                "status",
                "choice",
                {"successful": "succeeded", "succeeded": "succeeded", "failed": "failed", "declined": "failed"},
                usual=("succeeded",),
                otherwise="failed",
            ),
            KindField(
                "refund",
                "choice",
                {
                    "refunded": "refunded",
                    "fully refunded": "full",
                    "refunded in full": "full",
                    "partially refunded": "partial",
                    "partly refunded": "partial",
                    "refunded in part": "partial",
                },
            ),
            KindField("dispute", "choice", {"disputed": "disputed"}),
            AMOUNT,
        ),
        {
            "paid": Verb(home="stripe.customer", fields={"status": "succeeded"}),
            "disputed": Verb(home="stripe.customer", fields={"dispute": "disputed"}),
            "disputes": Verb(home="stripe.customer", fields={"dispute": "disputed"}),
        },
    ),
    Kind(
        "stripe.refund",
        (("refund", "refunds"),),
        ("stripe.payment", "stripe.customer"),
        (AMOUNT,),
        needs="stripe.payment",
        needs_own=True,
    ),
    Kind(
        "stripe.dispute",
        (("dispute", "disputes"), ("chargeback", "chargebacks")),
        ("stripe.payment", "stripe.customer"),
        (
            KindField("reason", "choice", {"fraudulent": "fraudulent"}),
            AMOUNT,
        ),
        needs="stripe.payment",
        needs_own=True,
    ),
)


def write(world: World) -> dict[str, Any]:
    """Make the configuration of an account; each payment gets a description that its refunds and disputes name."""
    customers = world.of("stripe.customer")
    keys = {id(each): _email(each, number) for number, each in enumerate(customers, start=1)}
    products = _Products(world)
    payments = [
        each
        for each in world.of("stripe.payment")
        if "implied" not in each.fields and _price(each).amount >= MIN_PAYMENT
    ]
    names = {id(each): each.name or f"Payment {number}" for number, each in enumerate(payments, start=1)}
    taken = [each for each in payments if each.fields.get("status") != "failed"]
    refunds = [
        {"charge": names[id(each)], "amount": amount} for each in taken for amount in _refunded_amounts(world, each)
    ]
    disputes = [
        drop_none(charge=names[id(each.places[0])], reason=each.fields.get("reason"))
        for each in world.of("stripe.dispute")
        if each.places[0] in taken
    ]
    disputes += [
        {"charge": names[id(each)]}
        for each in taken
        if "dispute" in each.fields and not world.of("stripe.dispute", each)
    ]
    made = {
        "customers": [drop_none(name=each.name or None, email=keys[id(each)]) for each in customers],
        "subscriptions": [_subscription(each, keys, products) for each in world.of("stripe.subscription")],
        "products": products.written,
        "invoices": [_invoice(each, keys) for each in world.of("stripe.invoice") if "implied" not in each.fields],
        "charges": [_charge(each, keys, names) for each in payments],
        "refunds": refunds,
        "disputes": disputes,
    }
    return {kind: parts for kind, parts in made.items() if parts or kind in ("customers", "products")}


def _email(customer: WorldEntity, number: int) -> str:
    if "email" in customer.fields:
        return customer.fields["email"]
    return customer.aliases[0] if customer.aliases else f"billing{number}@customer.example"


def _price(entity: WorldEntity) -> Price:
    return entity.fields.get("amount") or Price(2000, "usd", None)


def _refunded_amounts(world: World, payment: WorldEntity) -> list[int]:
    """The amounts of the refunds of a payment that it is large enough for."""
    left = _price(payment).amount
    held: list[Price | None] = [each.fields.get("amount") for each in world.of("stripe.refund", payment)]
    if "refund" in payment.fields and not held:
        return [left // 2 if payment.fields["refund"] == "partial" else left]
    amounts: list[int] = []
    for price in held:
        amount = price.amount if price else left
        if 0 < amount <= left:
            amounts.append(amount)
            left -= amount
    return amounts


class _Products:
    """The products of a configuration, with prices by which subscriptions name them."""

    def __init__(self, world: World) -> None:
        self.written: list[dict[str, Any]] = []
        for each in world.of("stripe.product"):
            self._add(each.name, each.fields.get("price") or DEFAULT_PRICE)

    def _add(self, name: str, price: Price) -> dict[str, Any]:
        """The price of a product, which is made if there is none."""
        product = next((each for each in self.written if each["name"] == name), None)
        if product is None:
            product = dict[str, Any](name=name, prices=list[dict[str, Any]]())
            self.written.append(product)
        sold = {"unit_amount": price.amount, "currency": price.currency, "interval": price.interval}
        known = next((each for each in product["prices"] if each.items() >= sold.items()), None)
        if known is None:
            product["prices"].append(sold)
        return sold if known is None else known

    def find(self, subscription: WorldEntity) -> str:
        """The lookup key of the recurring price of a subscription."""
        name: str | None = subscription.fields.get("product")
        price: Price | None = subscription.fields.get("price")
        if price is None:
            fit = [each for product in self.written if name in (None, product["name"]) for each in product["prices"]]
            sold = next((each for each in fit if each["interval"]), None)
            price = Price(sold["unit_amount"], sold["currency"], sold["interval"]) if sold else DEFAULT_PRICE
            name = name or next((each["name"] for each in self.written if sold and sold in each["prices"]), None)
        name, price = name or "Membership", price if price.interval else price._replace(interval="month")
        key = f"{name} {price.amount} {price.currency} {price.interval}"
        self._add(name, price)["lookup_key"] = key
        return key


def _subscription(entity: WorldEntity, keys: Mapping[int, str], products: _Products) -> dict[str, Any]:
    status = entity.fields.get("status", "active")
    status = "active" if status == "live" else status
    return {"customer": keys[id(entity.places[0])], "price": products.find(entity), "status": status}


def _invoice(entity: WorldEntity, keys: Mapping[int, str]) -> dict[str, Any]:
    price = _price(entity)
    items = [{"description": entity.name or "Services", "amount": price.amount}]
    status = entity.fields.get("status", "open")
    return {"customer": keys[id(entity.places[0])], "items": items, "currency": price.currency, "status": status}


def _charge(entity: WorldEntity, keys: Mapping[int, str], names: Mapping[int, str]) -> dict[str, Any]:
    price, home = _price(entity), entity.place("stripe.customer")
    made = {"amount": price.amount, "currency": price.currency, "description": names[id(entity)]}
    customer = keys[id(home)] if home else None
    return {**made, **drop_none(customer=customer, status=entity.fields.get("status"))}


def read(rows: Rows) -> list[WorldEntity]:
    """Find the entities of an account."""
    customers = {
        row["id"]: WorldEntity(
            "stripe.customer", row["name"] or "", {"email": row["email"] or ""}, aliases=(row["email"] or "",)
        )
        for row in rows["customers"]
    }
    prices = {row["id"]: _read_price(row) for row in rows["prices"]}
    products = {row["id"]: WorldEntity("stripe.product", row["name"], {"price": []}) for row in rows["products"]}
    for row in rows["prices"]:
        products[row["product"]].fields["price"].append(prices[row["id"]])
    sold = {row["id"]: row["product"] for row in rows["prices"]}
    items = {row["subscription"]: row["price"] for row in rows["subscription_items"]}
    subscriptions = [
        WorldEntity(
            "stripe.subscription",
            "",
            {
                "status": {row["status"], *(["live"] if row["status"] in LIVE else [])},
                "product": products[sold[items[row["id"]]]].name,
                "price": [prices[items[row["id"]]]],
            },
            [customers[row["customer"]]],
        )
        for row in rows["subscriptions"]
    ]
    invoices = [
        WorldEntity(
            "stripe.invoice",
            "",
            {"status": {row["status"]}, "amount": [Price(row["total"], row["currency"], None)]},
            [customers[row["customer"]]],
        )
        for row in rows["invoices"]
    ]
    payments = {row["id"]: _read_charge(row, customers) for row in rows["charges"]}
    parts = [*_read_parts("stripe.refund", rows["refunds"], payments)]
    parts += _read_parts("stripe.dispute", rows["disputes"], payments)
    return [*customers.values(), *products.values(), *subscriptions, *invoices, *payments.values(), *parts]


def _read_price(row: Any) -> Price:
    repeated: dict[str, Any] = row["recurring"] or {}
    return Price(row["unit_amount"] or 0, row["currency"], repeated.get("interval"))


def _read_charge(row: Any, customers: Mapping[str, WorldEntity]) -> WorldEntity:
    refunded = row["amount_refunded"]
    refund = {"full", "refunded"} if row["refunded"] else {"partial", "refunded"} if refunded else set[str]()
    fields = {
        "status": {row["status"]},
        "refund": refund,
        "dispute": {"disputed"} if row["disputed"] else set[str](),
        "amount": [Price(row["amount"], row["currency"], None)],
    }
    home = customers.get(row["customer"] or "")
    return WorldEntity("stripe.payment", row["description"] or "", fields, [home] if home else [])


def _read_parts(kind: str, rows: Any, payments: Mapping[str, WorldEntity]) -> list[WorldEntity]:
    return [
        WorldEntity(
            kind,
            "",
            {"amount": [Price(row["amount"], row["currency"], None)], "reason": {row["reason"]}},
            [payments[row["charge"]]],
        )
        for row in rows
        if row["charge"] in payments
    ]


STRIPE = Vendor("stripe", ("stripe",), KINDS, write, read)
