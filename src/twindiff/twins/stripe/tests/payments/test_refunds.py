"""Refunds, disputes, payouts, transfers, and the balance that they leave."""

import pytest

from .test_payment_intents import pay


def net(stripe):
    """What is available and what is pending, in dollars' cents."""
    balance = stripe.get("balance")
    return balance["available"][0]["amount"], balance["pending"][0]["amount"]


class TestRefunds:
    """https://docs.stripe.com/api/refunds"""

    def test_a_part_and_then_the_rest_is_given_back(self, stripe):
        paid = pay(stripe)
        stripe.post("refunds", payment_intent=paid["id"], amount=500)
        charge = stripe.get(f"charges/{paid['latest_charge']}")
        assert (charge["amount_refunded"], charge["refunded"]) == (500, False)
        rest = stripe.post("refunds", charge=charge["id"])
        assert rest["amount"] == 1500
        assert stripe.get(f"charges/{charge['id']}")["refunded"] is True
        assert stripe.error("POST", "refunds", charge=charge["id"])["code"] == "charge_already_refunded"

    def test_more_than_there_is_is_refused(self, stripe):
        paid = pay(stripe)
        refused = stripe.error("POST", "refunds", payment_intent=paid["id"], amount=2001)
        assert refused["message"] == "Refund amount ($20.01) is greater than charge amount ($20.00)"
        stripe.post("refunds", payment_intent=paid["id"], amount=500)
        refused = stripe.error("POST", "refunds", payment_intent=paid["id"], amount=1501)
        assert refused["message"] == "Refund amount ($15.01) is greater than unrefunded amount on charge ($15.00)"

    def test_some_are_pending_first(self, stripe):
        made = stripe.post("refunds", payment_intent=pay(stripe, "pm_card_pendingRefund")["id"])
        assert made["status"] == "pending"
        stripe.advance(days=2)
        assert stripe.get(f"refunds/{made['id']}")["status"] == "succeeded"

    def test_some_fail_later_and_the_money_comes_back(self, stripe):
        paid = pay(stripe, "pm_card_refundFail")
        before = sum(net(stripe))
        made = stripe.post("refunds", payment_intent=paid["id"])
        assert sum(net(stripe)) == before - 2000
        stripe.advance(days=2)
        failed = stripe.get(f"refunds/{made['id']}")
        assert (failed["status"], failed["failure_reason"]) == ("failed", "expired_or_canceled_card")
        assert sum(net(stripe)) == before

    @pytest.mark.parametrize(
        ("card", "before"),
        [
            ("pm_card_pendingRefund", {"status": "pending", "destination_details": {"card": {"type": "pending"}}}),
            (
                "pm_card_refundFail",
                {"status": "succeeded", "failure_balance_transaction": None, "failure_reason": None},
            ),
        ],
    )
    def test_both_events_of_a_change_tell_what_was_before(self, stripe, card, before):
        made = stripe.post("refunds", payment_intent=pay(stripe, card)["id"])["id"]
        stripe.advance(days=2)
        for type in ("refund.updated", "charge.refund.updated"):
            (event,) = stripe.get("events", type=type)["data"]
            assert event["data"] == {"object": stripe.get(f"refunds/{made}"), "previous_attributes": before}

    @pytest.mark.parametrize("ends", [False, True])
    def test_what_was_only_authorized_is_canceled_and_not_refunded(self, stripe, ends):
        held = pay(stripe, capture_method="manual")
        if ends:
            stripe.post(f"payment_intents/{held['id']}/cancel")
        for named in ({"payment_intent": held["id"]}, {"charge": held["latest_charge"]}):
            error = stripe.error("POST", "refunds", **named)
            intent = f"PaymentIntent ({held['id']})"
            said = (
                f"This uncaptured Charge was created by a {intent}. You must cancel the PaymentIntent to reverse the "
            )
            if ends:
                said = f"This {intent} does not have a successful charge to refund."
            assert error["message"].startswith(said)

    def test_a_refund_says_what_it_is_of(self, stripe):
        error = stripe.error("POST", "refunds", amount=100)
        assert ("code" in error, "param" in error, error["message"][-25:]) == (
            False,
            False,
            "payment_intent or charge.",
        )

    def test_a_refund_that_is_not_there_is_missing(self, stripe):
        for verb, path in (("GET", "refunds/re_none"), ("POST", "refunds/re_none"), ("POST", "refunds/re_none/cancel")):
            error = stripe.error(verb, path, 404)
            assert (error["code"], error["param"]) == ("resource_missing", "refund")

    def test_the_refunds_of_a_charge_are_counted(self, stripe):
        paid = pay(stripe)
        stripe.post("refunds", charge=paid["latest_charge"], amount=100)
        assert stripe.get("refunds", charge=paid["latest_charge"])["count"] == 1
        assert "count" not in stripe.get("refunds")

    def test_what_never_succeeded_cannot_be_refunded(self, stripe):
        made = stripe.post("payment_intents", amount=2000, currency="usd")
        assert stripe.error("POST", "refunds", payment_intent=made["id"])["param"] == "payment_intent"
        assert stripe.error("POST", "refunds", 404, charge="ch_nope")["param"] == "id"

    def test_they_are_made_and_changed_at_their_charge_too(self, stripe):
        charge = pay(stripe)["latest_charge"]
        made = stripe.post(f"charges/{charge}/refunds", amount=500)
        assert (made["amount"], made["charge"]) == (500, charge)
        path = f"charges/{charge}/refunds/{made['id']}"
        assert stripe.post(path, metadata={"why": "broken"})["metadata"] == {"why": "broken"}
        assert stripe.post(f"charges/{charge}/refund")["amount_refunded"] == 2000


