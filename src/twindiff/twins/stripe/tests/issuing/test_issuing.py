"""Issued cards and what is bought with them.  https://docs.stripe.com/issuing"""

import pytest

ADDRESS = {"line1": "123 Main Street", "city": "San Francisco", "state": "CA", "country": "US", "postal_code": "94111"}
NOWHERE = {**ADDRESS, "country": "XX"}
HELPERS = "test_helpers/issuing"
SHIPPING = {"submit": "submitted", "ship": "shipped", "deliver": "delivered", "return": "returned", "fail": "failure"}
LIMIT = {"spending_limits": [{"amount": 1000, "interval": "per_authorization"}]}


@pytest.fixture
def holder(stripe):
    given = {"name": "Jenny Rosen", "email": "jenny@example.com", "billing": {"address": ADDRESS}, "type": "individual"}
    return stripe.post("issuing/cardholders", **given)["id"]


@pytest.fixture
def card(stripe, holder):
    return issue(stripe, holder)


def issue(stripe, holder, **given):
    wanted = {"cardholder": holder, "currency": "usd", "type": "virtual", "status": "active", **given}
    return stripe.post("issuing/cards", **wanted)["id"]


def buy(stripe, card, amount=1000, **given):
    return stripe.post(f"{HELPERS}/authorizations", card=card, amount=amount, **given)


def types(stripe):
    return [each["type"] for each in stripe.get("events")["data"]][::-1]


def test_a_purchase_is_authorized_and_captured(stripe, card, holder):
    opened = buy(stripe, card)
    assert (opened["approved"], opened["status"], opened["amount"]) == (True, "pending", 1000)
    assert opened["request_history"][0]["reason"] == "card_active"
    closed = stripe.post(f"{HELPERS}/authorizations/{opened['id']}/capture")
    assert (closed["status"], [each["amount"] for each in closed["transactions"]]) == ("closed", [-1000])
    (transaction,) = stripe.get("issuing/transactions", card=card, type="capture", expand=["data.cardholder"])["data"]
    assert (transaction["cardholder"]["id"], transaction["authorization"]) == (holder, opened["id"])
    expected = [
        "cardholder.created",
        "card.created",
        "authorization.created",
        "transaction.created",
        "authorization.updated",
    ]
    assert types(stripe) == [f"issuing_{each}" for each in expected]


@pytest.mark.parametrize(
    ("prepare", "purchase", "reason"),
    [
        ({"card": {"status": "inactive"}}, {}, "card_inactive"),
        ({"card": {"status": "canceled"}}, {}, "card_canceled"),
        ({"holder": {"status": "inactive"}}, {}, "cardholder_inactive"),
        ({}, {"verification_data": {"cvc_check": "mismatch"}}, "verification_failed"),
        ({"card": {"spending_controls": LIMIT}}, {"amount": 1001}, "spending_controls"),
        ({"holder": {"spending_controls": LIMIT}}, {"amount": 1001}, "spending_controls"),
        ({"card": {"spending_controls": {"blocked_categories": ["florists"]}}},
         {"merchant_data": {"category": "florists"}}, "spending_controls"),
        ({"card": {"spending_controls": {"allowed_merchant_countries": ["US"]}}},
         {"merchant_data": {"country": "DE"}}, "spending_controls"),
        ({"card": {"spending_controls": {"allowed_card_presences": ["present"]}}}, {}, "spending_controls"),
    ],
)  # fmt: skip
def test_a_purchase_is_declined_for_a_reason(stripe, card, holder, prepare, purchase, reason):
    for name, path in (("card", f"issuing/cards/{card}"), ("holder", f"issuing/cardholders/{holder}")):
        if name in prepare:
            stripe.post(path, **prepare[name])
    declined = buy(stripe, card, **{"amount": 500, **purchase})
    assert (declined["approved"], declined["status"], declined["amount"]) == (False, "closed", 0)
    assert declined["request_history"][0]["reason"] == reason
    refused = stripe.error("POST", f"{HELPERS}/authorizations/{declined['id']}/capture")
    assert "not approved" in refused["message"]


def test_cards_have_a_limit_of_500_a_day_which_a_new_day_resets(stripe, card):
    assert buy(stripe, card, 50_000)["approved"] is True
    assert buy(stripe, card, 1)["request_history"][0]["reason"] == "spending_controls"
    stripe.advance(days=1)
    assert buy(stripe, card, 50_000)["approved"] is True


