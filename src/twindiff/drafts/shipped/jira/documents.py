"""Atlassian Documents and plain text. https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/"""

from __future__ import annotations

from typing import Any, cast

Node = dict[str, Any]
_BLOCKS = frozenset({"paragraph", "heading", "codeBlock", "blockquote", "panel", "rule", "listItem", "tableRow"})
MAX_DEPTH = 60


def is_document(value: object) -> bool:
    """Return whether a value has the outer form of an Atlassian Document."""
    if not isinstance(value, dict):
        return False
    node = cast(Node, value)
    return node.get("type") == "doc" and isinstance(node.get("content"), list)


def to_document(text: str) -> Node:
    """Return plain text as a document of paragraphs; a single line break is a hard break."""
    paragraphs = [each for each in text.replace("\r\n", "\n").split("\n\n") if each.strip("\n")]
    return {"type": "doc", "version": 1, "content": [_paragraph(each.strip("\n")) for each in paragraphs]}


def _paragraph(text: str) -> Node:
    content: list[Node] = []
    for number, line in enumerate(text.split("\n")):
        if number:
            content.append({"type": "hardBreak"})
        if line:
            content.append({"type": "text", "text": line})
    return {"type": "paragraph", "content": content}


def to_text(document: Node) -> str:
    """Return the text of a document: blocks are separated by empty lines, list items by lines with a dash."""
    return "\n\n".join(filter(None, (_text_of(each, 0) for each in _content(document))))


def _content(node: Node) -> list[Node]:
    content: Any = node.get("content")
    return [each for each in cast(list[Any], content) if isinstance(each, dict)] if isinstance(content, list) else []


def _text_of(node: Node, depth: int) -> str:
    kind = node.get("type")
    if depth > MAX_DEPTH:
        return ""
    if kind == "text":
        return str(node.get("text", ""))
    if kind == "hardBreak":
        return "\n"
    if kind in ("mention", "emoji", "status", "date", "inlineCard"):
        attributes: Any = node.get("attrs") or {}
        return str(attributes.get("text") or attributes.get("shortName") or attributes.get("url") or "")
    parts = [_text_of(each, depth + 1) for each in _content(node)]
    if kind in ("bulletList", "orderedList"):
        mark = "-" if kind == "bulletList" else "{}."
        return "\n".join(f"{mark.format(number)} {part}" for number, part in enumerate(parts, 1))
    if kind == "tableRow":
        return " | ".join(parts)
    inline = kind in ("paragraph", "heading", "codeBlock") or not any(
        each.get("type") in _BLOCKS for each in _content(node)
    )
    return ("" if inline else "\n").join(parts)


def split_text(value: object) -> tuple[str | None, Node | None]:
    """Return a text field as it is stored: its plain text, and the document where it has more than paragraphs."""
    if value is None or value == "":
        return None, None
    if isinstance(value, str):
        return value, None
    document = cast(Node, value)
    text = to_text(document)
    is_plain = {**document, "version": 1} == to_document(text)
    return text, None if is_plain else document


def show_text(text: str | None, document: Node | None, *, plain: bool) -> Any:
    """Return a text field as the API shows it: a text in version 2, a document in version 3."""
    if text is None and document is None:
        return None
    return text if plain else document or to_document(text or "")