class TestDisputes:
    """https://docs.stripe.com/testing#disputes"""

    @pytest.mark.parametrize(("evidence", "status"), [("winning_evidence", "won"), ("losing_evidence", "lost")])
    def test_evidence_decides(self, stripe, evidence, status):
        charge = pay(stripe, "pm_card_createDispute")["latest_charge"]
        dispute = stripe.get(f"charges/{charge}/dispute")["id"]
        answered = stripe.post(f"disputes/{dispute}", evidence={"uncategorized_text": evidence})
        assert answered["status"] == "under_review"
        assert "decide_dispute" in " ".join(stripe.advance(days=1))
        assert stripe.get(f"disputes/{dispute}")["status"] == status

    def test_one_that_is_won_gives_back_the_money_but_not_the_fee(self, stripe):
        charge = pay(stripe, "pm_card_createDispute")["latest_charge"]
        dispute = stripe.get(f"charges/{charge}/dispute")["id"]
        stripe.post(f"disputes/{dispute}", evidence={"uncategorized_text": "winning_evidence"})
        stripe.advance(days=1)
        assert [each["net"] for each in stripe.get("balance_transactions", type="adjustment")["data"]] == [2000, -3500]

    def test_one_that_is_closed_is_lost(self, stripe):
        pay(stripe, "pm_card_createDisputeProductNotReceived")
        (dispute,) = stripe.get("disputes")["data"]
        assert dispute["reason"] == "product_not_received"
        assert stripe.post(f"disputes/{dispute['id']}/close")["status"] == "lost"
        error = stripe.error("POST", f"disputes/{dispute['id']}/close")
        assert ("code" in error, error["message"]) == (False, "This dispute is already closed")

    def test_a_disputed_charge_cannot_be_refunded_but_one_inquired_about_can(self, stripe):
        disputed = pay(stripe, "pm_card_createDispute")["id"]
        assert stripe.error("POST", "refunds", payment_intent=disputed)["code"] == "charge_disputed"
        asked = pay(stripe, "pm_card_createDisputeInquiry")["id"]
        assert stripe.post("refunds", payment_intent=asked)["status"] == "succeeded"

    def test_one_is_answered_and_closed_at_its_charge_too(self, stripe):
        charge = pay(stripe, "pm_card_createDispute")["latest_charge"]
        path = f"charges/{charge}/dispute"
        staged = stripe.post(path, evidence={"customer_name": "Ada"}, submit=False)
        assert staged["evidence"]["customer_name"] == "Ada"
        assert stripe.post(f"{path}/close")["status"] == "lost"

    def test_evidence_can_be_staged(self, stripe):
        charge = pay(stripe, "pm_card_createDispute")["latest_charge"]
        dispute = stripe.get(f"charges/{charge}/dispute")["id"]
        staged = stripe.post(f"disputes/{dispute}", evidence={"customer_name": "Ada"}, submit=False)
        assert (staged["status"], staged["evidence"]["customer_name"]) == ("needs_response", "Ada")

    def test_staged_evidence_is_submitted_by_asking_for_it(self, stripe):
        pay(stripe, "pm_card_createDispute")
        dispute = stripe.get("disputes")["data"][0]["id"]
        assert stripe.post(f"disputes/{dispute}", submit=True)["evidence_details"]["submission_count"] == 0
        stripe.post(f"disputes/{dispute}", evidence={"uncategorized_text": "winning_evidence"}, submit=False)
        assert stripe.post(f"disputes/{dispute}", metadata={"a": "b"})["status"] == "needs_response"
        sent = stripe.post(f"disputes/{dispute}", submit=True)
        assert (sent["status"], sent["evidence_details"]["submission_count"]) == ("under_review", 1)
        stripe.advance(days=1)
        assert stripe.get(f"disputes/{dispute}")["status"] == "won"

    def test_evidence_that_was_unset_is_none(self, stripe):
        pay(stripe, "pm_card_createDispute")
        dispute = stripe.get("disputes")["data"][0]["id"]
        stripe.post(f"disputes/{dispute}", evidence={"customer_name": "Ada"}, submit=False)
        unset = stripe.post(f"disputes/{dispute}", evidence={"customer_name": ""}, submit=False)
        assert (unset["evidence"]["customer_name"], unset["evidence_details"]["has_evidence"]) == (None, False)

    @pytest.mark.parametrize(("name", "longest"), [("customer_name", 5000), ("uncategorized_text", 20_000)])
    def test_evidence_is_not_longer_than_stripe_keeps(self, stripe, name, longest):
        pay(stripe, "pm_card_createDispute")
        dispute = stripe.get("disputes")["data"][0]["id"]
        refused = stripe.error("POST", f"disputes/{dispute}", evidence={name: "x" * (longest + 1)})
        assert refused["message"] == f"Invalid string: {'x' * 12}...{'x' * 12}; must be at most {longest} characters"
        assert refused["param"] == f"evidence[{name}]"
        stripe.post(f"disputes/{dispute}", evidence={name: "x" * longest})


