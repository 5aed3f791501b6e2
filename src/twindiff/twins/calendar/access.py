"""Access checks: the actor's role in a calendar, from ownership, ACL rules and calendar list entries.

https://developers.google.com/workspace/calendar/api/concepts/sharing
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from twindiff.kit import Call, any_of

from .errors import NotFound, RequiredAccessLevel
from .tables import Calendar, CalendarAclRule, CalendarListEntry, CalendarUser

ROLES = ("none", "freeBusyReader", "reader", "writerWithoutPrivateAccess", "writer", "owner")
MIN_WRITER_ROLE = "writerWithoutPrivateAccess"
_RANKS = {role: rank for rank, role in enumerate(ROLES)}


class Access(NamedTuple):
    """A calendar and the actor's role in it, one of `ROLES`."""

    calendar: Calendar
    role: str

    def has(self, role: str) -> bool:
        return is_at_least(self.role, role)


def is_at_least(role: str, least: str) -> bool:
    """Whether `role` grants at least the rights of `least`; both are members of `ROLES`."""
    return _RANKS[role] >= _RANKS[least]


def actor_of(call: Call) -> CalendarUser:
    """Return the calling user, cached per call; raises NotFound if the user has no row."""
    if "actor" not in call.memo:
        call.memo["actor"] = call.db.get(CalendarUser, call.actor, missing=NotFound)
    return call.memo["actor"]


def primary_of(call: Call, user: CalendarUser) -> str:
    """Return the id of a user's primary calendar: the one marked `primary` in the list, else the email address."""
    here = CalendarListEntry.user_id == user.id, CalendarListEntry.primary.is_true
    entry = call.db.find(CalendarListEntry, *here)
    return entry.calendar_id if entry else user.email


def resolve_calendar_id(call: Call, calendar_id: str) -> str:
    """Replace the alias `primary` by the id of the actor's primary calendar; return other ids unchanged."""
    if calendar_id != "primary":
        return calendar_id
    if "primary" not in call.memo:
        call.memo["primary"] = primary_of(call, actor_of(call))
    return call.memo["primary"]


def open_calendar(call: Call, calendar_id: str, least: str) -> Access:
    """Return a calendar in which the actor has at least the role `least`.

    Raises NotFound if the calendar is deleted or invisible to the actor, RequiredAccessLevel if the role is too low.
    """
    calendar = call.db.get(Calendar, resolve_calendar_id(call, calendar_id), missing=NotFound)
    role = "none" if calendar.deleted else roles_of(call, [calendar])[calendar.id]
    if role == "none":
        raise NotFound
    if not is_at_least(role, least):
        # https://github.com/derekantrican/GAS-ICS-Sync/issues/131
        shown = "writer" if least.startswith("writer") else least
        raise RequiredAccessLevel(f"You need to have {shown} access to this calendar.")
    return Access(calendar, role)


def owners_of(call: Call, calendars: Sequence[Calendar]) -> dict[str, str]:
    """Map the id of each calendar to the email address of its data owner."""
    ids = {calendar.id: calendar.data_owner or calendar.owner_id for calendar in calendars}
    users = call.db.rows(CalendarUser, CalendarUser.id.in_(sorted({*ids.values()}))) if ids else ()
    emails = {user.id: user.email for user in users}
    return {id: emails.get(owner, owner) for id, owner in ids.items()}


def roles_of(call: Call, calendars: Sequence[Calendar]) -> dict[str, str]:
    """Map the id of each calendar to the actor's role in it; takes two statements for any number of calendars."""
    user = actor_of(call)
    ids = [calendar.id for calendar in calendars]
    domain = user.email.partition("@")[2]
    concerned = any_of(CalendarAclRule.scope_value.in_([user.email, domain]), CalendarAclRule.scope_type == "default")
    rules: dict[str, list[CalendarAclRule]] = {}
    for rule in call.db.rows(CalendarAclRule, CalendarAclRule.calendar_id.in_(ids), concerned):
        rules.setdefault(rule.calendar_id, []).append(rule)
    here = CalendarListEntry.user_id == user.id, CalendarListEntry.calendar_id.in_(ids)
    listed = {entry.calendar_id: entry.access_role for entry in call.db.rows(CalendarListEntry, *here)}
    return {
        calendar.id: _role(user, calendar, rules.get(calendar.id, []), listed.get(calendar.id, "none"))
        for calendar in calendars
    }


def _role(user: CalendarUser, calendar: Calendar, rules: Iterable[CalendarAclRule], listed: str) -> str:
    if (calendar.data_owner or calendar.owner_id) in (user.id, user.email):
        return "owner"
    own = {"user": user.email, "domain": user.email.partition("@")[2], "default": None}
    mine = [rule for rule in rules if rule.scope_type == "default" or own.get(rule.scope_type) == rule.scope_value]
    roles = [rule.role for rule in mine if not rule.deleted]
    if not any(rule.scope_type == "user" for rule in mine):
        roles.append(listed)
    return max(roles, key=ROLES.index, default="none")
