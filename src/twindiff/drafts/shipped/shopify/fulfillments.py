"""Payments and fulfilments of orders.

An order has one fulfilment order, whose id follows from its own.
https://shopify.dev/docs/api/admin-rest/latest/resources/transaction, /fulfillmentorder, /fulfillment
"""

from __future__ import annotations

import re
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .admin import ORDER, find_object, next_id, show_object
from .collections import LOCATION
from .tables import ShopifyOrderPart
from .wire_style import ShopifyError, read_number, read_object, show_time

api = Operations(prefix="/admin")
Shown = dict[str, Any]
_BODY = Annotated[dict[str, Any], Body]
_KINDS = ("authorization", "capture", "sale", "void", "refund")
FULFILLMENT_ORDER = 1_000_000_000_000
"""What is added to the id of an order, or of its line, for that of its fulfilment order, or of the line there."""


def _read_amount(value: Any) -> float:
    return round(read_number(value, {"amount": ["is not a number"]}), 2)


def _financial_status(total: float, parts: list[Shown]) -> str:
    """Return what the payments of an order make it."""

    def add_up(*kinds: str) -> float:
        return sum(float(each["amount"]) for each in parts if each["kind"] in kinds and each["status"] == "success")

    paid, refunded = add_up("sale", "capture"), add_up("refund")
    if refunded:
        return "refunded" if refunded >= paid else "partially_refunded"
    if paid:
        return "paid" if paid >= total else "partially_paid"
    if any(each["kind"] == "void" for each in parts):
        return "voided"
    return "authorized" if add_up("authorization") else "pending"


@api.post("/orders/{order_id}/transactions.json", status=201)
def post_transaction(call: Call, order_id: str, body: _BODY) -> Shown:
    """Add a payment to an order, which it may make paid, or refunded."""
    order, given = find_object(call, ORDER, order_id), read_object(body, "transaction")
    if given.get("kind") not in _KINDS:
        raise ShopifyError(422, {"kind": ["is not included in the list"]})
    total = _read_amount(order.details.get("total_price", 0))
    now = call.clock.iso()
    details = {
        "gateway": "manual", "status": "success", "currency": order.details.get("currency", "USD"), "test": False,
        "parent_id": None, **given, "amount": f"{_read_amount(given.get('amount', total)):.2f}",
    }  # fmt: skip
    own = {"kind", "id", "order_id", "created_at", "updated_at"}
    stored = {name: value for name, value in details.items() if name not in own or name == "kind"}
    part = ShopifyOrderPart(
        id=next_id(call), kind="transaction", order_id=order.id, details=stored, created_at=now, updated_at=now
    )
    call.db.add(part)
    rows = call.db.rows(ShopifyOrderPart, ShopifyOrderPart.order_id == order.id, order=ShopifyOrderPart.id)
    parts = [cast(Shown, row.details) for row in rows if row.kind == "transaction"]
    known = [each for each in parts if {"kind", "status", "amount"} <= each.keys()]
    call.db.change(order, financial_status=_financial_status(total, known), updated_at=now)
    return {"transaction": show_object(part)}


def _count_unshipped(order: Any) -> dict[int, int]:
    """Return how much of each line of an order is not yet fulfilled, by the line's id."""
    lines = cast(list[Shown], order.details.get("line_items", ()))
    left = {each["id"]: int(each["quantity"]) for each in lines}
    for fulfillment in cast(list[Shown], order.details.get("fulfillments", ())):
        for line in fulfillment.get("line_items", ()):
            if fulfillment.get("status") == "success" and line["id"] in left:
                left[line["id"]] -= int(line["quantity"])
    return left


@api.get("/orders/{order_id}/fulfillment_orders.json")
def list_fulfillment_orders(call: Call, order_id: str) -> Shown:
    """List the fulfilment order of an order."""
    order = find_object(call, ORDER, order_id)
    left, id = _count_unshipped(order), FULFILLMENT_ORDER + order.id
    lines = [
        {"id": FULFILLMENT_ORDER + each["id"], "fulfillment_order_id": id, "line_item_id": each["id"],
         "variant_id": each.get("variant_id"), "quantity": each["quantity"], "fulfillable_quantity": left[each["id"]]}
        for each in order.details.get("line_items", ())
    ]  # fmt: skip
    is_ended = bool(order.details.get("cancelled_at"))
    status = "cancelled" if is_ended else "open" if left == {} or any(left.values()) else "closed"
    shown = {"id": id, "order_id": order.id, "assigned_location_id": LOCATION, "request_status": "unsubmitted"}
    times = {name: show_time(getattr(order, name)) for name in ("created_at", "updated_at")}
    return {"fulfillment_orders": [{**shown, "status": status, "line_items": lines, **times}]}


def _wanted_of(given: Shown) -> tuple[str, dict[int, int]]:
    """Return the order that a body fulfils, and how much of each line. Raises ShopifyError."""
    listed: Any = given.get("line_items_by_fulfillment_order")
    named: Any = cast(list[Any], listed)[0] if isinstance(listed, list) and len(cast(list[Any], listed)) == 1 else None
    said = str(cast(Shown, named).get("fulfillment_order_id")) if isinstance(named, dict) else ""
    if not re.fullmatch(r"\d{1,18}", said, re.ASCII):
        raise ShopifyError(422, {"line_items_by_fulfillment_order": ["must name one fulfillment order"]})
    lines: Any = cast(Shown, named).get("fulfillment_order_line_items")
    order_id = str(int(said) - FULFILLMENT_ORDER)
    if not lines:
        return order_id, {}
    try:
        return order_id, {int(each["id"]) - FULFILLMENT_ORDER: int(each["quantity"]) for each in lines}
    except (KeyError, TypeError, ValueError):
        raise ShopifyError(422, {"fulfillment_order_line_items": ["must have an id and a quantity"]}) from None


@api.post("/fulfillments.json", status=201)
def post_fulfillment(call: Call, body: _BODY) -> Shown:
    """Fulfil lines of an order, all that are left if none are named."""
    given = read_object(body, "fulfillment")
    order_id, wanted = _wanted_of(given)
    order = find_object(call, ORDER, order_id)
    left = _count_unshipped(order)
    wanted = wanted or {id: quantity for id, quantity in left.items() if quantity}
    if not wanted or any(not 0 < quantity <= left.get(id, 0) for id, quantity in wanted.items()):
        raise ShopifyError(422, {"base": ["Invalid fulfillment order line item quantity requested."]})
    now, tracking = call.clock.iso(), read_object({"tracking_info": given.get("tracking_info") or {}}, "tracking_info")
    lines = [{**each, "quantity": wanted[each["id"]]} for each in order.details["line_items"] if each["id"] in wanted]
    made = {
        "id": next_id(call), "order_id": order.id, "status": "success", "service": "manual", "location_id": LOCATION,
        "tracking_company": tracking.get("company"), "tracking_number": tracking.get("number"),
        "tracking_url": tracking.get("url"), "line_items": lines, "created_at": show_time(now),
        "updated_at": show_time(now),
    }  # fmt: skip
    details = {**order.details, "fulfillments": [*order.details.get("fulfillments", ()), made]}
    is_whole = left == {**dict.fromkeys(left, 0), **wanted}
    details["fulfillment_status"] = "fulfilled" if is_whole else "partial"
    call.db.change(order, details=details, updated_at=now)
    return {"fulfillment": made}


@api.get("/orders/{order_id}/fulfillments.json")
def list_fulfillments(call: Call, order_id: str) -> Shown:
    """List the fulfilments of an order."""
    return {"fulfillments": find_object(call, ORDER, order_id).details.get("fulfillments", [])}