class TestPayouts:
    """https://docs.stripe.com/api/payouts"""

    def test_only_what_is_available_is_paid_out(self, stripe):
        pay(stripe)
        refused = stripe.error("POST", "payouts", amount=100, currency="usd")
        assert refused["code"] == "balance_insufficient"
        stripe.advance(days=3)
        made = stripe.post("payouts", amount=100, currency="usd")
        assert (made["status"], net(stripe)) == ("pending", (1812, 0))
        stripe.advance(days=3)
        assert stripe.get(f"payouts/{made['id']}")["status"] == "paid"

    def test_one_goes_to_a_bank_of_the_shop(self, stripe):
        pay(stripe, "pm_card_bypassPending")
        refused = stripe.error("POST", "payouts", amount=100, currency="usd", destination="ba_none")
        assert (refused["code"], refused["param"]) == ("resource_missing", "destination")
        assert refused["message"] == "No such external account: 'ba_none'"

    def test_nobody_knows_what_is_in_one_that_the_shop_made_itself(self, stripe):
        pay(stripe, "pm_card_bypassPending")
        made = stripe.post("payouts", amount=100, currency="usd")["id"]
        refused = stripe.error("GET", "balance_transactions", payout=made)
        assert refused["message"].endswith("can only be filtered on automatic transfers, not manual.")

    def test_one_that_has_not_left_can_be_canceled(self, stripe):
        pay(stripe, "pm_card_bypassPending")
        made = stripe.post("payouts", amount=100, currency="usd")
        assert stripe.post(f"payouts/{made['id']}/cancel")["status"] == "canceled"
        assert net(stripe) == (1912, 0)

    def test_one_that_has_arrived_can_be_reversed(self, stripe):
        pay(stripe, "pm_card_bypassPending")
        made = stripe.post("payouts", amount=100, currency="usd")
        stripe.advance(days=3)
        back = stripe.post(f"payouts/{made['id']}/reverse")
        assert (back["amount"], back["original_payout"], net(stripe)) == (-100, made["id"], (1912, 0))


