"""Shopify's draft orders, over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

LINE = {"title": "Bread", "price": "2.50", "quantity": 4}


@pytest.fixture
def shopify(connect: Connect) -> httpx.Client:
    return connect("shopify", "https://acme.myshopify.com/admin/api/2025-01")


def draft(shopify: httpx.Client, **values: Any) -> dict[str, Any]:
    made = shopify.post("/draft_orders.json", json={"draft_order": {"line_items": [LINE], **values}})
    assert made.status_code == 201, made.text
    return made.json()["draft_order"]


@pytest.mark.parametrize(
    ("discount", "total"),
    [
        (None, "10.00"),
        ({"value": "10", "value_type": "percentage"}, "9.00"),
        ({"value": 100, "value_type": "percentage"}, "0.00"),
        ({"value": "4.00"}, "6.00"),
        ({"value": "40.00", "value_type": "fixed_amount"}, "0.00"),
    ],
)
def test_a_draft_order_has_the_sum_of_its_lines_less_its_discount(shopify: httpx.Client, discount: Any, total: str):
    made = draft(shopify, applied_discount=discount)
    assert (made["status"], made["name"], made["total_price"], made["order_id"]) == ("open", "#D1", total, None)
    changed = shopify.put(f"/draft_orders/{made['id']}.json", json={"draft_order": {"note": "soon"}}).json()
    assert (changed["draft_order"]["note"], changed["draft_order"]["total_price"]) == ("soon", total)


@pytest.mark.parametrize(("query", "paid"), [("", "paid"), ("?payment_pending=true", "pending")])
def test_a_completed_draft_order_is_an_order_and_stays(shopify: httpx.Client, query: str, paid: str):
    customer = shopify.post("/customers.json", json={"customer": {"email": "ada@acme.test"}}).json()["customer"]["id"]
    made = draft(shopify, customer={"id": customer})
    path = f"/draft_orders/{made['id']}"
    done = shopify.put(f"{path}/complete.json{query}").json()["draft_order"]
    order = shopify.get(f"/orders/{done['order_id']}.json").json()["order"]
    assert (done["status"], order["financial_status"], order["total_price"]) == ("completed", paid, "10.00")
    assert (order["email"], order["customer"]["id"]) == ("ada@acme.test", customer)
    for refused in (
        shopify.put(f"{path}/complete.json"),
        shopify.put(f"{path}.json", json={"draft_order": {"note": "x"}}),
        shopify.post(f"{path}/send_invoice.json", json={"draft_order_invoice": {}}),
    ):
        assert (refused.status_code, "base" in refused.json()["errors"]) == (422, True)
    assert [each["id"] for each in shopify.get("/draft_orders.json?status=completed").json()["draft_orders"]] == [
        made["id"]
    ]
    assert shopify.get("/draft_orders/count.json?status=open").json() == {"count": 0}


def test_an_invoice_goes_to_the_address_of_the_draft_order(shopify: httpx.Client):
    path = f"/draft_orders/{draft(shopify, email='ada@acme.test')['id']}"
    sent = shopify.post(f"{path}/send_invoice.json", json={"draft_order_invoice": {"subject": "Pay"}})
    shown = sent.json()["draft_order_invoice"]
    assert (sent.status_code, shown["to"], shown["subject"]) == (201, "ada@acme.test", "Pay")
    assert shopify.get(f"{path}.json").json()["draft_order"]["status"] == "invoice_sent"
    nobody = shopify.post(f"/draft_orders/{draft(shopify)['id']}/send_invoice.json", json={"draft_order_invoice": {}})
    assert nobody.json() == {"errors": {"to": ["can't be blank"]}}


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"line_items": []}, 422), ({"line_items": 5}, 400), ({"line_items": [5]}, 400),
        ({"line_items": [{"title": "x"}]}, 422), ({"line_items": [{"price": "1"}]}, 422),
        ({"line_items": [{**LINE, "quantity": 0}]}, 422), ({"line_items": [{**LINE, "quantity": "many"}]}, 422),
        ({"line_items": [{**LINE, "price": -1}]}, 422), ({"line_items": [{**LINE, "price": []}]}, 422),
        ({"line_items": [{"variant_id": 5}]}, 422), ({"line_items": [{"variant_id": {}}]}, 422),
        ({"line_items": [LINE] * 501}, 422), ({"customer": {"id": 5}}, 404), ({"customer": {}}, 404),
        ({"applied_discount": 5}, 422), ({"applied_discount": {"value": "x"}}, 422),
        ({"applied_discount": {"value": 101, "value_type": "percentage"}}, 422),
        ({"applied_discount": {"value": 1, "value_type": []}}, 422), ({"email": 5}, 422), ({"note": {}}, 422),
        ({"shipping_line": {"price": {}}}, 422),
    ],
)  # fmt: skip
def test_a_draft_order_that_cannot_be_is_refused(shopify: httpx.Client, values: Any, status: int):
    answer = shopify.post("/draft_orders.json", json={"draft_order": {"line_items": [LINE], **values}})
    assert answer.status_code == status, answer.text
    assert shopify.get("/draft_orders/count.json").json() == {"count": 0}
