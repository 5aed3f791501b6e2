"""Items of lists: create, update, delete and read.

https://docs.slack.dev/reference/methods?family=slackLists
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta

from twindiff.kit import Call, Operations, page

from ..core.errors import InvalidCursor, PermissionDenied
from ..core.list_tables import DeletedListItem, ListCell, ListColumn, ListItem, SlackList
from .list_cells import text_of, value_of
from .list_columns import columns_of, key_of, options_of
from .list_errors import (
    ColumnIdNotProvided,
    DuplicatedItemNotFound,
    InvalidArgs,
    InvalidColumnId,
    InvalidRowId,
    OverCellFieldsLimit,
    OverRowMaximum,
    RecordDeleted,
    RecordNotFound,
    RowIdNotProvided,
)
from .list_views import MAX_ROWS, cells_of, item_objects, list_object
from .lists import access_of, readable_list, writable_list

api = Operations()

_MAX_CELLS = 100

Fields = list[dict[str, Any]]
Limit = Annotated[int, Meta(ge=1, le=1000)]


@api.method("slackLists.items.create", scope="lists:write")
def create(
    call: Call,
    list_id: str,
    duplicated_item_id: str = "",
    parent_item_id: str = "",
    initial_fields: Fields | None = None,
) -> dict[str, Any]:
    """Add an item to a list, a subtask to an item, or a copy of an item.

    https://docs.slack.dev/reference/methods/slackLists.items.create
    """
    slack_list = writable_list(call, list_id)
    copied = _item(call, slack_list, duplicated_item_id, DuplicatedItemNotFound) if duplicated_item_id else None
    parent = _item(call, slack_list, parent_item_id, InvalidArgs).item_id if parent_item_id else None
    columns = {column.column_id: column for column in columns_of(call, list_id)}
    item = _add(call, slack_list, columns, parent)
    if copied:
        for cell in cells_of(call, [copied])[copied.item_id].values():
            _put(call, item, cell.column_id, cell.value, cell.text)
    for each in initial_fields or ():
        column = _column(columns, each)
        values = value_of(call, column, each)
        _put(call, item, column.column_id, values, text_of(column, values))
    (shown,) = item_objects(call, list_id, [item])
    return {"item": shown}


def _item(call: Call, slack_list: SlackList, item_id: str, missing: type[Exception]) -> ListItem:
    item = call.db.find(ListItem, ListItem.item_id == item_id, ListItem.list_id == slack_list.list_id)
    if item is None:
        raise missing
    return item


def _add(call: Call, slack_list: SlackList, columns: dict[str, ListColumn], parent: str | None = None) -> ListItem:
    """Add an item with the default values of its columns; raises OverRowMaximum."""
    if call.db.count(ListItem, ListItem.list_id == slack_list.list_id) >= MAX_ROWS:
        raise OverRowMaximum
    item = ListItem(
        item_id=call.ids.new("Rec"),
        list_id=slack_list.list_id,
        user_id=call.actor,
        parent_id=parent,
        created_at=call.clock.iso(),
    )
    call.db.add(item)
    for column in columns.values():
        if values := _default(column):
            _put(call, item, column.column_id, values, text_of(column, values))
    _touch(call, slack_list)
    return item


def _default(column: ListColumn) -> list[str]:
    defaults = options_of(column).default_value_typed
    return getattr(defaults, key_of(column), []) if defaults else []


def _touch(call: Call, slack_list: SlackList) -> None:
    call.db.change(slack_list, updated_at=call.clock.iso(), updated_by=call.actor)


def _column(columns: dict[str, ListColumn], given: dict[str, Any]) -> ListColumn:
    if "column_id" not in given:
        raise ColumnIdNotProvided
    column = columns.get(str(given["column_id"]))
    if column is None:
        raise InvalidColumnId
    return column


def _put(call: Call, item: ListItem, column_id: str, values: Any, text: str) -> bool:
    """Write the values of a cell, or remove the cell if there are none; returns whether that changes anything."""
    here = (ListCell.item_id == item.item_id, ListCell.column_id == column_id)
    cell = call.db.find(ListCell, *here)
    if cell and cell.value == values:
        return False
    if not values:
        if cell:
            call.db.remove(cell)
        return cell is not None
    if cell:
        call.db.change(cell, value=values, text=text)
    else:
        call.db.add(ListCell(item_id=item.item_id, column_id=column_id, value=values, text=text))
    return True


@api.method("slackLists.items.update", scope="lists:write")
def update(call: Call, list_id: str, cells: Fields) -> dict[str, Any]:
    """Write cells of a list's items; cells with `row_id_to_create` and the same `row_id` form one new item.

    https://docs.slack.dev/reference/methods/slackLists.items.update
    """
    slack_list = writable_list(call, list_id, PermissionDenied)
    if len(cells) > _MAX_CELLS:
        raise OverCellFieldsLimit
    columns = {column.column_id: column for column in columns_of(call, list_id)}
    made: dict[str, ListItem] = {}
    changed: dict[str, ListItem] = {}
    for each in cells:
        item, column = _row(call, slack_list, columns, made, each), _column(columns, each)
        values = value_of(call, column, each)
        if _put(call, item, column.column_id, values, text_of(column, values)):
            changed[item.item_id] = item
    for item in changed.values():
        call.db.change(item, updated_at=call.clock.iso(), updated_by=call.actor)
    if changed:
        _touch(call, slack_list)
    return {}


def _row(
    call: Call, slack_list: SlackList, columns: dict[str, ListColumn], made: dict[str, ListItem], cell: dict[str, Any]
) -> ListItem:
    row_id = str(cell.get("row_id") or "")
    if cell.get("row_id_to_create"):
        if row_id not in made:
            made[row_id] = _add(call, slack_list, columns)
        return made[row_id]
    if not row_id:
        raise RowIdNotProvided
    return _item(call, slack_list, row_id, InvalidRowId)


@api.method("slackLists.items.delete", scope="lists:write")
def delete(call: Call, list_id: str, id: str) -> dict[str, Any]:
    """Delete an item and its subtasks.

    https://docs.slack.dev/reference/methods/slackLists.items.delete
    """
    slack_list = writable_list(call, list_id)
    _remove(call, slack_list, [_item(call, slack_list, id, RecordNotFound)])
    return {}


@api.method("slackLists.items.deleteMultiple", scope="lists:write")
def delete_multiple(call: Call, list_id: str, ids: list[str]) -> dict[str, Any]:
    """Delete items and their subtasks; unknown ids are ignored.

    https://docs.slack.dev/reference/methods/slackLists.items.deleteMultiple
    """
    slack_list = writable_list(call, list_id)
    items = call.db.rows(ListItem, ListItem.list_id == list_id, ListItem.item_id.in_(ids)) if ids else []
    _remove(call, slack_list, list(items))
    return {}


def _remove(call: Call, slack_list: SlackList, items: Sequence[ListItem]) -> None:
    if not items:
        return
    subtasks = call.db.rows(ListItem, ListItem.parent_id.in_([item.item_id for item in items]))
    gone = {item.item_id: item for item in (*items, *subtasks)}
    for cell in call.db.rows(ListCell, ListCell.item_id.in_(list(gone))):
        call.db.remove(cell)
    for item in gone.values():
        call.db.remove(item)
        call.db.add(DeletedListItem(item_id=item.item_id, list_id=slack_list.list_id))
    _touch(call, slack_list)


@api.method("slackLists.items.info", reads=True, scope="lists:read")
def info(call: Call, list_id: str, id: str, include_is_subscribed: bool = False) -> dict[str, Any]:
    """Return an item with its subtasks and its list; the creator of an item is subscribed to it.

    https://docs.slack.dev/reference/methods/slackLists.items.info
    """
    slack_list = readable_list(call, list_id)
    here = (DeletedListItem.item_id == id, DeletedListItem.list_id == list_id)
    item = _item(call, slack_list, id, RecordDeleted if call.db.find(DeletedListItem, *here) else RecordNotFound)
    subtasks = list(call.db.rows(ListItem, ListItem.parent_id == id, order=ListItem.item_id))
    shown = item_objects(call, list_id, [item, *subtasks])
    if include_is_subscribed:
        for each in shown:
            each["is_subscribed"] = each["created_by"] == call.actor
    return {
        "list": list_object(call, slack_list, access_of(call, slack_list)),
        "record": shown[0],
        "subtasks": shown[1:],
    }


@api.method("slackLists.items.list", reads=True, scope="lists:read")
def list_items(
    call: Call,
    list_id: str,
    limit: Limit = 100,
    cursor: str = "",
    archived: bool = False,
    include_list: bool = False,
) -> dict[str, Any]:
    """List the items and subtasks, newest first: the archived ones with `archived`, else the others.

    https://docs.slack.dev/reference/methods/slackLists.items.list
    """
    slack_list = readable_list(call, list_id)
    where = (ListItem.list_id == list_id, ListItem.is_archived == archived)
    items = page(call.db, ListItem, *where, by=-ListItem.created_at, limit=limit, cursor=cursor, invalid=InvalidCursor)
    answer: dict[str, Any] = {"items": item_objects(call, list_id, items.rows)}
    if include_list:
        answer["list"] = list_object(call, slack_list, access_of(call, slack_list))
    return {**answer, "response_metadata": {"next_cursor": items.next_cursor}}
