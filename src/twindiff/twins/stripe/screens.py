"""Inspector views of an account: payments, customers, subscriptions and invoices."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from twindiff.kit import Call
from twindiff.kit.clock import SECOND, Clock
from twindiff.kit.inspector_views import Screen, ScreenLink, ScreenTable
from twindiff.kit.rows import Expression

from .billing.tables.invoice_line_items import LineItem
from .billing.tables.invoice_tables import Invoice
from .billing.tables.subscription_tables import Subscription, SubscriptionItem
from .catalog.prices import Price
from .catalog.product_tables import Product
from .core.currencies import decimals
from .payments.refunds import Refund
from .tables.charge_tables import Charge
from .tables.customer_tables import Customer
from .tables.payment_intent_tables import PaymentIntent

SHOWN = 100
"""Maximum rows of a table."""
EACH = 10
"""Maximum related rows in one cell: items of a subscription, subscriptions of a customer."""

Cell = str | ScreenLink


def screen(call: Call, path: str) -> Screen | None:
    """Return the view at a path: payments at "", lists at `customers` and `invoices`, an object at `customers/ID`."""
    kind, _, id = path.partition("/")
    if not id:
        seen = {"": _payments, "customers": _customers, "invoices": _invoices}.get(kind)
        shown = seen(call) if seen else None
    else:
        one = _PAGES.get(kind)
        shown = one(call, id) if one else None
    return shown._replace(places=_PLACES) if shown else None


_TO_PAYMENTS, _TO_CUSTOMERS, _TO_INVOICES = (
    ScreenLink("Payments", ""),
    ScreenLink("Customers", "customers"),
    ScreenLink("Invoices", "invoices"),
)
_PLACES = [("Shop", [_TO_PAYMENTS, _TO_CUSTOMERS, _TO_INVOICES])]


def _payments(call: Call) -> Screen:
    others = _charge_table(call, Charge.payment_intent.is_null(), title="Charges without a PaymentIntent")
    return Screen("Payments", tables=[_payment_table(call, title="Newest"), *([others] if others.rows else [])])


def _customers(call: Call) -> Screen:
    rows = call.db.rows(Customer, ~Customer.deleted, order=-Customer.seq, limit=SHOWN)
    ids = [row.id for row in rows]
    status = (Subscription.status,)
    states = call.db.pages(
        Subscription, Subscription.customer, ids, order=-Subscription.seq, limit=EACH, columns=status
    )
    cells = [
        (
            _customer_link(row),
            row.email or "",
            ", ".join(state for (state,) in states.get(row.id, ())),
            _day(row.created),
        )
        for row in rows
    ]
    note = _left_out(call.db.count(Customer, ~Customer.deleted) - len(rows))
    return Screen(
        "Customers", tables=[ScreenTable("Newest", ("Name", "Email", "Subscriptions", "Created"), cells, note)]
    )


def _invoices(call: Call) -> Screen:
    return Screen("Invoices", tables=[_invoice_table(call, title="Newest")])


def _payment(call: Call, id: str) -> Screen | None:
    row = call.db.find(PaymentIntent, PaymentIntent.id == id)
    if row is None:
        return None
    refunds = call.db.rows(Refund, Refund.payment_intent == id, order=-Refund.seq, limit=SHOWN)
    error: Mapping[str, str] = row.last_payment_error or {}
    facts: dict[str, Cell] = {
        "Status": row.status,
        "Received": _money(row.amount_received, row.currency),
        "Capturable": _money(row.amount_capturable, row.currency) if row.amount_capturable else "",
        "Customer": _customer(call, row.customer),
        "Invoice": ScreenLink(row.invoice, f"invoices/{row.invoice}") if row.invoice else "",
        "Description": row.description or "",
        "Payment method": row.payment_method or "",
        "Last error": error.get("message") or error.get("code") or "",
        "Cancellation": row.cancellation_reason or "",
        "Created": _minute(row.created),
    }
    given = [
        (_money(each.amount, each.currency), each.status, each.reason or "", _minute(each.created)) for each in refunds
    ]
    return Screen(
        title=_money(row.amount, row.currency),
        subtitle=row.id,
        trail=[_TO_PAYMENTS],
        facts=_drop_empty(facts),
        tables=[
            _charge_table(call, Charge.payment_intent == id, title="Charges"),
            ScreenTable("Refunds", ("Amount", "Status", "Reason", "Created"), given),
        ],
    )


def _customer_page(call: Call, id: str) -> Screen | None:
    row = call.db.find(Customer, Customer.id == id)
    if row is None:
        return None
    facts: dict[str, Cell] = {
        "Email": row.email or "",
        "Phone": row.phone or "",
        "Description": row.description or "",
        "Balance": _money(row.balance, row.currency) if row.balance and row.currency else "",
        "Delinquent": "yes" if row.delinquent else "",
        "Deleted": "yes" if row.deleted else "",
        "Created": _minute(row.created),
    }
    return Screen(
        title=row.name or row.email or row.id,
        subtitle=row.id,
        trail=[_TO_CUSTOMERS],
        facts=_drop_empty(facts),
        tables=[
            _subscription_table(call, id),
            _invoice_table(call, Invoice.customer == id, title="Invoices"),
            _payment_table(call, PaymentIntent.customer == id, title="Payments"),
        ],
    )


def _subscription(call: Call, id: str) -> Screen | None:
    row = call.db.find(Subscription, Subscription.id == id)
    if row is None:
        return None
    items = call.db.rows(SubscriptionItem, SubscriptionItem.subscription == id, order=SubscriptionItem.seq, limit=SHOWN)
    prices = _prices(call, [each.price for each in items])
    cells = [(*prices.get(each.price, (each.price, "")), _count(each.quantity), _period(each)) for each in items]
    facts: dict[str, Cell] = {
        "Status": row.status,
        "Customer": _customer(call, row.customer),
        "Began": _minute(row.start_date),
        "Trial ends": _minute(row.trial_end),
        "Cancels": _minute(row.cancel_at) or ("at the end of the period" if row.cancel_at_period_end else ""),
        "Canceled": _minute(row.canceled_at),
        "Ended": _minute(row.ended_at),
        "Collection": row.collection_method,
    }
    return Screen(
        title="Subscription",
        subtitle=row.id,
        trail=[_TO_CUSTOMERS],
        facts=_drop_empty(facts),
        tables=[
            ScreenTable("Items", ("Product", "Price", "Quantity", "Current period"), cells),
            _invoice_table(call, Invoice.subscription == id, title="Invoices"),
        ],
    )


def _invoice(call: Call, id: str) -> Screen | None:
    row = call.db.find(Invoice, Invoice.id == id)
    if row is None:
        return None
    lines = call.db.rows(LineItem, LineItem.invoice == id, order=LineItem.seq, limit=SHOWN)
    cells = [(each.description or "", _count(each.quantity), _money(each.amount, each.currency)) for each in lines]
    owed = {"Subtotal": row.subtotal, "Total": row.total, "Paid": row.amount_paid, "Remaining": row.amount_remaining}
    subscription, payment = row.subscription, row.payment_intent
    facts: dict[str, Cell] = {
        "Status": row.status,
        "Customer": _customer(call, row.customer),
        "Subscription": ScreenLink(subscription, f"subscriptions/{subscription}") if subscription else "",
        "Payment": ScreenLink(payment, f"payments/{payment}") if payment else "",
        **{name: _money(amount, row.currency) for name, amount in owed.items()},
        "Due": _day(row.due_date),
        "Next attempt": _minute(row.next_payment_attempt),
        "Created": _minute(row.created),
    }
    return Screen(
        title=f"Invoice {row.number or 'draft'}",
        subtitle=row.id,
        trail=[_TO_INVOICES],
        facts=_drop_empty(facts),
        tables=[ScreenTable("Lines", ("Description", "Quantity", "Amount"), cells)],
    )


def _payment_table(call: Call, *where: Expression, title: str) -> ScreenTable:
    rows = call.db.rows(PaymentIntent, *where, order=-PaymentIntent.seq, limit=SHOWN)
    charges = [row.latest_charge for row in rows if row.latest_charge]
    states = {row.id: _state(row) for row in call.db.rows(Charge, Charge.id.in_(charges))}
    names = _names(call, {row.customer for row in rows if row.customer})
    cells = [
        (
            ScreenLink(_money(row.amount, row.currency), f"payments/{row.id}"),
            states[row.latest_charge or ""]
            if row.status == "succeeded" and row.latest_charge in states
            else row.status,
            names.get(row.customer or "", row.customer or ""),
            row.description or "",
            _minute(row.created),
        )
        for row in rows
    ]
    note = _left_out(call.db.count(PaymentIntent, *where) - len(rows))
    return ScreenTable(title, ("Amount", "Status", "Customer", "Description", "Created"), cells, note)


def _state(charge: Charge) -> str:
    """Return the status of a charge, including disputes and refunds."""
    if charge.disputed:
        return "disputed"
    if charge.refunded:
        return "refunded"
    return "partially refunded" if charge.amount_refunded else charge.status


def _charge_table(call: Call, where: Expression, *, title: str) -> ScreenTable:
    rows = call.db.rows(Charge, where, order=-Charge.seq, limit=SHOWN)
    names = _names(call, {row.customer for row in rows if row.customer})
    cells = [
        (
            _money(row.amount, row.currency),
            _state(row),
            names.get(row.customer or "", row.customer or ""),
            row.failure_message or row.description or "",
            _minute(row.created),
        )
        for row in rows
    ]
    note = _left_out(call.db.count(Charge, where) - len(rows))
    return ScreenTable(title, ("Amount", "Status", "Customer", "Description", "Created"), cells, note)


def _invoice_table(call: Call, *where: Expression, title: str) -> ScreenTable:
    rows = call.db.rows(Invoice, *where, order=-Invoice.seq, limit=SHOWN)
    names = _names(call, {row.customer for row in rows})
    cells = [
        (
            ScreenLink(row.number or "draft", f"invoices/{row.id}"),
            _money(row.total, row.currency),
            row.status,
            names.get(row.customer, row.customer),
            _day(row.due_date),
            _minute(row.created),
        )
        for row in rows
    ]
    note = _left_out(call.db.count(Invoice, *where) - len(rows))
    return ScreenTable(title, ("Number", "Total", "Status", "Customer", "Due", "Created"), cells, note)


def _subscription_table(call: Call, customer: str) -> ScreenTable:
    here = Subscription.customer == customer
    rows = call.db.rows(Subscription, here, order=-Subscription.seq, limit=SHOWN)
    columns = SubscriptionItem.price, SubscriptionItem.quantity, SubscriptionItem.current_period_end
    ids = [row.id for row in rows]
    order = SubscriptionItem.seq
    items = call.db.pages(
        SubscriptionItem, SubscriptionItem.subscription, ids, order=order, limit=EACH, columns=columns
    )
    prices = _prices(call, {price for some in items.values() for price, _, _ in some})
    cells = [
        (
            ScreenLink(_products(items.get(row.id, ()), prices), f"subscriptions/{row.id}"),
            row.status,
            ", ".join(prices.get(price, ("", ""))[1] for price, _, _ in items.get(row.id, ())),
            _day(max((end for _, _, end in items.get(row.id, ())), default=None)),
            _minute(row.created),
        )
        for row in rows
    ]
    note = _left_out(call.db.count(Subscription, here) - len(rows))
    return ScreenTable("Subscriptions", ("Product", "Status", "Price", "Period ends", "Created"), cells, note)


def _products(items: Collection[tuple[str, int | None, int]], prices: Mapping[str, tuple[str, str]]) -> str:
    """Return the products of a subscription with their quantities, as text."""
    named = [(prices.get(price, (price, ""))[0], quantity) for price, quantity, _ in items]
    return (
        ", ".join(
            f"{quantity} \N{MULTIPLICATION SIGN} {name}" if quantity not in (None, 1) else name
            for name, quantity in named
        )
        or "none"
    )


def _prices(call: Call, ids: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return product name and cost, by price id."""
    prices = call.db.rows(Price, Price.id.in_({*ids}))
    products = call.db.rows(Product, Product.id.in_({each.product for each in prices}))
    names = {each.id: each.name for each in products}
    return {each.id: (names.get(each.product, each.product), _cost(each)) for each in prices}


