"""What the handlers of Shopify do, called over HTTP."""

from base64 import urlsafe_b64encode
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


def test_lists_are_filtered_and_lead_from_page_to_page_by_their_link(shopify: httpx.Client):
    for title in ("One", "Two", "Three"):
        add(shopify, "product", title=title, vendor="Mill")
    add(shopify, "product", title="Four", vendor="Other")
    first = shopify.get("/products.json", params={"limit": 2, "vendor": "Mill"})
    assert "previous" not in first.links
    second = shopify.get(first.links["next"]["url"])
    assert [each["title"] for each in second.json()["products"]] == ["Three"]
    assert "next" not in second.links
    assert shopify.get(second.links["previous"]["url"]).json() == first.json()
    assert [each["title"] for each in shopify.get("/products.json?title=Four").json()["products"]] == ["Four"]
    assert shopify.get("/products.json", params={"page_info": "x"}).status_code == 400
    cursor = httpx.URL(first.links["next"]["url"]).params["page_info"]
    assert shopify.get("/products.json", params={"page_info": cursor, "title": "One"}).status_code == 400


def test_variants_are_added_changed_and_removed_and_one_stays(shopify: httpx.Client):
    product = add(shopify, "product", title="Rye", variants=[{"option1": "S", "price": "1.00"}])
    path = f"/products/{product['id']}/variants"
    made = shopify.post(f"{path}.json", json={"variant": {"option1": "L", "price": "2.00"}}).json()["variant"]
    assert (made["title"], made["position"], made["product_id"]) == ("L", 2, product["id"])
    assert shopify.post(f"{path}.json", json={"variant": {"option1": "L"}}).status_code == 422
    shopify.put(f"/variants/{made['id']}.json", json={"variant": {"id": made["id"], "price": "2.50"}})
    assert shopify.get(f"{path}/{made['id']}.json").json()["variant"]["price"] == "2.50"
    assert shopify.delete(f"{path}/{made['id']}.json").json() == {}
    assert shopify.get(f"/variants/{made['id']}.json").status_code == 404
    assert shopify.delete(f"{path}/{product['variants'][0]['id']}.json").status_code == 422


def test_images_are_kept_by_their_address(shopify: httpx.Client):
    path = f"/products/{add(shopify, 'product', title='Rye')['id']}"
    made = shopify.post(f"{path}/images.json", json={"image": {"src": "https://shop.example/rye.png"}}).json()["image"]
    assert shopify.get(f"{path}.json").json()["product"]["image"] == made
    assert shopify.post(f"{path}/images.json", json={"image": {"attachment": "aGk="}}).status_code == 501
    assert shopify.post(f"{path}/images.json", json={"image": {}}).status_code == 422


def test_an_order_takes_prices_of_variants_and_is_its_customers(shopify: httpx.Client):
    variant = add(shopify, "product", title="Rye", variants=[{"price": "2.50"}])["variants"][0]
    customer = add(shopify, "customer", email="ada@acme.test")
    lines = [{"variant_id": variant["id"], "quantity": 2}]
    order = add(shopify, "order", line_items=lines, customer={"id": customer["id"]})
    assert (order["total_price"], order["email"]) == ("5.00", "ada@acme.test")
    assert (order["line_items"][0]["title"], order["customer"]["id"]) == ("Rye", customer["id"])
    listed = shopify.get(f"/customers/{customer['id']}/orders.json").json()["orders"]
    assert [each["id"] for each in listed] == [order["id"]]


def test_payments_make_an_order_paid_and_refunded(shopify: httpx.Client):
    order = add(shopify, "order", line_items=[{"price": "2.50", "quantity": 2}])
    path = f"/orders/{order['id']}"
    statuses: list[str] = []
    for kind, amount in (("authorization", "5"), ("capture", "2"), ("sale", "3"), ("refund", "1"), ("refund", "4")):
        made = shopify.post(f"{path}/transactions.json", json={"transaction": {"kind": kind, "amount": amount}})
        assert made.status_code == 201, made.text
        statuses.append(shopify.get(f"{path}.json").json()["order"]["financial_status"])
    assert statuses == ["authorized", "partially_paid", "paid", "partially_refunded", "refunded"]
    assert shopify.post(f"{path}/transactions.json", json={"transaction": {"kind": "gift"}}).status_code == 422
    assert shopify.get("/orders.json?financial_status=refunded").json()["orders"][0]["id"] == order["id"]


