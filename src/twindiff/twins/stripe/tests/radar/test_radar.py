"""Reviews and value lists: https://docs.stripe.com/radar/reviews, https://docs.stripe.com/radar/lists"""

import pytest
import stripe as sdk


@pytest.fixture
def client(stripe):
    return sdk.StripeClient("sk_test_shop", base_addresses={"api": stripe.url})


def risky(stripe, **fields):
    wanted = {"amount": 2000, "currency": "usd", "payment_method": "pm_card_riskLevelElevated", "confirm": True}
    return stripe.post("payment_intents", **wanted, allowed_payment_method_types=["card"], **fields)


def test_a_payment_of_elevated_risk_is_reviewed_and_approved(stripe, client):
    intent = risky(stripe, expand=["latest_charge", "review"])
    outcome, review = intent["latest_charge"]["outcome"], intent["review"]
    assert (intent["status"], outcome["type"], outcome["risk_level"]) == ("succeeded", "manual_review", "elevated")
    assert (review["open"], review["reason"], review["charge"]) == (True, "rule", intent["latest_charge"]["id"])
    assert intent["latest_charge"]["review"] == review["id"]
    assert [each.id for each in client.v1.reviews.list().data] == [review["id"]]
    approved = client.v1.reviews.approve(review["id"])
    assert (approved.open, approved.closed_reason, approved.reason) == (False, "approved", "approved")
    assert client.v1.reviews.list().data == []
    assert client.v1.reviews.retrieve(review["id"]).closed_reason == "approved"
    types = [each["type"] for each in stripe.get("events", types=["review.opened", "review.closed"])["data"]]
    assert types == ["review.closed", "review.opened"]
    assert stripe.error("POST", f"reviews/{review['id']}/approve")["param"] == "review"


@pytest.mark.parametrize(("reason", "closed"), [("fraudulent", "refunded_as_fraud"), ("duplicate", "refunded")])
def test_a_review_is_closed_once_all_is_given_back(stripe, reason, closed):
    intent = risky(stripe)
    stripe.post("refunds", payment_intent=intent["id"], amount=500, reason=reason)
    assert stripe.get(f"reviews/{intent['review']}")["open"] is True
    stripe.post("refunds", payment_intent=intent["id"], reason=reason)
    assert stripe.get(f"reviews/{intent['review']}")["closed_reason"] == closed


def test_what_is_held_is_reviewed_until_it_is_canceled(stripe):
    intent = risky(stripe, capture_method="manual")
    assert stripe.get("reviews")["data"][0]["payment_intent"] == intent["id"]
    stripe.post(f"payment_intents/{intent['id']}/cancel")
    assert stripe.get(f"reviews/{intent['review']}")["closed_reason"] == "canceled"


def test_a_value_list_has_values(client):
    made = client.v1.radar.value_lists.create({"alias": "vip", "name": "Friends", "item_type": "email"})
    for value in ("ada@shop.example", "bea@shop.example"):
        client.v1.radar.value_list_items.create({"value_list": made.id, "value": value})
    items = client.v1.radar.value_list_items
    assert [each.value for each in items.list({"value_list": made.id, "value": "ada"}).data] == ["ada@shop.example"]
    known = client.v1.radar.value_lists.list({"contains": "bea@shop.example"}).data
    assert [len(each.list_items.data) for each in known] == [2]
    assert items.delete(known[0].list_items.data[0].id).deleted is True
    changed = client.v1.radar.value_lists.update(made.id, {"name": "Guests", "metadata": {"a": "1"}})
    assert (changed.name, changed.alias, changed.metadata["a"]) == ("Guests", "vip", "1")
    assert client.v1.radar.value_lists.delete(made.id).deleted is True
    with pytest.raises(sdk.InvalidRequestError, match="No such value list"):
        client.v1.radar.value_lists.retrieve(made.id)


@pytest.mark.parametrize(
    ("item_type", "good", "bad"),
    [
        ("email", "ada@shop.example", "ada"),
        ("country", "DE", "Germany"),
        ("ip_address", "2001:db8::1", "10.0.0.300"),
        ("card_bin", "424242", "4242"),
        ("customer_id", "cus_1", "ada"),
        ("string", "anything", ""),
    ],
)
def test_a_value_is_of_the_type_of_its_list_and_there_once(stripe, item_type, good, bad):
    made = stripe.post("radar/value_lists", alias="some", name="Some", item_type=item_type)["id"]
    stripe.post("radar/value_list_items", value_list=made, value=good)
    for value in (good, bad):
        assert stripe.error("POST", "radar/value_list_items", value_list=made, value=value)["param"] == "value"
    assert stripe.error("POST", "radar/value_lists", alias="some", name="Other")["param"] == "alias"
