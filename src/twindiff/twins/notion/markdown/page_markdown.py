"""The content of pages as Markdown. https://developers.notion.com/reference/retrieve-page-markdown"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations

from ..blocks.async_answers import answer_async
from ..blocks.child_lists import add_blocks, end_position
from ..blocks.trash import move_to_trash
from ..core.body_rules import anything, array, boolean, check_body, choice, obj, text, typed_object
from ..core.object_lookup import Node, check_editable, find_page, parse_id
from ..event_delivery.event_emission import emit_content
from ..tables.content_tables import Block, Page
from ..wire_style import ValidationError
from .markdown_reader import read_markdown
from .markdown_writer import Chunk, MarkdownWriter

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
MAX_MARKDOWN_LENGTH = 500_000
_markdown = text(MAX_MARKDOWN_LENGTH)
_update = obj({"old_str": text(MAX_MARKDOWN_LENGTH, 1), "new_str": _markdown}, replace_all_matches=boolean)
_position = obj({"type": choice("start", "end")}, start=anything, end=anything)
_update_body = typed_object(
    {
        "insert_content": obj({"content": _markdown}, after=text(), position=_position),
        "replace_content_range": obj({"content": _markdown, "content_range": text()}, allow_deleting_content=boolean),
        "update_content": obj({"content_updates": array(_update)}, allow_deleting_content=boolean),
        "replace_content": obj({"new_str": _markdown}, allow_deleting_content=boolean),
    },
    allow_async=boolean,
)


@api.get("/pages/{page_id}/markdown", scope="read_content")
def get_page_markdown(call: Call, page_id: str, include_transcript: bool = False) -> dict[str, Any]:
    """Get the content of a page as Markdown."""
    return markdown_object(call, find_page(call, parse_id(page_id, "page_id")))


def markdown_object(call: Call, page: Page) -> dict[str, Any]:
    """Render the content of a page as Markdown."""
    writer = MarkdownWriter(call)
    chunks = writer.write_children(page.id)
    return {
        "object": "page_markdown",
        "id": page.id,
        "markdown": _join(chunks),
        "truncated": writer.is_truncated,
        "unknown_block_ids": writer.unknown,
    }


def _join(chunks: list[Chunk]) -> str:
    return "\n".join(line for chunk in chunks for line in chunk.lines)


@api.patch("/pages/{page_id}/markdown", body_limit=2_000_000, scope="update_content")
def update_page_markdown(call: Call, page_id: str, body: JsonBody) -> Any:
    """Change the content of a page by Markdown; blocks whose lines stay the same stay."""
    page = find_page(call, parse_id(page_id, "page_id"))
    check_body(_update_body, body)
    check_editable(call, page)
    kind = body.get("type") or next(name for name in body if name != "allow_async")
    chunks = MarkdownWriter(call).write_children(page.id)
    before = _join(chunks)
    after = _change_text(before, kind, body[kind])
    changed = _write_changes(call, page, chunks, after, may_delete=body[kind].get("allow_deleting_content", False))
    if changed:
        emit_content(call, page, changed)
    return answer_async(call, body, "PATCH /v1/pages/:page_id/markdown", markdown_object(call, page))


def _change_text(before: str, kind: str, given: dict[str, Any]) -> str:
    if kind == "replace_content":
        return given["new_str"]
    if kind == "insert_content":
        if "after" in given:
            _, end = _find_range(before, given["after"])
            return f"{before[:end]}\n{given['content']}{before[end:]}"
        parts = (
            (given["content"], before)
            if given.get("position", {"type": "end"})["type"] == "start"
            else (before, given["content"])
        )
        return "\n".join(part for part in parts if part)
    if kind == "replace_content_range":
        start, end = _find_range(before, given["content_range"])
        return before[:start] + given["content"] + before[end:]
    for number, update in enumerate(given["content_updates"]):
        count = before.count(update["old_str"])
        path = f"body.update_content.content_updates[{number}].old_str"
        if count == 0:
            raise ValidationError(f"body failed validation: {path} was not found in the content of the page.")
        if count > 1 and not update.get("replace_all_matches"):
            raise ValidationError(f"body failed validation: {path} was found {count} times; set replace_all_matches.")
        before = before.replace(update["old_str"], update["new_str"])
    return before


def _find_range(text: str, selection: str) -> tuple[int, int]:
    """Return where a selection `beginning...end` is in a text."""
    first, dots, last = selection.partition("...")
    start = text.find(first)
    end = text.find(last, start + len(first)) if dots and start >= 0 else start
    if start < 0 or end < 0 or not first:
        raise ValidationError(f"Could not find the selection in the content of the page: {selection[:200]}")
    return start, end + len(last) if dots else start + len(first)


def _write_changes(call: Call, page: Page, chunks: list[Chunk], text: str, *, may_delete: bool) -> list[Node]:
    """Replace the blocks between the first and the last line that have changed, and return the new ones."""
    lines = text.split("\n")
    kept = 0
    while kept < len(chunks) and lines[: len(chunks[kept].lines)] == chunks[kept].lines:
        lines = lines[len(chunks[kept].lines) :]
        kept += 1
    last = len(chunks)
    while last > kept and lines[-len(chunks[last - 1].lines) :] == chunks[last - 1].lines:
        lines = lines[: -len(chunks[last - 1].lines)]
        last -= 1
    changed: list[Node] = [chunk.node for chunk in chunks[kept:last]]
    lost = [node for node in changed if not isinstance(node, Block) and node.id.replace("-", "") not in text]
    if lost and not may_delete:
        raise ValidationError(
            "The change would delete child pages or databases. Set allow_deleting_content, or keep: "
            + ", ".join(node.id for node in lost[:10])
        )
    for node in changed:
        if isinstance(node, Block) or node in lost:
            move_to_trash(call, node, in_trash=True)
    blocks = read_markdown("\n".join(lines))
    before = chunks[kept - 1].node.position if kept else None
    after = chunks[last].node.position if last < len(chunks) else None
    if before is None and after is None and changed:
        before = end_position(call, page.id, "end")
    added = add_blocks(call, page, blocks, (before, after))
    return [*changed, *added]
