"""Webhooks, discounts, pages, metafields and stock of a Shopify shop, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

LOCATION = 30_000_001
RULE = {
    "title": "TEN", "target_type": "line_item", "target_selection": "all", "allocation_method": "across",
    "value_type": "percentage", "value": "-10.0", "customer_selection": "all", "starts_at": "2026-01-01T00:00:00Z",
}  # fmt: skip
COLLECTIONS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("webhook", "webhooks", {"topic": "orders/create", "address": "https://a.test"}, {"address": "https://b.test"}),
    ("price_rule", "price_rules", RULE, {"value": "-20.0"}),
    ("smart_collection", "smart_collections", {"title": "Rye", "rules": [{"column": "tag"}]}, {"title": "Oat"}),
    ("page", "pages", {"title": "About"}, {"title": "Us"}),
    ("blog", "blogs", {"title": "News"}, {"commentable": "yes"}),
    ("redirect", "redirects", {"path": "/a", "target": "/b"}, {"target": "/c"}),
    ("script_tag", "script_tags", {"event": "onload", "src": "https://a.test/x.js"}, {"cache": True}),
    ("theme", "themes", {"name": "Dawn"}, {"role": "main"}),
    ("carrier_service", "carrier_services", {"name": "Post", "callback_url": "https://a.test"}, {"active": False}),
    ("gift_card", "gift_cards", {"initial_value": "10.00"}, {"note": "Thanks"}),
    ("metafield", "metafields", {"namespace": "a", "key": "b", "value": "c"}, {"value": "d"}),
]


@pytest.fixture
def shopify(connect: Connect) -> httpx.Client:
    return connect("shopify", "https://acme.myshopify.com/admin/api/2025-01")


@pytest.mark.parametrize(("name", "plural", "body", "changes"), COLLECTIONS)
def test_objects_of_a_collection_are_made_changed_and_removed(
    shopify: httpx.Client, name: str, plural: str, body: dict[str, Any], changes: dict[str, Any]
):
    answer = shopify.post(f"/{plural}.json", json={name: body})
    assert answer.status_code == 201, answer.text
    made = answer.json()[name]
    member = f"/{plural}/{made['id']}.json"
    assert shopify.get(f"/{plural}.json").json() == {plural: [made]}
    assert shopify.get(f"/{plural}.json", params={"since_id": made["id"]}).json() == {plural: []}
    assert shopify.get(f"/{plural}.json", params={"fields": "id"}).json() == {plural: [{"id": made["id"]}]}
    changed = shopify.put(member, json={name: changes}).json()[name]
    assert {**changed, **changes} == changed
    if name != "gift_card":
        assert [shopify.delete(member).json(), shopify.get(member).status_code] == [{}, 404]
    refused = shopify.post(f"/{plural}.json", json={name: {}})
    assert (refused.status_code, {*refused.json()["errors"]} <= {*body}) == (422, True)


def test_a_code_is_of_a_rule_and_an_article_of_a_blog(shopify: httpx.Client):
    rule = shopify.post("/price_rules.json", json={"price_rule": RULE}).json()["price_rule"]["id"]
    blog = shopify.post("/blogs.json", json={"blog": {"title": "News"}}).json()["blog"]["id"]
    code = shopify.post(f"/price_rules/{rule}/discount_codes.json", json={"discount_code": {"code": "TEN"}}).json()
    article = shopify.post(f"/blogs/{blog}/articles.json", json={"article": {"title": "Rye"}}).json()
    assert (code["discount_code"]["price_rule_id"], article["article"]["blog_id"]) == (rule, blog)
    for path in ("/price_rules/5/discount_codes.json", "/blogs/5/articles.json"):
        assert shopify.get(path).json() == {"errors": "Not Found"}
    assert [shopify.get(f"/{each}/count.json").json()["count"] for each in ("price_rules", "blogs")] == [1, 1]


def test_metafields_are_of_the_shop_or_of_a_product(shopify: httpx.Client):
    product = shopify.post("/products.json", json={"product": {"title": "Rye"}}).json()["product"]
    field = {"metafield": {"namespace": "a", "key": "b", "value": "c"}}
    path = f"/products/{product['id']}"
    made = shopify.post(f"{path}/metafields.json", json=field).json()["metafield"]
    assert (made["owner_id"], made["owner_resource"]) == (product["id"], "product")
    assert shopify.get("/metafields.json").json() == {"metafields": []}
    assert shopify.get("/products/5/metafields.json").status_code == 404
    assert shopify.get(f"{path}/variants.json").json()["variants"] == product["variants"]
    assert shopify.get(f"{path}/images.json").json() == {"images": []}


def test_stock_is_set_and_adjusted(shopify: httpx.Client):
    at = {"location_id": LOCATION, "inventory_item_id": 808}
    assert shopify.post("/inventory_levels/set.json", json={**at, "available": 5}).status_code == 200
    adjusted = shopify.post("/inventory_levels/adjust.json", json={**at, "available_adjustment": -2}).json()
    assert adjusted["inventory_level"]["available"] == 3
    listed = shopify.get("/inventory_levels.json", params={"inventory_item_ids": "808"}).json()["inventory_levels"]
    assert [each["available"] for each in listed] == [3]
    assert shopify.get("/inventory_levels.json").status_code == 422
    assert shopify.post("/inventory_levels/set.json", json=at).status_code == 422
    assert shopify.post("/inventory_levels/set.json", json={**at, "location_id": 5, "available": 1}).status_code == 404


def test_locations_are_shown(shopify: httpx.Client):
    (location,) = shopify.get("/locations.json").json()["locations"]
    assert shopify.get(f"/locations/{location['id']}.json").json() == {"location": location}
    assert [shopify.get("/locations/count.json").json(), shopify.get("/locations/5.json").status_code] == [
        {"count": 1}, 404
    ]  # fmt: skip


def test_a_customer_has_orders_and_addresses(shopify: httpx.Client):
    customer = shopify.post("/customers.json", json={"customer": {"email": "ada@acme.test"}}).json()["customer"]["id"]
    order = {"email": "ada@acme.test", "line_items": [{"price": "2.50"}]}
    made = shopify.post("/orders.json", json={"order": order}).json()["order"]["id"]
    assert [each["id"] for each in shopify.get(f"/customers/{customer}/orders.json").json()["orders"]] == [made]
    assert shopify.get(f"/customers/{customer}/addresses.json").json() == {"addresses": []}
    assert shopify.get("/customers/5/orders.json").status_code == 404
