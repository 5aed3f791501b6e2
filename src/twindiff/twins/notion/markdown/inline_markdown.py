"""Markdown inside a paragraph, to and from rich text.

https://developers.notion.com/guides/data-apis/enhanced-markdown
"""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Any

from ..core.body_rules import MAX_TEXT_LENGTH
from ..rich_text.rich_text_rules import COLORS

Item = dict[str, Any]
_SPECIAL = re.compile(r"([\\*~`$\[\]<>{}])")
_ESCAPED = re.compile(r"\\([\\*~`$\[\]<>{}|^_#!-])")
_MENTION = re.compile(r"<mention-(user|page|database|data-source|date)\b([^>]*?)(?:/>|>.*?</mention-\1>)")
_ATTRIBUTE = re.compile(r'(\w[\w-]*)="([^"]*)"')
_ID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
MAX_DEPTH = 20


def read_attributes(text: str) -> dict[str, str]:
    """Return the attributes in a tag."""
    return {match[1]: unescape(match[2]) for match in _ATTRIBUTE.finditer(text)}


def read_inline(text: str) -> list[Item]:
    """Return the rich text of a line of Markdown, as a request has it."""
    return [piece for item in _read(text, {}, 0) for piece in _split_long(item)]


def _split_long(item: Item) -> list[Item]:
    """Cut a text into pieces that a request may have."""
    content: str = item["text"]["content"] if "text" in item else ""
    if len(content) <= MAX_TEXT_LENGTH:
        return [item]
    cuts = range(0, len(content), MAX_TEXT_LENGTH)
    return [{**item, "text": {**item["text"], "content": content[at : at + MAX_TEXT_LENGTH]}} for at in cuts]


def _text(content: str, style: Item) -> Item:
    content = _ESCAPED.sub(r"\1", content).replace("<br>", "\n").replace("<br/>", "\n")
    link = style.get("link")
    annotations = {name: value for name, value in style.items() if name != "link"}
    text: Item = {"content": content, **({"link": {"url": link}} if link else {})}
    return {"text": text, **({"annotations": annotations} if annotations else {})}


_PAIRS = (("**", "bold"), ("~~", "strikethrough"), ("*", "italic"), ("_", "italic"))


def _read(text: str, style: Item, depth: int) -> list[Item]:
    if depth > MAX_DEPTH:
        return [_text(text, style)]
    items: list[Item] = []
    start = at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        step = _read_special(text, at, style, depth)
        if step is None:
            at += 1
            continue
        if start < at:
            items.append(_text(text[start:at], style))
        made, at = step
        items += made
        start = at
    return [*items, _text(text[start:], style)] if start < len(text) else items


def _read_special(text: str, at: int, style: Item, depth: int) -> tuple[list[Item], int] | None:
    """Return the items of what begins at a place, and where it ends; None if it is plain text."""
    if text[at] == "`" and (end := text.find("`", at + 1)) > at:
        return [_text(re.sub(_SPECIAL, r"\\\1", text[at + 1 : end]), {**style, "code": True})], end + 1
    if match := re.compile(r"\$`(.+?)`\$|\$([^\s$](?:[^$]*[^\s$])?)\$(?!\d)").match(text, at):
        return [{"equation": {"expression": match[1] or match[2]}}], match.end()
    if match := re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)").match(text, at):
        return _read(match[1], {**style, "link": match[2]}, depth + 1), match.end()
    if match := re.compile(r"<span ([^>]*)>(.*?)</span>", re.DOTALL).match(text, at):
        return _read(match[2], {**style, **_span_style(match[1])}, depth + 1), match.end()
    if match := _MENTION.match(text, at):
        return [{"mention": _read_mention(match[1], read_attributes(match[2]))}], match.end()
    for sign, name in _PAIRS:
        if text.startswith(sign, at) and not (sign == "_" and at and text[at - 1].isalnum()):
            end = text.find(sign, at + len(sign) + 1)
            inner = text[at + len(sign) : end] if end > 0 else ""
            if inner and not inner[0].isspace() and not inner[-1].isspace():
                return _read(inner, {**style, name: True}, depth + 1), end + len(sign)
    return None


def _span_style(attributes: str) -> Item:
    given = read_attributes(attributes)
    color = given.get("color", "").replace("_bg", "_background")
    style: Item = {"underline": True} if given.get("underline") == "true" else {}
    return {**style, "color": color} if color in COLORS else style


def _read_mention(kind: str, given: dict[str, str]) -> Item:
    if kind == "date":
        return {"date": {"start": given.get("start", ""), **({"end": given["end"]} if "end" in given else {})}}
    match = _ID.search(given.get("url", ""))
    return {kind.replace("-", "_"): {"id": match[0] if match else ""}}


def write_inline(items: list[Item]) -> str:
    """Return rich text objects as a line of Markdown."""
    return "".join(_write(item) for item in items)


def _write(item: Item) -> str:
    kind, style = item["type"], item["annotations"]
    if kind == "equation":
        return f"$`{item['equation']['expression']}`$"
    if kind == "mention":
        return _write_mention(item)
    content = item["text"]["content"]
    text = f"`{content}`" if style["code"] else _SPECIAL.sub(r"\\\1", content).replace("\n", "<br>")
    for sign, name in (("~~", "strikethrough"), ("*", "italic"), ("**", "bold")):
        if style[name] and content.strip():
            left, right = len(text) - len(text.lstrip()), len(text) - len(text.rstrip())
            text = f"{text[:left]}{sign}{text.strip()}{sign}{text[len(text) - right :]}"
    if style["underline"]:
        text = f'<span underline="true">{text}</span>'
    if style["color"] != "default":
        text = f'<span color="{style["color"].replace("_background", "_bg")}">{text}</span>'
    return f"[{text}]({item['href']})" if item["href"] else text


def _write_mention(item: Item) -> str:
    mention = item["mention"]
    kind = mention["type"]
    given = mention[kind]
    if kind == "date":
        end = f' end="{given["end"]}"' if given["end"] else ""
        return f'<mention-date start="{given["start"]}"{end}/>'
    if kind in ("user", "page", "database", "data_source"):
        url = f"user://{given['id']}" if kind == "user" else item["href"]
        tag = f"mention-{kind.replace('_', '-')}"
        return f'<{tag} url="{url}">{escape(item["plain_text"].removeprefix("@"))}</{tag}>'
    return item["plain_text"]
