"""Reminders, and their delivery by Slackbot.

https://docs.slack.dev/reference/methods?family=reminders
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations, any_of
from twindiff.kit.errors import MissingParameter
from twindiff.kit.rows import Expression

from ..conversations.direct_messages import open_direct
from ..core.errors import (
    CannotAddBot,
    CannotAddOthers,
    CannotCompleteOthers,
    CannotCompleteRecurring,
    CannotParse,
    NoSuchItem,
    UserNotFound,
)
from ..core.tables import Reminder, User
from ..core.timezones import zone_of
from ..messages.chat import add_message
from ..messages.message_content import Content
from ..rendering.message_views import SLACKBOT, message_event
from .reminder_times import parse_reminder_time, time_after

api = Operations()


@api.method("reminders.add", scope="reminders:write")
def add(call: Call, text: str, time: str | int, user: str = "") -> dict[str, Any]:
    """Add a reminder, once or recurring, for the caller or another user.

    https://docs.slack.dev/reference/methods/reminders.add
    """
    if not text.strip():
        raise MissingParameter("text")
    person = call.db.get(User, user or call.actor, missing=UserNotFound)
    if person.is_bot and person.user_id != call.actor:
        raise CannotAddBot
    when = parse_reminder_time(str(time), call.clock.now, zone_of(person.timezone))
    if when is None:
        raise CannotParse
    if when.recurrence and person.user_id != call.actor:
        raise CannotAddOthers
    reminder = Reminder(
        reminder_id=call.ids.new("Rm"),
        creator_id=call.actor,
        user_id=person.user_id,
        reminder_text=text,
        remind_at=when.at,
        recurrence=when.recurrence,
        created_at=call.clock.iso(),
    )
    call.db.add(reminder)
    return {"reminder": _render_reminder(reminder)}


@api.method("reminders.list", reads=True, scope="reminders:read")
def list_reminders(call: Call) -> dict[str, Any]:
    """List the reminders that are for the caller or that the caller created, by time.

    https://docs.slack.dev/reference/methods/reminders.list
    """
    reminders = call.db.rows(Reminder, _known_to(call.actor), order=(Reminder.remind_at, Reminder.reminder_id))
    recurrence = [{"recurrence": each.recurrence} if each.recurrence else {} for each in reminders]
    return {
        "reminders": [{**_render_reminder(each), **again} for each, again in zip(reminders, recurrence, strict=True)]
    }


@api.method("reminders.info", reads=True, scope="reminders:read")
def info(call: Call, reminder: str) -> dict[str, Any]:
    """Return one reminder.

    https://docs.slack.dev/reference/methods/reminders.info
    """
    return {"reminder": _render_reminder(_reminder(call, reminder))}


@api.method("reminders.complete", scope="reminders:write")
def complete(call: Call, reminder: str) -> dict[str, Any]:
    """Mark a reminder of the caller as complete.

    https://docs.slack.dev/reference/methods/reminders.complete
    """
    row = _reminder(call, reminder)
    if row.user_id != call.actor:
        raise CannotCompleteOthers
    if row.recurrence:
        raise CannotCompleteRecurring
    if not row.completed_at:
        call.db.change(row, completed_at=call.clock.unix())
    return {}


@api.method("reminders.delete", scope="reminders:write")
def delete(call: Call, reminder: str) -> dict[str, Any]:
    """Delete a reminder.

    https://docs.slack.dev/reference/methods/reminders.delete
    """
    call.db.remove(_reminder(call, reminder))
    return {}


def _known_to(user: str) -> Expression:
    return any_of(Reminder.user_id == user, Reminder.creator_id == user)


def _reminder(call: Call, reminder_id: str) -> Reminder:
    reminder = call.db.find(Reminder, Reminder.reminder_id == reminder_id, _known_to(call.actor))
    if reminder is None:
        raise NoSuchItem
    return reminder


def _render_reminder(reminder: Reminder) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": reminder.reminder_id,
        "creator": reminder.creator_id,
        "user": reminder.user_id,
        "text": reminder.reminder_text,
        "recurring": bool(reminder.recurrence),
    }
    if reminder.recurrence:
        return shown
    return {**shown, "time": reminder.remind_at, "complete_ts": reminder.completed_at or 0}


@api.due(Reminder.remind_at, Reminder.completed_at.is_null(), Reminder.reminded_at.is_null(), actor=Reminder.user_id)
def remind(call: Call, row: Reminder) -> None:
    """Have Slackbot send a due reminder as a direct message, and schedule the next one if it recurs.

    https://slack.com/help/articles/208423427-Set-a-reminder
    """
    if row.recurrence:
        person = call.db.find(User, User.user_id == row.user_id)
        zone = zone_of(person.timezone if person else None)
        call.db.change(row, remind_at=time_after(row.remind_at, row.recurrence, zone))
    else:
        call.db.change(row, reminded_at=call.clock.unix())
    slackbot = Call(SLACKBOT, call.db, call.clock, came_by=call.came_by)
    room, _ = open_direct(slackbot, {SLACKBOT, row.user_id})
    message = add_message(slackbot, room, Content(f"Reminder: {row.reminder_text}.", None, None, None), None)
    call.emit("message", message_event(room, message))
