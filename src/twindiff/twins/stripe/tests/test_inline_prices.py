"""Prices that parameters describe in place: `price_data`, wherever something is sold for it."""

from typing import Any

import pytest
import stripe as sdk

from .checkout.test_checkout import CARD

MONTHLY = {"currency": "usd", "unit_amount": 4900, "recurring": {"interval": "month"}}
SHOP = "https://shop.example/ok"


@pytest.fixture
def client(stripe):
    return sdk.StripeClient("sk_test_shop", base_addresses={"api": stripe.url, "files": stripe.url})


@pytest.fixture
def browser(stripe):
    """Opens a page, or sends its form."""
    client = stripe.environment.platform.client
    return lambda url, **form: client.post(url, data=form) if form else client.get(url)


@pytest.fixture
def customer(stripe):
    made = stripe.post("customers", email="ada@shop.example")["id"]
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=made)["id"]
    stripe.post(f"customers/{made}", invoice_settings={"default_payment_method": method})
    return made


@pytest.fixture(params=["product_data", "product"])
def monthly(request, stripe):
    """An inline price of either kind."""
    if request.param == "product_data":
        return {**MONTHLY, "product_data": {"name": "Team"}}
    return {**MONTHLY, "product": stripe.post("products", name="Team")["id"]}


def test_a_checkout_subscribes_to_a_price_that_it_describes(client, browser, monthly):
    wanted: Any = {"mode": "subscription", "success_url": SHOP, "line_items": [{"price_data": monthly, "quantity": 2}]}
    session = client.v1.checkout.sessions.create(wanted)
    assert browser(session.url, email="ada@shop.example", **CARD).status_code == 303
    done: Any = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["subscription", "invoice"]})
    price = done.subscription["items"].data[0].price
    assert (done.subscription.status, done.invoice.amount_paid) == ("active", 9800)
    assert (price.active, price.unit_amount, price.recurring.interval) == (False, 4900, "month")


def test_a_checkout_bills_what_it_describes_once_with_the_first_period(stripe, browser, monthly):
    once = {"currency": "usd", "unit_amount": 700, "product_data": {"name": "Set-up"}}
    items = [{"price_data": each, "quantity": 1} for each in (monthly, once)]
    session = stripe.post("checkout/sessions", mode="subscription", success_url=SHOP, line_items=items)
    assert browser(session["url"], email="ada@shop.example", **CARD).status_code == 303
    assert stripe.get("invoices")["data"][0]["amount_paid"] == 4900 + 700


def test_a_payment_link_sells_for_a_price_that_it_describes(stripe, browser, monthly):
    link = stripe.post("payment_links", line_items=[{"price_data": monthly, "quantity": 1}])
    for email in ("ada@shop.example", "bea@shop.example"):
        browser(link["url"], email=email, **CARD)
    assert [each["amount_paid"] for each in stripe.get("invoices")["data"]] == [4900, 4900]


def test_a_quote_that_describes_its_price_becomes_a_subscription(stripe, customer):
    monthly = {**MONTHLY, "product": stripe.post("products", name="Team")["id"]}
    quote = stripe.post("quotes", customer=customer, line_items=[{"price_data": monthly, "quantity": 1}])["id"]
    stripe.post(f"quotes/{quote}/finalize")
    revision = stripe.post("quotes", from_quote={"quote": quote, "is_revision": True})["id"]
    stripe.post(f"quotes/{revision}/finalize")
    made = stripe.post(f"quotes/{revision}/accept")["subscription"]
    assert stripe.get(f"subscriptions/{made}")["items"]["data"][0]["price"]["unit_amount"] == 4900


def test_a_quote_of_a_later_day_bills_what_it_describes(stripe, customer):
    product = stripe.post("products", name="Team")["id"]
    once = {"currency": "usd", "unit_amount": 700, "product": product}
    items = [{"price_data": {**each, "product": product}, "quantity": 1} for each in (MONTHLY, once)]
    later = stripe.post("customers")["created"] + 86_400
    quote = stripe.post("quotes", customer=customer, line_items=items, subscription_data={"effective_date": later})
    stripe.post(f"quotes/{quote['id']}/finalize")
    stripe.post(f"quotes/{quote['id']}/accept")
    stripe.advance(days=2)
    assert stripe.get("invoices")["data"][0]["total"] == 4900 + 700


def test_subscriptions_and_their_items_take_prices_that_they_describe(stripe, customer):
    product = stripe.post("products", name="Team")["id"]
    data = {**MONTHLY, "product": product}
    once = {"currency": "usd", "unit_amount": 700, "product": product}
    made = stripe.post(
        "subscriptions", customer=customer, items=[{"price_data": data}], add_invoice_items=[{"price_data": once}]
    )
    item = made["items"]["data"][0]["id"]
    stripe.post(f"subscriptions/{made['id']}", items=[{"id": item, "price_data": {**data, "unit_amount": 5900}}])
    added = stripe.post("subscription_items", subscription=made["id"], price_data={**data, "unit_amount": 100})
    stripe.post(f"subscription_items/{added['id']}", price_data={**data, "unit_amount": 200})
    items = stripe.get(f"subscriptions/{made['id']}")["items"]["data"]
    assert sorted((each["price"]["unit_amount"], each["price"]["active"]) for each in items) == [
        (200, False), (5900, False)
    ]  # fmt: skip


