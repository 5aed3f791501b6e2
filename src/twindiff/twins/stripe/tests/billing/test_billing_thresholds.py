"""Subscriptions that are billed once enough was used: https://docs.stripe.com/billing/subscriptions/usage-based/thresholds"""

import pytest
import stripe as sdk

START = 1_769_850_000
DAY = 86_400


class Club:
    """A customer under a test clock who pays a dollar for each use, the eleventh and all after it for half of that."""

    def __init__(self, stripe):
        self.stripe = stripe
        self.clock = stripe.post("test_helpers/test_clocks", frozen_time=START)["id"]
        settings = {"default_payment_method": "pm_card_visa"}
        made = stripe.post("customers", test_clock=self.clock, payment_method="pm_card_visa", invoice_settings=settings)
        self.customer: str = made["id"]
        meter = {"display_name": "API", "event_name": "api", "default_aggregation": {"formula": "sum"}}
        every = {"interval": "month", "usage_type": "metered", "meter": stripe.post("billing/meters", **meter)["id"]}
        tiers = [{"up_to": 10, "unit_amount": 100}, {"up_to": "inf", "unit_amount": 50}]
        tiered = {"billing_scheme": "tiered", "tiers_mode": "graduated", "tiers": tiers}
        shared = {"currency": "usd", "product_data": {"name": "API"}}
        self.price: str = stripe.post("prices", **shared, **tiered, recurring=every)["id"]
        self.fee: str = stripe.post("prices", **shared, unit_amount=300, recurring={"interval": "month"})["id"]

    def subscribe(self, **fields):
        return self.stripe.post("subscriptions", customer=self.customer, **fields)

    def use(self, value):
        payload = {"stripe_customer_id": self.customer, "value": str(value)}
        self.stripe.post("billing/meter_events", event_name="api", payload=payload)

    def advance(self, days):
        self.stripe.post(f"test_helpers/test_clocks/{self.clock}/advance", frozen_time=START + int(days * DAY))

    @property
    def billed(self):
        """The amounts and reasons of the invoices that ask for something, the oldest first."""
        invoices = self.stripe.get("invoices", customer=self.customer)["data"]
        return [(each["total"], each["billing_reason"]) for each in reversed(invoices) if each["total"]]


@pytest.fixture
def club(stripe):
    return Club(stripe)


def test_an_invoice_is_made_when_an_amount_is_reached(club):
    client = sdk.StripeClient("sk_test_shop", base_addresses={"api": club.stripe.url})
    made = client.v1.subscriptions.create(
        {"customer": club.customer, "items": [{"price": club.price}], "billing_thresholds": {"amount_gte": 1000}}
    )
    thresholds = made.billing_thresholds
    assert thresholds
    assert (thresholds.amount_gte, thresholds.reset_billing_cycle_anchor) == (1000, None)
    club.advance(3)
    club.use(9)
    assert club.billed == []
    club.use(5)
    assert club.billed == [(1200, "subscription_threshold")]
    invoice = club.stripe.get("invoices", subscription=made.id)["data"][0]
    assert invoice["threshold_reason"] == {"amount_gte": 1000, "item_reasons": []}
    club.advance(3.1)
    assert club.stripe.get(f"invoices/{invoice['id']}")["status"] == "paid"
    club.use(4)
    club.advance(32)
    assert club.billed == [(1200, "subscription_threshold"), (200, "subscription_cycle")]


def test_an_invoice_is_made_when_a_usage_is_reached(club):
    item = club.subscribe(items=[{"price": club.price, "billing_thresholds": {"usage_gte": 4}}])["items"]["data"][0]
    assert item["billing_thresholds"] == {"usage_gte": 4}
    for _ in range(5):
        club.use(2)
    assert club.billed == [(400, "subscription_threshold")] * 2
    reasons = club.stripe.get("invoices")["data"][0]["threshold_reason"]["item_reasons"]
    assert [(each["usage_gte"], len(each["line_item_ids"])) for each in reasons] == [(4, 1)]
    changed = club.stripe.post(f"subscription_items/{item['id']}", billing_thresholds="")
    assert changed["billing_thresholds"] is None
    club.use(50)
    assert len(club.billed) == 2


def test_a_threshold_lets_the_period_begin_anew_where_it_is_to(club):
    thresholds = {"amount_gte": 1000, "reset_billing_cycle_anchor": True}
    made = club.subscribe(items=[{"price": club.price}, {"price": club.fee}], billing_thresholds=thresholds)
    club.advance(14)
    club.use(10)
    anew = club.stripe.get(f"subscriptions/{made['id']}")
    assert anew["billing_cycle_anchor"] == START + 14 * DAY
    assert {each["current_period_start"] for each in anew["items"]["data"]} == {START + 14 * DAY}
    amounts = sorted(each["amount"] for each in club.stripe.get("invoices")["data"][0]["lines"]["data"])
    assert amounts == [-150, 300, 1000]
    club.use(1)
    club.advance(43)
    assert club.billed[-1] == (350, "subscription_cycle")


def test_no_threshold_is_looked_at_in_a_trial_or_in_the_last_day_of_a_period(club):
    trial = club.subscribe(items=[{"price": club.price}], billing_thresholds={"amount_gte": 100}, trial_period_days=5)
    club.use(10)
    assert club.billed == []
    club.stripe.delete(f"subscriptions/{trial['id']}")
    club.subscribe(items=[{"price": club.price}], billing_thresholds={"amount_gte": 100})
    club.advance(27.5)
    club.use(10)
    assert club.billed == []


@pytest.mark.parametrize("amount", [40, 300])
def test_a_threshold_is_more_than_what_is_paid_anyway(club, amount):
    wanted = {"customer": club.customer, "items": [{"price": club.fee}, {"price": club.price}]}
    error = club.stripe.error("POST", "subscriptions", **wanted, billing_thresholds={"amount_gte": amount})
    assert error["param"] == "billing_thresholds[amount_gte]"


def test_only_what_is_used_has_a_threshold_of_usage(club):
    items = [{"price": club.fee, "billing_thresholds": {"usage_gte": 5}}]
    error = club.stripe.error("POST", "subscriptions", customer=club.customer, items=items)
    assert error["param"] == "items[0][billing_thresholds]"


def test_phases_of_a_schedule_have_thresholds(club):
    items = [{"price": club.price, "billing_thresholds": {"usage_gte": 4}}]
    phase = {"items": items, "billing_thresholds": {"amount_gte": 900}, "duration": {"interval": "month"}}
    made = club.stripe.post(
        "subscription_schedules", customer=club.customer, start_date="now", phases=[phase], expand=["subscription"]
    )
    assert made["phases"][0]["billing_thresholds"]["amount_gte"] == 900
    begun = made["subscription"]
    assert begun["billing_thresholds"]["amount_gte"] == 900
    assert begun["items"]["data"][0]["billing_thresholds"] == {"usage_gte": 4}
