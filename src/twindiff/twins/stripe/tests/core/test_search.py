"""The search API and its query language: https://docs.stripe.com/search#search-query-language"""

import pytest

from ..payments.test_payment_intents import pay


@pytest.fixture
def customers(stripe):
    """Two customers by name."""
    ada = {"name": "Ada Lovelace", "email": "Ada@shop.example", "metadata": {"tier": "gold", "a b": "x"}}
    bea = {"name": "Bea Potter", "email": "bea@shop.example", "phone": "+41 44"}
    return {each["name"][:3]: stripe.post("customers", **each)["id"] for each in (ada, bea)}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("email:'ada@shop.example'", ["Ada"]),
        ("name:'bea POTTER'", ["Bea"]),
        ("phone:'+41 44'", ["Bea"]),
        ('name~"love"', ["Ada"]),
        ('metadata["tier"]:"gold"', ["Ada"]),
        ('metadata["a b"]:"x"', ["Ada"]),
        ('-metadata["tier"]:"gold"', ["Bea"]),
        ('-metadata["tier"]:null', ["Ada"]),
        ("phone:null", ["Ada"]),
        ('name~"ada" OR name~"bea"', ["Bea", "Ada"]),
        ('name~"ada" AND name~"bea"', []),
        ('name~"ada" name~"love"', ["Ada"]),
        ("created>0 AND created<99999999999", ["Bea", "Ada"]),
    ],
)
def test_customers_are_found(stripe, customers, query, names):
    result = stripe.get("customers/search", query=query)
    assert result["object"] == "search_result"
    assert [each["name"][:3] for each in result["data"]] == names


@pytest.mark.parametrize(
    "query", ["", "name", "name:", "name:'a", "color:'red'", "name~'a'", "created>'x'", "a:'1' AND b:'2' OR c:'3'"]
)
def test_a_query_that_cannot_be_read_is_refused(stripe, query):
    assert stripe.error("GET", "customers/search", query=query)["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("customers", "created~'123'"),
        ("customers", "metadata['tier']~'gold'"),
        ("customers", "metadata['tier']>1"),
        ("customers", "name>1"),
        ("payment_intents", "status~'succ'"),
        ("products", "active~'true'"),
    ],
)
def test_an_operator_is_for_fields_of_its_kind(stripe, path, query):
    error = stripe.error("GET", f"{path}/search", query=query)
    assert (error["param"], "does not support the operator" in error["message"]) == ("query", True)


def test_what_is_found_comes_in_pages(stripe, customers):
    first = stripe.get("customers/search", query="created>0", limit=1)
    assert (first["has_more"], len(first["data"])) == (True, 1)
    second = stripe.get("customers/search", query="created>0", limit=1, page=first["next_page"])
    assert [each["id"] for each in second["data"]] == [customers["Ada"]]
    assert second["has_more"] is False
    assert "Invalid value for page" in stripe.error("GET", "customers/search", query="created>0", page="x")["message"]


KINDS = ("charges", "customers", "invoices", "payment_intents", "prices", "products", "subscriptions")


@pytest.mark.parametrize("kind", KINDS)
def test_the_number_of_what_is_found_is_told_in_versions_before_basil(stripe, kind):
    asked = {"query": 'metadata["tier"]:"gold"', "expand": ["total_count"]}
    refused = stripe.error("GET", f"{kind}/search", **asked)
    assert refused["message"] == "This property cannot be included (total_count)"
    for version, status in (("2025-04-30.basil", 200), ("2025-05-28.basil", 400)):
        headers = {"Stripe-Version": version}
        assert stripe.http("GET", f"{kind}/search", headers=headers, **asked).status_code == status


def test_deleted_customers_are_not_found(stripe, customers):
    stripe.delete(f"customers/{customers['Ada']}")
    assert len(stripe.get("customers/search", query="created>0")["data"]) == 1


def test_payments_are_found(stripe):
    paid = pay(stripe, amount=7000, metadata={"order": "6735"})
    assert (
        len(stripe.get("payment_intents/search", query='status:"succeeded" AND metadata["order"]:"6735"')["data"]) == 1
    )
    query = "amount>=7000 AND payment_method_details.card.last4:4242 AND refunded:'false'"
    (charge,) = stripe.get("charges/search", query=query)["data"]
    assert charge["id"] == paid["latest_charge"]
