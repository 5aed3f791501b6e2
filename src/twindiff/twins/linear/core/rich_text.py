"""Rich text: what editors show as a document of nodes, and everybody else reads as text.

https://prosemirror.net/docs/guide/#doc
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from twindiff.kit.graphql.errors import InvalidInput

Node = dict[str, Any]


def document_of(text: str) -> str:
    """A text as the JSON of a document."""
    return msgspec.json.encode(document_data(text)).decode()


def document_data(text: str) -> Node:
    """A text as a document: a paragraph for each part between blank lines."""
    paragraphs = [
        {"type": "paragraph", "content": [{"type": "text", "text": part}]}
        for part in text.split("\n\n")
        if part.strip()
    ]
    return {"type": "doc", "content": paragraphs}


def read_text_input(given: Mapping[str, Any], name: str = "body") -> str | None:
    """The text that an input gives under `name`, or else as a document under the name with `Data`; None without both.

    Raises InvalidInput for what is no document.
    """
    text = given.get(name)
    if text is not None:
        return text
    data = given.get(f"{name}Data")
    return None if data is None else text_of(data, f"{name}Data")


def text_of(data: Any, field: str = "bodyData") -> str:
    """The text of a document, given as JSON text or as what that says; raises InvalidInput, which names the field."""
    if isinstance(data, str):
        try:
            data = msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise InvalidInput(f"{field}: it is no JSON of a rich text document.") from None
    root = _node(data, field)
    if root["type"] != "doc":
        raise InvalidInput(f"{field}: a rich text document is a node of the type 'doc', not '{root['type'][:50]}'.")
    return "\n\n".join(_blocks(root, field))


def _blocks(node: Node, field: str) -> Iterator[str]:
    """The texts of all blocks inside a node, in order; a block is what has text in it."""
    inside = [_node(each, field) for each in node.get("content") or ()]
    inline = [each for each in inside if each["type"] in ("text", "hardBreak")]
    if inline:
        yield "".join(["\n" if each["type"] == "hardBreak" else each.get("text", "") for each in inline])
        return
    for each in inside:
        yield from _blocks(each, field)


def _node(value: Any, field: str) -> Node:
    """A node with a type, whose text is a text and whose content is a list."""
    node = cast(Node, value) if isinstance(value, dict) else {}
    if not isinstance(node.get("type"), str):
        raise InvalidInput(f"{field}: each node of a rich text document is an object with a type.")
    if not isinstance(node.get("text", ""), str) or not isinstance(node.get("content") or [], list):
        raise InvalidInput(f"{field}: the text of a node is a text, and its content a list of nodes.")
    return node
