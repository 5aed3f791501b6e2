"""Templates of data sources: pages whose content and values a new page takes over.

https://developers.notion.com/reference/list-data-source-templates
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations

from ..blocks.child_lists import end_position
from ..core.edit_stamps import stamp
from ..core.fractional_index import indexes_after
from ..core.list_answers import MAX_PAGE_SIZE, check_page_size, slice_list
from ..core.object_lookup import find_data_source, find_row, parse_id
from ..tables.content_tables import Block, Page
from ..wire_style import ValidationError

api = Operations(prefix="/v1")


def list_templates(call: Call, data_source_id: str) -> list[Page]:
    """Return the templates of a data source, the default one first."""
    mine = Page.data_source_id == data_source_id, Page.is_template.is_true, ~Page.in_trash
    return call.db.rows(Page, *mine, order=(Page.position, Page.id))


@api.get("/data_sources/{data_source_id}/templates")
def list_data_source_templates(
    call: Call,
    data_source_id: str,
    name: str | None = None,
    start_cursor: str | None = None,
    page_size: str | int = MAX_PAGE_SIZE,
) -> dict[str, Any]:
    """List the templates of a data source."""
    data_source = find_data_source(call, parse_id(data_source_id, "data_source_id"))
    rows = list_templates(call, data_source.id)
    default = rows[0].id if rows else None
    shown = [row for row in rows if name is None or name.lower() in row.title.lower()]
    shown, cursor = slice_list(shown, start_cursor, check_page_size(page_size))
    templates = [{"id": row.id, "name": row.title, "is_default": row.id == default} for row in shown]
    return {"templates": templates, "has_more": cursor is not None, "next_cursor": cursor}


def check_template(given: dict[str, Any] | None) -> bool:
    """Return whether a request applies a template."""
    return bool(given) and given["type"] != "none"


def apply_template(call: Call, page: Page, given: dict[str, Any]) -> Page:
    """Copy the values that a page lacks and the content of a template to it."""
    if not check_template(given):
        return page
    if given["type"] == "template_id":
        template = find_row(call, Page, parse_id(given["template_id"], "template_id", "body.template"), "template")
    else:
        templates = list_templates(call, page.data_source_id or "")
        if not templates:
            raise ValidationError("The data source has no default template.")
        template = templates[0]
    copy_blocks(call, template.id, page.id, "page_id")
    values = {**template.properties, **page.properties}
    icon = page.icon or template.icon
    title = page.title or template.title
    return call.db.change(page, properties=values, icon=icon, title=title, **stamp(call))


def copy_blocks(call: Call, source_id: str, target_id: str, parent_type: str) -> None:
    """Copy the blocks below one row to the end of another."""
    rows = call.db.rows(Block, Block.parent_id == source_id, ~Block.in_trash, order=(Block.position, Block.id))
    places = indexes_after(end_position(call, target_id, "end"), None, len(rows))
    for row, position in zip(rows, places, strict=True):
        columns = {name: getattr(row, name) for name in ("type", "text", "rich_text", "content", "created_by")}
        made = Block(
            id=call.ids.uuid(), parent_type=parent_type, parent_id=target_id, position=position,
            created_time=call.clock.iso(), **columns,
        )  # fmt: skip
        call.db.add(made)
        copy_blocks(call, row.id, made.id, "block_id")
