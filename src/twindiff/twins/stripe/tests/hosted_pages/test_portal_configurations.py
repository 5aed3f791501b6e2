"""Configurations of the billing portal, and what its page lets customers do by them."""

import pytest

CANCEL = {"enabled": True, "mode": "immediately", "cancellation_reason": {"enabled": True, "options": ["unused"]}}


@pytest.fixture
def subscription(stripe):
    customer = stripe.post("customers", payment_method="pm_card_visa")["id"]
    method = stripe.get("payment_methods", customer=customer)["data"][0]["id"]
    every = {"currency": "usd", "unit_amount": 1000, "recurring": {"interval": "month"}}
    price = stripe.post("prices", **every, product_data={"name": "Box"})["id"]
    wanted = {"customer": customer, "items": [{"price": price}], "default_payment_method": method}
    return stripe.post("subscriptions", **wanted)


def test_what_is_not_asked_for_is_off(stripe):
    made = stripe.post("billing_portal/configurations", features={"subscription_cancel": CANCEL})
    assert {name for name, feature in made["features"].items() if feature["enabled"]} == {"subscription_cancel"}
    cancel = made["features"]["subscription_cancel"]
    assert (cancel["proration_behavior"], cancel["cancellation_reason"]["options"]) == ("none", ["unused"])
    assert (made["is_default"], made["active"], made["login_page"]) == (False, True, {"enabled": False, "url": None})


def test_a_change_leaves_what_it_does_not_name(stripe):
    profile = {"headline": "Ours", "privacy_policy_url": "https://shop.example/p"}
    features = {"subscription_cancel": CANCEL, "customer_update": {"enabled": True, "allowed_updates": ["email"]}}
    made = stripe.post("billing_portal/configurations", business_profile=profile, features=features)
    path = f"billing_portal/configurations/{made['id']}"
    wanted = {"customer_update": {"allowed_updates": ""}}
    changed = stripe.post(path, business_profile={"headline": "Yours"}, features=wanted, active=False)
    assert changed["business_profile"]["privacy_policy_url"] == "https://shop.example/p"
    assert changed["features"]["customer_update"] == {"enabled": True, "allowed_updates": []}
    assert changed["features"]["subscription_cancel"] == made["features"]["subscription_cancel"]
    refused = stripe.error("POST", "billing_portal/sessions", customer=_customer(stripe), configuration=made["id"])
    assert refused["param"] == "configuration"


def _customer(stripe):
    return stripe.post("customers")["id"]


def test_the_default_is_there_until_it_is_changed(stripe):
    (default,) = stripe.get("billing_portal/configurations", is_default=True)["data"]
    session = stripe.post("billing_portal/sessions", customer=_customer(stripe))
    assert session["configuration"] == default["id"]
    path = f"billing_portal/configurations/{default['id']}"
    assert stripe.get(path)["features"] == default["features"]
    stripe.post(path, name="Mine", login_page={"enabled": True})
    (changed,) = stripe.get("billing_portal/configurations", is_default=True)["data"]
    assert (changed["id"], changed["name"], changed["login_page"]["enabled"]) == (default["id"], "Mine", True)
    assert "default" in stripe.error("POST", path, active=False)["message"]


def test_configurations_come_in_pages(stripe):
    path, features = "billing_portal/configurations", {"invoice_history": {"enabled": True}}
    ids = [stripe.post(path, features=features)["id"] for _ in range(2)][::-1]
    ids.append(stripe.get(path, is_default=True)["data"][0]["id"])
    first = stripe.get(path, limit=2)
    assert ([each["id"] for each in first["data"]], first["has_more"]) == (ids[:2], True)
    rest = stripe.get(path, limit=2, starting_after=ids[1])
    assert ([each["id"] for each in rest["data"]], rest["has_more"]) == (ids[2:], False)
    back = stripe.get(path, limit=1, ending_before=ids[2])
    assert ([each["id"] for each in back["data"]], back["has_more"]) == (ids[1:2], True)


def test_the_page_does_what_its_configuration_says(stripe, subscription):
    configuration = stripe.post("billing_portal/configurations", features={"subscription_cancel": CANCEL})
    wanted = {"customer": subscription["customer"], "configuration": configuration["id"]}
    page = stripe.post("billing_portal/sessions", **wanted)["url"]
    client = stripe.environment.platform.client
    assert "Invoices" not in client.get(page).text
    client.post(page, data={"subscription": subscription["id"], "wish": "cancel"})
    assert stripe.get(f"subscriptions/{subscription['id']}")["status"] == "canceled"


def test_a_page_that_cancels_nothing_refuses_to(stripe, subscription):
    configuration = stripe.post("billing_portal/configurations", features={"invoice_history": {"enabled": True}})
    wanted = {"customer": subscription["customer"], "configuration": configuration["id"]}
    page = stripe.post("billing_portal/sessions", **wanted)["url"]
    client = stripe.environment.platform.client
    assert "Cancel subscription" not in client.get(page).text
    answer = client.post(page, data={"subscription": subscription["id"], "wish": "cancel"})
    assert answer.status_code == 403


def test_products_that_may_be_changed_to_must_exist(stripe):
    update = {"enabled": True, "products": [{"product": "prod_nope", "prices": ["price_nope"]}]}
    refused = stripe.error("POST", "billing_portal/configurations", features={"subscription_update": update})
    assert refused["param"] == "features[subscription_update][products][0][product]"


def test_how_many_of_a_product_customers_have_is_theirs_to_say_if_that_is_said(stripe):
    price = stripe.post(
        "prices", currency="usd", unit_amount=900, product_data={"name": "Box"}, recurring={"interval": "month"}
    )
    offered = {"product": price["product"], "prices": [price["id"]]}
    update = {"enabled": True, "default_allowed_updates": ["price"], "products": [offered]}
    features = {"subscription_update": update, "payment_method_update": {"enabled": True}}
    made = stripe.post("billing_portal/configurations", features=features)
    (shown,) = made["features"]["subscription_update"]["products"]
    assert shown == {**offered, "adjustable_quantity": {"enabled": False, "maximum": None, "minimum": 1}}
