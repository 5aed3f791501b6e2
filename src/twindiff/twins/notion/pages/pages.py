"""Pages. https://developers.notion.com/reference/page"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations

from ..blocks.async_answers import answer_async
from ..blocks.block_types import children_rule
from ..blocks.blocks import check_size
from ..blocks.child_lists import add_blocks, check_parent, check_types, end_position, next_position, place_between
from ..blocks.trash import check_change, move_to_trash
from ..core.api_version import is_to_trash
from ..core.body_rules import (
    allow_one,
    anything,
    boolean,
    check_body,
    choice,
    empty,
    is_object,
    mapping,
    obj,
    text,
    typed_object,
    uuid,
)
from ..core.edit_stamps import stamp, stamp_new
from ..core.file_values import cover, icon, pack_file
from ..core.fractional_index import index_between
from ..core.object_lookup import (
    Node,
    check_editable,
    find_bot,
    find_data_source,
    find_database,
    find_node,
    find_page,
    find_visible,
    only_data_source,
    parse_id,
)
from ..event_delivery.event_emission import emit, emit_listing, emit_properties
from ..markdown.markdown_reader import read_markdown
from ..properties.page_values import set_values
from ..properties.schemas import TITLE
from ..tables.content_tables import Block, Page
from ..tables.data_source_tables import DataSource
from ..wire_style import ValidationError
from .page_objects import page_object, parse_filter
from .page_templates import apply_template, check_template

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
Parent = Page | Block | DataSource | None

_parent_rule = allow_one(
    ("page_id", "database_id", "workspace"),
    typed_object(
        {"page_id": uuid, "database_id": uuid, "data_source_id": uuid, "workspace": choice(True)},
        database_id=uuid,
    ),
)
_template = obj({"type": choice("none", "default", "template_id")}, template_id=uuid, timezone=text())
_position = obj({"type": choice("after_block", "page_start", "page_end")}, after_block=obj({"id": uuid}))
_properties = mapping(anything)
_create_body = obj(
    None, parent=_parent_rule, properties=_properties, icon=icon, cover=cover, children=children_rule,
    content=children_rule, markdown=text(500_000), allow_async=boolean, template=_template, position=_position,
)  # fmt: skip
_update_body = obj(
    None, properties=_properties, icon=icon, cover=cover, is_locked=boolean, template=_template, erase_content=boolean,
    in_trash=boolean, archived=boolean, is_archived=boolean,
)  # fmt: skip
_move_body = obj(
    {"parent": typed_object({"page_id": uuid, "data_source_id": uuid, "database_id": uuid, "workspace": empty})}
)

_NOT_OWNED = (
    "Internal integrations aren't owned by a single user, so creating workspace-level private pages is not supported."
)


@api.post("/pages", scope="insert_content")
def create_page(call: Call, body: JsonBody, filter_properties: list[str] = []) -> Any:  # noqa: B006 - read by the kit
    """Create a page in a page, a data source or the workspace, with its content."""
    check_body(_create_body, body)
    parent = _find_parent(call, body.get("parent") or {"workspace": True})
    children: list[dict[str, Any]] = body.get("children") or body.get("content") or []
    if "markdown" in body:
        if children:
            raise ValidationError("body failed validation: body.markdown should be not present beside body.children.")
        children, body = _read_markdown(body)
    check_size(children)
    kinds = check_types(children)
    template = body.get("template")
    if template and template["type"] != "none" and (children or not isinstance(parent, DataSource)):
        raise ValidationError("body failed validation: body.template should be not present beside body.children.")
    page = _add_page(call, parent, body)
    page = set_values(call, page, body.get("properties") or {})
    if children:
        check_parent(call, page, kinds)
        add_blocks(call, page, children)
    if template and isinstance(parent, DataSource):
        page = apply_template(call, page, template)
    emit(call, "page.created", page)
    return answer_async(
        call,
        body,
        "POST /v1/pages",
        page_object(call, page, parse_filter(call, page.data_source_id, filter_properties)),
    )


def _read_markdown(body: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the blocks of a body's Markdown; its first heading becomes the title of a page that has no other.

    Blocks below that heading take its place.
    https://developers.notion.com/guides/data-apis/working-with-markdown-content
    """
    children = read_markdown(body["markdown"])
    properties: dict[str, Any] = body.get("properties") or {}
    heading = next((each for each in children if "heading_1" in each), None)
    titles = [key for key, each in properties.items() if key == TITLE or (is_object(each) and "title" in each)]
    if heading is None or titles:
        return children, body
    at = children.index(heading)
    rest = [*children[:at], *heading["heading_1"].get("children", []), *children[at + 1 :]]
    return rest, {**body, "properties": {TITLE: heading["heading_1"]["rich_text"], **properties}}


