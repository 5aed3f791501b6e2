"""What a discount is of, and what is told of it: https://docs.stripe.com/api/discounts."""

import pytest

from ..billing.test_subscriptions import Club


@pytest.fixture
def club(stripe):
    return Club(stripe)


@pytest.fixture
def half(stripe):
    return stripe.post("coupons", percent_off=50, duration="forever")["id"]


def of(discount):
    names = ("subscription", "subscription_item", "invoice", "invoice_item")
    return {name: discount[name] for name in names if discount[name]}


def told(stripe, how):
    return [each["data"]["object"] for each in stripe.get("events", type=f"customer.discount.{how}")["data"]]


def test_a_discount_names_the_subscription_that_it_was_given_to(club, half):
    made = club.subscribe(discounts=[{"coupon": half}], expand=["discounts"])
    assert of(made["discounts"][0]) == {"subscription": made["id"]}
    assert [of(each) for each in told(club.stripe, "created")] == [{"subscription": made["id"]}]


def test_a_discount_names_the_item_that_it_was_given_to(club, half):
    items = [{"price": club.price, "discounts": [{"coupon": half}]}]
    (item,) = club.subscribe(items=items, expand=["items.data.discounts"])["items"]["data"]
    assert of(item["discounts"][0]) == {"subscription_item": item["id"]}


def test_a_discount_names_the_invoice_or_the_invoice_item_that_it_was_given_to(club, half):
    wanted = {"customer": club.customer, "discounts": [{"coupon": half}], "expand": ["discounts"]}
    draft = club.stripe.post("invoices", **wanted)
    assert of(draft["discounts"][0]) == {"invoice": draft["id"]}
    item = club.stripe.post("invoiceitems", **wanted, amount=100, currency="usd")
    assert of(item["discounts"][0]) == {"invoice_item": item["id"]}


def test_a_discount_that_is_taken_away_is_shown_as_it_was(club, half):
    made = club.subscribe(discounts=[{"coupon": half}])
    gone = club.stripe.delete(f"subscriptions/{made['id']}/discount")
    assert (gone["id"], gone["object"], gone["deleted"]) == (made["discounts"][0], "discount", True)
    assert (gone["source"], gone["subscription"], gone["customer"]) == (
        {"type": "coupon", "coupon": half},
        made["id"],
        club.customer,
    )
    assert [each["id"] for each in told(club.stripe, "deleted")] == made["discounts"]


def test_a_discount_in_whose_place_another_one_comes_is_told_to_be_gone(club, half):
    made = club.subscribe(discounts=[{"coupon": half}])
    kept = {"discounts": [{"discount": made["discounts"][0]}]}
    club.stripe.post(f"subscriptions/{made['id']}", **kept)
    assert told(club.stripe, "deleted") == []
    club.stripe.post(f"subscriptions/{made['id']}", discounts="")
    assert [each["id"] for each in told(club.stripe, "deleted")] == made["discounts"]
