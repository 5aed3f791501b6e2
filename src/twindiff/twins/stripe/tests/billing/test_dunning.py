"""Payments of subscriptions that fail: they are tried again, and after the last time the subscription ends."""

import pytest

from .test_subscriptions import DAY, Club, day


@pytest.fixture
def club(stripe):
    return Club(stripe)


def test_a_failed_card_is_tried_again_and_then_the_subscription_ends(club):
    made = club.subscribe()
    club.pay_with("pm_card_chargeCustomerFail")
    club.until(day("2026-03-01T09:00"))
    failed = club.invoices()[-1]
    assert (failed["status"], failed["attempt_count"]) == ("open", 1)
    assert failed["next_payment_attempt"] == day("2026-02-28T10:00") + 3 * DAY
    assert club.stripe.get(f"subscriptions/{made['id']}")["status"] == "past_due"
    assert club.stripe.get(f"customers/{club.customer}")["delinquent"] is True
    club.until(day("2026-03-20T09:00"))
    ended = club.stripe.get(f"subscriptions/{made['id']}")
    assert (ended["status"], ended["cancellation_details"]["reason"]) == ("canceled", "payment_failed")
    assert club.events("invoice.payment_failed") == 4 * ["invoice.payment_failed"]


def test_a_declined_payment_of_an_invoice_that_was_sent_changes_nothing_of_its_subscription(club):
    made = club.subscribe(collection_method="send_invoice", days_until_due=30)
    club.until(day("2026-03-01T09:00"))
    renewal = club.invoices()[-1]
    bad = club.pay_with("pm_card_chargeCustomerFail")
    club.stripe.error("POST", f"invoices/{renewal['id']}/pay", 402, payment_method=bad)
    assert (renewal["billing_reason"], club.invoices()[-1]["status"]) == ("subscription_cycle", "open")
    assert club.stripe.get(f"subscriptions/{made['id']}")["status"] == "active"


def test_a_declined_payment_by_hand_does_not_end_a_subscription_that_collects_no_more(club):
    made = club.subscribe()
    club.until(day("2026-02-28T09:30"))
    path = f"invoices/{club.invoices()[-1]['id']}"
    club.stripe.post(path, auto_advance=False)
    club.stripe.post(f"{path}/finalize", auto_advance=False)
    bad = club.pay_with("pm_card_chargeCustomerFail")
    club.stripe.error("POST", f"{path}/pay", 402, payment_method=bad)
    assert club.stripe.get(f"subscriptions/{made['id']}")["status"] == "past_due"


def test_a_new_card_rescues_a_subscription(club):
    made = club.subscribe()
    club.pay_with("pm_card_chargeCustomerFail")
    club.until(day("2026-03-01T09:00"))
    club.pay_with("pm_card_mastercard")
    club.until(day("2026-03-04T09:00"))
    assert club.invoices()[-1]["status"] == "paid"
    assert club.stripe.get(f"subscriptions/{made['id']}")["status"] == "active"
