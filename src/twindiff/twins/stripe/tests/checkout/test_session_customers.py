"""Who pays on a page, and what is kept with them: https://docs.stripe.com/api/checkout/sessions/create."""

import pytest

from .test_checkout import CARD, opened, typed

OFFICE = {"line1": "2 Side Street", "city": "Springfield", "state": "IL", "postal_code": "62701", "country": "US"}
HOME = {"line1": "1 Main Street", "city": "Springfield", "state": "IL", "postal_code": "62704", "country": "US"}
NOWHERE = dict.fromkeys(("city", "country", "line1", "line2", "postal_code", "state"))
ASKS = {"billing_address_collection": "required", "shipping_address_collection": {"allowed_countries": ["US"]}}
FORM = {**CARD, **typed(billing=OFFICE, shipping={"name": "Ada at home", **HOME})}


@pytest.fixture
def prices(stripe):
    mug = {"currency": "usd", "product_data": {"name": "Mug & Cup"}}
    again = stripe.post("prices", **mug, unit_amount=900, recurring={"interval": "month"})["id"]
    return {"payment": stripe.post("prices", **mug, unit_amount=1500)["id"], "subscription": again}


@pytest.fixture
def paid(stripe, prices):
    """The session that was paid with all that there is to type, with its customer."""
    client = stripe.environment.platform.client

    def pay(mode="payment", form=FORM, **more):
        session = opened(stripe, prices[mode], mode, **more)
        answer = client.post(session["url"], data={"email": "ada@shop.example", **form})
        assert answer.status_code == 303, answer.text
        return stripe.get(f"checkout/sessions/{session['id']}", expand=["customer", "payment_intent.payment_method"])

    return pay


@pytest.fixture
def known(stripe):
    return stripe.post("customers", name="Countess", email="countess@shop.example")["id"]


@pytest.mark.parametrize(
    ("updates", "kept"),
    [
        ({}, ()),
        ({"name": "never", "address": "never", "shipping": "never"}, ()),
        ({"name": "auto"}, ("name",)),
        ({"address": "auto", "shipping": "never"}, ("address",)),
        ({"shipping": "auto", "name": "auto"}, ("name", "shipping")),
    ],
)
@pytest.mark.parametrize("mode", ["payment", "subscription"])
def test_of_what_a_known_customer_types_that_is_kept_which_the_session_says(paid, known, mode, updates, kept):
    more = {"customer_update": updates} if updates else {}
    customer = paid(mode, **ASKS, customer=known, **more)["customer"]
    shipping = {"address": {**NOWHERE, **HOME}, "name": "Ada at home", "phone": None}
    now = {"name": "Ada", "address": {**NOWHERE, **OFFICE}, "shipping": shipping}
    before = {"name": "Countess", "address": None, "shipping": None}
    assert {name: customer[name] for name in now} == {**before, **{name: now[name] for name in kept}}


def test_what_is_kept_with_a_customer_is_told_of_once(paid, known, stripe):
    paid(customer=known, **ASKS, customer_update={"address": "auto"})
    told = stripe.get("events", type="customer.updated")["data"]
    assert [each["data"]["previous_attributes"] for each in told] == [{"address": None}]


def test_a_page_that_was_not_paid_keeps_nothing_with_its_customer(prices, known, stripe):
    session = opened(stripe, prices["payment"], "payment", customer=known, customer_update={"name": "auto"})
    declined = {**FORM, "number": "4000000000000002"}
    stripe.environment.platform.client.post(session["url"], data=declined)
    assert stripe.get(f"customers/{known}")["name"] == "Countess"


@pytest.mark.parametrize(("mode", "more"), [("payment", {"customer_creation": "always"}), ("subscription", {})])
def test_a_customer_whom_a_page_makes_has_all_that_was_typed(paid, mode, more):
    customer = paid(mode, **ASKS, **more)["customer"]
    assert (customer["name"], customer["email"]) == ("Ada", "ada@shop.example")
    assert (customer["address"]["line1"], customer["shipping"]["address"]["line1"]) == (OFFICE["line1"], HOME["line1"])


def test_a_billing_address_that_is_required_is_asked_for_and_goes_with_the_card(paid, stripe, prices):
    session = opened(stripe, prices["payment"], "payment", billing_address_collection="required")
    lacking = stripe.environment.platform.client.post(session["url"], data={"email": "a@b.co", **CARD})
    assert "Your billing address is incomplete." in lacking.text
    done = paid(billing_address_collection="required")
    assert done["customer_details"]["address"] == {**NOWHERE, **OFFICE}
    assert done["payment_intent"]["payment_method"]["billing_details"]["address"] == {**NOWHERE, **OFFICE}


def test_a_session_whose_customer_has_typed_no_address_has_an_empty_one(paid):
    assert paid(form=CARD)["customer_details"]["address"] == NOWHERE


@pytest.mark.parametrize(
    ("mode", "more", "creation"),
    [
        ("payment", {}, "if_required"),
        ("payment", {"customer_creation": "always"}, "always"),
        ("subscription", {}, "always"),
    ],
)
def test_a_session_says_whether_it_makes_a_customer(stripe, prices, known, mode, more, creation):
    assert opened(stripe, prices[mode], mode, **more)["customer_creation"] == creation
    assert opened(stripe, prices[mode], mode, customer=known)["customer_creation"] is None


def test_a_link_asks_for_the_billing_address_that_it_requires(stripe, prices):
    items = [{"price": prices["payment"], "quantity": 1}]
    link = stripe.post("payment_links", line_items=items, billing_address_collection="required")
    client = stripe.environment.platform.client
    assert "billing[line1]" in client.get(link["url"]).text
    client.post(link["url"], data={"email": "ada@shop.example", **CARD, **typed(billing=OFFICE)})
    (session,) = stripe.get("checkout/sessions", payment_link=link["id"])["data"]
    assert session["billing_address_collection"] == "required"
    assert session["customer_details"]["address"] == {**NOWHERE, **OFFICE}
