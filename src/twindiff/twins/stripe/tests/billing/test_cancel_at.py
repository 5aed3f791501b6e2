"""Subscriptions that end within a period pay for that part of it alone."""

import pytest

from .test_subscriptions import DAY, START, Club


class Yen(Club):
    """A club whose months cost ¥3100, or what is said."""

    def plan(self, amount, interval="month"):
        made = {"currency": "jpy", "unit_amount": amount, "product_data": {"name": "Plan"}}
        return self.stripe.post("prices", **made, recurring={"interval": interval})["id"]

    def begin(self, amount=3100, interval="month", **more):
        made = {"customer": self.customer, "items": [{"price": self.plan(amount, interval)}], **more}
        return self.stripe.post("subscriptions", **made, expand=["latest_invoice"])


@pytest.fixture
def yen(stripe):
    return Yen(stripe)


@pytest.fixture
def rate(stripe):
    return stripe.post("tax_rates", display_name="Tax", percentage=10, inclusive=False)["id"]


# The subscription starts on 31 January, so that its first period ends after 28 days.
@pytest.mark.parametrize(("days", "parts"), [(14, [500, 50, 550]), (21, [750, 75, 825]), (70, [1000, 100, 1100])])
@pytest.mark.parametrize("mode", ["classic", "flexible"])
def test_a_first_period_is_paid_up_to_the_end(yen, rate, days, parts, mode):
    more = {"default_tax_rates": [rate], "billing_mode": {"type": mode}}
    invoice = yen.begin(1000, cancel_at=START + days * DAY, **more)["latest_invoice"]
    assert [invoice["subtotal"], invoice["total"] - invoice["subtotal"], invoice["total"]] == parts
    line = invoice["lines"]["data"][0]
    assert line["period"]["end"] == START + min(days, 28) * DAY


def test_a_first_period_that_is_not_prorated_is_not_billed(yen):
    made = yen.begin(cancel_at=START + 14 * DAY, proration_behavior="none")
    assert (made["status"], made["latest_invoice"], yen.invoices()) == ("active", None, [])
    error = yen.stripe.error("POST", "invoices/create_preview", 404, subscription=made["id"])
    assert error["code"] == "invoice_upcoming_none"


def waiting(yen):
    items = yen.stripe.get("invoiceitems", customer=yen.customer, pending=True)["data"]
    return [(each["amount"], each["period"]["end"] - each["period"]["start"]) for each in items]


def test_an_earlier_end_gives_back_the_rest_of_the_period(yen):
    made = yen.begin(2800)
    path = f"subscriptions/{made['id']}"
    yen.stripe.post(path, cancel_at=START + 10 * DAY)
    assert waiting(yen) == [(-1800, 18 * DAY)]
    yen.stripe.post(path, cancel_at=START + 15 * DAY)
    assert sum(amount for amount, _ in waiting(yen)) == -1300
    yen.stripe.post(path, cancel_at="")
    assert sum(amount for amount, _ in waiting(yen)) == 0


def test_an_earlier_end_without_prorations_gives_back_nothing(yen):
    made = yen.begin(2800)
    yen.stripe.post(f"subscriptions/{made['id']}", cancel_at=START + 10 * DAY, proration_behavior="none")
    assert waiting(yen) == []


def test_an_earlier_end_may_be_invoiced_at_once(yen):
    made = yen.begin(2800)
    more = {"proration_behavior": "always_invoice", "expand": ["latest_invoice"]}
    changed = yen.stripe.post(f"subscriptions/{made['id']}", cancel_at=START + 10 * DAY, **more)
    assert (changed["latest_invoice"]["total"], changed["latest_invoice"]["billing_reason"]) == (
        -1800, "subscription_update")  # fmt: skip


def test_what_is_given_back_is_on_the_last_invoice(yen):
    made = yen.begin(2800)
    yen.stripe.post(f"subscriptions/{made['id']}", cancel_at=START + 10 * DAY)
    seen = yen.stripe.post("invoices/create_preview", subscription=made["id"])
    yen.until(START + 11 * DAY)
    assert [each["total"] for each in yen.invoices()] == [2800, seen["total"]] == [2800, -1800]
    assert yen.stripe.get(f"subscriptions/{made['id']}")["status"] == "canceled"


@pytest.mark.parametrize("behavior", ["create_prorations", "none"])
def test_a_later_period_is_always_paid_up_to_the_end(yen, behavior):
    made = yen.begin(5000, "day")
    yen.stripe.post(f"subscriptions/{made['id']}", cancel_at=START + DAY * 3 // 2, proration_behavior=behavior)
    assert waiting(yen) == []
    seen = yen.stripe.post("invoices/create_preview", subscription=made["id"])
    yen.until(START + 2 * DAY)
    assert [each["total"] for each in yen.invoices()] == [5000, seen["total"]] == [5000, 2500]


def test_a_changed_item_is_charged_up_to_the_end(yen):
    made = yen.begin(2800, cancel_at=START + 14 * DAY)
    item = made["items"]["data"][0]["id"]
    yen.until(START + 7 * DAY)
    yen.stripe.post(f"subscriptions/{made['id']}", items=[{"id": item, "quantity": 2}])
    assert sorted(amount for amount, _ in waiting(yen)) == [-700, 1400]


def test_a_schedule_ends_its_subscription_within_a_period(yen):
    phase = {"items": [{"price": yen.plan(2800)}], "end_date": START + 14 * DAY}
    wanted = {"customer": yen.customer, "start_date": "now", "phases": [phase], "end_behavior": "cancel"}
    made = yen.stripe.post("subscription_schedules", **wanted, expand=["subscription"])
    assert made["subscription"]["cancel_at"] == START + 14 * DAY
    yen.until(START + 15 * DAY)
    assert [each["total"] for each in yen.invoices()] == [1400]
    assert yen.stripe.get(f"subscription_schedules/{made['id']}")["status"] == "completed"


@pytest.mark.parametrize(("preserves", "kept"), [(False, None), (True, START + 14 * DAY)])
def test_a_released_subscription_keeps_its_end_if_that_is_asked_for(yen, preserves, kept):
    phase = {"items": [{"price": yen.plan(2800)}], "end_date": START + 14 * DAY}
    wanted = {"customer": yen.customer, "start_date": "now", "phases": [phase], "end_behavior": "cancel"}
    made = yen.stripe.post("subscription_schedules", **wanted)
    yen.stripe.post(f"subscription_schedules/{made['id']}/release", preserve_cancel_date=preserves)
    assert yen.stripe.get(f"subscriptions/{made['subscription']}")["cancel_at"] == kept
