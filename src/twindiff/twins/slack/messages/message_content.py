"""Validation of the content that chat.postMessage, chat.update and chat.scheduleMessage take."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, cast

import msgspec

from ..core.arguments import objects_in
from ..core.errors import (
    InvalidAttachments,
    InvalidBlocksFormat,
    InvalidMetadataFormat,
    InvalidMetadataSchema,
    MarkdownTextConflict,
    MetadataTooLarge,
    NoText,
    TooManyAttachments,
)
from ..rendering.block_text import text_of_blocks
from .blocks import check_blocks, problems

Objects = list[dict[str, Any]]
Blocks = Annotated[Objects, InvalidBlocksFormat]
Attachments = Annotated[Objects, InvalidAttachments]
Metadata = Annotated[dict[str, Any], InvalidMetadataFormat]

_MAX_PAYLOAD_BYTES = 8_192
_MAX_ATTACHMENTS = 100
_BESIDE_BLOCKS = """
actions app_id app_unfurl_url attachment_type audio_html author_icon author_id author_link author_name
author_subname blocks bot_id bot_team_id callback_id channel_id channel_name channel_team color fallback fields
files footer footer_icon from_url hide_border hide_color hide_title id image_bytes image_height image_url
image_width is_app_unfurl is_msg_unfurl is_reply_unfurl is_share is_thread_root_unfurl message_blocks metadata
mrkdwn_in msg_subtype original_url pretext preview service_icon service_name service_url team_id text
thumb_height thumb_url thumb_width title title_link ts video_html video_html_height video_html_width video_url
"""
_KEYS_BESIDE_BLOCKS = frozenset(_BESIDE_BLOCKS.split())
"""What an attachment with blocks may have. https://github.com/slackapi/node-slack-sdk/issues/832"""


class Content(NamedTuple):
    """The content of a message: None for a part that was not sent, an empty list for a part to remove."""

    text: str | None
    blocks: Objects | None
    attachments: Objects | None
    metadata: dict[str, Any] | None


def content_of(
    text: str,
    blocks: Objects | None,
    attachments: Objects | None,
    markdown_text: str,
    metadata: dict[str, Any] | None,
) -> Content:
    """Check and return the content of a message; the text defaults to that of the blocks.

    Raises NoText if there is no content, or the API's error for invalid content.
    """
    if markdown_text and (text or blocks):
        raise MarkdownTextConflict
    if blocks:
        check_blocks(blocks)
    said = text or markdown_text
    if not (said.strip() or blocks or attachments):
        raise NoText
    if not said and blocks:
        said = text_of_blocks(blocks)
    return Content(said or None, blocks, check_attachments(attachments), metadata_of(metadata))


def check_attachments(given: Objects | None) -> Objects | None:
    """Return attachments numbered from 1, each with a `fallback` text.

    Raises TooManyAttachments or InvalidAttachments.
    """
    if given is None:
        return None
    if len(given) > _MAX_ATTACHMENTS:
        raise TooManyAttachments
    for at, attachment in enumerate(given):
        _check_attachment(attachment, f"/attachments/{at}/blocks")
    return [{"fallback": _fallback(each), **each, "id": number} for number, each in enumerate(given, 1)]


def _check_attachment(attachment: dict[str, Any], at: str) -> None:
    blocks: Any = attachment.get("blocks") or []
    given = isinstance(blocks, list)
    wrong = list(problems(cast(list[Any], blocks), at)) if given else [f"must be an array [json-pointer:{at}]"]
    if blocks and not attachment.keys() <= _KEYS_BESIDE_BLOCKS:
        wrong.append("invalid_keys")
    if wrong:
        raise InvalidAttachments(response_metadata={"messages": [f"[ERROR] {each}" for each in wrong]})


def _fallback(attachment: dict[str, Any]) -> str:
    texts = (attachment.get(name) for name in ("text", "title", "pretext"))
    return next((text for text in texts if isinstance(text, str) and text), "[no preview available]")


def metadata_of(given: dict[str, Any] | None) -> dict[str, Any] | None:
    """Check and return the metadata of a message: an event, or entities (work objects).

    https://docs.slack.dev/messaging/work-objects. Raises InvalidMetadataSchema or MetadataTooLarge.
    """
    if given is None:
        return None
    if "entities" in given:
        return _check_entities(given)
    kind, payload = given.get("event_type"), given.get("event_payload")
    if not (isinstance(kind, str) and kind and isinstance(payload, dict)):
        raise InvalidMetadataSchema
    if len(msgspec.json.encode(payload)) > _MAX_PAYLOAD_BYTES:
        raise MetadataTooLarge
    return {"event_type": kind, "event_payload": payload}


_ENTITY_TEXTS = ("entity_type", "url")


def _check_entities(given: dict[str, Any]) -> dict[str, Any]:
    """Return metadata of entities, each with a type, an address, a reference and a payload."""
    entities = objects_in(given["entities"])
    for entity in entities:
        texts = all(isinstance(entity.get(name), str) and entity[name] for name in _ENTITY_TEXTS)
        objects = all(isinstance(entity.get(name), dict) for name in ("external_ref", "entity_payload"))
        if not (texts and objects):
            raise InvalidMetadataSchema
    if not entities:
        raise InvalidMetadataSchema
    if len(msgspec.json.encode(entities)) > _MAX_PAYLOAD_BYTES:
        raise MetadataTooLarge
    return {"entities": entities}