def test_what_is_reversed_or_expires_no_longer_counts(stripe, card):
    first, second = buy(stripe, card, 30_000)["id"], buy(stripe, card, 20_000)["id"]
    part = stripe.post(f"{HELPERS}/authorizations/{first}/reverse", reverse_amount=10_000)
    assert (part["amount"], part["status"]) == (20_000, "pending")
    assert (
        stripe.error("POST", f"{HELPERS}/authorizations/{first}/reverse", reverse_amount=20_001)["param"]
        == "reverse_amount"
    )
    assert stripe.post(f"{HELPERS}/authorizations/{first}/reverse")["status"] == "reversed"
    assert stripe.post(f"{HELPERS}/authorizations/{second}/expire")["status"] == "expired"
    assert buy(stripe, card, 50_000)["approved"] is True


def test_an_authorization_grows_is_finalized_and_captured_in_parts(stripe, card):
    path = f"{HELPERS}/authorizations/{buy(stripe, card, 1000)['id']}"
    assert stripe.post(f"{path}/increment", increment_amount=500)["amount"] == 1500
    assert stripe.post(f"{path}/increment", increment_amount=60_000)["amount"] == 1500
    assert stripe.post(f"{path}/finalize_amount", final_amount=1200)["amount"] == 1200
    part = stripe.post(f"{path}/capture", capture_amount=700, close_authorization=False)
    assert (part["amount"], part["status"]) == (500, "pending")
    assert stripe.post(f"{path}/capture")["status"] == "closed"
    assert "status of closed" in stripe.error("POST", f"{path}/capture")["message"]
    assert "fraud challenge" in stripe.error("POST", f"{path}/fraud_challenges/respond", confirmed=True)["message"]


@pytest.mark.parametrize(("answer", "given", "reason", "amount"), [
    ("approve", {}, "webhook_approved", 1000), ("approve", {"amount": 400}, "webhook_approved", 400),
    ("decline", {"metadata": {"why": "no"}}, "webhook_declined", 0),
])  # fmt: skip
def test_who_listens_to_requests_decides_on_them(stripe, card, answer, given, reason, amount):
    stripe.post("webhook_endpoints", url="https://shop.example/hook", enabled_events=["issuing_authorization.request"])
    asked = buy(stripe, card, is_amount_controllable=True)
    assert (asked["approved"], asked["pending_request"]["amount"]) == (False, 1000)
    decided = stripe.post(f"issuing/authorizations/{asked['id']}/{answer}", **given)
    assert (decided["request_history"][0]["reason"], decided["amount"]) == (reason, amount)
    assert "no pending request" in stripe.error("POST", f"issuing/authorizations/{asked['id']}/approve")["message"]


def test_a_request_without_an_answer_is_declined_after_two_seconds(stripe, card):
    stripe.post("webhook_endpoints", url="https://shop.example/hook", enabled_events=["*"])
    asked = buy(stripe, card)["id"]
    stripe.advance(seconds=3)
    late = stripe.get(f"issuing/authorizations/{asked}")
    assert (late["status"], late["request_history"][0]["reason"]) == ("closed", "webhook_timeout")
    assert [each["id"] for each in stripe.get("issuing/authorizations", status="closed", card=card)["data"]] == [asked]


def test_a_canceled_card_stays_canceled_and_a_lost_one_is_replaced(stripe, card, holder):
    path = f"issuing/cards/{card}"
    lost = {"replacement_for": card, "replacement_reason": "lost", "currency": "usd", "type": "virtual"}
    assert stripe.error("POST", "issuing/cards", **lost)["param"] == "replacement_for"
    assert stripe.error("POST", path, cancellation_reason="lost")["param"] == "cancellation_reason"
    assert stripe.post(path, status="canceled", cancellation_reason="lost")["status"] == "canceled"
    assert stripe.http("POST", path, status="active").json()["error"]["param"] == "status"
    new = stripe.post("issuing/cards", **lost)
    assert (new["cardholder"]["id"], new["status"]) == (holder, "inactive")
    assert stripe.get(path, expand=["replaced_by"])["replaced_by"]["id"] == new["id"]


