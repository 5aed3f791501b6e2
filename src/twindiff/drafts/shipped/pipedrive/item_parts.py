"""What stands below items: followers, participants, products, files, notes, persons; and merging and copying items.

https://developers.pipedrive.com/docs/api/v1/Deals, /Persons, /Organizations, /Products
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.http import ValueResponse
from twindiff.kit.twin import Operations

from ..document_collections import (
    DocumentCollection,
    DocumentRequest,
    Shown,
    declare_operation,
    serve_collections,
)
from .company_collections import FILES, CompanyDocuments
from .item_kinds import BY_NAME, ItemKind, create_item, find_item, list_items, remove_item
from .shown_items import find_owner, show_item, show_related
from .tables import PipedriveUser
from .wire_style import PipedriveError, show_time

api = Operations()
_STYLE = CompanyDocuments()
_COLUMN = {"organization": "org_id", "person": "person_id", "deal": "deal_id", "product": "product_id"}


def _of(kind: str) -> Any:
    """Return a function that resolves the id of an item above."""

    def find(call: Call, given: Sequence[str]) -> Sequence[str]:
        return [str(find_item(call, BY_NAME[kind], given[0]).id)]

    return find


def _check_follower(request: DocumentRequest, fields: Shown) -> None:
    number = fields.get("user_id")
    known = request.call.db.find(PipedriveUser, PipedriveUser.id == number) if isinstance(number, int) else None
    if known is None:
        raise PipedriveError("User not found", 404)


def _check_participant(request: DocumentRequest, fields: Shown) -> None:
    find_item(request.call, BY_NAME["person"], str(fields.get("person_id")))


def _show_participant(request: DocumentRequest, fields: Shown) -> Shown:
    kind = BY_NAME["person"]
    row = find_item(request.call, kind, str(fields["person_id"]), has_deleted=True)
    person = {"name": row.name, "email": row.email, "phone": row.phone, "value": row.id}
    owner = find_owner(request.call, row.owner_id)
    about = {"person_id": person, "added_by_user_id": owner, "person": show_item(request.call, kind, row)}
    return {**fields, **about, "active_flag": True}


def _check_product(request: DocumentRequest, fields: Shown) -> None:
    find_item(request.call, BY_NAME["product"], str(fields.get("product_id")))
    for name in ("item_price", "quantity"):
        if isinstance(fields.get(name), bool) or not isinstance(fields.get(name), (int, float)):
            raise PipedriveError(f"{name} must be a number.")


def _show_product(request: DocumentRequest, fields: Shown) -> Shown:
    product = find_item(request.call, BY_NAME["product"], str(fields["product_id"]), has_deleted=True)
    total = float(fields["item_price"]) * float(fields["quantity"])
    share = float(fields.get("discount") or 0)
    total -= total * share / 100 if fields.get("discount_type", "percentage") == "percentage" else share
    return {**fields, "name": product.name, "sum": total, "sum_formatted": f"${total:,.2f}"}


def _followers(kind: ItemKind, prefix: str) -> DocumentCollection:
    return DocumentCollection(
        table=f"{kind.name}_followers", path=f"{prefix}/{kind.path}/{{id}}/followers", style=_STYLE, name="follower",
        item="/{followerId}", required=("user_id",), check=_check_follower, unique=("user_id",),
        serves=frozenset(["list", "create", "delete"]), resolve=_of(kind.name), deleted=200,
        created=200 if prefix == "/v1" else 201,
    )  # fmt: skip


FOLLOWED = [BY_NAME[name] for name in ("organization", "person", "deal", "product")]
PARTICIPANTS = DocumentCollection(
    table="deal_participants", path="/v1/deals/{id}/participants", style=_STYLE, name="participant",
    item="/{participantId}", required=("person_id",), check=_check_participant, unique=("person_id",),
    show=_show_participant, serves=frozenset(["list", "create", "delete"]), resolve=_of("deal"), created=200,
    deleted=200,
)  # fmt: skip
PRODUCTS = DocumentCollection(
    table="deal_products", path="/v1/deals/{id}/products", style=_STYLE, name="deal product",
    item="/{productAttachmentId}", required=("product_id", "item_price", "quantity"), check=_check_product,
    show=_show_product, updates_by=("PUT",), serves=frozenset(["list", "create", "update", "delete"]),
    resolve=_of("deal"), created=201, deleted=200,
    defaults={"discount": 0, "discount_type": "percentage", "tax": 0, "tax_method": "inclusive", "comments": "",
              "is_enabled": True, "currency": "USD", "duration": 1, "product_variation_id": None},
)  # fmt: skip
NEW_PRODUCTS = DocumentCollection(
    table="deal_products", path="/api/v2/deals/{id}/products", style=_STYLE, name="deal product",
    item="/{productAttachmentId}", required=("product_id", "item_price", "quantity"), check=_check_product,
    show=_show_product, updates_by=("PATCH",), serves=frozenset(["list", "create", "update", "delete"]),
    resolve=_of("deal"), created=201, deleted=200, defaults=PRODUCTS.defaults,
)  # fmt: skip
COLLECTIONS = (
    *(_followers(kind, prefix) for kind in FOLLOWED for prefix in ("/v1", "/api/v2")),
    PARTICIPANTS,
    PRODUCTS,
    NEW_PRODUCTS,
)
serve_collections(api, COLLECTIONS)


def _merge(kind: ItemKind) -> Any:
    def respond(request: DocumentRequest) -> Any:
        """Merge an item into another, which keeps its values and gets those that it lacks."""
        call, given = request.call, request.read_object()
        if not given.get("merge_with_id"):
            raise PipedriveError("merge_with_id: is required")
        merged = find_item(call, kind, request.path["id"])
        kept = find_item(call, kind, str(given["merge_with_id"]))
        if kept.id == merged.id:
            raise PipedriveError(f"A {kind.name} cannot be merged with itself.")
        column = _COLUMN[kind.name]
        for other in BY_NAME.values():
            for row in list_items(call, other) if column in other.table.__annotations__ else ():
                if getattr(row, column) == merged.id:
                    call.db.change(row, **{column: kept.id})
        details = {**merged.details, **{name: value for name, value in kept.details.items() if value is not None}}
        names = [each for each in ("person_id", "org_id") if each in kind.table.__annotations__]
        lacking = {name: getattr(merged, name) for name in names if getattr(kept, name) is None}
        remove_item(call, merged)
        kept = call.db.change(kept, details=details, **lacking, update_time=call.clock.iso())
        return {"success": True, "data": {**show_item(call, kind, kept), "merge_what_id": merged.id}}

    return respond


def _duplicate(kind: ItemKind) -> Any:
    def respond(request: DocumentRequest) -> Any:
        """Create an item like another."""
        call = request.call
        row = find_item(call, kind, request.path["id"])
        columns = [
            name for name in kind.table.__annotations__ if name not in ("id", "is_active", "add_time", "update_time")
        ]
        fields = {name: getattr(row, name) for name in columns if name != "details"}
        copy = create_item(call, kind, {kind.title: getattr(row, kind.title)})
        copy = call.db.change(copy, **fields, details=row.details)
        return {"success": True, "data": show_item(call, kind, copy), "related_objects": show_related(call, copy)}

    return respond


def _list_files(kind: ItemKind) -> Any:
    def respond(request: DocumentRequest) -> Any:
        """List the files of an item."""
        row = find_item(request.call, kind, request.path["id"])
        files = [each.fields for each in FILES.rows_in(request.call, "")]
        return _STYLE.show_list(request, [each for each in files if each.get(_COLUMN[kind.name]) == row.id])

    return respond


def _list_nothing(kind: ItemKind) -> Any:
    def respond(request: DocumentRequest) -> Any:
        """List what this twin keeps none of."""
        find_item(request.call, kind, request.path["id"])
        return _STYLE.show_list(request, [])

    return respond


def _list_users(kind: ItemKind) -> Any:
    def respond(request: DocumentRequest) -> Any:
        """List the ids of the users who may see an item, which all may."""
        find_item(request.call, kind, request.path["id"])
        return {"success": True, "data": [row.id for row in request.call.db.rows(PipedriveUser)]}

    return respond


def _list_flow(kind: ItemKind) -> Any:
    def respond(request: DocumentRequest) -> Any:
        """List the notes and the activities of an item, the last first."""
        call = request.call
        row = find_item(call, kind, request.path["id"])
        matches: list[tuple[str, Shown]] = []
        for name in ("note", "activity"):
            other = BY_NAME[name]
            for each in list_items(call, other):
                if getattr(each, _COLUMN[kind.name], None) == row.id:
                    at = str(show_time(each.add_time))
                    matches.append((at, {"object": name, "timestamp": at, "data": show_item(call, other, each)}))
        return _STYLE.show_list(
            request, [shown for _, shown in sorted(matches, key=lambda each: each[0], reverse=True)]
        )

    return respond


def _list_deal_persons(request: DocumentRequest) -> Any:
    """List the persons of a deal: its own and its participants."""
    call, kind = request.call, BY_NAME["person"]
    deal = find_item(call, BY_NAME["deal"], request.path["id"])
    ids = [deal.person_id, *(row.fields["person_id"] for row in PARTICIPANTS.rows(request))]
    rows = [find_item(call, kind, str(each), has_deleted=True) for each in dict.fromkeys(ids) if each]
    return _STYLE.show_list(request, [show_item(call, kind, row) for row in rows])


def _summarize_deals(request: DocumentRequest) -> Any:
    """Return how many deals there are, and what they are worth."""
    status = request.query.get("status", "")
    rows = [row for row in list_items(request.call, BY_NAME["deal"]) if status in ("", row.status)]
    totals: dict[str, Shown] = {}
    for row in rows:
        total = totals.setdefault(row.currency, {"value": 0.0, "count": 0})
        total["value"] += row.value
        total["count"] += 1
    value = sum(row.value for row in rows)
    shown = {"values_total": totals, "weighted_values_total": totals, "total_count": len(rows)}
    shown |= {"total_currency_converted_value": value, "total_weighted_currency_converted_value": value}
    return {"success": True, "data": shown}


def _add_picture(request: DocumentRequest) -> Any:
    """Refuse a picture, whose bytes are not kept."""
    find_item(request.call, BY_NAME["person"], request.path["id"])
    raise PipedriveError("This drafted twin keeps no pictures.", 501)


def _list_product_deals(request: DocumentRequest) -> Any:
    """List the deals that have a product."""
    call, kind = request.call, BY_NAME["deal"]
    product = find_item(call, BY_NAME["product"], request.path["id"])
    rows = call.db.rows(PRODUCTS.row, order=PRODUCTS.row.number)
    ids = {row.scope for row in rows if str(row.fields.get("product_id")) == str(product.id)}
    return _STYLE.show_list(
        request, [show_item(call, kind, row) for row in list_items(call, kind) if str(row.id) in ids]
    )


def _add_products(kind: ItemKind) -> Any:
    def respond(request: DocumentRequest) -> Any:
        """Add several products to a deal at once."""
        find_item(request.call, kind, request.path["id"])
        rows = [NEW_PRODUCTS.add(request, each) for each in request.read_objects("data")]
        return ValueResponse({"success": True, "data": [NEW_PRODUCTS.view(request, row) for row in rows]}, 201)

    return respond


for _kind in FOLLOWED:
    _path = f"/v1/{_kind.path}/{{id}}"
    if _kind.name != "product":
        declare_operation(api, f"PUT {_path}/merge", _merge(_kind), f"Merge two {_kind.path}.")
        declare_operation(api, f"GET {_path}/flow", _list_flow(_kind), f"List what happened to a {_kind.name}.")
        declare_operation(api, f"GET {_path}/mailMessages", _list_nothing(_kind), f"List the mail of a {_kind.name}.")
    declare_operation(api, f"GET {_path}/files", _list_files(_kind), f"List the files of a {_kind.name}.")
    declare_operation(api, f"GET {_path}/permittedUsers", _list_users(_kind), f"List who may see a {_kind.name}.")
for _name in ("deal", "product"):
    _path = f"/v1/{BY_NAME[_name].path}/{{id}}/duplicate"
    declare_operation(api, f"POST {_path}", _duplicate(BY_NAME[_name]), f"Create a {_name} like another.")
    _path = f"/api/v2/{BY_NAME[_name].path}/{{id}}/duplicate"
    declare_operation(api, f"POST {_path}", _duplicate(BY_NAME[_name]), f"Create a {_name} like another.")
declare_operation(api, "GET /v1/deals/{id}/persons", _list_deal_persons)
declare_operation(api, "GET /v1/deals/summary", _summarize_deals)
declare_operation(api, "GET /v1/products/{id}/deals", _list_product_deals)
declare_operation(
    api, "GET /v1/persons/{id}/products", _list_nothing(BY_NAME["person"]), "List the products of a person."
)
declare_operation(api, "POST /v1/persons/{id}/picture", _add_picture)
declare_operation(
    api, "POST /api/v2/deals/{id}/products/bulk", _add_products(BY_NAME["deal"]), "Add several products to a deal."
)
