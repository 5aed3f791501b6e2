"""Webhook endpoints; that requests arrive is the server's business."""

from typing import Any

import httpx
from ledger_twin import twin

from twindiff.kit.events import DeliveryAttempt, Emitted, Notification, Subscription

ENTRY = {"id": "E000001"}


def told(*events: str) -> list[Notification]:
    """What a program that wants some events is told of an entry."""
    assert twin.webhooks
    event = Emitted("env", 3, 0, "POST /entries", "U1", 0, "entry.created", ENTRY)
    nothing: Any = None
    return [*twin.webhooks.notifications(event, Subscription("W1", "http://127.0.0.1/", "s", events), nothing)]


def test_an_endpoint_gets_a_secret_and_all_events(client: httpx.Client):
    endpoint = client.post("/webhook_endpoints", json={"url": "http://127.0.0.1:9/"}).json()
    assert (endpoint["events"], endpoint["secret"][:6]) == (["entry.created"], "whsec_")


def test_a_program_is_told_of_what_it_wants():
    assert told("entry.created") == [Notification("evt_3_0-W1", "entry.created", {"id": "evt_3_0", "data": ENTRY})]
    assert told("account.closed") == []


def test_a_request_is_signed():
    assert twin.webhooks
    (notification,) = told("entry.created")
    made = twin.webhooks.request(
        notification, Subscription("W1", "http://127.0.0.1/", "s", ()), DeliveryAttempt(0, 5_000_000)
    )
    assert made.body == b'{"type":"entry.created","id":"evt_3_0","data":{"id":"E000001"}}'
    assert dict(made.headers)["Ledger-Signature"].startswith("t=5,v1=")
