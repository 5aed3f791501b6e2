"""Conversion of mrkdwn to rich text blocks, as Slack does it for messages of apps.

https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
https://docs.slack.dev/messaging/formatting-message-text
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from twindiff.kit.emoji import code_points_of

Element = dict[str, Any]

_PREFORMATTED = re.compile(r"```\n?(.*?)\n?```", re.DOTALL)
_EMOJI = re.compile(r":([a-z0-9_+'-]+):(?::skin-tone-([2-6]):)?")
_INLINE = re.compile(
    rf"<(?P<reference>[^<>\n]+)>|(?<![\w:])(?P<emoji>(?:{_EMOJI.pattern})+)(?![\w:])|(?<![\w`])`(?P<code>[^`\n]+)`(?![\w`])"
)
_STYLED = re.compile(r"(?<![\w*~_])([*_~])(?=\S)([^\n]*?\S)\1(?![\w*~_])")
_SECTION, _LIST = "rich_text_section", "rich_text_list"
_STARTS = {"rich_text_quote": re.compile(r"(?:&gt;|>) ?"), _LIST: re.compile(r"\u2022 ")}
"""How lines of quotes and of lists begin."""
_STYLES = {"*": "bold", "_": "italic", "~": "strike"}


def rich_text_block(text: str) -> Element:
    """Convert a text in mrkdwn to one rich text block."""
    return {"type": "rich_text", "elements": list(_parts(text))}


def _parts(text: str) -> Iterator[Element]:
    """Yield sections, quotes and preformatted texts in order."""
    at = 0
    for match in _PREFORMATTED.finditer(text):
        yield from _lines(text[at : match.start()].removesuffix("\n"))
        yield {"type": "rich_text_preformatted", "elements": [_plain(match[1])], "border": 0}
        at = match.end()
    yield from _lines(text[at:].removeprefix("\n") if at else text)


def _lines(text: str) -> Iterator[Element]:
    """Yield groups of quoted lines, of items of bulleted lists, and of other lines."""
    groups: list[tuple[str, list[str]]] = []
    for line in text.split("\n") if text else ():
        kind = next((kind for kind, start in _STARTS.items() if start.match(line)), _SECTION)
        if not groups or groups[-1][0] != kind:
            groups.append((kind, []))
        groups[-1][1].append(_STARTS[kind].sub("", line, count=1) if kind in _STARTS else line)
    for at, (kind, lines) in enumerate(groups):
        if not lines[-1] and at + 1 < len(groups):
            lines.append("")  # Slack keeps the end of a blank line before a list.
        yield _list(lines) if kind == _LIST else {"type": kind, "elements": list(_inline("\n".join(lines), {}))}


def _list(items: list[str]) -> Element:
    sections = [{"type": _SECTION, "elements": list(_inline(item, {}))} for item in items]
    return {"type": _LIST, "style": "bullet", "indent": 0, "border": 0, "elements": sections}


def _inline(text: str, style: dict[str, bool]) -> Iterator[Element]:
    at = 0
    for match in _INLINE.finditer(text):
        yield from _parse_styled_text(text[at : match.start()], style)
        yield from (_styled_element(each, style) for each in _special(match))
        at = match.end()
    yield from _parse_styled_text(text[at:], style)


def _parse_styled_text(text: str, style: dict[str, bool]) -> Iterator[Element]:
    at = 0
    for match in _STYLED.finditer(text):
        yield from _text(text[at : match.start()], style)
        yield from _parse_styled_text(match[2], {**style, _STYLES[match[1]]: True})
        at = match.end()
    yield from _text(text[at:], style)


def _text(text: str, style: dict[str, bool]) -> Iterator[Element]:
    if text:
        yield _styled_element(_plain(text), style)


def _plain(text: str) -> Element:
    return {"type": "text", "text": unescape(text)}


def _styled_element(element: Element, style: dict[str, bool]) -> Element:
    given = {**style, **element.get("style", {})}
    return {**element, "style": given} if given else element


def _special(match: re.Match[str]) -> list[Element]:
    if match["emoji"]:
        return [_emoji(name, int(tone) if tone else None) for name, tone in _EMOJI.findall(match["emoji"])]
    if match["code"]:
        return [{**_plain(match["code"]), "style": {"code": True}}]
    return [_reference(match["reference"])]


def _emoji(name: str, tone: int | None) -> Element:
    code_points = code_points_of(name, tone)
    skin_tone = {"skin_tone": tone} if tone else {}
    return {"type": "emoji", "name": name, **({"unicode": code_points} if code_points else {}), **skin_tone}


def _reference(reference: str) -> Element:
    """Parse a reference in angle brackets: a user, channel, user group, broadcast or link."""
    name, _, label = reference.partition("|")
    if name.startswith("@"):
        return {"type": "user", "user_id": name[1:]}
    if name.startswith("#"):
        return {"type": "channel", "channel_id": name[1:]}
    if name.startswith("!subteam^"):
        return {"type": "usergroup", "usergroup_id": name.removeprefix("!subteam^")}
    if name in ("!here", "!channel", "!everyone"):
        return {"type": "broadcast", "range": name[1:]}
    link = {"type": "link", "url": unescape(name)}
    return {**link, "text": unescape(label)} if label else link
