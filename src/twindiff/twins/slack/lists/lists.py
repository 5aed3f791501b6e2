"""Lists: creation, renaming, sharing and export. Items are in list_items.py.

https://docs.slack.dev/surfaces/lists
"""

from __future__ import annotations

import csv
import io
from typing import Any

from twindiff.kit import UNSET, ApiError, Call, Operations, Response, UnsetType, not_, revise

from ..core.access import holds, workspace
from ..core.document_access import entities_of, levels_through
from ..core.errors import AccessDenied, InvalidArguments, RestrictedAction
from ..core.list_tables import ListAccess, ListCell, ListColumn, ListDownload, ListItem, SlackList
from ..messages.blocks import problems
from ..rendering.message_views import block_objects
from .list_columns import add_columns, add_todo_columns, columns_of, schemas
from .list_errors import (
    InvalidCopyAndSchemaArgs,
    InvalidSchema,
    JobNotFound,
    ListNotFound,
    MissingArgCopyFromListId,
    MissingArguments,
    UnexpectedDescriptionBlocksArg,
)
from .list_views import cells_of

api = Operations()

_RANKS = ("read", "write", "owner")

Blocks = list[dict[str, Any]]


@api.method("slackLists.create", scope="lists:write")
def create(
    call: Call,
    name: str,
    description_blocks: Blocks | None = None,
    schema: Blocks | None = None,
    copy_from_list_id: str = "",
    include_copied_list_records: bool = False,
    todo_mode: bool = False,
) -> dict[str, Any]:
    """Create a list with the columns of a schema or of another list.

    https://docs.slack.dev/reference/methods/slackLists.create
    """
    if copy_from_list_id and schema is not None:
        raise InvalidCopyAndSchemaArgs
    if include_copied_list_records and not copy_from_list_id:
        raise MissingArgCopyFromListId
    source = readable_list(call, copy_from_list_id) if copy_from_list_id else None
    made = SlackList(
        list_id=call.ids.new("F"),
        user_id=call.actor,
        title=name,
        description_blocks=_description(description_blocks, InvalidSchema),
        todo_mode=todo_mode or bool(source and source.todo_mode),
        copied_from=source.list_id if source else None,
        created_at=call.clock.iso(),
    )
    call.db.add(made)
    if source is None:
        add_columns(call, made.list_id, schema, todo_mode=todo_mode)
    else:
        _copy(call, source, made, with_items=include_copied_list_records)
    return {"list_id": made.list_id, "list_metadata": schemas(columns_of(call, made.list_id))}


def _description(blocks: Blocks | None, wrong: type[ApiError]) -> Blocks | None:
    """Return a description in stored form; raises `wrong` unless it is rich text."""
    if not blocks:
        return None
    if any(each.get("type") != "rich_text" for each in blocks) or any(problems(blocks, "/description_blocks")):
        raise wrong
    return block_objects(blocks, "description")


def _copy(call: Call, source: SlackList, made: SlackList, *, with_items: bool) -> None:
    """Copy the columns of a list, and maybe its items; to-do columns keep their ids, which all lists share."""
    ids: dict[str, str] = {}
    for column in columns_of(call, source.list_id):
        is_todo = column.column_type.startswith("todo_")
        ids[column.column_id] = column.column_id if is_todo else call.ids.new("Col")
        call.db.add(
            ListColumn(
                list_id=made.list_id,
                column_id=ids[column.column_id],
                column_key=column.column_key,
                column_name=column.column_name,
                column_type=column.column_type,
                is_primary=column.is_primary,
                options=column.options,
                position=column.position,
            )
        )
    if made.todo_mode:
        add_todo_columns(call, made.list_id)
    if with_items:
        _copy_items(call, source, made, ids)


