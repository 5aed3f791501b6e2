"""Customers and the events behind them."""


def test_a_customer_is_made_read_changed_and_deleted(stripe):
    made = stripe.post("customers", email="ada@shop.example", address={"city": "Bern", "line2": ""})
    assert made["address"]["city"] == "Bern"
    assert made["address"]["line2"] is None
    changed = stripe.post(f"customers/{made['id']}", name="Ada", email="")
    assert (changed["name"], changed["email"]) == ("Ada", None)
    stripe.delete(f"customers/{made['id']}")
    assert stripe.get(f"customers/{made['id']}") == {"id": made["id"], "object": "customer", "deleted": True}


def test_a_deleted_customer_cannot_be_changed(stripe):
    made = stripe.post("customers")
    stripe.delete(f"customers/{made['id']}")
    assert stripe.error("POST", f"customers/{made['id']}", 404, name="Ada")["code"] == "resource_missing"


def test_an_update_says_what_was_before(stripe):
    made = stripe.post("customers", name="Before", metadata={"a": 1, "b": 2})
    stripe.post(f"customers/{made['id']}", name="After", metadata={"a": 3})
    (event,) = stripe.get("events", type="customer.updated")["data"]
    assert event["data"]["previous_attributes"] == {"name": "Before", "metadata": {"a": "1"}}
    assert event["request"]["id"].startswith("req_")


def test_an_update_that_changes_nothing_tells_nobody(stripe):
    made = stripe.post("customers", name="Ada")
    stripe.post(f"customers/{made['id']}", name="Ada")
    assert stripe.get("events", type="customer.updated")["data"] == []


def test_an_invoice_prefix_belongs_to_one_customer(stripe):
    holder = stripe.post("customers", invoice_prefix="ABC123")
    refused = stripe.error("POST", "customers", invoice_prefix="ABC123")
    assert holder["id"] in refused["message"]
    assert stripe.error("POST", "customers", invoice_prefix="a")["message"].startswith("Invoice number prefix must be")


def test_an_address_that_is_none_is_refused(stripe):
    assert stripe.error("POST", "customers", email="nobody")["code"] == "email_invalid"


def test_customers_are_listed_by_email(stripe):
    made = stripe.post("customers", email="ada@shop.example")
    stripe.post("customers", email="bea@shop.example")
    assert [each["id"] for each in stripe.get("customers", email="ada@shop.example")["data"]] == [made["id"]]


def test_a_customer_is_made_with_what_invoices_are_paid_with(stripe):
    settings = {"default_payment_method": "pm_card_visa"}
    made = stripe.post("customers", payment_method="pm_card_visa", invoice_settings=settings)
    method = stripe.get(f"payment_methods/{made['invoice_settings']['default_payment_method']}")
    assert (method["customer"], method["card"]["last4"]) == (made["id"], "4242")


def test_invoices_are_paid_with_a_payment_method_of_the_customers(stripe):
    other = stripe.post("customers", payment_method="pm_card_visa")["id"]
    method = stripe.get(f"customers/{other}/payment_methods")["data"][0]["id"]
    customer = stripe.post("customers")["id"]
    error = stripe.error("POST", f"customers/{customer}", invoice_settings={"default_payment_method": method})
    assert (error["code"], error["param"]) == ("resource_missing", "invoice_settings[default_payment_method]")
    assert error["message"].startswith(f"The customer does not have a payment method with the ID {method}.")


def test_a_card_token_is_no_source_of_a_customer(stripe):
    assert "has reached end of life" in stripe.error("POST", "customers", 400, source="tok_visa")["message"]


def test_subscriptions_end_with_their_customer(stripe):
    customer = stripe.post("customers", payment_method="pm_card_visa")["id"]
    method = stripe.get("payment_methods", customer=customer)["data"][0]["id"]
    every = {"currency": "usd", "unit_amount": 1000, "recurring": {"interval": "month"}}
    price = stripe.post("prices", **every, product_data={"name": "Box"})["id"]
    wanted = {"customer": customer, "items": [{"price": price}], "default_payment_method": method}
    made = stripe.post("subscriptions", **wanted)
    stripe.delete(f"customers/{customer}")
    assert stripe.get(f"subscriptions/{made['id']}")["status"] == "canceled"
    types = [each["type"] for each in stripe.get("events", limit=2)["data"]]
    assert types == ["customer.deleted", "customer.subscription.deleted"]


def test_a_customer_shows_more_where_it_is_asked_to(stripe):
    customer = stripe.post("customers", tax_id_data=[{"type": "eu_vat", "value": "DE123456789"}])["id"]
    names = ["cash_balance", "sources", "subscriptions", "tax", "tax_ids"]
    asked = stripe.get(f"customers/{customer}", expand=names)
    assert [asked[name]["data"] for name in ("sources", "subscriptions")] == [[], []]
    assert asked["tax_ids"]["data"][0]["value"] == "DE123456789"
    assert asked["tax"]["automatic_tax"] == "unrecognized_location"
    assert asked["cash_balance"]["available"] is None


def test_invoices_have_what_their_customer_has_for_them(stripe):
    settings = {"footer": "Thanks", "custom_fields": [{"name": "PO", "value": "7"}]}
    tax_id = {"type": "eu_vat", "value": "DE123456789"}
    customer = stripe.post("customers", invoice_settings=settings, tax_id_data=[tax_id])["id"]
    invoice = stripe.post("invoices", customer=customer)
    assert {name: invoice[name] for name in settings} == settings
    assert invoice["customer_tax_ids"] == [tax_id]
    assert stripe.post("invoices", customer=customer, footer="Bye")["footer"] == "Bye"


def test_no_customer_has_a_discount_of_its_own(stripe):
    customer = stripe.post("customers")["id"]
    assert stripe.error("DELETE", f"customers/{customer}/discount", 404)["code"] == "resource_missing"
