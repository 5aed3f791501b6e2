"""What holds after any sequence of changes and moves of the clock."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

DAY = 86400
START = 1_769_850_000

AMOUNTS = (0, 1, 999, 1000, 123_456)
STEPS = st.one_of(
    st.tuples(st.just("advance"), st.integers(1, 45)),
    st.tuples(st.just("price"), st.integers(0, len(AMOUNTS) - 1)),
    st.tuples(st.just("quantity"), st.integers(0, 7)),
    st.tuples(st.just("card"), st.sampled_from(["pm_card_visa", "pm_card_chargeCustomerFail"])),
    st.tuples(st.just("bill"), st.just(0)),
    st.tuples(st.just("credit"), st.integers(-5000, 5000)),
    st.tuples(st.just("cancel"), st.booleans()),
    st.tuples(st.just("anchor"), st.just(0)),
    st.tuples(st.just("tax"), st.booleans()),
    st.tuples(st.just("move"), st.sampled_from(["DE", "FR", "US"])),
)


class Club:
    """A subscription to which anything is done."""

    def __init__(self, stripe: Any) -> None:
        self.stripe = stripe
        self.at = START
        self.clock = stripe.post("test_helpers/test_clocks", frozen_time=START)["id"]
        self.customer = stripe.post("customers", test_clock=self.clock, address={"country": "DE"})["id"]
        self.card("pm_card_visa")
        office = {"address": {"country": "DE"}}
        stripe.post("tax/settings", head_office=office, defaults={"tax_behavior": "exclusive"})
        standard = {"country": "DE", "country_options": {"de": {"type": "standard"}}}
        stripe.post("tax/registrations", **standard, active_from=START - DAY)
        product = stripe.post("products", name="Box")["id"]
        wanted = {"product": product, "currency": "usd", "recurring": {"interval": "month"}}
        self.prices = [stripe.post("prices", **wanted, unit_amount=amount)["id"] for amount in AMOUNTS]
        begun = {"customer": self.customer, "items": [{"price": self.prices[3]}]}
        self.subscription = stripe.post("subscriptions", **begun)

    def change(self, **wanted: Any) -> None:
        self.stripe.http("POST", f"subscriptions/{self.subscription['id']}", **wanted)

    def advance(self, days: int) -> None:
        self.at += days * DAY
        self.stripe.post(f"test_helpers/test_clocks/{self.clock}/advance", frozen_time=self.at)

    def price(self, number: int) -> None:
        self._item(price=self.prices[number])

    def quantity(self, number: int) -> None:
        self._item(quantity=number)

    def _item(self, **wanted: Any) -> None:
        self.change(items=[{"id": self.subscription["items"]["data"][0]["id"], **wanted}])

    def card(self, name: str) -> None:
        method = self.stripe.post(f"payment_methods/{name}/attach", customer=self.customer)["id"]
        self.stripe.post(f"customers/{self.customer}", invoice_settings={"default_payment_method": method})

    def bill(self, _: int) -> None:
        draft = self.stripe.post("invoices", customer=self.customer, pending_invoice_items_behavior="include")
        self.stripe.http("POST", f"invoices/{draft['id']}/pay")

    def credit(self, amount: int) -> None:
        path = f"customers/{self.customer}/balance_transactions"
        self.stripe.http("POST", path, amount=amount, currency="usd")

    def cancel(self, at_end: bool) -> None:
        self.change(cancel_at_period_end=at_end)

    def tax(self, is_on: bool) -> None:
        self.change(automatic_tax={"enabled": is_on})

    def move(self, country: str) -> None:
        self.stripe.post(f"customers/{self.customer}", address={"country": country})

    def anchor(self, _: int) -> None:
        self.change(billing_cycle_anchor="now")


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, min_size=1, max_size=7))
def test_amounts_add_up_whatever_is_done(shop, steps):
    club = Club(shop(clock={"mode": "steps"}))
    for name, value in steps:
        getattr(club, name)(value)
    invoices = club.stripe.get("invoices", limit=100)["data"]
    for invoice in invoices:
        _adds_up(club, invoice)
    paid = sum(each["amount_paid"] for each in invoices)
    charged = sum(each["amount"] for each in club.stripe.get("charges", limit=100)["data"] if each["paid"])
    assert paid == charged
    entries = club.stripe.get(f"customers/{club.customer}/balance_transactions", limit=100)["data"]
    assert club.stripe.get(f"customers/{club.customer}")["balance"] == sum(each["amount"] for each in entries)


def _adds_up(club: Club, invoice: dict[str, Any]) -> None:
    lines = club.stripe.get(f"invoices/{invoice['id']}/lines", limit=100)["data"]
    taxes = [tax for line in lines for tax in line["taxes"]]
    assert sum(tax["amount"] for tax in taxes) == sum(tax["amount"] for tax in invoice["total_taxes"])
    assert invoice["subtotal"] == invoice["total_excluding_tax"] == sum(line["amount"] for line in lines)
    assert invoice["total"] == invoice["subtotal"] + sum(tax["amount"] for tax in taxes)
    assert invoice["amount_due"] == invoice["amount_paid"] + invoice["amount_remaining"]
    assert min(invoice["amount_due"], invoice["amount_paid"], invoice["amount_remaining"]) >= 0
    if invoice["status"] in ("open", "paid", "void"):
        assert invoice["starting_balance"] + invoice["total"] == invoice["amount_due"] + invoice["ending_balance"]
    assert invoice["id"].startswith("in_")
    assert invoice["livemode"] is False
