"""Lists of what belongs to an object, which must be there: https://docs.stripe.com/api/pagination"""

import pytest

FILTERS = (
    ("charges", "customer", "cus_none", "customer"),
    ("charges", "payment_intent", "pi_none", "payment_intent"),
    ("checkout/sessions", "customer", "cus_none", "customer"),
    ("checkout/sessions", "payment_intent", "pi_none", "payment_intent"),
    ("billing/credit_grants", "customer", "cus_none", "customer"),
    ("credit_notes", "customer", "cus_none", "customer"),
    ("credit_notes", "invoice", "in_none", "invoice"),
    ("disputes", "charge", "ch_none", "charge"),
    ("disputes", "payment_intent", "pi_none", "payment_intent"),
    ("invoiceitems", "customer", "cus_none", "customer"),
    ("invoiceitems", "invoice", "in_none", "invoice"),
    ("invoices", "customer", "cus_none", "customer"),
    ("invoices", "subscription", "sub_none", "subscription"),
    ("payment_intents", "customer", "cus_none", "customer"),
    ("plans", "product", "prod_none", "product"),
    ("prices", "product", "prod_none", "product"),
    ("promotion_codes", "coupon", "none", "coupon"),
    ("promotion_codes", "customer", "cus_none", "customer"),
    ("quotes", "customer", "cus_none", "customer"),
    ("refunds", "charge", "ch_none", "charge"),
    ("refunds", "payment_intent", "pi_none", "payment_intent"),
    ("setup_intents", "customer", "cus_none", "customer"),
    ("setup_intents", "payment_method", "pm_none", "PaymentMethod"),
    ("subscription_schedules", "customer", "cus_none", "customer"),
    ("subscriptions", "customer", "cus_none", "customer"),
    ("subscriptions", "price", "price_none", "price"),
)


@pytest.mark.parametrize(("path", "name", "id", "spoken"), FILTERS)
def test_a_list_by_an_object_that_is_not_there_is_refused(stripe, path, name, id, spoken):
    error = stripe.error("GET", path, **{name: id})
    assert (error["code"], error["param"], error["message"]) == (
        "resource_missing",
        name,
        f"No such {spoken}: '{id}'",
    )


@pytest.mark.parametrize("path", ["charges", "invoices", "payment_intents", "subscriptions"])
def test_what_a_deleted_customer_has_is_listed(stripe, path):
    customer = stripe.post("customers")["id"]
    stripe.delete(f"customers/{customer}")
    assert stripe.get(path, customer=customer)["data"] == []
