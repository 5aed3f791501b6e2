"""Columns of lists: their types, their schema and their rendering.

https://docs.slack.dev/reference/methods/slackLists.create#schema-definition
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from twindiff.kit import Call

from ..core.list_tables import ListColumn
from .list_errors import InvalidColumnType, InvalidPrimaryColumn, InvalidSchema, OverColumnMaximum

KEYS = {
    "text": "rich_text",
    "rich_text": "rich_text",
    "message": "message",
    "number": "number",
    "select": "select",
    "multi_select": "select",
    "date": "date",
    "due_date": "date",
    "todo_due_date": "date",
    "user": "user",
    "assignee": "user",
    "todo_assignee": "user",
    "attachment": "attachment",
    "checkbox": "checkbox",
    "completed": "checkbox",
    "todo_completed": "checkbox",
    "email": "email",
    "phone": "phone",
    "channel": "channel",
    "rating": "rating",
    "canvas": "reference",
    "reference": "reference",
    "link": "link",
    "vote": "vote",
}
"""The key of the values in a cell, by the type of its column."""

COMPUTED = frozenset({"created_by", "last_edited_by", "created_time", "last_edited_time"})
"""Types of columns that Slack computes and the API cannot write."""

MAX_COLUMNS = 30
_MAX_CHOICES = 100
_OF_TODO = (
    ("Col00", "todo_completed", "Completed", None),
    (
        "Col01",
        "todo_assignee",
        "Assignee",
        {"format": "multi_entity", "default_value": None, "show_member_name": True},
    ),
    ("Col02", "todo_due_date", "Due Date", None),
)
_COLORS = Literal["indigo", "blue", "cyan", "pink", "yellow", "green", "gray", "red", "purple", "orange", "brown"]
_DATES = Literal["default", "DD/MM/YYYY", "MM/DD/YYYY", "YYYY/MM/DD", "MMMM DD, YYYY", "DD MMMM YYYY"]


class Choice(msgspec.Struct):
    value: str
    label: str
    color: _COLORS


class Defaults(msgspec.Struct):
    user: list[str] = []
    channel: list[str] = []
    select: list[str] = []


class Options(msgspec.Struct):
    choices: list[Choice] = []
    format: Literal["", "text", "single_select", "multi_select", "single_entity", "multi_entity"] = ""
    precision: int = 0
    date_format: _DATES = "default"
    emoji: str = ""
    emoji_team_id: str = ""
    max: int = 5
    default_value_typed: Defaults | None = None
    show_member_name: bool = True
    notify_users: bool = False


class Definition(msgspec.Struct):
    key: str
    name: str
    type: str
    is_primary_column: bool = False
    options: dict[str, Any] | None = None


def add_columns(call: Call, list_id: str, schema: Sequence[dict[str, Any]] | None, *, todo_mode: bool) -> None:
    """Add the columns of a schema to a new list, or one text column without a schema; `todo_mode` adds to-do columns.

    Raises OverColumnMaximum, or the errors of an invalid schema.
    """
    definitions = [Definition("name", "Name", "text", is_primary_column=True)] if schema is None else _read(schema)
    if len(definitions) + (len(_OF_TODO) if todo_mode else 0) > MAX_COLUMNS:
        raise OverColumnMaximum
    for position, each in enumerate(definitions):
        column = ListColumn(
            list_id=list_id,
            column_id=call.ids.new("Col"),
            column_key=each.key,
            column_name=each.name,
            column_type=each.type,
            is_primary=each.is_primary_column,
            options={**each.options, "show_member_name": each.options.get("show_member_name", True)}
            if each.options
            else None,
            position=position,
        )
        call.db.add(column)
    if todo_mode:
        add_todo_columns(call, list_id)


def add_todo_columns(call: Call, list_id: str) -> None:
    """Add the to-do columns that a list lacks; raises OverColumnMaximum."""
    columns = columns_of(call, list_id)
    there = {column.column_id for column in columns}
    missing = [each for each in _OF_TODO if each[0] not in there]
    if len(columns) + len(missing) > MAX_COLUMNS:
        raise OverColumnMaximum
    for position, (column_id, type, name, options) in enumerate(missing, len(columns)):
        column = ListColumn(
            list_id=list_id,
            column_id=column_id,
            column_key=type,
            column_name=name,
            column_type=type,
            options=options,
            position=position,
        )
        call.db.add(column)


def columns_of(call: Call, list_id: str) -> list[ListColumn]:
    """Return the columns of a list from left to right."""
    order = (ListColumn.position, ListColumn.column_id)
    return list(call.db.rows(ListColumn, ListColumn.list_id == list_id, order=order))


def key_of(column: ListColumn) -> str:
    """Return the key of the values in a column's cells; `rich_text` for unknown types, which templates may have."""
    return KEYS.get(column.column_type, "rich_text")


def options_of(column: ListColumn) -> Options:
    """Return a column's options with defaults; only defaults if the options are malformed, as in some templates."""
    try:
        return msgspec.convert(column.options or {}, Options)
    except msgspec.ValidationError:
        return Options()


def column_object(column: ListColumn) -> dict[str, Any]:
    """Return a column in Slack's form."""
    shown: dict[str, Any] = {
        "id": column.column_id,
        "name": column.column_name,
        "key": column.column_key,
        "type": column.column_type,
        "is_primary_column": column.is_primary,
    }
    return {**shown, "options": column.options} if column.options else shown


def schemas(columns: Sequence[ListColumn]) -> dict[str, Any]:
    """Return `schema`, the columns of items, and `subtask_schema`, those of subtasks: primary and to-do columns."""
    todo = {each[0] for each in _OF_TODO}
    of_subtasks = [each for each in columns if each.is_primary or each.column_id in todo]
    return {
        "schema": [column_object(each) for each in columns],
        "subtask_schema": [column_object(each) for each in of_subtasks],
    }


def _read(schema: Sequence[dict[str, Any]]) -> list[Definition]:
    """Parse and check a schema; raises InvalidSchema, InvalidColumnType or InvalidPrimaryColumn."""
    try:
        definitions = msgspec.convert(schema, list[Definition])
        options = [msgspec.convert(each.options or {}, Options) for each in definitions]
    except msgspec.ValidationError as error:
        raise InvalidSchema(response_metadata={"messages": [f"[ERROR] {error}"]}) from None
    if any(each.type not in KEYS and each.type not in COMPUTED for each in definitions):
        raise InvalidColumnType
    primary = [each for each in definitions if each.is_primary_column]
    if len(primary) != 1 or primary[0].type != "text":
        raise InvalidPrimaryColumn
    keys = {each.key for each in definitions}
    if len(keys) < len(definitions) or any(len(each.choices) > _MAX_CHOICES for each in options):
        raise InvalidSchema
    return definitions