def _cost(price: Price) -> str:
    amount = "tiers" if price.unit_amount is None else _money(price.unit_amount, price.currency)
    recurring: Mapping[str, Any] = price.recurring or {}
    count = recurring.get("interval_count", 1)
    every = recurring.get("interval", "")
    return f"{amount} / {every if count == 1 else f'{count} {every}s'}" if recurring else amount


def _names(call: Call, ids: Collection[str]) -> dict[str, ScreenLink]:
    """Return links to customers, by id."""
    return {row.id: _customer_link(row) for row in call.db.rows(Customer, Customer.id.in_({*ids}))}


def _customer_link(row: Customer) -> ScreenLink:
    return ScreenLink(row.name or row.email or row.id, f"customers/{row.id}", "deleted" if row.deleted else "")


def _customer(call: Call, id: str | None) -> Cell:
    return _names(call, [id]).get(id, id) if id else ""


def _drop_empty(facts: Mapping[str, Cell]) -> list[tuple[str, Cell]]:
    return [(name, value) for name, value in facts.items() if value]


def _left_out(count: int) -> str:
    return f"{count:,} earlier ones are left out." if count else ""


def _money(amount: int, currency: str) -> str:
    places = decimals(currency)
    return f"{amount / 10**places:,.{places}f} {currency.upper()}"


def _count(quantity: int | None) -> str:
    return "" if quantity is None else f"{quantity:,}"


def _period(item: SubscriptionItem) -> str:
    return f"{_day(item.current_period_start)} to {_day(item.current_period_end)}"


def _minute(moment: int | None) -> str:
    """Format a Unix timestamp to the minute, in UTC."""
    return Clock(moment * SECOND).iso()[:16].replace("T", " ") if moment else ""


def _day(moment: int | None) -> str:
    return _minute(moment)[:10]


_PAGES: dict[str, Callable[[Call, str], Screen | None]] = {
    "payments": _payment,
    "customers": _customer_page,
    "subscriptions": _subscription,
    "invoices": _invoice,
}
