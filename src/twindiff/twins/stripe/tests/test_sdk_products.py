"""Terminal's, Issuing's and Identity's quick starts by Stripe's own client for Python, and refusals as it raises them.

https://docs.stripe.com/terminal/quickstart, https://docs.stripe.com/issuing/cards/virtual/issue-cards,
https://docs.stripe.com/identity/verification-sessions
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import stripe as sdk

ADDRESS: Any = {"line1": "1 Market St", "city": "San Francisco", "state": "CA", "country": "US", "postal_code": "94105"}
CARD: Any = {
    "allowed_payment_method_types": ["card_present"],
    "capture_method": "manual",
    "amount": 1000,
    "currency": "usd",
}


@pytest.fixture
def client(stripe: Any) -> sdk.StripeClient:
    return sdk.StripeClient("sk_test_shop", base_addresses={"api": stripe.url, "files": stripe.url})


def make_reader(client: sdk.StripeClient) -> str:
    location = client.v1.terminal.locations.create({"display_name": "HQ", "address": ADDRESS})
    given: Any = {"registration_code": "simulated-wpe", "location": location.id}
    return client.v1.terminal.readers.create(given).id


def issue_card(client: sdk.StripeClient) -> Any:
    person: Any = {"first_name": "Jenny", "last_name": "Rosen", "dob": {"day": 1, "month": 11, "year": 1981}}
    holder: Any = {"name": "Jenny Rosen", "email": "jenny@shop.example", "phone_number": "+18008675309"}
    holder |= {"status": "active", "type": "individual", "individual": person, "billing": {"address": ADDRESS}}
    made = client.v1.issuing.cardholders.create(holder)
    card: Any = {"cardholder": made.id, "currency": "usd", "type": "virtual", "status": "active"}
    return client.v1.issuing.cards.create(card)


def test_a_reader_takes_a_payment_in_person(client: sdk.StripeClient):
    assert client.v1.terminal.connection_tokens.create().secret.startswith("pst_test_")
    reader, intent = make_reader(client), client.v1.payment_intents.create(CARD)
    client.v1.terminal.readers.process_payment_intent(reader, {"payment_intent": intent.id})
    client.v1.test_helpers.terminal.readers.present_payment_method(reader)
    shown: Any = client.v1.terminal.readers.retrieve(reader)
    assert (shown.status, shown.action.status) == ("online", "succeeded")
    assert client.v1.payment_intents.retrieve(intent.id).status == "requires_capture"
    paid: Any = client.v1.payment_intents.capture(intent.id, params={"expand": ["latest_charge"]})
    assert paid.latest_charge.payment_method_details.card_present.brand == "visa"


def test_a_card_is_issued_and_used(client: sdk.StripeClient):
    card = issue_card(client)
    purchase: Any = {"card": card.id, "amount": 1000, "currency": "usd"}
    asked = client.v1.test_helpers.issuing.authorizations.create(purchase)
    assert (asked.approved, asked.status) == (True, "pending")
    client.v1.test_helpers.issuing.authorizations.capture(asked.id)
    (taken,) = client.v1.issuing.transactions.list({"card": card.id})
    assert (taken.type, taken.amount) == ("capture", -1000)
    dispute: Any = {"transaction": taken.id, "evidence": {"reason": "other", "other": {"explanation": "wrong"}}}
    assert client.v1.issuing.disputes.create(dispute).status == "unsubmitted"


def test_a_person_is_verified_after_a_page(client: sdk.StripeClient):
    session = client.v1.identity.verification_sessions.create({"type": "document", "metadata": {"user": "1"}})
    assert session.client_secret
    assert session.url
    assert [each.id for each in client.v1.identity.verification_sessions.list()] == [session.id]
    assert client.v1.identity.verification_sessions.cancel(session.id).status == "canceled"
    assert not [*client.v1.identity.verification_reports.list({"verification_session": session.id})]


def pay_at_no_reader(client: sdk.StripeClient) -> Any:
    online: Any = {**CARD, "allowed_payment_method_types": ["card"]}
    given: Any = {"payment_intent": client.v1.payment_intents.create(online).id}
    return client.v1.terminal.readers.process_payment_intent(make_reader(client), given)


def pay_twice_at_once(client: sdk.StripeClient) -> Any:
    reader = make_reader(client)
    for _ in range(2):
        given: Any = {"payment_intent": client.v1.payment_intents.create(CARD).id}
        client.v1.terminal.readers.process_payment_intent(reader, given)


def cancel_twice(client: sdk.StripeClient) -> Any:
    session = client.v1.identity.verification_sessions.create({"type": "document"}).id
    for _ in range(2):
        client.v1.identity.verification_sessions.cancel(session)


REFUSALS: list[tuple[Callable[[sdk.StripeClient], Any], str | None, str]] = [
    (lambda client: client.v1.terminal.readers.retrieve("tmr_nope"), "resource_missing", "No such "),
    (pay_at_no_reader, "payment_intent_invalid_parameter", "card_present"),
    (pay_twice_at_once, "terminal_reader_busy", "busy"),
    (lambda client: client.v1.issuing.cards.retrieve("ic_nope"), "resource_missing", "No such "),
    (lambda client: client.v1.issuing.cards.update(_canceled(client), {"status": "active"}), None, "cancel"),
    (cancel_twice, None, "cancel"),
    (lambda client: client.v1.identity.verification_sessions.retrieve("vs_nope"), "resource_missing", "No such "),
]


def _canceled(client: sdk.StripeClient) -> str:
    card = issue_card(client).id
    client.v1.issuing.cards.update(card, {"status": "canceled"})
    return card


@pytest.mark.parametrize(("act", "code", "said"), REFUSALS)
def test_a_refusal_is_raised_as_an_invalid_request(client: sdk.StripeClient, act: Any, code: str | None, said: str):
    with pytest.raises(sdk.InvalidRequestError, match=said) as raised:
        act(client)
    assert raised.value.code == code
