"""What cannot be done with something in its state, in Stripe's words."""

import pytest

CARD = {"amount": 2000, "currency": "usd", "payment_method_types": ["card"]}
OPEN = "requires_payment_method, requires_confirmation, requires_action"


@pytest.fixture
def paid(stripe):
    """A PaymentIntent that has succeeded."""
    return stripe.post("payment_intents", **CARD, payment_method="pm_card_visa", confirm=True)["id"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("amount", 3000),
        ("capture_method", "manual"),
        ("currency", "eur"),
        ("payment_method", "pm_card_mastercard"),
        ("payment_method_types", ["card"]),
    ],
)
def test_how_an_intent_was_paid_is_changed_no_more(stripe, paid, name, value):
    error = stripe.error("POST", f"payment_intents/{paid}", **{name: value})
    assert (error["code"], error["param"]) == ("payment_intent_unexpected_state", name)
    assert error["message"] == (
        f"This PaymentIntent's {name} could not be updated because it has a status of succeeded. You may only update "
        f"the {name} of a PaymentIntent with one of the following statuses: {OPEN}."
    )
    assert stripe.get(f"payment_intents/{paid}")["status"] == "succeeded"


def test_what_is_written_on_a_paid_intent_may_change(stripe, paid):
    assert stripe.post(f"payment_intents/{paid}", description="Two caps")["description"] == "Two caps"


def test_a_canceled_intent_cannot_be_paid_after_all(stripe):
    intent = stripe.post("payment_intents", **CARD)["id"]
    stripe.post(f"payment_intents/{intent}/cancel")
    for path in (f"payment_intents/{intent}", f"payment_intents/{intent}/confirm"):
        error = stripe.error("POST", path, payment_method="pm_card_visa")
        assert error["message"].startswith(
            "This PaymentIntent's payment_method could not be updated because it has a status of canceled."
        )
    assert stripe.get(f"payment_intents/{intent}")["status"] == "canceled"


def test_a_setup_intent_that_succeeded_keeps_its_payment_method(stripe):
    made = stripe.post("setup_intents", payment_method_types=["card"], payment_method="pm_card_visa", confirm=True)
    error = stripe.error("POST", f"setup_intents/{made['id']}", payment_method="pm_card_mastercard")
    assert (error["code"], error["message"]) == (
        "setup_intent_unexpected_state",
        "You cannot update this SetupIntent because it has already succeeded.",
    )
    error = stripe.error("POST", f"setup_intents/{made['id']}/confirm")
    assert error["message"] == "You cannot confirm this SetupIntent because it has already succeeded."
    assert stripe.get(f"setup_intents/{made['id']}")["payment_method"] == made["payment_method"]


def test_a_setup_intent_that_may_redirect_needs_a_way_back(stripe):
    intent = stripe.post("setup_intents")["id"]
    error = stripe.error("POST", f"setup_intents/{intent}/confirm", payment_method="pm_card_visa")
    assert error["message"].startswith("This SetupIntent is configured to accept payment methods enabled in your Dash")
    given = {"payment_method": "pm_card_visa", "return_url": "https://shop.example"}
    assert stripe.post(f"setup_intents/{intent}/confirm", **given)["status"] == "succeeded"


def test_an_invoice_is_void_only_after_it_was_open(stripe):
    customer = stripe.post("customers")["id"]
    draft = stripe.post("invoices", customer=customer)["id"]
    error = stripe.error("POST", f"invoices/{draft}/void")
    assert error["message"] == "You can only pass in open invoices. This invoice isn't open."


def test_a_type_that_is_never_paid_in_a_currency_is_refused(stripe):
    error = stripe.error("POST", "payment_intents", amount=2000, currency="usd", payment_method_types=["bancontact"])
    assert error["message"] == (
        "The currency provided (usd) is invalid. Payments with bancontact support the following currencies: eur."
    )


def test_a_receipt_goes_to_an_email_address(stripe):
    error = stripe.error("POST", "payment_intents", amount=2000, currency="usd", receipt_email="nobody")
    assert (error["code"], error["param"]) == ("email_invalid", "receipt_email")


@pytest.mark.parametrize("param", ["address[country]", "shipping[address][country]"])
def test_a_country_is_a_code_of_two_letters(stripe, param):
    address = {"country": "Germany"}
    given = {"address": address} if param.startswith("address") else {"shipping": {"name": "Ada", "address": address}}
    error = stripe.error("POST", "customers", **given)
    assert (error["param"], error["message"][:29]) == (param, "Country 'Germany' is unknown.")


@pytest.mark.parametrize(("key", "shown"), [("sk_live_abcdef1234", "sk_live_******1234"), ("sk_bogus", "****ogus")])
def test_a_key_that_is_not_for_test_mode_is_refused_without_showing_it(stripe, key, shown):
    answer = stripe.environment.ask("v1/customers", verb="GET", twin="stripe", token=key)
    assert answer.status_code == 401
    assert answer.json()["error"]["message"] == f"Invalid API Key provided: {shown}"


def test_a_draft_is_not_given_up(stripe):
    draft = stripe.post("invoices", customer=stripe.post("customers")["id"])["id"]
    error = stripe.error("POST", f"invoices/{draft}/mark_uncollectible")
    assert error["message"] == "You can only pass in open invoices. This invoice isn't open."