def _copy_items(call: Call, source: SlackList, made: SlackList, columns: dict[str, str]) -> None:
    order = (ListItem.created_at, ListItem.item_id)
    items = list(call.db.rows(ListItem, ListItem.list_id == source.list_id, order=order))
    ids = {item.item_id: call.ids.new("Rec") for item in items}
    for item in items:
        copied = ListItem(
            item_id=ids[item.item_id],
            list_id=made.list_id,
            user_id=call.actor,
            parent_id=ids.get(item.parent_id or ""),
            is_archived=item.is_archived,
            created_at=call.clock.iso(),
        )
        call.db.add(copied)
    for item_id, cells in cells_of(call, items).items():
        for cell in (each for each in cells.values() if each.column_id in columns):
            place = {"item_id": ids[item_id], "column_id": columns[cell.column_id]}
            call.db.add(ListCell(**place, value=cell.value, text=cell.text))


@api.method("slackLists.update", scope="lists:write")
def update(
    call: Call,
    id: str,
    name: str | UnsetType = UNSET,
    description_blocks: Blocks | UnsetType = UNSET,
    todo_mode: bool | UnsetType = UNSET,
) -> dict[str, Any]:
    """Rename or describe a list, or turn it into a to-do list.

    https://docs.slack.dev/reference/methods/slackLists.update
    """
    slack_list = writable_list(call, id)
    if name is UNSET and description_blocks is UNSET and todo_mode is UNSET:
        raise MissingArguments
    wanted: dict[str, Any] = {"todo_mode": todo_mode}
    if name is not UNSET:
        wanted["title"] = name
    if description_blocks is not UNSET:
        wanted["description_blocks"] = _description(description_blocks, UnexpectedDescriptionBlocksArg)
    revise(call.db, slack_list, stamp={"updated_at": call.clock.iso(), "updated_by": call.actor}, **wanted)
    if todo_mode is True:
        add_todo_columns(call, id)
    return {}


@api.method("slackLists.access.set", scope="lists:write")
def set_access(
    call: Call, list_id: str, access_level: str, channel_ids: str | list[str] = "", user_ids: str | list[str] = ""
) -> dict[str, Any]:
    """Give users, or all members of channels, access to a list, or transfer its ownership.

    https://docs.slack.dev/reference/methods/slackLists.access.set
    """
    slack_list = writable_list(call, list_id, RestrictedAction)
    channels, users = entities_of(call, channel_ids, user_ids)
    if access_level not in _RANKS:
        raise InvalidArguments(response_metadata={"messages": ["[ERROR] access_level must be read, write or owner"]})
    if access_level == "owner":
        _hand_over(call, slack_list, users)
        return {}
    for entity in channels or users:
        if entity != slack_list.user_id:
            _allow(call, slack_list, entity, access_level)
    return {}


def _hand_over(call: Call, slack_list: SlackList, users: list[str]) -> None:
    if len(users) != 1:
        raise InvalidArguments(response_metadata={"messages": ["[ERROR] only one user can be the owner"]})
    if slack_list.user_id != call.actor:
        raise RestrictedAction
    if users[0] == call.actor:
        return
    _allow(call, slack_list, call.actor, "write")
    _revoke(call, slack_list, users[0])
    call.db.change(slack_list, user_id=users[0])


def _allow(call: Call, slack_list: SlackList, entity: str, level: str) -> None:
    access = _access(call, slack_list, entity)
    if access is None:
        call.db.add(ListAccess(list_id=slack_list.list_id, entity_id=entity, access_level=level))
    elif access.access_level != level:
        call.db.change(access, access_level=level)


def _revoke(call: Call, slack_list: SlackList, entity: str) -> None:
    if access := _access(call, slack_list, entity):
        call.db.remove(access)


def _access(call: Call, slack_list: SlackList, entity: str) -> ListAccess | None:
    return call.db.find(ListAccess, ListAccess.list_id == slack_list.list_id, ListAccess.entity_id == entity)


