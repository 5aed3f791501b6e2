"""Outgoing mails of Calendar, stored as rows instead of being sent."""

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
    """Store a mail to each recipient except the sender; the sender defaults to the actor, reminders have none."""
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
    """Return the organizer's email address: the event's calendar, or the organizer that an imported event names."""
    return (event.organizer_email if event.organizer_id is None else None) or event.calendar_id


def send_about(
    call: Call, kind: str, recipients: Iterable[str], event: CalendarEvent, sender: str | None = None
) -> None:
    """Store a mail about an event to each recipient except the sender; `kind` is a key of `SUBJECTS`."""
    subject = f"{SUBJECTS[kind]}: {event.summary or '(No title)'}"
    send(call, kind, recipients, subject, event.calendar_id, event.id, sender)
