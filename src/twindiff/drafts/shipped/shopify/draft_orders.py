"""Draft orders: made, changed, sent as invoices and completed, which makes an order.

https://shopify.dev/docs/api/admin-rest/latest/resources/draftorder
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .admin import (
    CUSTOMER,
    DRAFT_ORDER,
    ORDER,
    create_object,
    find_object,
    find_variant,
    make_line,
    next_id,
    pick_shown,
    read_objects,
    show_object,
)
from .tables import ShopifyDraftOrder
from .wire_style import ShopifyError, read_number, read_object, show_time

api = Operations(prefix="/admin")
Shown = dict[str, Any]
MAX_LINES = 500
MAX_QUANTITY = 1_000_000_000
_BODY = Annotated[dict[str, Any], Body]
_GIVEN = {
    "note": str, "email": str, "tags": str, "currency": str, "shipping_address": dict, "billing_address": dict,
    "note_attributes": list, "shipping_line": dict, "applied_discount": dict, "tax_exempt": bool,
    "use_customer_default_address": bool,
}  # fmt: skip
"""The fields of bodies beside the lines and the customer."""
_USUAL: Shown = {
    "note": None, "email": None, "currency": "USD", "status": "open", "tags": "", "shipping_address": None,
    "billing_address": None, "note_attributes": [], "shipping_line": None, "applied_discount": None,
    "tax_exempt": False, "taxes_included": False, "tax_lines": [], "total_tax": "0.00", "customer": None,
    "order_id": None, "invoice_sent_at": None, "invoice_url": None, "completed_at": None,
}  # fmt: skip
_INVOICE = ("to", "from", "subject", "custom_message")


def _read_values(call: Call, body: Mapping[str, Any]) -> Shown:
    """Return the fields that a body gives. Raises ShopifyError for what cannot be, and for a customer there is not."""
    given = read_object(body, DRAFT_ORDER.name)
    values = {name: given[name] for name in _GIVEN if name in given}
    for name, value in values.items():
        if value is not None and not isinstance(value, _GIVEN[name]):
            raise ShopifyError(422, {name: ["is invalid"]})
    if "line_items" in given:
        values["line_items"] = _read_lines(call, given["line_items"])
    customer: Any = given.get("customer")
    if given.get("customer_id") is not None:
        customer = {"id": given["customer_id"]}
    if isinstance(customer, dict):
        row = find_object(call, CUSTOMER, str(cast(Shown, customer).get("id")))
        values = {"email": row.email, **values, "customer": show_object(row)}
    elif "customer" in given:
        values["customer"] = None
    if values.get("applied_discount"):
        values["applied_discount"] = _read_discount(values["applied_discount"])
    return values


def _read_lines(call: Call, given: Any) -> list[Shown]:
    """Return lines with ids. Raises ShopifyError for one without a variant that has no title or no price."""
    lines = read_objects(given, "line_items")
    if not lines or len(lines) > MAX_LINES:
        raise ShopifyError(422, {"line_items": [f"must have from 1 to {MAX_LINES} items"]})
    return [_read_line(call, each) for each in lines]


def _read_line(call: Call, given: Shown) -> Shown:
    variant_id = given.get("variant_id")
    if variant_id is not None and find_variant(call, str(variant_id)) is None:
        raise ShopifyError(422, {"line_items": [f"The variant {variant_id} does not exist."]})
    if variant_id is None:
        absent = [name for name in ("title", "price") if given.get(name) in (None, "")]
        if absent:
            raise ShopifyError(422, {"line_items": [f"{absent[0].capitalize()} can't be blank"]})
    line = make_line(call, given)
    price = read_number(line["price"], {"line_items": ["price must be a number"]})
    if price < 0 or not 1 <= line["quantity"] <= MAX_QUANTITY:
        raise ShopifyError(422, {"line_items": ["Quantity must be greater than or equal to 1, and price to 0"]})
    about = {"variant_id": variant_id, "custom": variant_id is None, "taxable": True, "requires_shipping": True}
    return {**about, **line, "price": f"{price:.2f}"}


def _read_discount(given: Any) -> Shown:
    discount = cast(Shown, given)
    problem = {"applied_discount": ["value must be a number that is not negative, and at most 100 of a percentage"]}
    kind, value = discount.get("value_type", "fixed_amount"), read_number(discount.get("value"), problem)
    if kind not in ("fixed_amount", "percentage"):
        raise ShopifyError(422, {"applied_discount": ["value_type must be fixed_amount or percentage"]})
    if value < 0 or (kind == "percentage" and value > 100):
        raise ShopifyError(422, problem)
    return {"title": None, "description": None, **discount, "value": f"{value}", "value_type": kind}


def _with_totals(details: Shown) -> Shown:
    """Return the details of a draft order with the sums of its lines, its discount and its shipping."""
    lines: list[Shown] = details["line_items"]
    whole = sum(float(each["price"]) * each["quantity"] for each in lines)
    discount: Shown | None = details.get("applied_discount")
    off = 0.0
    if discount:
        value = float(discount["value"])
        off = min(whole, whole * value / 100 if discount["value_type"] == "percentage" else value)
        discount = {**discount, "amount": f"{off:.2f}"}
    line: Shown = details.get("shipping_line") or {}
    shipping = read_number(line.get("price", 0), {"shipping_line": ["price must be a number"]})
    sums = {"subtotal_price": f"{whole - off:.2f}", "total_price": f"{whole - off + shipping:.2f}"}
    return {**details, "applied_discount": discount, "total_discounts": f"{off:.2f}", **sums}


@api.post("/draft_orders.json", status=201)
def post_draft_order(call: Call, body: _BODY) -> Shown:
    """Create a draft order."""
    values = _read_values(call, body)
    if "line_items" not in values:
        raise ShopifyError(422, {"line_items": ["can't be blank"]})
    now, id = call.clock.iso(), next_id(call)
    name = f"#D{call.db.next('draft order')}"
    details = _with_totals({**_USUAL, "name": name, "invoice_url": f"{call.base_url}/invoices/{id}", **values})
    row = call.db.add(ShopifyDraftOrder(id=id, details=details, created_at=now, updated_at=now))
    return {DRAFT_ORDER.name: show_object(row)}


@api.get("/draft_orders/{id}.json")
def get_draft_order(call: Call, id: str, fields: str = "") -> Shown:
    """Return a draft order."""
    return {DRAFT_ORDER.name: pick_shown(show_object(find_object(call, DRAFT_ORDER, id)), fields)}


def _find_open(call: Call, id: str) -> Any:
    """Return a draft order that is not completed. Raises ShopifyError."""
    row = find_object(call, DRAFT_ORDER, id)
    if row.details["status"] == "completed":
        raise ShopifyError(422, {"base": ["This draft order is completed."]})
    return row


def _change(call: Call, row: Any, details: Shown) -> Shown:
    changed = call.db.change(row, details={**row.details, **details}, updated_at=call.clock.iso())
    return {DRAFT_ORDER.name: show_object(changed)}


@api.put("/draft_orders/{id}.json")
def put_draft_order(call: Call, id: str, body: _BODY) -> Shown:
    """Change a draft order that is not completed."""
    row = _find_open(call, id)
    return _change(call, row, _with_totals({**row.details, **_read_values(call, body)}))


@api.delete("/draft_orders/{id}.json")
def delete_draft_order(call: Call, id: str) -> Shown:
    """Delete a draft order; the order that it became stays."""
    call.db.remove(find_object(call, DRAFT_ORDER, id))
    return {}


@api.put("/draft_orders/{id}/complete.json")
def complete_draft_order(call: Call, id: str, payment_pending: bool = False) -> Shown:
    """Make an order of a draft order, which is paid unless the payment is pending."""
    row = _find_open(call, id)
    details: Shown = row.details
    kept = ("line_items", "note", "tags", "currency", "total_price", "subtotal_price", "total_discounts", "email",
            "shipping_address", "billing_address", "note_attributes")  # fmt: skip
    given: Shown = {name: details[name] for name in kept}
    given |= {"financial_status": "pending" if payment_pending else "paid", "source_name": "shopify_draft_order"}
    customer: Shown | None = details["customer"]
    order = create_object(call, ORDER, given)
    if customer is not None:
        order = call.db.change(order, details={**order.details, "customer": customer})
    now = show_time(call.clock.iso())
    return _change(call, row, {"status": "completed", "completed_at": now, "order_id": order.id})


@api.post("/draft_orders/{id}/send_invoice.json", status=201)
def send_invoice(call: Call, id: str, body: _BODY) -> Shown:
    """Note that the invoice of a draft order was sent; no message is."""
    row = _find_open(call, id)
    given: Shown = read_object(body, "draft_order_invoice") if body else {}
    wrong = [name for name in _INVOICE if given.get(name) is not None and not isinstance(given[name], str)]
    copies: Any = given.get("bcc") or []
    if wrong or not isinstance(copies, list):
        raise ShopifyError(422, {wrong[0] if wrong else "bcc": ["is invalid"]})
    to = given.get("to") or row.details["email"]
    if not to or "@" not in to:
        raise ShopifyError(422, {"to": ["can't be blank" if not to else "is invalid"]})
    _change(call, row, {"status": "invoice_sent", "invoice_sent_at": show_time(call.clock.iso())})
    usual: Shown = {"from": "agent@example.com", "subject": f"Invoice {row.details['name']}", "custom_message": ""}
    return {
        "draft_order_invoice": {**usual, **{n: given[n] for n in _INVOICE if given.get(n)}, "to": to, "bcc": copies}
    }
