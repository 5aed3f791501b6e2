"""Rich text between Notion's objects, and the short form in which rows hold it.

A text without formats is stored as a text. Any other is a list of pieces that name only what differs from the default:
`[{"text": "Ship "}, {"text": "today", "bold": true, "href": "https://…"}, {"mention": {"user": {"id": "…"}}}]`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from twindiff.kit import Call

from ..core.body_rules import is_object
from ..core.date_values import date_object, pack_date
from ..core.object_lookup import find_mentioned
from ..core.user_objects import check_user, user_object
from .rich_text_rules import FLAGS

Piece = dict[str, Any]
Value = str | list[Piece]
DEFAULT_ANNOTATIONS: dict[str, Any] = {**dict.fromkeys(FLAGS, False), "color": "default"}


class TextColumns(NamedTuple):
    """What two columns of a row hold: the plain text, and the pieces unless it has no formats."""

    plain: str
    pieces: list[Piece] | None


def pack_text(call: Call, items: list[dict[str, Any]]) -> Value:
    """Return the short form of the rich text in a request."""
    pieces = [piece for item in items if (piece := _pack_piece(call, item))]
    if not pieces:
        return ""
    return pieces[0]["text"] if len(pieces) == 1 and pieces[0].keys() == {"text"} else pieces


def pack_columns(call: Call, items: list[dict[str, Any]]) -> TextColumns:
    """Return what the two columns of a row hold for the rich text in a request."""
    value = pack_text(call, items)
    return TextColumns(plain_text(call, value), None if isinstance(value, str) else value)


def _pack_piece(call: Call, item: dict[str, Any]) -> Piece | None:
    if "equation" in item:
        piece: Piece = {"equation": item["equation"]["expression"]}
    elif "mention" in item:
        piece = {"mention": _pack_mention(call, item["mention"])}
    else:
        if not item["text"]["content"]:
            return None
        piece = {"text": item["text"]["content"]}
        if link := item["text"].get("link"):
            piece["href"] = link["url"]
    annotations: Piece = item.get("annotations") or {}
    for name, value in annotations.items():
        if value != DEFAULT_ANNOTATIONS[name]:
            piece[name] = value
    return piece


def _pack_mention(call: Call, mention: dict[str, Any]) -> Piece:
    kind = mention.get("type") or next(iter(mention))
    given = mention[kind]
    if kind == "date":
        return {kind: pack_date(given, "date")}
    if kind == "user":
        return {kind: {"id": check_user(call, given["id"])}}
    return {kind: {"id": given["id"]} if is_object(given) and "id" in given else given}


def unpack_text(call: Call, value: Value | None) -> list[dict[str, Any]]:
    """Render a stored text as a list of rich text objects."""
    if not value:
        return []
    pieces = [{"text": value}] if isinstance(value, str) else value
    return [_render_piece(call, piece) for piece in pieces]


def unpack_columns(call: Call, plain: str, pieces: list[Piece] | None) -> list[dict[str, Any]]:
    """Render the two columns of a row as a list of rich text objects."""
    return unpack_text(call, pieces if pieces is not None else plain)


def plain_text(call: Call, value: Value | None) -> str:
    """Return a stored text without formats."""
    if value is None or isinstance(value, str):
        return value or ""
    return "".join(_plain_piece(call, piece) for piece in value)


def _plain_piece(call: Call, piece: Piece) -> str:
    if "text" in piece:
        return piece["text"]
    return piece["equation"] if "equation" in piece else _render_mention(call, piece["mention"])[1]


def _render_piece(call: Call, piece: Piece) -> dict[str, Any]:
    annotations = {name: piece.get(name, default) for name, default in DEFAULT_ANNOTATIONS.items()}
    href = piece.get("href")
    if "text" in piece:
        content: dict[str, Any] = {"content": piece["text"], "link": {"url": href} if href else None}
        kind, shown, plain = "text", content, piece["text"]
    elif "equation" in piece:
        kind, shown, plain = "equation", {"expression": piece["equation"]}, piece["equation"]
    else:
        kind = "mention"
        shown, plain, href = _render_mention(call, piece["mention"])
    return {"type": kind, kind: shown, "annotations": annotations, "plain_text": plain, "href": href}


def _render_mention(call: Call, mention: Piece) -> tuple[dict[str, Any], str, str | None]:
    """Return the object of a mention, its plain text and its address."""
    [(kind, given)] = mention.items()
    plain, href, shown = "", None, given
    if kind == "user":
        shown = user_object(call, given["id"])
        plain = f"@{shown.get('name') or 'Anonymous'}"
    elif kind == "date":
        shown = date_object(given) or {}
        plain = shown["start"] + (f" → {shown['end']}" if shown.get("end") else "")
    elif kind in ("page", "database", "data_source", "custom_emoji"):
        shown, plain, href = find_mentioned(call, kind, given["id"])
    elif kind == "template_mention":
        inner = next(each for each in given if each != "type")
        shown, plain = {"type": inner, inner: given[inner]}, f"@{str(given[inner]).capitalize()}"
    else:
        plain = href = given.get("href") or given.get("url") or ""
    return {"type": kind, kind: shown}, plain, href
