"""The template stripe_default: a shop after six months, in which every number follows from what was done."""

import pytest


@pytest.fixture(scope="module")
def stripe(shop):
    """The shop; nothing in it is changed but by the last test."""
    return shop("stripe_default", clock={"mode": "steps", "start": "2026-07-04T12:00:00"})


def every(stripe, path, **parameters):
    """All objects of a list."""
    objects, after = [], {}
    while True:
        page = stripe.get(path, limit=100, **parameters, **after)
        objects += page["data"]
        if not page["has_more"]:
            return objects
        after = {"starting_after": objects[-1]["id"]}


def test_it_has_products_customers_and_what_they_did(stripe):
    counts = {path: len(every(stripe, path)) for path in ("products", "prices", "customers", "disputes", "refunds")}
    assert counts == {"products": 12, "prices": 37, "customers": 40, "disputes": 2, "refunds": 6}
    assert len(every(stripe, "subscriptions", status="all")) == 31
    assert len(every(stripe, "invoices", status="paid")) > 100


def test_some_things_went_wrong_in_its_last_month(stripe):
    (failed,) = stripe.get("invoices", status="open")["data"]
    assert (failed["attempt_count"], failed["amount_remaining"]) == (2, 900)
    twice = stripe.get("payment_intents/search", query="metadata['order']:'600'")["data"]
    assert [(each["amount"], each["status"]) for each in twice] == [(4900, "succeeded")] * 2


def test_its_ledger_closes(stripe):
    entries = every(stripe, "balance_transactions")
    balance = stripe.get("balance")
    held = sum(balance[name][0]["amount"] for name in ("available", "pending"))
    assert held == sum(each["net"] for each in entries)


def test_life_goes_on(stripe):
    before = len(every(stripe, "invoices", status="paid"))
    made = stripe.post("customers", name="Zora")
    stripe.advance(days=31)
    assert stripe.get("customers", limit=1)["data"][0]["id"] == made["id"]
    assert len(every(stripe, "invoices", status="paid")) > before


def test_an_environment_of_it_begins_where_it_ends(shop):
    made = shop("stripe_default")
    assert made.environment.platform.get(f"env/{made.environment.id}/clock")["now"].startswith("2026-07-04T12:0")
    assert "stripe:bill" in made.advance(days=1)
