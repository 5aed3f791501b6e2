"""What the handlers of Shopify do, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect


@pytest.fixture
def shopify(connect: Connect) -> httpx.Client:
    return connect("shopify", "https://acme.myshopify.com/admin/api/2025-01")


def add(shopify: httpx.Client, name: str, **values: Any) -> dict[str, Any]:
    made = shopify.post(f"/{name}s.json", json={name: values})
    assert made.status_code == 201, made.text
    return made.json()[name]


def test_a_product_has_a_handle_and_variants_with_ids_of_their_own(shopify: httpx.Client):
    made = add(shopify, "product", title="Rye Bread", variants=[{"price": "3.50"}, {"price": "6.00"}])
    assert (made["handle"], [each["position"] for each in made["variants"]]) == ("rye-bread", [1, 2])
    assert len({made["id"], *(each["id"] for each in made["variants"])}) == 3
    path = f"/products/{made['id']}.json"
    changed = shopify.put(path, json={"product": {"title": "Rye", "tags": "new"}}).json()["product"]
    assert (changed["title"], changed["handle"], changed["tags"]) == ("Rye", "rye-bread", "new")
    assert shopify.get(path, params={"fields": "id,title"}).json()["product"] == {"id": made["id"], "title": "Rye"}
    assert (shopify.delete(path).json(), shopify.get(path).json()) == ({}, {"errors": "Not Found"})


def test_products_of_a_collection_are_those_that_were_added_to_it(shopify: httpx.Client):
    products = [add(shopify, "product", title=title)["id"] for title in ("One", "Two", "Three")]
    collection = add(shopify, "custom_collection", title="Home")["id"]
    add(shopify, "collect", product_id=products[1], collection_id=collection)
    of = {"collection_id": collection}
    assert [each["id"] for each in shopify.get("/products.json", params=of).json()["products"]] == [products[1]]
    assert shopify.get("/products/count.json", params=of).json() == {"count": 1}
    page = shopify.get("/products.json", params={"since_id": products[0], "limit": 1}).json()["products"]
    assert [each["id"] for each in page] == [products[1]]


def test_an_order_has_totals_of_its_lines_and_is_cancelled_once(shopify: httpx.Client):
    order = add(shopify, "order", email="ada@acme.test", line_items=[{"price": "2.50", "quantity": 2}])
    assert (order["total_price"], order["name"], order["financial_status"]) == ("5.00", "#1001", "pending")
    path = f"/orders/{order['id']}"
    assert shopify.post(f"{path}/cancel.json").json()["order"]["cancelled_at"]
    assert shopify.post(f"{path}/cancel.json").status_code == 422
    assert shopify.get(f"{path}/transactions.json").json() == {"transactions": []}


def test_what_is_empty_taken_or_unknown_is_refused_by_field(shopify: httpx.Client):
    add(shopify, "customer", email="ada@acme.test")
    bodies: list[tuple[str, Any, str]] = [
        ("customer", {"email": "ada@acme.test"}, "email"), ("product", {}, "title"),
        ("product", {"title": ""}, "title"),
        ("collect", {"product_id": 1, "collection_id": 2}, "product_id"), ("order", {"line_items": [5]}, "line_items"),
        ("product", 5, "product"), ("product", {"title": ["x"]}, "title"),
    ]  # fmt: skip
    for name, body, field in bodies:
        refused = shopify.post(f"/{name}s.json", json={name: body})
        assert (refused.status_code // 100, [*refused.json()["errors"]]) == (4, [field]), refused.text
    assert len(shopify.get("/customers/search.json", params={"query": "email:ada"}).json()["customers"]) == 1
