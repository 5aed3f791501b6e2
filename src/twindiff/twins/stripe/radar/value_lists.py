"""Value lists: card fingerprints, emails and other values that Radar rules refer to.

https://docs.stripe.com/api/radar/value_lists, https://docs.stripe.com/api/radar/value_list_items
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Annotated, Any, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.kit.rows import table_of
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.countries import COUNTRIES
from ..core.objects import Fields, StripeObject, build_view, new, refer, resource, retrieve, show, show_all
from ..core.pagination import equal, list_object, list_of, to_range_conditions
from ..core.params import (
    ListParams,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    collect_params,
    merge_metadata,
)

api = Operations(prefix="/v1/radar")

SHOWN_ITEMS = 10
MAKER = "API"
_FORMS = {
    "account": r"acct_\w+",
    "card_bin": r"\d{6}(\d{2})?",
    "customer_id": r"cus_\w+",
    "email": r"[^@\s]+@[^@\s]+",
}


class ValueList(StripeObject, table="radar_value_lists", key=("id",), unique=(("seq",), ("alias",))):
    alias: Column[str]
    created_by: Column[str] = column(default=MAKER)
    item_type: Column[str] = column(default="string")
    metadata: Column[Json] = column(default={})
    name: Column[str]


class ValueListItem(
    StripeObject,
    table="radar_value_list_items",
    key=("id",),
    unique=(("seq",), ("value_list", "value")),
    indexes=(("value_list", "seq"),),
):
    created_by: Column[str] = column(default=MAKER)
    value: Column[str]
    value_list: Column[str]


item_object = build_view(ValueListItem, "radar.value_list_item")
ITEMS = resource(ValueListItem, "radar.value_list_item", "rsli_", item_object, spoken="value list item", param="item")


def _url(value_list: str) -> str:
    return f"/v1/radar/value_list_items?value_list={value_list}"


_ITEM_COLUMNS = tuple(table_of(ValueListItem).columns.values())


def _fill(call: Call, objects: list[Fields]) -> None:
    """Set the newest items of each rendered list."""
    ids, newest = [each["id"] for each in objects], -ValueListItem.seq
    how: dict[str, Any] = {"order": newest, "limit": SHOWN_ITEMS + 1, "columns": _ITEM_COLUMNS}
    items = call.db.pages(ValueListItem, ValueListItem.value_list, ids, **how)
    names = [column.name for column in _ITEM_COLUMNS]
    for each in objects:
        rows = [ValueListItem(**dict(zip(names, values, strict=True))) for values in items.get(each["id"], [])]
        data = show_all(call, ITEMS, rows[:SHOWN_ITEMS])
        each["list_items"] = list_object(data, _url(each["id"]), has_more=len(rows) > SHOWN_ITEMS)


LISTS = resource(
    ValueList,
    "radar.value_list",
    "rsl_",
    build_view(ValueList, "radar.value_list", list_items=None),
    spoken="value list",
    param="value_list",
    fill=_fill,
)

ItemType = Literal[
    "account", "card_bin", "card_fingerprint", "case_sensitive_string", "country", "crypto_fingerprint", "customer_id",
    "email", "ip_address", "sepa_debit_fingerprint", "string", "us_bank_account_fingerprint",
]  # fmt: skip


class ValueListParams(Params, kw_only=True):
    """Parameters shared by the create and update operations."""

    longest: ClassVar = {"alias": 100, "name": 100}

    metadata: OptMetadata = UNSET


class CreateValueList(ValueListParams, kw_only=True):
    """The parameters of a new list."""

    alias: str
    name: str
    item_type: ItemType | UnsetType = UNSET


class UpdateValueList(ValueListParams, kw_only=True):
    """The parameters of an update."""

    alias: OptName = UNSET
    name: OptName = UNSET


class ListValueLists(ListParams):
    """The parameters of a list of lists."""

    longest: ClassVar = {"alias": 100, "contains": 800}

    alias: OptText = UNSET
    contains: OptText = UNSET
    created: OptRange = UNSET


class CreateItem(Params, kw_only=True):
    """The parameters of a new item."""

    longest: ClassVar = {"value": 800}

    value: str
    value_list: str


class ListItems(ListParams, kw_only=True):
    """The parameters of a list of items."""

    longest: ClassVar = {"value": 800}

    value_list: str
    created: OptRange = UNSET
    value: OptText = UNSET


@api.post("/value_lists")
def create_value_list(call: Call, params: Annotated[CreateValueList, Body]) -> Fields:
    """Create a value list with a unique alias."""
    _check_alias(call, params.alias, "")
    made = new(call, LISTS, **collect_params(params), metadata=merge_metadata({}, params.metadata))
    return show(call, LISTS, made)


@api.get("/value_lists/{value_list}")
def retrieve_value_list(call: Call, value_list: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a value list with its newest items."""
    return show(call, LISTS, retrieve(call, LISTS, value_list))


