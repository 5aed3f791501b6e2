"""Standing orders, over HTTP and in time."""

import httpx

from twindiff.client import Environment

RENT = {"from_account": "cash", "to_account": "flowers", "amount": 1000, "every_days": 7}


def test_entries_are_posted_when_their_time_has_come(client: httpx.Client, shop: Environment):
    order = client.post("/standing_orders", json={**RENT, "first_at": "2026-03-03T08:00:00"}).json()
    shop.advance(to="2026-03-11T00:00:00")
    posted = client.get("/entries", params={"account": "flowers"}).json()["data"]
    assert [(each["posted_at"], each["memo"]) for each in posted] == [
        ("2026-03-03T08:00:00", f"Standing order {order['id']}"),
        ("2026-03-10T08:00:00", f"Standing order {order['id']}"),
    ]
    assert client.get("/standing_orders").json()["data"][0]["next_at"] == "2026-03-17T08:00:00"


def test_an_order_ends_with_its_account(client: httpx.Client, shop: Environment):
    client.post("/standing_orders", json={**RENT, "first_at": "2026-03-03T08:00:00"})
    client.patch("/accounts/flowers", json={"closed": True})
    shop.advance(until="idle")
    assert client.get("/standing_orders").json() == {"data": []}


def test_an_order_that_is_deleted_posts_nothing(client: httpx.Client, shop: Environment):
    order = client.post("/standing_orders", json={**RENT, "first_at": "2026-03-03T08:00:00"}).json()
    assert client.delete(f"/standing_orders/{order['id']}").status_code == 204
    shop.advance(until="idle")
    assert client.get("/entries", params={"account": "flowers"}).json()["data"] == []
    assert client.delete("/standing_orders/none").json()["error"] == "standing_order_not_found"


def test_an_order_needs_a_time_and_an_amount(client: httpx.Client):
    for wrong in ({"first_at": "tomorrow"}, {"first_at": "2026-03-03T08:00:00", "amount": 0}):
        assert client.post("/standing_orders", json={**RENT, **wrong}).status_code == 400
