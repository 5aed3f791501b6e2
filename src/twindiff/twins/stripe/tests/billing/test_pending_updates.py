"""Updates that wait until they are paid for: https://docs.stripe.com/billing/subscriptions/pending-updates"""

import pytest

VISA = {"default_payment_method": "pm_card_visa"}


@pytest.fixture
def monthly(stripe):
    """A price of nine dollars a month."""
    product = stripe.post("products", name="Box")["id"]
    every = {"interval": "month"}
    return stripe.post("prices", product=product, currency="usd", unit_amount=900, recurring=every)["id"]


@pytest.fixture
def upgraded(stripe, monthly):
    """A subscription whose upgrade could not be paid, and is pending."""
    customer = stripe.post("customers", payment_method="pm_card_visa", invoice_settings=VISA)["id"]
    made = stripe.post("subscriptions", customer=customer, items=[{"price": monthly}])
    bad = stripe.post("payment_methods/pm_card_chargeCustomerFail/attach", customer=customer)["id"]
    stripe.post(f"customers/{customer}", invoice_settings={"default_payment_method": bad})
    items = [{"id": made["items"]["data"][0]["id"], "quantity": 3}]
    asked = {"payment_behavior": "pending_if_incomplete", "proration_behavior": "always_invoice"}
    return stripe.post(f"subscriptions/{made['id']}", items=items, **asked)


def test_an_update_that_is_not_paid_is_pending(stripe, upgraded):
    assert (upgraded["status"], upgraded["items"]["data"][0]["quantity"]) == ("active", 1)
    (item,) = upgraded["pending_update"]["subscription_items"]
    assert (item["quantity"], item["id"]) == (3, upgraded["items"]["data"][0]["id"])
    assert upgraded["pending_update"]["expires_at"] == stripe.get("events", limit=1)["data"][0]["created"] + 23 * 3600
    assert stripe.get(f"invoices/{upgraded['latest_invoice']}")["status"] == "open"


def test_a_pending_update_is_made_when_it_is_paid(stripe, upgraded):
    good = stripe.post("payment_methods/pm_card_visa/attach", customer=upgraded["customer"])["id"]
    paid = stripe.post(f"invoices/{upgraded['latest_invoice']}/pay", payment_method=good)
    done = stripe.get(f"subscriptions/{upgraded['id']}")
    assert (paid["status"], done["pending_update"], done["items"]["data"][0]["quantity"]) == ("paid", None, 3)
    assert stripe.get("events", type="customer.subscription.pending_update_applied")["data"]


def test_a_pending_update_is_given_up_after_23_hours(stripe, upgraded):
    stripe.advance(days=1)
    left = stripe.get(f"subscriptions/{upgraded['id']}")
    assert (left["pending_update"], left["items"]["data"][0]["quantity"]) == (None, 1)
    assert stripe.get(f"invoices/{upgraded['latest_invoice']}")["status"] == "void"
    assert stripe.get("events", type="customer.subscription.pending_update_expired")["data"]


def test_an_item_that_is_added_and_not_paid_is_pending(stripe, upgraded, monthly):
    customer = stripe.post("customers", payment_method="pm_card_visa", invoice_settings=VISA)["id"]
    made = stripe.post("subscriptions", customer=customer, items=[{"price": monthly}])
    other = stripe.get(f"prices/{monthly}")["product"]
    again = stripe.post("prices", product=other, currency="usd", unit_amount=7, recurring={"interval": "month"})["id"]
    bad = stripe.post("payment_methods/pm_card_chargeCustomerFail/attach", customer=customer)["id"]
    asked = {"payment_behavior": "pending_if_incomplete", "proration_behavior": "always_invoice"}
    stripe.post(f"subscriptions/{made['id']}", default_payment_method=bad)
    left = stripe.post(f"subscriptions/{made['id']}", items=[{"price": again, "quantity": 1000}], **asked)
    assert len(left["items"]["data"]) == 1
    assert [each["quantity"] for each in left["pending_update"]["subscription_items"]] == [1, 1000]


def test_metadata_waits_with_a_pending_update(stripe, upgraded):
    again = {"payment_behavior": "pending_if_incomplete", "proration_behavior": "always_invoice"}
    items = [{"id": upgraded["items"]["data"][0]["id"], "quantity": 4}]
    waiting = stripe.post(f"subscriptions/{upgraded['id']}", items=items, metadata={"tier": "gold"}, **again)
    assert (waiting["metadata"], waiting["pending_update"]["metadata"]) == ({}, {"tier": "gold"})
    good = stripe.post("payment_methods/pm_card_visa/attach", customer=upgraded["customer"])["id"]
    stripe.post(f"invoices/{waiting['latest_invoice']}/pay", payment_method=good)
    assert stripe.get(f"subscriptions/{upgraded['id']}")["metadata"] == {"tier": "gold"}


@pytest.mark.parametrize("version", ["2026-04-29.dahlia", "2026-08-26.dahlia"])
def test_a_pending_update_takes_what_can_wait(stripe, upgraded, version):
    headers = {"Stripe-Version": version}
    given = {"payment_behavior": "pending_if_incomplete", "headers": headers}
    path, item = f"subscriptions/{upgraded['id']}", f"subscription_items/{upgraded['items']['data'][0]['id']}"
    assert stripe.error("POST", path, description="Box", **given)["param"] == "description"
    assert stripe.error("POST", path, cancel_at_period_end=True, **given)["param"] == "cancel_at_period_end"
    assert stripe.error("POST", item, tax_rates=["txr_none"], **given)["param"] == "tax_rates"
    status = 200 if version > "2026-05" else 400
    assert stripe.http("POST", path, metadata={"tier": "gold"}, **given).status_code == status
