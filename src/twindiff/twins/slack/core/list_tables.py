"""The tables of lists: columns, items, cells and access.

https://docs.slack.dev/surfaces/lists
"""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references

from .tables import User


class SlackList(Row, table="lists", key=("list_id",)):
    """A list of items; its creator owns it."""

    list_id: Column[str]
    user_id: Column[str] = references(User)
    title: Column[str]
    description_blocks: Column[Json | None] = column(default=None)
    todo_mode: Column[bool] = column(default=False)
    copied_from: Column[str | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)
    updated_by: Column[str | None] = references(User, default=None, derived=True)


class ListColumn(Row, table="list_columns", key=("list_id", "column_id")):
    """A column of a list; `position` counts from the left, `options` depend on the type."""

    list_id: Column[str] = references(SlackList)
    column_id: Column[str]
    column_key: Column[str]
    column_name: Column[str]
    column_type: Column[str]
    is_primary: Column[bool] = column(default=False)
    options: Column[Json | None] = column(default=None)
    position: Column[int] = column(default=0)


class ListItem(
    Row, table="list_items", key=("item_id",), indexes=(("list_id", "created_at", "item_id"), ("parent_id", "item_id"))
):
    """A row of a list, or a subtask of one."""

    item_id: Column[str]
    list_id: Column[str] = references(SlackList)
    user_id: Column[str] = references(User)
    created_at: Column[Timestamp]
    parent_id: Column[str | None] = column(default=None)
    is_archived: Column[bool] = column(default=False)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)
    updated_by: Column[str | None] = references(User, default=None, derived=True)


class ListCell(Row, table="list_cells", key=("item_id", "column_id")):
    """The value of an item in a column: `value` in the form of the API, `text` for display and search."""

    item_id: Column[str] = references(ListItem)
    column_id: Column[str]
    value: Column[Json]
    text: Column[str] = column(default="")


class ListAccess(Row, table="list_access", key=("list_id", "entity_id")):
    """Access to a list for a user other than the owner, or for all members of a channel."""

    list_id: Column[str] = references(SlackList)
    entity_id: Column[str]
    access_level: Column[str]


class ListDownload(Row, table="list_downloads", key=("job_id",), visibility="bookkeeping"):
    """A requested export of a list."""

    job_id: Column[str]
    list_id: Column[str]
    include_archived: Column[bool] = column(default=False)


class DeletedListItem(Row, table="deleted_list_items", key=("item_id",), visibility="bookkeeping"):
    """The id of a deleted item; Slack has different errors for deleted and unknown items."""

    item_id: Column[str]
    list_id: Column[str]


LIST_TABLES = (SlackList, ListColumn, ListItem, ListCell, ListAccess, ListDownload, DeletedListItem)
