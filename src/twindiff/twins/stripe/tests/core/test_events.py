"""Events: each shows its object as it was then, though one operation tells of it several times."""

import json

import pytest

from twindiff.twins.stripe.account.accounts import OWN

from ..billing.test_subscriptions import DAY, START, Club
from ..payments.test_payment_intents import pay


@pytest.fixture
def club(stripe):
    made = Club(stripe)
    made.subscribe()
    return made


def told(stripe, type):
    """What the latest event of a type tells."""
    return stripe.get("events", type=type, limit=1)["data"][0]["data"]


def test_an_invoice_that_is_paid_at_once_is_shown_as_it_was_in_between(club):
    final, paid = (told(club.stripe, f"invoice.{each}")["object"] for each in ("finalized", "paid"))
    assert (final["status"], final["amount_remaining"], final["attempted"]) == ("open", 1000, False)
    assert (paid["status"], paid["amount_remaining"], paid["attempted"]) == ("paid", 0, True)
    assert final["lines"] == paid["lines"]
    assert paid == club.stripe.get(f"invoices/{paid['id']}")


def test_events_that_tell_the_same_show_the_same(club):
    assert told(club.stripe, "invoice.payment_succeeded") == told(club.stripe, "invoice.paid")


def test_a_renewal_tells_how_the_subscription_was_before(club):
    (before,) = club.stripe.get("subscriptions", test_clock=club.clock)["data"]
    club.until(START + 28 * DAY + 600)
    (after,) = club.stripe.get("subscriptions", test_clock=club.clock)["data"]
    event = told(club.stripe, "customer.subscription.updated")
    assert event["object"] == after
    changed = {name for name in after if before[name] != after[name]}
    assert event["previous_attributes"] == {
        name: {"data": before[name]["data"]} if name == "items" else before[name] for name in changed
    }


def test_an_event_of_a_subscription_shows_the_price_that_it_had_then(club):
    made = told(club.stripe, "customer.subscription.created")
    club.stripe.post(f"prices/{club.price}", nickname="Later")
    assert made["object"]["items"]["data"][0]["price"]["nickname"] is None
    assert told(club.stripe, "customer.subscription.created") == made


def test_a_subscription_with_taxes_tells_of_what_they_were(club):
    rate = club.stripe.post("tax_rates", display_name="VAT", percentage=19, inclusive=False)
    (known,) = club.stripe.get("subscriptions", test_clock=club.clock)["data"]
    club.stripe.post(f"subscriptions/{known['id']}", default_tax_rates=[rate["id"]])
    club.stripe.post(f"tax_rates/{rate['id']}", display_name="Sales tax")
    event = told(club.stripe, "customer.subscription.updated")
    assert (event["object"]["default_tax_rates"], event["previous_attributes"]) == ([rate], {"default_tax_rates": []})


def test_what_changes_nothing_that_is_seen_is_no_event(club):
    (known,) = club.stripe.get("subscriptions", test_clock=club.clock)["data"]
    club.stripe.post(f"subscriptions/{known['id']}", payment_settings={"save_default_payment_method": "off"})
    assert not club.stripe.get("events", type="customer.subscription.updated")["data"]


def test_an_event_looks_alike_in_a_list_and_by_itself(stripe):
    pay(stripe)
    (listed,) = stripe.get("events", type="payment_intent.succeeded")["data"]
    assert stripe.get(f"events/{listed['id']}") == listed


def test_an_endpoint_is_sent_what_the_event_shows(stripe, receiver):
    wanted = {"url": receiver.url, "enabled_events": ["payment_intent.succeeded"]}
    stripe.post("webhook_endpoints", **wanted)
    pay(stripe)
    (event,) = stripe.get("events", type="payment_intent.succeeded")["data"]
    assert receiver.wait(1)[0].json == event


def with_event(shop, platform, told):
    """A shop of a template with one event, which tells so much."""
    event = {"id": "evt_1", "seq": 2, "created": START, "type": "payment_intent.succeeded", "data": json.dumps(told)}
    account = {"id": OWN, "seq": 0, "created": START, "is_platform": True}
    platform.post("import", {"files": {"stripe_told.json": {"accounts": [account], "events": [event]}}})
    return shop("stripe_told")


def test_an_event_of_an_earlier_release_is_shown(shop, platform):
    row = {"id": "pi_1", "seq": 1, "created": START, "amount": 5, "currency": "usd", "client_secret": "s"}
    row |= {"payment_method_types": ["card"], "status": "requires_payment_method"}
    told = {"kind": "pi_", "row": row, "filled": {"review": None}, "previous_attributes": {"amount": 4}}
    shown = with_event(shop, platform, told).get("events/evt_1")["data"]
    assert (shown["object"]["amount"], shown["previous_attributes"]) == (5, {"amount": 4})


def test_an_event_whose_first_one_is_missing_shows_what_it_tells_itself(shop, platform):
    kept = with_event(shop, platform, {"since": "evt_0", "row": {"status": "paid"}})
    assert kept.get("events")["data"][0]["data"] == {"object": {"status": "paid"}}


def since(stripe, customer, pay_with):
    """What is told of an invoice's payment, the oldest first, as (type, what was before)."""
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=customer)["id"]
    draft = stripe.post("invoices", customer=customer, currency="usd")["id"]
    stripe.post("invoiceitems", customer=customer, amount=2500, currency="usd", invoice=draft)
    stripe.post(f"invoices/{draft}/finalize")
    last = stripe.get("events", limit=1)["data"][0]["id"]
    pay_with(f"invoices/{draft}", method)
    told = stripe.get("events", ending_before=last)["data"]
    mine = [each for each in told[::-1] if each["data"]["object"]["id"] == draft]
    return [(each["type"], each["data"].get("previous_attributes")) for each in mine]


def test_a_payment_tells_first_what_it_changed_of_the_invoice(stripe):
    customer = stripe.post("customers")["id"]
    told = since(stripe, customer, lambda path, method: stripe.post(f"{path}/pay", payment_method=method))
    before = {"amount_paid": 0, "amount_remaining": 2500, "attempt_count": 0, "attempted": False, "status": "open",
              "status_transitions": {"paid_at": None}}  # fmt: skip
    assert told == [("invoice.updated", before), ("invoice.paid", None), ("invoice.payment_succeeded", None)]


def test_an_invoice_that_is_voided_was_updated_too(stripe):
    customer = stripe.post("customers")["id"]
    told = since(stripe, customer, lambda path, _: stripe.post(f"{path}/void"))
    before = {"status": "open", "status_transitions": {"voided_at": None}}
    assert told == [("invoice.updated", before), ("invoice.voided", None)]


def test_what_was_authorized_and_is_released_was_not_refunded_before(stripe):
    held = pay(stripe, "pm_card_visa", capture_method="manual")
    stripe.post(f"payment_intents/{held['id']}/cancel")
    assert told(stripe, "charge.refunded")["previous_attributes"] == {"amount_refunded": 0, "refunded": False}


def test_a_dispute_is_told_by_its_own_events(stripe):
    pay(stripe, "pm_card_createDispute")
    assert stripe.get("events", type="charge.updated")["data"] == []
