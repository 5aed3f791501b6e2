"""Texts as Slack returns them: `&`, `<` and `>` as entities, emoji by their names, and addresses as links.

https://docs.slack.dev/messaging/formatting-message-text#escaping
"""

from __future__ import annotations

import re
from typing import Any, cast

from twindiff.kit.emoji import name_pictures
from twindiff.kit.throttling import yield_processor

_REFERENCE = r"<(?:[@#!]|https?:|mailto:|tel:)[^<>]*>"
_SPECIAL = re.compile(rf"{_REFERENCE}|&(?:amp|lt|gt);|[&<>]")
_CODE_OR_ADDRESS = re.compile(
    r"(```.*?```|`[^`\n]+`|<(?:https?:|mailto:|tel:)[^<>|]*|\bhttps?://[^\s<>|`]+)", re.DOTALL
)
_LINKED = re.compile(rf"(?P<code>```.*?```|`[^`\n]+`)|(?P<url>\bhttps?://[^\s<>|`]+)|{_SPECIAL.pattern}", re.DOTALL)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_AFTER_URL = ".,;:!?'\")*_~"
"""Signs at the end of an address that belong to the sentence around it."""


def escape_text(text: str) -> str:
    """Replace `&`, `<` and `>` by entities, except in references and existing entities."""
    yield_processor()
    return _SPECIAL.sub(_entity, text) if any(sign in text for sign in _ENTITIES) else text


def format_text(text: str) -> str:
    """Return a message's text with entities, emoji by their names, and plain addresses as links; code keeps both.

    https://github.com/dylex/slack-libpurple/pull/185
    """
    text = name_emoji(text)
    if "http" not in text:
        return escape_text(text)
    yield_processor()
    return _LINKED.sub(_link_address, text)


def name_emoji(text: str) -> str:
    """Return a text with emoji as `:tada:`, except in code and in addresses."""
    if text.isascii():
        return text
    return "".join(part if at % 2 else name_pictures(part) for at, part in enumerate(_CODE_OR_ADDRESS.split(text)))


def _entity(match: re.Match[str]) -> str:
    return _ENTITIES.get(match[0], match[0])


def _link_address(match: re.Match[str]) -> str:
    if match["code"]:
        return escape_text(match["code"])
    if not match["url"]:
        return _entity(match)
    url = match["url"].rstrip(_AFTER_URL)
    return f"<{escape_text(url)}>{escape_text(match['url'][len(url) :])}"


def escape_objects(given: Any) -> Any:
    """Return blocks or attachments with the texts of `mrkdwn` objects escaped, and with emoji of texts by their names.

    https://docs.slack.dev/reference/block-kit/composition-objects/text-object says `emoji` of plain text.
    """
    if isinstance(given, list):
        return [escape_objects(each) for each in cast(list[Any], given)]
    if not isinstance(given, dict):
        return given
    shown = {name: escape_objects(value) for name, value in cast(dict[str, Any], given).items()}
    if shown.get("type") == "mrkdwn" and isinstance(shown.get("text"), str):
        shown["text"] = escape_text(name_emoji(shown["text"]))
    elif shown.get("type") == "plain_text" and shown.get("emoji") and isinstance(shown.get("text"), str):
        shown["text"] = name_pictures(shown["text"])
    return shown


_OF_ATTACHMENTS = ("text", "pretext", "fallback")


def escape_attachments(given: Any) -> Any:
    """Return attachments with their texts escaped, the `mrkdwn` text objects of their blocks included."""
    if not isinstance(given, list):
        return given
    return [_escape_attachment(escape_objects(each)) for each in cast(list[Any], given)]


def _escape_attachment(given: Any) -> Any:
    if not isinstance(given, dict):
        return given
    attachment = cast(dict[str, Any], given)
    texts = {name: attachment[name] for name in _OF_ATTACHMENTS if isinstance(attachment.get(name), str)}
    return {**attachment, **{name: escape_text(name_emoji(text)) for name, text in texts.items()}}
