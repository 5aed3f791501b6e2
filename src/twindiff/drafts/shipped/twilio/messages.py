"""Messages of Twilio: what is refused, and how a new one begins. https://www.twilio.com/docs/messaging/api/message-resource"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from urllib.parse import parse_qs

from twindiff.drafts.drafting import Draft
from twindiff.drafts.shipped.document_collections import DocumentRequest, declare_operation
from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Operations

MAX_BODY_CHARACTERS = 1600
MAX_MEDIA = 10
MAX_FORM_FIELDS = 10_000
MIN_DELAY, MAX_DELAY = timedelta(seconds=300), timedelta(days=35)
SEND = "POST /2010-04-01/Accounts/{AccountSid}/Messages.json"
_NUMBER = re.compile(r"\+[1-9][0-9]{6,14}")
_SHORT_CODE = re.compile(r"[0-9]{3,8}")
_SENDER_NAME = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9 +\-_&]{1,11}")
_CHANNEL = re.compile(r"(\w+):(.+)")
_SERVICE = re.compile(r"MG[0-9a-fA-F]{32}")
_GSM_PLAIN = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
    "abcdefghijklmnopqrstuvwxyzäöñüà"
)
_GSM_DOUBLE = frozenset("^{}\\[~]|€\f")
"""Characters of the alphabet of text messages that take the place of two."""


class MessageRefusal(ApiError):
    """A message that Twilio does not send, with the code of its dictionary of errors."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message, code=code)


class Messages:
    """The handler of new messages, over the tables of a draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def send_message(self, request: DocumentRequest) -> Any:
        """Send a message. Raises MessageRefusal."""
        given = _read_given(request)
        _check_recipient(given)
        _check_content(given)
        _check_callback(given)
        is_scheduled = _check_schedule(request.call, given)
        fields: dict[str, Any] = {"num_media": str(len(_list_media(given)))}
        if is_scheduled or _find_service(given):
            fields |= {"status": "scheduled" if is_scheduled else "accepted", "num_segments": "0"}
            fields["messaging_service_sid"] = _find_service(given)
        else:
            fields["num_segments"] = str(count_segments(str(given.get("Body") or "")))
        return self._draft.serve(request.call, SEND, request.path, request.body, fields=fields)


def declare_messages(draft: Draft) -> Operations:
    """Return the operations on messages, of which there are none if the description lacks them."""
    api = Operations()
    path = next((plan.operation.name for plan in draft.plans if plan.operation.name == SEND), "")
    if path:
        declare_operation(api, path, Messages(draft).send_message)
    return api


def count_segments(text: str) -> int:
    """Return in how many text messages a text is sent, at least one; more than one have a header each."""
    if all(each in _GSM_PLAIN or each in _GSM_DOUBLE for each in text):
        length, alone, joined = sum(2 if each in _GSM_DOUBLE else 1 for each in text), 160, 153
    else:
        length, alone, joined = len(text.encode("utf-16-be")) // 2, 70, 67
    return 1 if length <= alone else -(-length // joined)


def _read_given(request: DocumentRequest) -> Mapping[str, Any]:
    """Return the parameters of a body, without empty ones; `MediaUrl` may be repeated in a form."""
    given, sent = request.read_object(), request.call.memo["exchange"].request
    if sent.content_type == "application/x-www-form-urlencoded":
        repeated = parse_qs(sent.body.decode(errors="replace"), max_num_fields=MAX_FORM_FIELDS).get("MediaUrl")
        given |= {"MediaUrl": repeated} if repeated else {}
    return {name: each for name, each in given.items() if each not in (None, "", [])}


def _check_recipient(given: Mapping[str, Any]) -> None:
    to, sender = given.get("To"), given.get("From")
    if to is None:
        raise MessageRefusal(21604, "A 'To' phone number is required.")
    if sender is None and "MessagingServiceSid" not in given:
        raise MessageRefusal(21603, "A 'From' phone number is required.")
    if not _is_recipient(to):
        raise MessageRefusal(21211, f"Invalid 'To' Phone Number: {_cut_text(to)}")
    if sender is not None and not _is_sender(sender):
        said = (
            f"The 'From' number {_cut_text(sender)} is not a valid phone number, shortcode, or alphanumeric sender ID"
        )
        raise MessageRefusal(21212, said)
    if to == sender:
        raise MessageRefusal(21266, f"'To' and 'From' number cannot be the same: {_cut_text(to)}")


def _check_content(given: Mapping[str, Any]) -> None:
    body, media = given.get("Body"), _list_media(given)
    if body is None and not media and "ContentSid" not in given:
        raise MessageRefusal(21602, "Message body is required.")
    if body is not None and len(str(body)) > MAX_BODY_CHARACTERS:
        raise MessageRefusal(21617, f"The concatenated message body exceeds the {MAX_BODY_CHARACTERS} character limit")
    if len(media) > MAX_MEDIA:
        raise MessageRefusal(21623, "Number of media files exceeds allowed limit")
    if not all(_is_address(each) for each in media):
        raise MessageRefusal(21620, "Invalid media URL(s)")


def _check_callback(given: Mapping[str, Any]) -> None:
    callback = given.get("StatusCallback")
    if callback is not None and not _is_address(callback):
        raise MessageRefusal(21609, f"The 'StatusCallback' URL {_cut_text(callback)} is not a valid URL.")


def _check_schedule(call: Call, given: Mapping[str, Any]) -> bool:
    """Return whether a message is to be sent later."""
    kind, at = given.get("ScheduleType"), given.get("SendAt")
    if kind is None and at is None:
        return False
    if kind not in (None, "fixed"):
        raise MessageRefusal(35126, "The ScheduleType value provided is not supported for this channel")
    if at is None:
        raise MessageRefusal(35111, "SendAt timestamp is missing")
    if not _find_service(given):
        raise MessageRefusal(35118, "MessagingServiceSid is required to schedule a message")
    delay = _read_delay(call, str(at))
    if delay is None or not MIN_DELAY <= delay <= MAX_DELAY:
        raise MessageRefusal(35115, "Scheduling does not support this timestamp")
    return kind is not None


def _read_delay(call: Call, text: str) -> timedelta | None:
    """Return how far a time lies ahead; None if it is none in ISO 8601."""
    try:
        at = datetime.fromisoformat(text)
        at = at.astimezone(UTC).replace(tzinfo=None) if at.tzinfo else at
    except (ValueError, OverflowError):
        return None
    return at - datetime.fromisoformat(call.clock.iso())


def _find_service(given: Mapping[str, Any]) -> str:
    """Return the messaging service that sends a message; empty for none."""
    named = next((str(given[each]) for each in ("MessagingServiceSid", "From") if each in given), "")
    return named if "MessagingServiceSid" in given or _SERVICE.fullmatch(named) else ""


def _list_media(given: Mapping[str, Any]) -> list[Any]:
    media = given.get("MediaUrl", [])
    return cast(list[Any], media) if isinstance(media, list) else [media]


def _is_recipient(given: Any) -> bool:
    channel = _CHANNEL.fullmatch(str(given))
    return bool(channel or _NUMBER.fullmatch(str(given)))


def _is_sender(given: Any) -> bool:
    text = str(given)
    forms = (_NUMBER, _SHORT_CODE, _SENDER_NAME, _CHANNEL, _SERVICE)
    return any(form.fullmatch(text) for form in forms)


def _is_address(given: Any) -> bool:
    return isinstance(given, str) and bool(re.fullmatch(r"https?://[^\s/?#]+\S*", given))


def _cut_text(given: Any) -> str:
    return str(given)[:100]