@api.method("slackLists.access.delete", scope="lists:write")
def delete_access(
    call: Call, list_id: str, channel_ids: str | list[str] = "", user_ids: str | list[str] = ""
) -> dict[str, Any]:
    """Remove the access that slackLists.access.set gave to users, or to all members of channels.

    https://docs.slack.dev/reference/methods/slackLists.access.delete
    """
    slack_list = writable_list(call, list_id, RestrictedAction)
    channels, users = entities_of(call, channel_ids, user_ids)
    for entity in channels or users:
        _revoke(call, slack_list, entity)
    return {}


@api.method("slackLists.download.start", scope="lists:read")
def start_download(call: Call, list_id: str, include_archived: bool = False, format: str = "csv") -> dict[str, Any]:
    """Request the export of a list as a CSV file.

    https://docs.slack.dev/reference/methods/slackLists.download.start
    """
    readable_list(call, list_id)
    if format != "csv":
        raise InvalidArguments(response_metadata={"messages": ["[ERROR] format must be csv: json is not implemented"]})
    job = ListDownload(job_id=call.ids.new("Le"), list_id=list_id, include_archived=include_archived)
    return {"job_id": call.db.add(job).job_id}


@api.method("slackLists.download.get", reads=True, scope="lists:read")
def get_download(call: Call, list_id: str, job_id: str) -> dict[str, Any]:
    """Return the address of an export, which is ready at once.

    https://docs.slack.dev/reference/methods/slackLists.download.get
    """
    readable_list(call, list_id)
    job = call.db.find(ListDownload, ListDownload.job_id == job_id, ListDownload.list_id == list_id)
    if job is None:
        raise JobNotFound
    team = workspace(call.db).team_id
    archived = "&include_archived=true" if job.include_archived else ""
    url = f"{call.base_url}/files-pri/{team}-{list_id}/csv/list?origin_team={team}{archived}"
    return {"status": "COMPLETED", "download_url": url}


@api.get("/files-pri/{file}/csv/{name}", scope="lists:read")
def download(call: Call, file: str, name: str, origin_team: str = "", include_archived: bool = False) -> Response:
    """Return a list as CSV, one line per item, oldest first."""
    try:
        slack_list = readable_list(call, file.partition("-")[2])
    except ListNotFound:
        return Response(b"There is no such list, or it is not for you", 404, "text/plain")
    columns = columns_of(call, slack_list.list_id)
    where = [ListItem.list_id == slack_list.list_id, *([] if include_archived else [not_(holds(ListItem.is_archived))])]
    items = list(call.db.rows(ListItem, *where, order=(ListItem.created_at, ListItem.item_id)))
    cells = cells_of(call, items)
    text = io.StringIO()
    lines = csv.writer(text)
    lines.writerow([column.column_name for column in columns])
    for item in items:
        there = cells[item.item_id]
        lines.writerow([there[each.column_id].text if each.column_id in there else "" for each in columns])
    return Response(text.getvalue().encode(), content_type="text/csv; charset=utf-8")


def access_of(call: Call, slack_list: SlackList) -> str:
    """Return the caller's access level to a list: owner, write, read, or an empty text."""
    if slack_list.user_id == call.actor:
        return "owner"
    return max(levels_through(call, levels_of(call, slack_list)), key=_RANKS.index, default="")


def levels_of(call: Call, slack_list: SlackList) -> dict[str, str]:
    """Map ids of users and channels to their access levels to a list; the owner is not included."""
    given = call.db.rows(ListAccess, ListAccess.list_id == slack_list.list_id)
    return {access.entity_id: access.access_level for access in given}


def readable_list(call: Call, list_id: str) -> SlackList:
    """Return a list that the caller may read; raises ListNotFound."""
    slack_list = call.db.get(SlackList, list_id, missing=ListNotFound)
    if not access_of(call, slack_list):
        raise ListNotFound
    return slack_list


def writable_list(call: Call, list_id: str, refusal: type[ApiError] = AccessDenied) -> SlackList:
    """Return a list that the caller may write to; raises ListNotFound, or `refusal` if the caller may only read it."""
    slack_list = readable_list(call, list_id)
    if access_of(call, slack_list) == "read":
        raise refusal
    return slack_list
