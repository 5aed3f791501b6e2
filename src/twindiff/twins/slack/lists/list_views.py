"""Rendering of lists and their items.

https://docs.slack.dev/reference/methods/slackLists.items.info
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit import Call

from ..core.access import holds, workspace
from ..core.addresses import workspace_url
from ..core.arguments import objects_in, unix_of
from ..core.list_tables import ListCell, ListColumn, ListItem, SlackList
from ..core.tables import Team
from ..rendering.block_text import text_of_blocks
from .list_cells import field_object
from .list_columns import MAX_COLUMNS, columns_of, schemas

MAX_ROWS = 1000
_VIEWS = (("Record", "record"), ("All items", "table"))
_FIRST_POSITION = 5_000_000_000


def cells_of(call: Call, items: Sequence[ListItem]) -> dict[str, dict[str, ListCell]]:
    """Map item ids to their cells by column id."""
    cells: dict[str, dict[str, ListCell]] = {item.item_id: {} for item in items}
    if cells:
        for cell in call.db.rows(ListCell, ListCell.item_id.in_(list(cells))):
            cells[cell.item_id][cell.column_id] = cell
    return cells


def item_objects(call: Call, list_id: str, items: Sequence[ListItem]) -> list[dict[str, Any]]:
    """Return items of one list with their cells."""
    columns, cells = columns_of(call, list_id), cells_of(call, items)
    return [_item_object(item, columns, cells[item.item_id]) for item in items]


def _item_object(item: ListItem, columns: Sequence[ListColumn], cells: dict[str, ListCell]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": item.item_id,
        "list_id": item.list_id,
        "date_created": unix_of(item.created_at),
        "created_by": item.user_id,
        "updated_by": item.updated_by or item.user_id,
        "fields": [field_object(each, cells[each.column_id]) for each in columns if each.column_id in cells],
        "updated_timestamp": str(unix_of(item.updated_at or item.created_at)),
    }
    if item.parent_id:
        shown["parent_record_id"] = item.parent_id
    if item.is_archived:
        shown["archived"] = True
    return shown


def list_object(call: Call, slack_list: SlackList, access: str) -> dict[str, Any]:
    """Return a list as a file object; `access` is the caller's access level."""
    team, columns = workspace(call.db), columns_of(call, slack_list.list_id)
    created = unix_of(slack_list.created_at)
    return {
        "id": slack_list.list_id,
        "created": created,
        "timestamp": created,
        "name": "list",
        "title": slack_list.title,
        "mimetype": "application/vnd.slack-list",
        "filetype": "list",
        "pretty_type": "List",
        "user": slack_list.user_id,
        "user_team": team.team_id,
        "editable": access != "read",
        "size": 0,
        "mode": "list",
        "is_external": False,
        "external_type": "",
        "is_public": False,
        "public_url_shared": False,
        "display_as_bot": False,
        "username": "",
        "list_metadata": _metadata(slack_list, columns),
        "list_limits": _limits(call, slack_list, columns),
        **_addresses(call, team, slack_list.list_id),
        "last_editor": slack_list.updated_by or slack_list.user_id,
        "updated": unix_of(slack_list.updated_at or slack_list.created_at),
        "is_starred": False,
        "skipped_shares": True,
        "teams_shared_with": [],
        "is_restricted_sharing_enabled": False,
        "has_rich_preview": False,
        "file_access": "visible",
        "access": access,
        "org_or_workspace_access": "none",
        "is_ai_suggested": False,
    }


def _addresses(call: Call, team: Team, list_id: str) -> dict[str, str]:
    address = f"{call.base_url}/files-pri/{team.team_id}-{list_id}"
    return {
        "url_private": f"{address}/list",
        "url_private_download": f"{address}/download/list",
        "list_csv_download_url": f"{address}/csv/list",
        "permalink": f"{workspace_url(team)}lists/{team.team_id}/{list_id}",
    }


def _metadata(slack_list: SlackList, columns: Sequence[ListColumn]) -> dict[str, Any]:
    blocks = [each for each in objects_in(slack_list.description_blocks) if each.get("type") == "rich_text"]
    shown: dict[str, Any] = {
        **schemas(columns),
        "views": [_view(slack_list, columns, at) for at in range(len(_VIEWS))],
        "integrations": [],
        "icon": "",
        "description": text_of_blocks(blocks),
        "description_blocks": blocks,
        "is_trial": False,
        "todo_mode": slack_list.todo_mode,
        "default_view": "",
    }
    if slack_list.copied_from:
        shown["creation_source"] = {"type": "copy_from_list", "reference_id": slack_list.copied_from}
    return shown


def _view(slack_list: SlackList, columns: Sequence[ListColumn], at: int) -> dict[str, Any]:
    name, type = _VIEWS[at]
    created = unix_of(slack_list.created_at)
    shown: dict[str, Any] = {
        "id": f"View{slack_list.list_id[1:]}{at}",
        "name": name,
        "type": type,
        "is_locked": False,
        "position": str(created + at),
        "columns": [_column_in_view(column, place) for place, column in enumerate(columns)],
        "date_created": created,
        "created_by": slack_list.user_id,
        "stick_column_left": False,
        "is_all_items_view": type == "table",
    }
    if type == "table":
        shown.update(default_view_key="all_items", show_completed_items=True)
    return shown


def _column_in_view(column: ListColumn, place: int) -> dict[str, Any]:
    position = str(_FIRST_POSITION + place)
    return {"visible": True, "key": column.column_key, "id": column.column_id, "position": position}


def _limits(call: Call, slack_list: SlackList, columns: Sequence[ListColumn]) -> dict[str, Any]:
    here = ListItem.list_id == slack_list.list_id
    rows = call.db.count(ListItem, here)
    return {
        "over_row_maximum": rows > MAX_ROWS,
        "row_count_limit": MAX_ROWS,
        "row_count": rows,
        "archived_row_count": call.db.count(ListItem, here, holds(ListItem.is_archived)),
        "over_column_maximum": len(columns) > MAX_COLUMNS,
        "column_count": len(columns),
        "column_count_limit": MAX_COLUMNS,
        "over_view_maximum": False,
        "view_count": len(_VIEWS),
        "view_count_limit": 50,
        "max_attachments_per_cell": 10,
    }
