"""Recent items: the files that the caller interacted with last.

https://developer.box.com/reference/get-recent-items
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations
from twindiff.twins.box.wire_style import marker_page, wanted_fields

from ..core.access import NONE, is_trashed, rights
from ..core.folder_listing import rows_from
from ..core.row_stamps import format_instant
from ..tables.further_tables import RecentItem
from ..tables.item_tables import File
from ..views.item_views import item_objects

api = Operations(prefix="/2.0")


@api.get("/recent_items")
def list_recent(call: Call, fields: str = "", limit: int = 100, marker: str = "") -> dict[str, Any]:
    """List the files that the caller uploaded, changed or commented on, most recent first.

    https://developer.box.com/reference/get-recent-items
    """
    mine = RecentItem.user_id == call.actor
    rows, more = rows_from(call, marker, limit, RecentItem, mine, order=-RecentItem.interacted_at)
    files = {file.id: file for file in call.db.rows(File, File.id.in_([row.item_id for row in rows]))}
    seen = [row for row in rows if row.item_id in files and _is_there(call, files[row.item_id])]
    shown = item_objects(call, [files[row.item_id] for row in seen], wanted_fields(fields), mini=False)
    entries = [
        {
            "type": "recent_item",
            "interaction_type": row.interaction_type,
            "interacted_at": format_instant(row.interacted_at),
            "item": item,
        }
        for row, item in zip(seen, shown, strict=True)
    ]
    return marker_page(entries, limit, more)


def _is_there(call: Call, file: File) -> bool:
    return rights(call, file) != NONE and not is_trashed(call, file)