def test_a_virtual_card_shows_its_number_when_it_is_expanded(stripe, card, holder):
    path = f"issuing/cards/{card}"
    assert "number" not in stripe.get(path)
    shown = stripe.get(path, expand=["number", "cvc"])
    assert (shown["number"][-4:], len(shown["number"]), len(shown["cvc"])) == (shown["last4"], 16, 3)
    sent = stripe.post("issuing/cards", cardholder=holder, currency="usd", type="physical",
                       shipping={"name": "Jenny", "address": ADDRESS})  # fmt: skip
    assert stripe.error("GET", f"issuing/cards/{sent['id']}", expand=["number"])["param"] == "expand"


def test_a_physical_card_is_shipped(stripe, holder):
    given = {"cardholder": holder, "currency": "usd", "type": "physical"}
    assert stripe.error("POST", "issuing/cards", **given)["param"] == "shipping"
    made = stripe.post("issuing/cards", **given, shipping={"name": "Jenny", "address": ADDRESS})
    states = [
        ("submit", "submitted"),
        ("ship", "shipped"),
        ("deliver", "delivered"),
        ("return", "returned"),
        ("fail", "failure"),
    ]
    assert made["shipping"]["status"] == "pending"
    for action, state in states:
        assert stripe.post(f"{HELPERS}/cards/{made['id']}/shipping/{action}")["shipping"]["status"] == state
    virtual = issue(stripe, holder)
    assert "physical" in stripe.error("POST", f"{HELPERS}/cards/{virtual}/shipping/ship")["message"]


def test_captures_are_refunded_and_some_transactions_have_no_authorization(stripe, card):
    forced = stripe.post(f"{HELPERS}/transactions/create_force_capture", card=card, amount=900)
    assert (forced["amount"], forced["authorization"]) == (-900, None)
    path = f"{HELPERS}/transactions/{forced['id']}/refund"
    assert stripe.post(path, refund_amount=400)["amount"] == 400
    assert stripe.error("POST", path, refund_amount=501)["param"] == "refund_amount"
    stripe.post(path)
    assert "already been refunded" in stripe.error("POST", path)["message"]
    loose = stripe.post(f"{HELPERS}/transactions/create_unlinked_refund", card=card, amount=50)
    assert stripe.error("POST", f"{HELPERS}/transactions/{loose['id']}/refund")["param"] == "transaction"


@pytest.mark.parametrize(("explanation", "status"), [
    ("winning_evidence", "won"), ("losing_evidence", "lost"), ("It was not me", "submitted"),
])  # fmt: skip
def test_a_dispute_is_submitted_with_evidence_and_decided(stripe, card, explanation, status):
    capture = stripe.post(f"{HELPERS}/transactions/create_force_capture", card=card, amount=900)["id"]
    assert stripe.error("POST", "issuing/disputes", transaction=capture, amount=901)["param"] == "amount"
    dispute = stripe.post("issuing/disputes", transaction=capture, evidence={"reason": "fraudulent"})
    path = f"issuing/disputes/{dispute['id']}"
    assert stripe.error("POST", f"{path}/submit")["param"] == "evidence[fraudulent][explanation]"
    stripe.post(path, evidence={"fraudulent": {"explanation": explanation}}, amount=800)
    assert stripe.post(f"{path}/submit")["status"] == status
    assert "status of" in stripe.error("POST", path, amount=100)["message"]
    assert stripe.get(f"issuing/transactions/{capture}")["dispute"] == dispute["id"]
    assert "already has a dispute" in stripe.error("POST", "issuing/disputes", transaction=capture)["message"]


@pytest.mark.parametrize(("path", "given", "param"), [
    ("issuing/cardholders", {"name": "J", "billing": {"address": NOWHERE}}, "billing[address][country]"),
    ("issuing/cards", {"currency": "usd", "type": "virtual"}, "cardholder"),
    ("issuing/cards", {"currency": "usd", "type": "virtual", "cardholder": "ich_none"}, "cardholder"),
    ("issuing/cards", {"currency": "xxx", "type": "virtual", "cardholder": "HOLDER"}, "currency"),
    (f"{HELPERS}/authorizations", {"card": "ic_none"}, "card"),
])  # fmt: skip
def test_what_is_issued_is_checked(stripe, holder, path, given, param):
    given = {name: holder if value == "HOLDER" else value for name, value in given.items()}
    assert stripe.error("POST", path, **given)["param"] == param


def test_allowed_and_blocked_categories_exclude_each_other(stripe, card):
    controls = {"allowed_categories": ["florists"], "blocked_categories": ["bakeries"]}
    refused = stripe.error("POST", f"issuing/cards/{card}", spending_controls=controls)
    assert refused["param"] == "spending_controls[allowed_categories]"