def _find_parent(call: Call, given: dict[str, Any]) -> Parent:
    kind = given.get("type") or next(name for name in given)
    if kind == "workspace":
        if find_bot(call).shared_with is not None:
            raise ValidationError(_NOT_OWNED)
        return None
    if kind == "page_id":
        parent = find_page(call, parse_id(given[kind], kind, "body.parent"))
        check_editable(call, parent)
        return parent
    if kind == "database_id" and "data_source_id" not in given:
        parent = only_data_source(call, find_database(call, parse_id(given[kind], kind, "body.parent")))
    else:
        parent = find_data_source(call, parse_id(given["data_source_id"], "data_source_id", "body.parent"))
    check_editable(call, parent)
    return parent


def _add_page(call: Call, parent: Parent, body: dict[str, Any]) -> Page:
    where: dict[str, Any] = {"parent_type": "workspace", "parent_id": None}
    if isinstance(parent, DataSource):
        where = _place_in_source(call, parent)
    elif parent is not None:
        position = body.get("position")
        between = place_between(call, parent.id, position, "body.position") if position else None
        place = index_between(*between) if between else next_position(call, parent.id)
        kind = "block_id" if isinstance(parent, Block) else "page_id"
        where = {"parent_type": kind, "parent_id": parent.id, "position": place}
    page = Page(
        id=call.ids.uuid(),
        icon=pack_file(call, body.get("icon")),
        cover=pack_file(call, body.get("cover")),
        **stamp_new(call),
        **where,
    )
    return call.db.add(page)


def _place_in_source(call: Call, parent: DataSource) -> dict[str, Any]:
    """Return the columns of a page that goes before all others in a data source."""
    place = index_between(None, end_position(call, parent.id, "start"))
    return {"parent_type": "data_source_id", "parent_id": parent.id, "data_source_id": parent.id, "position": place}


@api.get("/pages/{page_id}", scope="read_content")
def get_page(call: Call, page_id: str, filter_properties: list[str] = []) -> dict[str, Any]:  # noqa: B006 - as above
    """Get a page with its properties."""
    page = find_page(call, parse_id(page_id, "page_id"))
    return page_object(call, page, parse_filter(call, page.data_source_id, filter_properties))


@api.patch("/pages/{page_id}", scope="update_content")
def update_page(call: Call, page_id: str, body: JsonBody, filter_properties: list[str] = []) -> dict[str, Any]:  # noqa: B006 - as above
    """Change the properties, the icon, the cover or the lock of a page, or move it to the trash or back."""
    page = find_page(call, parse_id(page_id, "page_id"))
    check_body(_update_body, body)
    before, page = page, move_to_trash(call, page, is_to_trash(call, body))
    given = {name: pack_file(call, body[name]) for name in ("icon", "cover") if name in body}
    given |= {name: body[name] for name in ("is_locked",) if name in body}
    if given or body.get("properties") or body.get("erase_content") or "template" in body:
        check_change(call, before, page)
    before = page
    if given:
        page = call.db.change(page, **given, **stamp(call))
    if body.get("properties"):
        page = set_values(call, page, body["properties"])
    if body.get("erase_content"):
        for block in call.db.rows(Block, Block.parent_id == page.id, ~Block.in_trash):
            call.db.change(block, in_trash=True)
    if check_template(body.get("template")):
        page = apply_template(call, page, body["template"])
    emit_properties(call, before, page)
    return page_object(call, page, parse_filter(call, page.data_source_id, filter_properties))


@api.post("/pages/{page_id}/move", scope="update_content")
def move_page(call: Call, page_id: str, body: JsonBody) -> dict[str, Any]:
    """Move a page to another page or data source."""
    page = find_page(call, parse_id(page_id, "page_id"))
    check_body(_move_body, body)
    check_editable(call, page)
    parent = _find_parent(call, body["parent"])
    node: Node | DataSource | None = parent
    while node is not None:
        if node.id == page.id:
            raise ValidationError("Cannot move a page into itself or one of its descendants.")
        above = node.database_id if isinstance(node, DataSource) else node.parent_id
        node = None if above is None else _find_any(call, above)
    changes: dict[str, Any] = {"parent_type": "workspace", "parent_id": None, "data_source_id": None}
    if isinstance(parent, DataSource):
        changes = _place_in_source(call, parent)
    elif parent is not None:
        changes |= {"parent_type": "page_id", "parent_id": parent.id, "position": next_position(call, parent.id)}
    former = call.db.find(DataSource, DataSource.id == page.data_source_id) if page.data_source_id else None
    page = call.db.change(page, **changes, **stamp(call))
    emit(call, "page.moved", page)
    if former and former.id != page.data_source_id:
        emit_listing(call, former, page)
    return page_object(call, page)


def _find_any(call: Call, id: str) -> Node | DataSource:
    return find_visible(call, DataSource, id) or find_node(call, id)