def test_transfers_go_to_connected_accounts_and_come_back(stripe):
    pay(stripe, "pm_card_bypassPending")
    account = stripe.post("accounts", type="express", country="US", email="seller@shop.example")["id"]
    made = stripe.post("transfers", amount=1000, currency="usd", destination=account)
    assert net(stripe) == (912, 0)
    stripe.post(f"transfers/{made['id']}/reversals", amount=400)
    transfer = stripe.get(f"transfers/{made['id']}")
    assert (transfer["amount_reversed"], transfer["reversed"], len(transfer["reversals"]["data"])) == (400, False, 1)
    assert stripe.error("POST", "transfers", amount=5, currency="usd", destination="acct_no")["param"] == "destination"


def test_a_customer_has_credit_in_one_currency(stripe):
    customer = stripe.post("customers")["id"]
    stripe.post(f"customers/{customer}/balance_transactions", amount=-500, currency="usd")
    assert stripe.get(f"customers/{customer}")["balance"] == -500
    path = f"customers/{customer}/balance_transactions"
    assert "combine currencies" in stripe.error("POST", path, amount=1, currency="eur")["message"]


def test_what_has_changed_a_customers_balance_is_filtered_by_time(stripe):
    customer = stripe.post("customers")["id"]
    path = f"customers/{customer}/balance_transactions"
    made = stripe.post(path, amount=-500, currency="usd")
    assert [each["id"] for each in stripe.get(path, created={"gte": made["created"]})["data"]] == [made["id"]]
    assert stripe.get(path, created={"gt": made["created"]})["data"] == []


def test_a_customer_sends_cash(stripe):
    customer = stripe.post("customers")["id"]
    stripe.post(f"test_helpers/customers/{customer}/fund_cash_balance", amount=500, currency="usd")
    assert stripe.get(f"customers/{customer}/cash_balance")["available"] == {"usd": 500}
    assert stripe.get(f"customers/{customer}/cash_balance_transactions")["data"][0]["type"] == "funded"


def test_a_file_is_kept(stripe):
    sent = {"data": {"purpose": "dispute_evidence"}, "files": {"file": ("receipt.pdf", b"%PDF")}}
    made = stripe.environment.ask("v1/files", twin="stripe", token=stripe.token, **sent).json()
    assert (made["size"], made["type"]) == (4, "pdf")
    answer = stripe.environment.ask(f"v1/files/{made['id']}/contents", verb="GET", twin="stripe", token=stripe.token)
    assert answer.content == b"%PDF"