def test_a_phase_begins_with_prices_that_it_describes(stripe, customer):
    product = stripe.post("products", name="Team")["id"]
    once = {"currency": "usd", "unit_amount": 700, "product": product}
    phases = [
        {"items": [{"price_data": {**MONTHLY, "product": product}}], "duration": {"interval": "month"}},
        {
            "items": [{"price_data": {**MONTHLY, "product": product, "unit_amount": 5900}}],
            "add_invoice_items": [{"price_data": once}],
        },
    ]
    made = stripe.post("subscription_schedules", customer=customer, start_date="now", phases=phases)
    stripe.advance(days=33)
    owner = stripe.get(f"subscriptions/{made['subscription']}")
    price = owner["items"]["data"][0]["price"]
    assert (price["unit_amount"], price["active"]) == (5900, False)
    assert stripe.get("invoices")["data"][0]["total"] == 5900 + 700


def test_an_invoice_item_takes_a_price_that_it_describes(stripe, customer):
    once = {"currency": "usd", "unit_amount": 700, "product": stripe.post("products", name="Hat")["id"]}
    assert stripe.post("invoiceitems", customer=customer, price_data=once)["amount"] == 700


ONCE = {"currency": "usd", "unit_amount": 700}
NEW = {"product_data": {"name": "Hat"}}


@pytest.mark.parametrize(
    ("path", "at", "data"),
    [
        ("subscriptions", "items[0][price_data]", MONTHLY),
        ("subscriptions", "add_invoice_items[0][price_data]", ONCE),
        ("subscription_items", "price_data", MONTHLY),
        ("subscription_schedules", "phases[0][items][0][price_data]", MONTHLY),
        ("quotes", "line_items[0][price_data]", MONTHLY),
        ("invoiceitems", "price_data", ONCE),
        ("invoices/create_preview", "invoice_items[0][price_data]", ONCE),
    ],
)
def test_only_what_a_page_or_an_invoice_line_sells_describes_its_product(stripe, customer, path, at, data):
    def describe(**more):
        inner: Any = {**data, **more}
        for name in reversed(at.replace("]", "").split("[")[1:]):
            inner = [inner] if name == "0" else {name: inner}
        needs = {"subscription": "sub_1"} if path == "subscription_items" else {"customer": customer}
        return stripe.error("POST", path, **needs, **{at.partition("[")[0]: inner})

    assert describe(**NEW)["message"].endswith(f"unknown parameter: {at}[product_data]")
    assert describe()["message"] == f"Missing required param: {at}[product]."


@pytest.mark.parametrize(
    ("path", "at", "data"),
    [
        ("subscriptions", "items[0][price_data][recurring]", ONCE),
        ("subscription_items", "price_data[recurring]", ONCE),
    ],
)
def test_an_inline_price_of_a_subscription_says_its_interval(stripe, customer, path, at, data):
    data = {**data, "product": stripe.post("products", name="Hat")["id"]}
    given = {"customer": customer, "items": [{"price_data": data}]}
    given = given if path == "subscriptions" else {"subscription": "sub_1", "price_data": data}
    assert stripe.error("POST", path, **given)["message"] == f"Missing required param: {at}."


def test_an_inline_price_counts_no_usage(stripe):
    recurring = {"interval": "month", "usage_type": "licensed"}
    items = [{"quantity": 1, "price_data": {**ONCE, **NEW, "recurring": recurring}}]
    error = stripe.error("POST", "checkout/sessions", mode="subscription", success_url=SHOP, line_items=items)
    assert error["param"] == "line_items[0][price_data][recurring][usage_type]"


@pytest.mark.parametrize("name", ["active", "id", "statement_descriptor"])
def test_a_product_of_an_inline_price_has_no_fields_of_saved_ones(stripe, name):
    data = {**ONCE, "product_data": {"name": "Hat", name: "true"}}
    items = [{"quantity": 1, "price_data": data}]
    error = stripe.error("POST", "checkout/sessions", mode="payment", success_url=SHOP, line_items=items)
    assert error["param"] == f"line_items[0][price_data][product_data][{name}]"


def test_a_product_of_a_new_price_has_no_description(stripe):
    error = stripe.error("POST", "prices", **ONCE, product_data={"name": "Hat", "description": "Warm"})
    assert error["param"] == "product_data[description]"


