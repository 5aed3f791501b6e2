"""Features of products, and who has them."""

import pytest
import stripe as sdk


@pytest.fixture
def product(stripe):
    return stripe.post("products", name="Plan")["id"]


def feature(stripe, key):
    return stripe.post("entitlements/features", lookup_key=key, name=key.title())


def subscribe(stripe, customer, product):
    price = {"currency": "usd", "unit_amount": 900, "recurring": {"interval": "month"}, "product": product}
    price = stripe.post("prices", **price)["id"]
    due = {"collection_method": "send_invoice", "days_until_due": 7}
    return stripe.post("subscriptions", customer=customer, items=[{"price": price}], **due)["id"]


def keys(stripe, customer):
    rows = stripe.get("entitlements/active_entitlements", customer=customer)["data"]
    return [each["lookup_key"] for each in rows]


def test_a_subscriber_has_the_features_of_the_product_until_the_end(stripe, product):
    made = feature(stripe, "api")
    stripe.post(f"products/{product}/features", entitlement_feature=made["id"])
    customer = stripe.post("customers")["id"]
    subscription = subscribe(stripe, customer, product)
    active = stripe.get("entitlements/active_entitlements", customer=customer, expand=["data.feature"])["data"]
    assert [each["feature"]["id"] for each in active] == [made["id"]]
    told = stripe.get("events", type="entitlements.active_entitlement_summary.updated")["data"]
    assert told[0]["data"]["object"]["entitlements"]["data"][0]["lookup_key"] == "api"
    stripe.delete(f"subscriptions/{subscription}")
    assert keys(stripe, customer) == []
    assert len(stripe.get("events", type="entitlements.active_entitlement_summary.updated")["data"]) == 2


def test_another_product_brings_other_features(stripe, product):
    larger = stripe.post("products", name="Larger")["id"]
    for owner, key in ((product, "small"), (larger, "large")):
        stripe.post(f"products/{owner}/features", entitlement_feature=feature(stripe, key)["id"])
    customer = stripe.post("customers")["id"]
    id = subscribe(stripe, customer, product)
    item = stripe.get(f"subscriptions/{id}")["items"]["data"][0]["id"]
    price = {"currency": "usd", "unit_amount": 1900, "recurring": {"interval": "month"}, "product": larger}
    stripe.post(f"subscriptions/{id}", items=[{"id": item, "price": stripe.post("prices", **price)["id"]}])
    assert keys(stripe, customer) == ["large"]


def test_features_have_keys_of_their_own_and_are_archived(stripe, product):
    made = feature(stripe, "api")
    assert stripe.error("POST", "entitlements/features", lookup_key="api", name="Other")["param"] == "lookup_key"
    stripe.post(f"entitlements/features/{made['id']}", active=False, name="Old")
    assert stripe.get("entitlements/features")["data"] == []
    assert stripe.get("entitlements/features", archived=True)["data"][0]["name"] == "Old"
    error = stripe.error("POST", f"products/{product}/features", entitlement_feature=made["id"])
    assert error["param"] == "entitlement_feature"


def test_the_client_attaches_and_detaches_a_feature(stripe, product):
    client = sdk.StripeClient("sk_test_shop", base_addresses={"api": stripe.url})
    made = client.v1.entitlements.features.create({"lookup_key": "api", "name": "API"})
    attached = client.v1.products.features.create(product, {"entitlement_feature": made.id})
    assert attached.entitlement_feature.lookup_key == "api"
    assert [each.id for each in client.v1.products.features.list(product).data] == [attached.id]
    assert client.v1.products.features.delete(product, attached.id).deleted
    assert stripe.get(f"products/{product}/features")["data"] == []
