"""GitHub's global node ids: a prefix for the type, then Base64 of MessagePack `[0, id…]`.

https://docs.github.com/en/graphql/guides/using-global-node-ids
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any, NamedTuple

import msgspec


class NodeId(NamedTuple):
    """The type prefix and the ids in a node id; the last one is the object's own."""

    prefix: str
    ids: tuple[Any, ...]


def node_id(prefix: str, *ids: int | str) -> str:
    """Return the node id of an object; `node_id("R", 7)` is a repository's."""
    packed = msgspec.msgpack.encode([0, *ids])
    return f"{prefix}_{urlsafe_b64encode(packed).decode().rstrip('=')}"


def parse_node_id(text: str) -> NodeId | None:
    """Return the parts of a node id; None for a text that is none."""
    prefix, _, packed = text.partition("_")
    if not packed:
        return None
    try:
        values = msgspec.msgpack.decode(urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
    except (ValueError, msgspec.DecodeError):
        return None
    if not isinstance(values, list) or len(values) < 2:  # pyright: ignore[reportUnknownArgumentType]
        return None
    return NodeId(prefix, tuple(values[1:]))  # pyright: ignore[reportUnknownArgumentType]