def test_lines_of_an_order_are_fulfilled_once(shopify: httpx.Client):
    order = add(shopify, "order", line_items=[{"price": "1", "quantity": 2}, {"price": "1"}])
    path = f"/orders/{order['id']}"
    [todo] = shopify.get(f"{path}/fulfillment_orders.json").json()["fulfillment_orders"]
    assert (todo["status"], [each["fulfillable_quantity"] for each in todo["line_items"]]) == ("open", [2, 1])

    def fulfill(**lines: Any) -> httpx.Response:
        wanted = {"fulfillment_order_id": todo["id"], **lines}
        body = {"line_items_by_fulfillment_order": [wanted], "tracking_info": {"number": "T1"}}
        return shopify.post("/fulfillments.json", json={"fulfillment": body})

    part = [{"id": todo["line_items"][0]["id"], "quantity": 1}]
    assert fulfill(fulfillment_order_line_items=part).json()["fulfillment"]["tracking_number"] == "T1"
    assert shopify.get(f"{path}.json").json()["order"]["fulfillment_status"] == "partial"
    assert fulfill(fulfillment_order_line_items=[{**part[0], "quantity": 2}]).status_code == 422
    assert fulfill().status_code == 201
    assert shopify.get(f"{path}.json").json()["order"]["fulfillment_status"] == "fulfilled"
    assert fulfill().status_code == 422
    assert len(shopify.get(f"{path}/fulfillments.json").json()["fulfillments"]) == 2
    assert shopify.get("/orders.json?fulfillment_status=shipped").json()["orders"][0]["id"] == order["id"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/orders.json", {"order": {"line_items": [{"title": "Tea", "quantity": "2.5"}]}}, 422),
        ("/orders.json", {"order": {"line_items": [{"title": "Tea", "quantity": "nan"}]}}, 422),
        ("/orders.json", {"order": {"line_items": [{"title": "Tea", "quantity": -1}]}}, 422),
        ("/orders.json", {"order": {"line_items": [{"title": "Tea", "price": "inf"}]}}, 422),
        ("/orders.json", {"order": {"line_items": [{"title": "Tea"}], "fulfillments": [5]}}, 501),
        ("/products.json", {"product": {"title": "Tea", "images": 5}}, 400),
        ("/products.json", {"product": {"title": "Tea", "images": [5]}}, 400),
        ("/orders/{order}/transactions.json", {"transaction": {"kind": "sale", "amount": "nan"}}, 422),
        ("/orders/{order}/transactions.json", {"transaction": {"kind": "sale", "amount": "1e400"}}, 422),
    ],
)  # fmt: skip
def test_odd_values_of_orders_products_and_payments_are_refused(shopify, path, body, status):
    order = add(shopify, "order", line_items=[{"title": "Tea"}])["id"]
    assert shopify.post(path.replace("{order}", str(order)), json=body).status_code == status


@pytest.mark.parametrize(
    ("named", "more", "status"),
    [(None, {"tracking_info": "x"}, 400), ("9" * 5000, {}, 422), ("x", {}, 422), (None, {"tracking_info": None}, 201)],
)
def test_a_fulfilment_names_its_order_and_has_tracking_as_an_object(shopify, named, more, status):
    order = add(shopify, "order", line_items=[{"title": "Tea"}])["id"]
    (waiting,) = shopify.get(f"/orders/{order}/fulfillment_orders.json").json()["fulfillment_orders"]
    wanted = [{"fulfillment_order_id": named or waiting["id"]}]
    asked = {"fulfillment": {"line_items_by_fulfillment_order": wanted, **more}}
    assert shopify.post("/fulfillments.json", json=asked).status_code == status


def test_the_ids_of_an_orders_lines_are_numbers_whatever_it_gives(shopify):
    order = add(shopify, "order", line_items=[{"id": "x", "title": "Tea"}])
    (waiting,) = shopify.get(f"/orders/{order['id']}/fulfillment_orders.json").json()["fulfillment_orders"]
    assert waiting["line_items"][0]["line_item_id"] == order["line_items"][0]["id"] > 0


@pytest.mark.parametrize("cursor", ["start=abc", "since_id=x&start=0", "x", "collection_id=x&start=0", "start=-5"])
def test_a_cursor_that_no_list_gave_is_refused(shopify, cursor):
    answer = shopify.get("/products.json", params={"page_info": urlsafe_b64encode(f"products:{cursor}".encode())})
    assert (answer.status_code, answer.json()) == (400, {"errors": {"page_info": ["Invalid value."]}})
