"""Webhook endpoints, and deliveries that the official SDK verifies."""

import stripe as sdk

from twindiff.kit.events import DeliveryAttempt, Notification, Subscription
from twindiff.twins.stripe.core.webhook_deliveries import request

from ..payments.test_payment_intents import pay


def endpoint(stripe, events, url="http://127.0.0.1:9/hook"):
    """A new endpoint, with its secret."""
    return stripe.post("webhook_endpoints", url=url, enabled_events=events)


def test_the_secret_is_shown_once(stripe):
    made = endpoint(stripe, ["charge.succeeded"])
    assert made["secret"].startswith("whsec_")
    assert "secret" not in stripe.get(f"webhook_endpoints/{made['id']}")


def test_an_endpoint_is_changed_disabled_and_deleted(stripe):
    made = endpoint(stripe, ["*"])["id"]
    changed = stripe.post(f"webhook_endpoints/{made}", enabled_events=["charge.failed"], disabled=True)
    assert (changed["enabled_events"], changed["status"]) == (["charge.failed"], "disabled")
    stripe.delete(f"webhook_endpoints/{made}")
    assert stripe.error("GET", f"webhook_endpoints/{made}", 404)["code"] == "resource_missing"


def test_an_unknown_type_and_an_address_that_is_none_are_refused(stripe):
    asked = {"url": "http://127.0.0.1:9/hook", "enabled_events": ["charge.exploded"]}
    assert stripe.error("POST", "webhook_endpoints", **asked)["param"] == "enabled_events[0]"
    asked = {"url": "ftp://x", "enabled_events": ["*"]}
    assert stripe.error("POST", "webhook_endpoints", **asked)["code"] == "url_invalid"


def test_an_endpoint_is_told_in_a_version_that_there_is(stripe):
    asked = {"url": "http://127.0.0.1:9/hook", "enabled_events": ["*"]}
    assert stripe.post("webhook_endpoints", **asked, api_version="2020-08-27")["api_version"] == "2020-08-27"
    refused = stripe.error("POST", "webhook_endpoints", **asked, api_version="2026-08-27.dahlia")
    assert refused["param"] == "api_version"
    assert refused["message"].startswith("Invalid api_version: must be one of 2011-01-01, 2011-06-21, ")


def test_an_endpoint_may_be_told_in_the_version_of_the_request(stripe):
    asked = {"url": "http://127.0.0.1:9/hook", "enabled_events": ["*"], "api_version": "2026-10-28.endive"}
    stripe.error("POST", "webhook_endpoints", **asked)
    stripe.post("webhook_endpoints", headers={"Stripe-Version": "2026-10-28.endive"}, **asked)


def test_there_are_sixteen_endpoints_at_most(stripe):
    made = [endpoint(stripe, ["*"])["id"] for _ in range(16)]
    asked = {"url": "http://127.0.0.1:9/hook", "enabled_events": ["*"]}
    refused = stripe.error("POST", "webhook_endpoints", **asked)
    assert refused["message"] == "You have reached the maximum of 16 test webhook endpoints."
    stripe.delete(f"webhook_endpoints/{made[0]}")
    assert stripe.post("webhook_endpoints", **asked)["status"] == "enabled"


def test_an_event_counts_the_endpoints_that_it_waits_for(stripe):
    endpoint(stripe, ["charge.succeeded"])
    endpoint(stripe, ["*"])
    pay(stripe)
    waiting = {event["type"]: event["pending_webhooks"] for event in stripe.get("events")["data"]}
    assert waiting == {"payment_intent.created": 1, "charge.succeeded": 2, "payment_intent.succeeded": 1}


def test_events_are_listed_by_family(stripe):
    pay(stripe)
    assert len(stripe.get("events", type="charge.*")["data"]) == 1
    assert len(stripe.get("events", types=["payment_intent.created", "charge.succeeded"])["data"]) == 2


def test_the_sdk_verifies_a_delivery(stripe):
    pay(stripe)
    (event,) = stripe.get("events", type="charge.succeeded")["data"]
    subscription = Subscription("we_1", "http://127.0.0.1:9/hook", "whsec_secret", ("*",))
    sent = request(Notification("n", event["type"], event), subscription, DeliveryAttempt(0, 1_800_000_000_000_000))
    signature = dict(sent.headers)["Stripe-Signature"]
    verify = sdk.Webhook.construct_event
    assert verify(sent.body, signature, "whsec_secret", tolerance=10**10).type == "charge.succeeded"


def test_endpoints_are_told_of_what_they_want(stripe, receiver):
    made = endpoint(stripe, ["charge.succeeded"], receiver.url)
    pay(stripe)
    sent = receiver.wait(1)[0]
    event = sdk.Webhook.construct_event(sent.body, sent.headers["stripe-signature"], made["secret"], tolerance=10**9)
    assert event.data.object.amount == 2000


def test_a_delivery_names_the_version_of_its_endpoint(stripe, receiver):
    wanted = {"url": receiver.url, "enabled_events": ["charge.succeeded"]}
    stripe.post("webhook_endpoints", **wanted, api_version="2025-03-31.basil")
    pay(stripe)
    assert receiver.wait(1)[0].json["api_version"] == "2025-03-31.basil"
    assert stripe.get("events", limit=1)["data"][0]["api_version"] == "2026-08-26.dahlia"
