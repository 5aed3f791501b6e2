"""What configurations and flows of the billing portal must say."""

MONTH = {"interval": "month"}


def test_subscriptions_are_updated_where_payment_methods_are(stripe):
    said = "Cannot enable subscription updates while payment method update is disabled."
    update = {"enabled": True, "default_allowed_updates": ["price"]}
    features = {"subscription_update": update}
    assert stripe.error("POST", "billing_portal/configurations", features=features)["message"] == said
    both = {**features, "payment_method_update": {"enabled": True}}
    made = stripe.post("billing_portal/configurations", features=both)
    off = {"payment_method_update": {"enabled": False}}
    assert stripe.error("POST", f"billing_portal/configurations/{made['id']}", features=off)["message"] == said


def test_a_configuration_offers_at_most_ten_products(stripe):
    each = {"product": stripe.post("products", name="Plan")["id"], "prices": ["price_none"]}
    update = {"enabled": False, "products": [each] * 11}
    error = stripe.error("POST", "billing_portal/configurations", features={"subscription_update": update})
    assert error["message"].startswith("Array features[subscription_update][products] exceeded maximum 10")