class TestSetupIntents:
    """https://docs.stripe.com/api/setup_intents"""

    def test_a_card_is_kept_for_later(self, stripe):
        customer = stripe.post("customers")["id"]
        asked = {"payment_method": "pm_card_visa", "confirm": True, "payment_method_types": ["card"]}
        done = stripe.post("setup_intents", customer=customer, **asked)
        assert done["status"] == "succeeded"
        assert stripe.get(f"payment_methods/{done['payment_method']}")["customer"] == customer

    def test_a_declined_card_is_not(self, stripe):
        asked = {"payment_method": "pm_card_visa_chargeDeclined", "confirm": True, "payment_method_types": ["card"]}
        refused = stripe.error("POST", "setup_intents", 402, **asked)
        known = refused["setup_intent"]["last_setup_error"]
        assert (known["code"], known["type"]) == ("card_declined", "card_error")
        assert known["doc_url"] == "https://stripe.com/docs/error-codes/card-declined"

    def test_a_cardholder_who_fails_to_authenticate_is_no_error_of_the_card(self, stripe):
        asked = {"payment_method": "pm_card_authenticationRequired", "payment_method_types": ["card"], "confirm": True}
        made = stripe.post("setup_intents", **asked)
        page = f"twin/authenticate/{made['id']}"
        chosen = {"client_secret": made["client_secret"], "outcome": "fail"}
        stripe.environment.ask(page, verb="POST", twin="stripe", token=stripe.token, data=chosen)
        known = stripe.get(f"setup_intents/{made['id']}")["last_setup_error"]
        assert (known["code"], known["type"]) == ("setup_intent_authentication_failure", "invalid_request_error")

    def test_what_is_asked_of_a_card_is_one_of_three(self, stripe):
        asked = {"payment_method_options": {"card": {"request_three_d_secure": "never"}}}
        refused = stripe.error("POST", "setup_intents", **asked)
        param = "payment_method_options[card][request_three_d_secure]"
        assert refused["param"] == param
        assert refused["message"] == f"Invalid {param}: must be one of any, automatic, or challenge"
        refused = stripe.error("POST", "setup_intents", payment_method_options={"cards": {"network": "visa"}})
        assert refused["code"] == "parameter_unknown"

    @pytest.mark.parametrize(
        ("wanted", "status"), [("automatic", "succeeded"), ("any", "requires_action"), ("challenge", "requires_action")]
    )
    def test_a_cardholder_authenticates_where_that_is_asked_for(self, stripe, wanted, status):
        asked = {"payment_method": "pm_card_threeDSecureOptional", "payment_method_types": ["card"], "confirm": True}
        options = {"card": {"request_three_d_secure": wanted}}
        assert stripe.post("setup_intents", **asked, payment_method_options=options)["status"] == status

    @pytest.mark.parametrize("way", ["", "/confirm"])
    def test_more_may_be_asked_of_a_card_later(self, stripe, way):
        made = stripe.post("setup_intents", payment_method="pm_card_visa", payment_method_types=["card"])["id"]
        asked = {"payment_method_options": {"card": {"request_three_d_secure": "any"}}}
        changed = stripe.post(f"setup_intents/{made}{way}", **asked)
        shown = {"mandate_options": None, "network": None, "request_three_d_secure": "any"}
        assert changed["payment_method_options"] == {"card": shown}

    def test_it_can_be_canceled_once(self, stripe):
        made = stripe.post("setup_intents")["id"]
        assert stripe.post(f"setup_intents/{made}/cancel")["status"] == "canceled"
        assert stripe.error("POST", f"setup_intents/{made}/cancel")["code"] == "setup_intent_unexpected_state"


class TestEarlyFraudWarnings:
    """https://docs.stripe.com/disputes/measuring#early-fraud-warnings"""

    def test_an_issuer_warns_of_a_payment(self, stripe):
        intent = pay(stripe, "pm_card_createIssuerFraudRecord")
        (warning,) = stripe.get("radar/early_fraud_warnings", charge=intent["latest_charge"])["data"]
        assert (warning["payment_intent"], warning["actionable"]) == (intent["id"], True)
        assert stripe.get(f"radar/early_fraud_warnings/{warning['id']}", expand=["charge"])["charge"]["paid"]
        (event,) = stripe.get("events", type="radar.early_fraud_warning.created")["data"]
        assert event["data"]["object"] == warning

    def test_a_refund_leaves_nothing_to_be_done(self, stripe):
        intent = pay(stripe, "pm_card_createIssuerFraudRecord")["id"]
        stripe.post("refunds", payment_intent=intent)
        (warning,) = stripe.get("radar/early_fraud_warnings", payment_intent=intent)["data"]
        assert warning["actionable"] is False

    def test_only_cards_that_are_for_it_are_warned_of(self, stripe):
        pay(stripe, "pm_card_visa")
        assert stripe.get("radar/early_fraud_warnings")["data"] == []
        assert stripe.error("GET", "radar/early_fraud_warnings/issfr_none", 404)["code"] == "resource_missing"
