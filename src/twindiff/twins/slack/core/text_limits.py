"""The longest texts that methods take, declared once and checked before a handler runs.

Texts inside of objects have their limits where the objects are checked: `messages/blocks.py`, `users/profiles.py`.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

from twindiff.kit import ApiError, RequestContext

from .errors import (
    AltTxtTooLarge,
    BadTitle,
    DescriptionTooLong,
    InvalidArguments,
    InvalidExternalId,
    InvalidNameMaxlength,
    InvalidTitle,
    MsgTooLong,
    NameTooLong,
    OverTitleLengthMaximum,
    TooLong,
)

Source = Literal["specification", "documentation", "report", "knowledge"]

MAX_MESSAGE_CHARACTERS = 40_000
MAX_UPDATE_CHARACTERS = 4_000
MAX_MARKDOWN_CHARACTERS = 12_000
MAX_QUERY_CHARACTERS = 5_000
"""A bound of ours, so that no search takes long."""


class TextLimit(NamedTuple):
    """A parameter of some methods has at most so many characters, or is refused with an error."""

    methods: tuple[str, ...]
    parameter: str
    max_characters: int
    error: type[ApiError]
    source: Source


def _limit(methods: str, parameter: str, most: int, error: type[ApiError], source: Source) -> TextLimit:
    return TextLimit(tuple(methods.split()), parameter, most, error, source)


TEXT_LIMITS: tuple[TextLimit, ...] = (
    _limit("chat.update", "text", MAX_UPDATE_CHARACTERS, MsgTooLong, "report"),
    _limit(
        "chat.postMessage chat.postEphemeral chat.scheduleMessage chat.meMessage",
        "text",
        MAX_MESSAGE_CHARACTERS,
        MsgTooLong,
        "documentation",
    ),
    _limit("files.completeUploadExternal", "initial_comment", MAX_MESSAGE_CHARACTERS, MsgTooLong, "knowledge"),
    _limit(
        "chat.postMessage chat.postEphemeral chat.scheduleMessage chat.update chat.startStream chat.appendStream "
        "chat.stopStream",
        "markdown_text",
        MAX_MARKDOWN_CHARACTERS,
        MsgTooLong,
        "documentation",
    ),
    _limit("conversations.create conversations.rename", "name", 80, InvalidNameMaxlength, "documentation"),
    _limit("conversations.setTopic", "topic", 250, TooLong, "documentation"),
    _limit("conversations.setPurpose", "purpose", 250, TooLong, "documentation"),
    _limit("usergroups.create usergroups.update", "name", 80, NameTooLong, "documentation"),
    _limit("usergroups.create usergroups.update", "description", 140, DescriptionTooLong, "knowledge"),
    _limit("files.getUploadURLExternal", "alt_txt", 1000, AltTxtTooLarge, "documentation"),
    _limit("files.remote.add", "title", 255, BadTitle, "knowledge"),
    _limit("files.remote.update", "title", 255, InvalidTitle, "knowledge"),
    _limit("files.remote.add", "external_id", 255, InvalidExternalId, "knowledge"),
    _limit("slackLists.create slackLists.update", "name", 255, OverTitleLengthMaximum, "knowledge"),
    _limit("views.update", "external_id", 255, InvalidArguments, "specification"),
    _limit("search.all search.files search.messages", "query", MAX_QUERY_CHARACTERS, InvalidArguments, "knowledge"),
)


def check_text_limits(exchange: RequestContext) -> None:
    """Raise the error of a limit that a text parameter of the request exceeds."""
    for limit in _limits_of(exchange.operation.name):
        text = exchange.parameters.get(limit.parameter)
        if isinstance(text, str) and len(text) > limit.max_characters:
            raise _build_error(limit, len(text))


@cache
def _limits_of(method: str) -> tuple[TextLimit, ...]:
    return tuple(limit for limit in TEXT_LIMITS if method in limit.methods)


def _build_error(limit: TextLimit, length: int) -> ApiError:
    if limit.error is not InvalidArguments:
        return limit.error()
    name, most = limit.parameter, limit.max_characters
    said = f"[ERROR] {name}: must have at most {most:,} characters; {length:,} were given [json-pointer:/{name}]"
    return InvalidArguments(response_metadata={"messages": [said]})
