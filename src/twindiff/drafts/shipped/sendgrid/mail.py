"""Sending mail. https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.errors import InvalidParameter
from twindiff.kit.http import ValueResponse
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .tables import SendGridMail

api = Operations()
MAX_PERSONALIZATIONS = 1000
MAX_RECIPIENTS = 1000
MESSAGE_ID_LETTERS = 22
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
Shown = dict[str, Any]


def is_address(text: Any) -> bool:
    """Return whether a value is an address."""
    return isinstance(text, str) and _ADDRESS.fullmatch(text) is not None


@api.post("/v3/mail/send")
def post_mail(call: Call, body: Annotated[dict[str, Any], Body]) -> ValueResponse:
    """Accept a mail for each personalization."""
    sender = _read_people(body, "from")
    people = body.get("personalizations")
    if not isinstance(people, list) or not 1 <= len(cast(list[Any], people)) <= MAX_PERSONALIZATIONS:
        raise InvalidParameter(
            "personalizations",
            "The personalizations field is required and must have at least one personalization.",
        )
    if not body.get("template_id"):
        _check_content(body)
    message_id = call.ids.new("", MESSAGE_ID_LETTERS)
    for number, each in enumerate(cast(list[Any], people)):
        given = cast(Shown, each) if isinstance(each, dict) else {}
        _add_mail(call, body, given, sender[0], message_id, f"personalizations.{number}")
    return ValueResponse(None, 202, (("X-Message-Id", message_id),))


def _add_mail(call: Call, body: Shown, person: Shown, sender: str, message_id: str, place: str) -> None:
    subject = person.get("subject") or body.get("subject")
    if not subject and not body.get("template_id"):
        raise InvalidParameter(
            "subject",
            "The subject is required. You can get around this requirement if you use a template with a subject defined"
            " or if every personalization has a subject defined.",
        )
    call.db.add(
        SendGridMail(
            id=call.ids.uuid(),
            message_id=message_id,
            from_email=sender,
            to=_read_people(person, "to", f"{place}."),
            cc=_read_people(person, "cc", f"{place}.") if person.get("cc") else [],
            bcc=_read_people(person, "bcc", f"{place}.") if person.get("bcc") else [],
            subject=str(subject) if subject else None,
            content=body.get("content") or [],
            template_id=str(body["template_id"]) if body.get("template_id") else None,
            dynamic_template_data=person.get("dynamic_template_data"),
            categories=body.get("categories") or [],
            send_at=send_at if isinstance(send_at := body.get("send_at"), int) and abs(send_at) < 2**63 else None,
            accepted_at=call.clock.iso(),
        )
    )


def _read_people(holder: Mapping[str, Any], name: str, place: str = "") -> list[str]:
    """Return the addresses in a field with one person or a list of them; raises InvalidParameter."""
    given: Any = holder.get(name)
    listed = cast(list[Any], given) if isinstance(given, list) else [given]
    emails = [cast(Shown, each).get("email") if isinstance(each, dict) else None for each in listed]
    if not emails or len(emails) > MAX_RECIPIENTS or None in emails:
        raise InvalidParameter(
            f"{place}{name}", f"The {name} {'object' if name == 'from' else 'array'} must be provided."
        )
    wrong = next((number for number, each in enumerate(emails) if not is_address(each)), None)
    if wrong is not None:
        at = f"{place}{name}.email" if name == "from" else f"{place}{name}.{wrong}.email"
        raise InvalidParameter(at, "Does not contain a valid address.")
    return [str(each) for each in emails]


def _check_content(body: Shown) -> None:
    content = body.get("content")
    parts = cast(list[Any], content) if isinstance(content, list) else []
    texts = [cast(Shown, each).get("value") if isinstance(each, dict) else None for each in parts]
    if not texts:
        raise InvalidParameter(
            "content",
            "Unless a valid template_id is provided, the content parameter is required."
            " There must be at least one defined content block.",
        )
    for number, text in enumerate(texts):
        if not isinstance(text, str) or not text:
            raise InvalidParameter(
                f"content.{number}.value", "The content value must be a string at least one character in length."
            )