def test_a_setup_intent_says_what_it_is_missing(stripe):
    customer = stripe.post("customers")["id"]
    without = stripe.post("setup_intents")["id"]
    error = stripe.error("POST", f"setup_intents/{without}/confirm")
    assert error["message"].endswith("or confirm it again directly with a payment method or ConfirmationToken.")
    owned = stripe.post("setup_intents", customer=customer)["id"]
    assert (
        f"To confirm the SetupIntent with {customer}"
        in stripe.error("POST", f"setup_intents/{owned}/confirm")["message"]
    )


def test_a_setup_intent_takes_no_payment_method_of_another_customer(stripe):
    owner, other = stripe.post("customers")["id"], stripe.post("customers")["id"]
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=owner)["id"]
    error = stripe.error("POST", "setup_intents", payment_method=method)
    assert f"{method} belongs to the Customer {owner}" in error["message"]
    error = stripe.error("POST", "setup_intents", customer=other, payment_method=method)
    assert f"{method} does not belong to the Customer you supplied {other}" in error["message"]


@pytest.mark.parametrize("kind", ["payment_intent", "setup_intent"])
def test_a_type_that_there_is_none_of_is_refused(stripe, kind):
    given = {"amount": 2000, "currency": "usd"} if kind == "payment_intent" else {}
    error = stripe.error("POST", f"{kind}s", **given, payment_method_types=["beads"])
    assert (error["code"], error["message"][:51]) == (
        f"{kind}_invalid_parameter", "The payment method type provided: beads is invalid.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("card", "code"), [({"exp_month": 13}, "invalid_expiry_month"), ({"exp_year": 2000}, "invalid_expiry_year")]
)
def test_a_card_is_not_changed_to_what_is_over(stripe, card, code):
    method = stripe.post("payment_methods", type="card", card={"token": "tok_visa"})["id"]
    assert stripe.error("POST", f"payment_methods/{method}", 402, card=card)["code"] == code


def test_payment_methods_are_listed_by_a_type_that_there_is(stripe):
    customer = stripe.post("customers")["id"]
    assert stripe.error("GET", "payment_methods", customer=customer, type="beads")["param"] == "type"


def test_nothing_is_sold_of_a_product_that_is_not_active(stripe):
    customer, product = stripe.post("customers")["id"], stripe.post("products", name="Mug")["id"]
    price = stripe.post("prices", product=product, currency="usd", unit_amount=5, recurring={"interval": "month"})["id"]
    stripe.post(f"products/{product}", active=False)
    error = stripe.error("POST", "subscriptions", customer=customer, items=[{"price": price}])
    assert error["message"] == f"Price `{price}` is not available to be purchased because its product is not active."


@pytest.mark.parametrize(
    "given", [{"trial_end": "now", "trial_period_days": 3}, {"cancel_at": 1900000000, "cancel_at_period_end": True}]
)
def test_one_of_two_ways_is_chosen(stripe, given):
    customer, product = stripe.post("customers")["id"], stripe.post("products", name="Mug")["id"]
    data = {"product": product, "currency": "usd", "unit_amount": 0, "recurring": {"interval": "year"}}
    error = stripe.error("POST", "subscriptions", customer=customer, items=[{"price_data": data}], **given)
    assert error["message"] == f"You may only specify one of these parameters: {', '.join(sorted(given))}."


@pytest.mark.parametrize("path", ["payment_intents", "setup_intents"])
def test_an_intent_keeps_the_customer_that_it_has(stripe, path):
    one, two = (stripe.post("customers")["id"] for _ in range(2))
    given = {"amount": 500, "currency": "usd"} if path == "payment_intents" else {}
    intent = f"{path}/{stripe.post(path, **given)['id']}"
    assert stripe.post(intent, customer=one)["customer"] == one
    error = stripe.error("POST", intent, customer=two)
    assert (error["param"], "once it already has been set" in error["message"]) == ("customer", True)


def test_the_default_price_of_a_product_is_not_archived(stripe):
    product = stripe.post("products", name="Mug", default_price_data={"currency": "usd", "unit_amount": 500})
    price = product["default_price"]
    error = stripe.error("POST", f"prices/{price}", active=False)
    assert error["message"] == "This price cannot be archived because it is the default price of its product."
    other = stripe.post("prices", product=product["id"], currency="usd", unit_amount=600)["id"]
    stripe.post(f"products/{product['id']}", default_price=other)
    assert stripe.post(f"prices/{price}", active=False)["active"] is False


def test_a_held_charge_is_captured_by_its_intent(stripe):
    given = {
        "amount": 500,
        "currency": "usd",
        "payment_method": "pm_card_visa",
        "allowed_payment_method_types": ["card"],
    }
    held = stripe.post("payment_intents", **given, confirm=True, capture_method="manual")
    error = stripe.error("POST", f"charges/{held['latest_charge']}/capture")
    assert error["message"].startswith(f"This uncaptured Charge was created by a PaymentIntent ({held['id']}).")
    assert stripe.post(f"payment_intents/{held['id']}/capture")["status"] == "succeeded"


def test_the_last_item_of_a_subscription_stays(stripe):
    product = stripe.post("products", name="Mug")["id"]
    data = {"product": product, "currency": "usd", "unit_amount": 0, "recurring": {"interval": "year"}}
    made = stripe.post("subscriptions", customer=stripe.post("customers")["id"], items=[{"price_data": data}])
    item = made["items"]["data"][0]["id"]
    refused = [
        stripe.error("DELETE", f"subscription_items/{item}"),
        stripe.error("POST", f"subscriptions/{made['id']}", items=[{"id": item, "deleted": True}]),
    ]
    assert {each["message"].partition(". ")[2] for each in refused} == {
        "To cancel a subscription, please use the cancel API endpoint on /v1/subscriptions."
    }