@api.post("/value_lists/{value_list}")
def update_value_list(call: Call, value_list: str, params: Annotated[UpdateValueList, Body]) -> Fields:
    """Update the name, the alias or the metadata of a value list."""
    row = retrieve(call, LISTS, value_list)
    if isinstance(params.alias, str):
        _check_alias(call, params.alias, row.id)
    metadata = merge_metadata(row.metadata, params.metadata)
    return show(call, LISTS, call.db.change(row, **collect_params(params), metadata=metadata))


@api.delete("/value_lists/{value_list}")
def delete_value_list(call: Call, value_list: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a value list and its items."""
    row = retrieve(call, LISTS, value_list)
    for item in call.db.rows(ValueListItem, ValueListItem.value_list == row.id):
        call.db.remove(item)
    call.db.remove(row)
    return {"id": row.id, "object": "radar.value_list", "deleted": True}


@api.get("/value_lists")
def list_value_lists(call: Call, params: Annotated[ListValueLists, Body]) -> Fields:
    """List value lists, optionally only those that contain a value."""
    where = to_range_conditions(ValueList.created, params.created) + equal((ValueList.alias, params.alias))
    if isinstance(params.contains, str):
        holding = call.db.rows(
            ValueListItem, ValueListItem.value == params.contains, columns=(ValueListItem.value_list,)
        )
        where.append(ValueList.id.in_([id for (id,) in holding]))
    return list_of(call, LISTS, params, "/v1/radar/value_lists", *where)


def _check_alias(call: Call, alias: str, own: str) -> None:
    other = call.db.find(ValueList, ValueList.alias == alias)
    if other and other.id != own:
        raise StripeError(f"A value list with the alias `{alias[:100]}` already exists.", param="alias")


@api.post("/value_list_items")
def create_value_list_item(call: Call, params: Annotated[CreateItem, Body]) -> Fields:
    """Add a value to a list; raises StripeError if it does not match the list's type."""
    owner = refer(call, LISTS, params.value_list, "value_list")
    fields = collect_params(params)
    if not _fits(owner.item_type, params.value):
        message = f"The value '{params.value[:100]}' is not of the type of the value list, `{owner.item_type}`."
        raise StripeError(message, param="value")
    mine = (ValueListItem.value_list == owner.id, ValueListItem.value == params.value)
    if call.db.find(ValueListItem, *mine):
        raise StripeError(f"The value '{params.value[:100]}' is already on this value list.", param="value")
    return item_object(new(call, ITEMS, **fields))


def _fits(item_type: str, value: str) -> bool:
    if item_type == "country":
        return value.upper() in COUNTRIES
    if item_type == "ip_address":
        return _is_address(value)
    return bool(value) and bool(re.fullmatch(_FORMS.get(item_type, ".+"), value, re.DOTALL))


def _is_address(value: str) -> bool:
    try:
        ip_address(value)
    except ValueError:
        return False
    return True


@api.get("/value_list_items/{item}")
def retrieve_value_list_item(call: Call, item: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve an item."""
    return item_object(retrieve(call, ITEMS, item))


@api.delete("/value_list_items/{item}")
def delete_value_list_item(call: Call, item: str, params: Annotated[Params, Body]) -> Fields:
    """Delete an item from its value list."""
    row = retrieve(call, ITEMS, item)
    call.db.remove(row)
    return {"id": row.id, "object": "radar.value_list_item", "deleted": True}


@api.get("/value_list_items")
def list_value_list_items(call: Call, params: Annotated[ListItems, Body]) -> Fields:
    """List the items of a value list, optionally only those that contain a text."""
    owner = refer(call, LISTS, params.value_list, "value_list")
    where = [ValueListItem.value_list == owner.id, *to_range_conditions(ValueListItem.created, params.created)]
    if isinstance(params.value, str):
        where.append(ValueListItem.value.contains(params.value))
    return list_of(call, ITEMS, params, _url(owner.id), *where)
