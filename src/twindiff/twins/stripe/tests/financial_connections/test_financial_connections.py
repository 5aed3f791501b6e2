"""Accounts that customers link.  https://docs.stripe.com/financial-connections"""

import pytest

HOME = "financial_connections"
DAY = 86_400
ALL = ["balances", "ownership", "transactions", "payment_method"]


@pytest.fixture
def customer(stripe):
    return stripe.post("customers")["id"]


def begin(stripe, customer, **more):
    holder = {"type": "customer", "customer": customer}
    return stripe.post(f"{HOME}/sessions", **{"account_holder": holder, "permissions": ALL, **more})


def link(stripe, session, *kinds):
    """Choose accounts on the page; gives them."""
    data = {"client_secret": session["client_secret"], "accounts[]": [*kinds]}
    answer = stripe.environment.ask(f"link/{session['id']}", verb="POST", twin="stripe", data=data)
    assert answer.status_code in (200, 303), answer.text
    return stripe.get(f"{HOME}/sessions/{session['id']}")["accounts"]["data"]


def test_a_customer_links_accounts_on_the_page(stripe, customer):
    session = begin(stripe, customer)
    page = f"link/{session['id']}?client_secret={session['client_secret']}"
    assert "Success" in stripe.environment.ask(page, verb="GET", twin="stripe").text
    one, two = link(stripe, session, "checking", "savings")
    assert (one["status"], one["last4"], one["account_holder"]["customer"]) == ("active", "6789", customer)
    listed = stripe.get(f"{HOME}/accounts", account_holder={"customer": customer})["data"]
    assert {each["id"] for each in listed} == {one["id"], two["id"]}
    assert stripe.environment.ask(page, verb="GET", twin="stripe").status_code == 404


def test_what_is_refreshed_is_there_after_a_while(stripe, customer):
    (made,) = link(stripe, begin(stripe, customer, prefetch=["balances"]), "checking")
    assert (made["balance"], made["balance_refresh"]["status"]) == (None, "pending")
    account = f"{HOME}/accounts/{made['id']}"
    stripe.post(f"{account}/refresh", features=["ownership", "transactions"])
    stripe.advance(seconds=6)
    now = stripe.get(account)
    assert (now["balance"]["cash"]["available"], now["ownership_refresh"]["status"]) == (
        {"usd": 3_000_000},
        "succeeded",
    )
    assert stripe.get(f"{account}/owners", ownership=now["ownership"])["data"][0]["name"] == "Jane Doe"
    moved = stripe.get(f"{HOME}/transactions", account=made["id"])["data"]
    assert [each["description"] for each in moved] == ["Payroll", "Rocket Rides", "Coffee"]
    assert stripe.get(f"{HOME}/transactions/{moved[0]['id']}") == moved[0]
    types = {each["type"].rpartition(".")[2] for each in stripe.get("events")["data"]}
    assert {"created", "refreshed_balance", "refreshed_ownership", "refreshed_transactions"} <= types


@pytest.mark.parametrize("feature", ["balance", "ownership", "transactions"])
def test_a_feature_is_not_refreshed_again_before_its_time(stripe, customer, feature):
    (made,) = link(stripe, begin(stripe, customer), "checking")
    account = f"{HOME}/accounts/{made['id']}"
    stripe.post(f"{account}/refresh", features=[feature])
    assert "in progress" in stripe.error("POST", f"{account}/refresh", features=[feature])["message"]
    stripe.advance(seconds=6)
    assert "cannot be refreshed before" in stripe.error("POST", f"{account}/refresh", features=[feature])["message"]
    stripe.advance(seconds=DAY)
    assert stripe.post(f"{account}/refresh", features=[feature])["id"] == made["id"]


def test_subscribed_transactions_are_refreshed_each_day_and_come_once(stripe, customer):
    (made,) = link(stripe, begin(stripe, customer), "checking")
    account = f"{HOME}/accounts/{made['id']}"
    stripe.post(f"{account}/subscribe", features=["transactions"])
    counts = []
    stripe.post(f"{account}/refresh", features=["balance"])
    for seconds in (6, 0, DAY, DAY):
        stripe.advance(seconds=seconds + 6)
        counts.append(len(stripe.get(f"{HOME}/transactions", account=made["id"])["data"]))
    assert counts == [3, 3, 4, 5]
    stripe.post(f"{account}/unsubscribe", features=["transactions"])
    stripe.advance(seconds=3 * DAY)
    assert len(stripe.get(f"{HOME}/transactions", account=made["id"])["data"]) == 5


def test_accounts_of_a_customer_that_does_not_exist_are_refused(stripe):
    error = stripe.error("GET", f"{HOME}/accounts", account_holder={"customer_account": "acct_1"})
    assert (error["code"], error["param"]) == ("resource_missing", "account_holder[customer_account]")


def test_a_disconnected_account_is_not_refreshed(stripe, customer):
    (made,) = link(stripe, begin(stripe, customer), "checking")
    account = f"{HOME}/accounts/{made['id']}"
    assert stripe.post(f"{account}/subscribe", features=["transactions"])["subscriptions"] == ["transactions"]
    assert stripe.post(f"{account}/unsubscribe", features=["transactions"])["subscriptions"] == []
    assert stripe.post(f"{account}/disconnect")["status"] == "disconnected"
    assert "disconnected" in stripe.error("POST", f"{account}/refresh", features=["balance"])["message"]


def test_a_feature_needs_its_permission(stripe, customer):
    (made,) = link(stripe, begin(stripe, customer, permissions=["balances"]), "checking")
    error = stripe.error("POST", f"{HOME}/accounts/{made['id']}/refresh", features=["ownership"])
    assert error["param"] == "features"


def test_a_session_limits_what_is_linked(stripe, customer):
    session = begin(stripe, customer, limits={"accounts": 1}, filters={"account_subcategories": ["credit_card"]})
    (made,) = link(stripe, session, "checking", "credit_card")
    assert (made["category"], made["subcategory"]) == ("credit", "credit_card")


@pytest.mark.parametrize(("given", "param"), [
    ({"account_holder": {"type": "customer"}}, "account_holder[customer]"),
    ({"account_holder": {"type": "customer", "customer": "cus_none"}}, "account_holder[customer]"),
    ({"permissions": ["balances"], "prefetch": ["ownership"]}, "prefetch"),
    ({"permissions": ["all"]}, "permissions[0]"),
])  # fmt: skip
def test_a_session_is_checked(stripe, customer, given, param):
    holder = {"account_holder": {"type": "customer", "customer": customer}, "permissions": ALL}
    assert stripe.error("POST", f"{HOME}/sessions", **{**holder, **given})["param"] == param
