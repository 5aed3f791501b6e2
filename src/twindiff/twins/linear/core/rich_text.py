"""Rich text: converts between plain text and the document of nodes that editors use.

https://prosemirror.net/docs/guide/#doc
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, cast

import msgspec

from twindiff.kit.graphql.errors import InvalidInput
from twindiff.kit.json_values import read_json

Node = dict[str, Any]
_INLINE = ("text", "hardBreak", "suggestion_userMentions")


def document_of(text: str, mentions: Mapping[str, Node] = MappingProxyType({})) -> str:
    """Return a text as the JSON of a document; `mentions` are the nodes that replace parts of the text."""
    return msgspec.json.encode(document_data(text, mentions)).decode()


def document_data(text: str, mentions: Mapping[str, Node] = MappingProxyType({})) -> Node:
    """Return a text as a document, with a paragraph for each part between blank lines."""
    parts = [part for part in text.split("\n\n") if part.strip()]
    return {"type": "doc", "content": [{"type": "paragraph", "content": _inline(part, mentions)} for part in parts]}


def _inline(text: str, mentions: Mapping[str, Node]) -> list[Node]:
    """Split a paragraph into texts and the nodes of mentions."""
    if not mentions:
        return [{"type": "text", "text": text}]
    longest_first = sorted(mentions, key=len, reverse=True)
    parts = re.split(f"({'|'.join(map(re.escape, longest_first))})", text)
    return [mentions.get(part) or {"type": "text", "text": part} for part in parts if part]


def read_text_input(given: Mapping[str, Any], name: str = "body") -> str | None:
    """Return the text of an input field: `name`, or `name` + `Data` as a document; None if neither is given.

    Raises InvalidInput if the document is malformed.
    """
    text = given.get(name)
    if text is not None:
        return text
    data = given.get(f"{name}Data")
    return None if data is None else text_of(data, f"{name}Data")


def text_of(data: Any, field: str = "bodyData") -> str:
    """Return the text of a document, given as JSON text or as decoded data; raise InvalidInput that names `field`."""
    if isinstance(data, str):
        try:
            data = read_json(data)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise InvalidInput(f"{field}: it is no JSON of a rich text document.") from None
    root = _node(data, field)
    if root["type"] != "doc":
        raise InvalidInput(f"{field}: a rich text document is a node of the type 'doc', not '{root['type'][:50]}'.")
    return "\n\n".join(_blocks(root, field))


def _blocks(node: Node, field: str) -> Iterator[str]:
    """Yield the text of every block inside a node, in order. A block is a node that directly contains text."""
    inside = [_node(each, field) for each in node.get("content") or ()]
    inline = [each for each in inside if each["type"] in _INLINE]
    if inline:
        yield "".join(map(_text_of_inline, inline))
        return
    for each in inside:
        yield from _blocks(each, field)


def _text_of_inline(node: Node) -> str:
    if node["type"] == "hardBreak":
        return "\n"
    if node["type"] == "text":
        return node.get("text", "")
    attributes = node.get("attrs")
    known = cast(Node, attributes) if isinstance(attributes, dict) else {}
    return str(known.get("href") or f"@{known.get('label', '')}")


def _node(value: Any, field: str) -> Node:
    """Return a valid node; raise InvalidInput unless it has a type, a string as `text` and a list as `content`."""
    node = cast(Node, value) if isinstance(value, dict) else {}
    if not isinstance(node.get("type"), str):
        raise InvalidInput(f"{field}: each node of a rich text document is an object with a type.")
    if not isinstance(node.get("text", ""), str) or not isinstance(node.get("content") or [], list):
        raise InvalidInput(f"{field}: the text of a node is a text, and its content a list of nodes.")
    return node
