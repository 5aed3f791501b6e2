"""Secrets of apps, and what else is done for accounts and refunds that are connected or wait."""

import pytest

from ..payments.test_payment_intents import pay

OWN = {"type": "account"}


def test_a_secret_is_set_found_and_deleted(stripe):
    made = stripe.post("apps/secrets", name="key", payload="first", scope=OWN)
    assert (made["object"], "payload" in made, made["scope"]) == ("apps.secret", False, OWN)
    assert stripe.post("apps/secrets", name="key", payload="second", scope=OWN)["id"] == made["id"]
    shown = stripe.get("apps/secrets/find", name="key", scope=OWN, expand=["payload"])
    assert shown["payload"] == "second"
    assert [each["name"] for each in stripe.get("apps/secrets", scope=OWN)["data"]] == ["key"]
    assert stripe.post("apps/secrets/delete", name="key", scope=OWN)["deleted"] is True
    assert stripe.error("GET", "apps/secrets/find", 404, name="key", scope=OWN)["code"] == "resource_missing"


def test_a_secret_of_a_user_is_that_user_s(stripe):
    user = {"type": "user", "user": "usr_1"}
    stripe.post("apps/secrets", name="key", payload="x", scope=user)
    assert stripe.get("apps/secrets", scope=OWN)["data"] == []
    assert stripe.get("apps/secrets", scope=user)["data"][0]["scope"] == user
    for scope in ({"type": "user"}, {**OWN, "user": "usr_1"}):
        assert stripe.error("GET", "apps/secrets", scope=scope)["param"] == "scope[user]"


@pytest.mark.parametrize("reason", ["fraud", "terms_of_service", "other"])
def test_a_rejected_account_takes_no_payments(stripe, reason):
    account = stripe.post("accounts", type="express", country="US")["id"]
    rejected = stripe.post(f"accounts/{account}/reject", reason=reason)
    assert (rejected["charges_enabled"], rejected["payouts_enabled"]) == (False, False)
    assert rejected["requirements"]["disabled_reason"] == f"rejected.{reason}"


def test_a_token_of_a_person_says_what_that_person_is(stripe):
    assert stripe.post("tokens", person={"first_name": "Ada", "relationship": {"owner": True}})["type"] == "person"


def test_a_refund_that_waits_for_nobody_does_not_expire(stripe):

    refund = stripe.post("refunds", payment_intent=pay(stripe)["id"])["id"]
    said = "You cannot expire this refund because it has a status of succeeded."
    assert stripe.error("POST", f"test_helpers/refunds/{refund}/expire")["message"].startswith(said)
