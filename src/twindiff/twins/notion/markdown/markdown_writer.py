"""Pages as Markdown: one block a line, children indented by tabs.

https://developers.notion.com/guides/data-apis/enhanced-markdown
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

from twindiff.kit import Call

from ..blocks.block_objects import render_nodes
from ..blocks.child_lists import list_children
from ..core.api_version import web_url
from ..core.object_lookup import Node
from ..tables.content_tables import Block, Page
from .inline_markdown import write_inline

Content = dict[str, Any]
MAX_BLOCKS = 20_000
MAX_CHILDREN = 10_000
MARKS = {
    "heading_1": "# ",
    "heading_2": "## ",
    "heading_3": "### ",
    "heading_4": "#### ",
    "bulleted_list_item": "- ",
    "quote": "> ",
}
TEXTS = (*MARKS, "paragraph", "to_do", "numbered_list_item")
PAIRED = {"toggle": "details", "column_list": "columns", "column": "column", "synced_block": "synced_block"}
MEDIA = ("video", "audio", "pdf", "file")


class Chunk(NamedTuple):
    """A block at the top of a page with its lines of Markdown."""

    node: Node
    lines: list[str]


class MarkdownWriter:
    """Writes the blocks of a page, up to a number of them; those it cannot write are in `unknown`."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._left = MAX_BLOCKS
        self.unknown: list[str] = []
        self.is_truncated = False

    def write_children(self, parent_id: str) -> list[Chunk]:
        """Return the lines of each child."""
        nodes = list_children(self._call, parent_id, limit=MAX_CHILDREN)
        chunks: list[Chunk] = []
        number = 0
        for node, shown in zip(nodes, render_nodes(self._call, nodes), strict=True):
            number = number + 1 if shown["type"] == "numbered_list_item" else 0
            self._left -= 1
            if self._left < 0:
                self.is_truncated = True
                break
            chunks.append(Chunk(node, self._write(node, shown, number)))
        return chunks

    def _below(self, shown: Content) -> list[str]:
        if not shown["has_children"]:
            return []
        return ["\t" + line for chunk in self.write_children(shown["id"]) for line in chunk.lines]

    def _write(self, node: Node, shown: Content, number: int) -> list[str]:
        kind, content = shown["type"], shown[shown["type"]]
        if not isinstance(node, Block):
            tag = "page" if isinstance(node, Page) else "database"
            return [f'<{tag} url="{web_url(self._call, node.id)}">{escape(content["title"])}</{tag}>']
        text = write_inline(content.get("rich_text", []))
        if kind in TEXTS:
            return [_write_text(kind, content, text, number), *self._below(shown)]
        if kind in PAIRED:
            tag = PAIRED[kind]
            summary = [f"<summary>{text}</summary>"] if kind == "toggle" else []
            return [f"<{tag}>", *summary, *self._below(shown), f"</{tag}>"]
        if kind == "callout":
            return self._callout(shown, content, text)
        if kind == "table":
            return self._table(shown, content)
        if kind in _WRITERS:
            return _WRITERS[kind](content)
        if kind in MEDIA:
            return [f'<{kind} src="{_url(content)}">{write_inline(content["caption"])}</{kind}>']
        self.unknown.append(node.id)
        return [f'<unknown url="{web_url(self._call, node.id)}" alt="{kind}"/>']

    def _callout(self, shown: Content, content: Content, text: str) -> list[str]:
        icon: Content = content["icon"] or {}
        emoji = f' icon="{icon["emoji"]}"' if icon.get("type") == "emoji" else ""
        color = content["color"].replace("_background", "_bg")
        note = f' color="{color}"' if color != "default" else ""
        return [f"<callout{emoji}{note}>", *(["\t" + text] if text else []), *self._below(shown), "</callout>"]

    def _table(self, shown: Content, content: Content) -> list[str]:
        row, column = (str(content[f"has_{each}_header"]).lower() for each in ("column", "row"))
        lines = [f'<table header-row="{row}" header-column="{column}">']
        for each in render_nodes(self._call, list_children(self._call, shown["id"], limit=MAX_CHILDREN)):
            cells = [f"<td>{write_inline(cell)}</td>" for cell in each["table_row"]["cells"]]
            lines += ["<tr>", *cells, "</tr>"]
        return [*lines, "</table>"]


def _write_text(kind: str, content: Content, text: str, number: int) -> str:
    """Return the line of a block whose text is all that it has."""
    if kind == "paragraph" and not text:
        return "<empty-block/>"
    mark = MARKS.get(kind, "")
    if kind == "to_do":
        mark = f"- [{'x' if content['checked'] else ' '}] "
    elif kind == "numbered_list_item":
        mark = f"{number}. "
    color = content["color"].replace("_background", "_bg")
    note = f' {{color="{color}"}}' if color != "default" else ""
    toggle = ' {toggle="true"}' if content.get("is_toggleable") else ""
    return f"{mark}{text}{toggle}{note}"


def _plain(content: Content) -> str:
    return "".join(item["plain_text"] for item in content["rich_text"])


def _url(content: Content) -> str:
    kind = content.get("type", "external")
    return content[kind]["url"] if kind in content else ""


def _write_link(content: Content) -> list[str]:
    return [f"[{write_inline(content['caption']) or content['url']}]({content['url']})"]


_WRITERS: dict[str, Callable[[Content], list[str]]] = {
    "code": lambda content: [f"```{content['language']}", *_plain(content).split("\n"), "```"],
    "equation": lambda content: ["$$", content["expression"], "$$"],
    "divider": lambda content: ["---"],
    "image": lambda content: [f"![{write_inline(content['caption'])}]({_url(content)})"],
    "table_of_contents": lambda content: ["<table_of_contents/>"],
    "bookmark": _write_link,
    "embed": _write_link,
}