def test_a_price_that_a_checkout_has_described_is_sold_nowhere_else(stripe, customer, monthly):
    items = [{"price_data": monthly, "quantity": 1}]
    session = stripe.post("checkout/sessions", mode="subscription", success_url=SHOP, line_items=items)
    price = stripe.get(f"checkout/sessions/{session['id']}/line_items")["data"][0]["price"]["id"]
    error = stripe.error("POST", "subscriptions", customer=customer, items=[{"price": price}])
    assert error["message"] == "The price specified is inactive. This field only accepts active prices."


@pytest.mark.parametrize("number", ["4000000000000002", "1234"])
@pytest.mark.parametrize("mode", ["payment", "subscription"])
def test_a_page_keeps_the_email_field_after_an_error(stripe, browser, mode, number):
    data = {**MONTHLY, "product_data": {"name": "Team"}}
    if mode == "payment":
        del data["recurring"]
    items = [{"price_data": data, "quantity": 1}]
    more = {"customer_creation": "always"} if mode == "payment" else {}
    session = stripe.post("checkout/sessions", mode=mode, success_url=SHOP, line_items=items, **more)
    shown = browser(session["url"], email="ada@shop.example", **{**CARD, "number": number}).text
    assert 'role="alert"' in shown
    assert '<input name="email" type="email" value="ada@shop.example" required>' in shown
    browser(session["url"], email="bea@shop.example", **CARD)
    assert stripe.get("customers")["data"][0]["email"] == "bea@shop.example"


ONCE = {"currency": "usd", "unit_amount": 700}
SOLD: dict[str, tuple[str, str, bool, dict[str, Any]]] = {
    "checkout": ("checkout/sessions", "line_items", True, {"mode": "subscription", "success_url": SHOP}),
    "links": ("payment_links", "line_items", True, {}),
    "quotes": ("quotes", "line_items", True, {"customer": ""}),
    "subscriptions": ("subscriptions", "items", True, {"customer": ""}),
    "add_invoice_items": ("subscriptions", "add_invoice_items", False, {"customer": "", "items": "monthly"}),
    "update": ("subscriptions/{subscription}", "items", True, {}),
    "items": ("subscription_items", "", True, {"subscription": ""}),
    "phases": ("subscription_schedules", "phases", True, {"customer": "", "start_date": "now"}),
    "invoiceitems": ("invoiceitems", "", False, {"customer": ""}),
    "previews": ("invoices/create_preview", "invoice_items", False, {"customer": ""}),
}
"""Where prices may be described: the path, the parameter that holds them, whether they recur, what else is needed."""

WRONG: dict[str, Any] = {
    "an unknown currency": {"currency": "zzz"},
    "no currency": {"currency": None},
    "two amounts": {"unit_amount_decimal": "12.5"},
    "a negative amount": {"unit_amount": -1},
    "no number": {"unit_amount": "many"},
    "two products": {"product_data": {"name": "X"}},
    "no product": {"product": None},
    "an unknown product": {"product": "prod_none"},
}


@pytest.fixture
def asked(stripe, customer):
    """The request that sells an item at a place."""
    product = stripe.post("products", name="Team")["id"]
    monthly = stripe.post("prices", product=product, **MONTHLY)["id"]
    known = {"customer": customer, "items": [{"price": monthly}]}

    def ask(place, **item):
        path, holder, _, more = SOLD[place]
        if "{" in path or "subscription" in more:
            known["subscription"] = stripe.post("subscriptions", customer=customer, items=[{"price": monthly}])["id"]
        given = {name: known.get(name, value) for name, value in more.items()}
        if place in ("checkout", "links", "quotes"):
            item["quantity"] = 1
        inner = {"phases": [{"items": [item]}]} if holder == "phases" else {holder: [item]} if holder else item
        return path.format(**known), {**given, **inner}

    data = {place: {**(MONTHLY if SOLD[place][2] else ONCE), "product": product} for place in SOLD}
    return ask, data


@pytest.mark.parametrize("place", SOLD)
def test_a_price_is_described_wherever_something_is_sold(stripe, asked, place):
    ask, data = asked
    path, request = ask(place, price_data=data[place])
    stripe.post(path, **request)


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("place", SOLD)
def test_a_price_that_is_described_wrongly_is_refused_and_nothing_is_left(stripe, asked, place, wrong):
    ask, data = asked
    given = {name: value for name, value in {**data[place], **WRONG[wrong]}.items() if value is not None}
    path, request = ask(place, price_data=given)
    before = len(stripe.get("products")["data"])
    error = stripe.error("POST", path, **request)
    assert (error["type"], len(stripe.get("products")["data"])) == ("invalid_request_error", before)


@pytest.mark.parametrize("place", SOLD)
def test_what_is_sold_has_one_price(stripe, asked, place):
    ask, data = asked
    price = stripe.post("prices", **data[place])["id"]
    named = {"pricing": {"price": price}} if place == "invoiceitems" else {"price": price}
    path, request = ask(place, price_data=data[place], **named)
    assert "You may only specify one of these parameters" in stripe.error("POST", path, **request)["message"]
    path, request = ask(place, quantity=1)
    assert stripe.error("POST", path, **request)["type"] == "invalid_request_error"
