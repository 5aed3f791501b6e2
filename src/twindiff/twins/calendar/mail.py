"""Mails that Calendar would have sent, as rows."""

from __future__ import annotations

from collections.abc import Iterable

from twindiff.kit import Call

from .tables import CalendarEvent, CalendarUser, OutgoingMail

SUBJECTS = {
    "invitation": "Invitation",
    "update": "Updated invitation",
    "cancellation": "Canceled event",
    "response": "Response",
    "reminder": "Reminder",
}


def send(
    call: Call,
    kind: str,
    recipients: Iterable[str],
    subject: str,
    calendar_id: str,
    event_id: str | None = None,
    sender: str | None = None,
) -> None:
    """Write a mail to each recipient but the sender, who is the actor unless it is said."""
    if sender is None and kind != "reminder":
        user = call.db.find(CalendarUser, CalendarUser.id == call.actor)
        sender = user.email if user else None
    for recipient in dict.fromkeys(recipients):
        if recipient == sender:
            continue
        mail = OutgoingMail(
            id=call.db.next("calendar_mail"),
            kind=kind,
            recipient=recipient,
            sender=sender,
            subject=subject,
            calendar_id=calendar_id,
            event_id=event_id,
            sent_at=call.clock.iso(),
        )
        call.db.add(mail)


def organizer_of(event: CalendarEvent) -> str:
    """The address of who organizes an event: the calendar that it is in, or for an imported one whoever it names."""
    return (event.organizer_email if event.organizer_id is None else None) or event.calendar_id


def send_about(
    call: Call, kind: str, recipients: Iterable[str], event: CalendarEvent, sender: str | None = None
) -> None:
    """Write a mail about an event to each recipient but the sender."""
    subject = f"{SUBJECTS[kind]}: {event.summary or '(No title)'}"
    send(call, kind, recipients, subject, event.calendar_id, event.id, sender)
