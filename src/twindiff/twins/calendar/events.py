"""Events: https://developers.google.com/workspace/calendar/api/v3/reference/events"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, structs
from msgspec.structs import replace

from twindiff.kit import Body, Call, Header, Meta, Operations, check_if_match
from twindiff.kit.styles.google import ConditionNotMet, Duplicate

from .access import MIN_WRITER_ROLE, Access, actor_of, is_at_least, open_calendar
from .agenda import place, zone_name
from .attendees import is_same_list, rows_of
from .changes import amend, stamp
from .conferences import with_conference
from .errors import (
    CannotChangeOrganizerOfInstance,
    Deleted,
    EventTypeRestriction,
    Forbidden,
    ForbiddenForNonOrganizer,
    Invalid,
    NotFound,
    ParticipantIsNeitherOrganizerNorAttendee,
    Required,
    RequiredAccessLevel,
)
from .event_bodies import EventBody, all_columns, fields_of, given_columns
from .event_changes import (
    SeenEvent,
    cancel,
    exceptions_of,
    find_event,
    is_moved,
    organizer_zone,
    write_change,
    write_new,
)
from .event_limits import cut_texts
from .event_rules import (
    check_columns,
    check_email,
    check_event,
    check_id,
    check_sequence,
    complete_times,
    settle_reminders,
)
from .event_views import attendees_of, event_object, lens_of
from .invitations import change_copy, remove_copy
from .lists import MaxAttendees
from .mail import send_about
from .quick_add import read_quick_text
from .rooms import answer_for_rooms
from .tables import CalendarEvent, CalendarEventAttendee
from .times import aware, check_time, names_same_time

api = Operations()

BASE32_HEX = "0123456789abcdefghijklmnopqrstuv"
SendUpdates = Literal["all", "externalOnly", "none"]
ConferenceVersion = Annotated[int, Meta(ge=0, le=1)]
IfMatch = Annotated[str, Header("If-Match")]


def _mails(send_updates: str | None, send_notifications: bool) -> str:
    return send_updates or ("all" if send_notifications else "none")


def _render_event(call: Call, access: Access, event: CalendarEvent, max_attendees: int | None = None) -> dict[str, Any]:
    seen = find_event(call, access, event.id)
    return event_object(seen.event, seen.attendees, lens_of(access, "", max_attendees), seen.copy)


@api.post("/calendars/{calendarId}/events")
def insert_event(
    call: Call,
    calendar_id: str,
    event: Annotated[EventBody, Body],
    conference_data_version: ConferenceVersion = 0,
    max_attendees: MaxAttendees | None = None,
    send_notifications: bool = False,
    send_updates: SendUpdates | None = None,
    supports_attachments: bool = False,
) -> dict[str, Any]:
    """Create an event and invite its attendees. The id or the iCalUID may be given, not both.

    https://developers.google.com/workspace/calendar/api/v3/reference/events#iCalUID
    """
    access = open_calendar(call, calendar_id, MIN_WRITER_ROLE)
    if event.id:
        check_id("" if event.ical_uid else event.id)
        if call.db.find(CalendarEvent, CalendarEvent.id == event.id):
            raise Duplicate
    if event.event_type == "fromGmail":
        raise Invalid("Events of type fromGmail cannot be created by the API.")
    columns = with_conference(call, given_columns(event), conference_data_version)
    if not supports_attachments:
        columns.pop("attachments", None)
    id = event.id or call.ids.new("", 26, BASE32_HEX)
    made = _new_event(call, access, columns, id, event.ical_uid or "", check_sequence(event.sequence, 0))
    mails = _mails(send_updates, send_notifications)
    return _insert(call, access, made, event, mails, max_attendees)


def _insert(
    call: Call, access: Access, made: CalendarEvent, event: EventBody, mails: str, max_attendees: int | None = None
) -> dict[str, Any]:
    attendees = rows_of(call, made, event.attendees or ())
    is_primary = _is_primary(call, access)
    check_event(made, zone_name(access.calendar), is_primary=is_primary, has_attendees=bool(attendees))
    written = write_new(call, access, made, attendees, mails)
    answer_for_rooms(call, access.calendar, written, is_moved=True)
    return _render_event(call, access, written, max_attendees)


def _is_primary(call: Call, access: Access) -> bool:
    return "@" in access.calendar.id and not access.calendar.id.endswith("group.calendar.google.com")


def _new_event(
    call: Call, access: Access, columns: dict[str, Any], id: str, uid: str, sequence: int = 0
) -> CalendarEvent:
    """Build an event of the actor that the calendar organizes; raises the API's error for invalid columns."""
    for name in ("start", "end"):
        if not columns.get(name):
            raise Required(f"Missing {name} time.")
    columns = cut_texts(columns)
    check_columns(columns)
    columns = settle_reminders(columns)
    columns = complete_times(columns, zone_name(access.calendar), is_series=bool(columns.get("recurrence")))
    user, calendar = actor_of(call), access.calendar
    return CalendarEvent(
        **{**columns, **stamp(call)},
        sequence=sequence,
        id=id,
        calendar_id=calendar.id,
        html_link=f"https://www.google.com/calendar/event?eid={id}",
        creator_id=user.id,
        creator_email=user.email,
        organizer_id=calendar.owner_id,
        organizer_email=calendar.id,
        organizer_display_name=None if _is_primary(call, access) else calendar.summary,
        creator_self=user.email == calendar.id,
        organizer_self=True,
        ical_uid=uid or f"{id}@google.com",
        created_at=call.clock.iso(),
    )


@api.post("/calendars/{calendarId}/events/import")
def import_event(
    call: Call,
    calendar_id: str,
    event: Annotated[EventBody, Body],
    conference_data_version: ConferenceVersion = 0,
    supports_attachments: bool = False,
) -> dict[str, Any]:
    """Import a private copy of an event from another calendar system; a known iCalUID updates that event."""
    access = open_calendar(call, calendar_id, MIN_WRITER_ROLE)
    if not event.ical_uid:
        raise Required("Missing iCalUID.")
    if event.event_type not in ("default", None) and isinstance(event.event_type, str):
        raise Invalid("Only events of type default can be imported.")
    here = CalendarEvent.calendar_id == access.calendar.id, CalendarEvent.ical_uid == event.ical_uid
    known = call.db.find(CalendarEvent, *here)
    if known:
        seen = find_event(call, access, known.id)
        return _change(call, access, seen, all_columns(event), event, "none")
    columns = with_conference(call, given_columns(event), conference_data_version)
    organizer = fields_of(event.organizer)
    if organizer.get("email"):
        check_email(organizer["email"], "organizer")
    _check_participant(access, str(organizer.get("email") or access.calendar.id), event)
    id = f"_{call.ids.new('', 25, BASE32_HEX)}"
    made = _new_event(call, access, columns, id, event.ical_uid, check_sequence(event.sequence, 0))
    if organizer.get("email") not in (None, access.calendar.id):
        name = organizer.get("displayName")
        made = replace(made, organizer_id=None, organizer_email=str(organizer["email"]), organizer_display_name=name)
    return _insert(call, access, made, event, "none")


def _check_participant(access: Access, organizer: str, event: EventBody) -> None:
    """Raise unless the calendar into which an event is imported belongs to its organizer or to an attendee."""
    own = {access.calendar.id, access.calendar.owner_id, access.calendar.data_owner}
    people = [organizer, *(str(each.get("email")) for each in event.attendees or ())]
    if not {(each or "").casefold() for each in own} & {each.casefold() for each in people}:
        raise ParticipantIsNeitherOrganizerNorAttendee


@api.post("/calendars/{calendarId}/events/quickAdd")
def quick_add(
    call: Call,
    calendar_id: str,
    text: str,
    send_notifications: bool = False,
    send_updates: SendUpdates | None = None,
) -> dict[str, Any]:
    """Create an event from a sentence; the module `quick_add` has the grammar."""
    access = open_calendar(call, calendar_id, MIN_WRITER_ROLE)
    if not text.strip():
        raise Required("Missing text.", location=("parameter", "text"))
    columns = read_quick_text(text, call.clock.micros, zone_name(access.calendar))
    made = _new_event(call, access, columns, call.ids.new("", 26, BASE32_HEX), "")
    return _insert(call, access, made, EventBody(), _mails(send_updates, send_notifications))


@api.patch("/calendars/{calendarId}/events/{eventId}")
def patch_event(
    call: Call,
    calendar_id: str,
    event_id: str,
    event: Annotated[EventBody, Body],
    conference_data_version: ConferenceVersion = 0,
    max_attendees: MaxAttendees | None = None,
    send_notifications: bool = False,
    send_updates: SendUpdates | None = None,
    supports_attachments: bool = False,
    if_match: IfMatch = "",
) -> dict[str, Any]:
    """Change the given fields of an event; objects are merged, lists are replaced."""
    access = open_calendar(call, calendar_id, "freeBusyReader")
    seen = find_event(call, access, event_id)
    check_if_match(if_match, seen.event.etag, ConditionNotMet)
    columns = _patch_columns(call, access, seen, given_columns(event))
    columns = with_conference(call, columns, conference_data_version)
    if not supports_attachments:
        columns.pop("attachments", None)
    return _change(call, access, seen, columns, event, _mails(send_updates, send_notifications), max_attendees)


def _patch_columns(call: Call, access: Access, seen: SeenEvent, given: dict[str, Any]) -> dict[str, Any]:
    """Merge objects of a patch into the event's, as the calendar shows it."""
    event, merged = seen.event, dict(given)
    for name, value in given.items():
        before = getattr(event, name)
        if not isinstance(value, dict) or not isinstance(before, dict):
            continue
        base, patch = fields_of(before), fields_of(value)
        if name in ("start", "end"):
            base = _time_to_patch(call, event, base, patch)
        elif name == "extended_properties" and event.calendar_id != access.calendar.id:
            base = {**base, "private": seen.copy.private_properties if seen.copy else None}
        merged[name] = _apply_merge_patch(base, patch)
    return merged


def _time_to_patch(call: Call, event: CalendarEvent, before: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """Return the start or end that a patch is merged into: with an offset, so that a new zone alone moves nothing.

    A day has no zone. A `date` beside the `dateTime` of before, or the reverse, is refused by `check_time`.
    """
    if patch.get("date"):
        return {name: value for name, value in before.items() if name != "timeZone"}
    if patch.get("timeZone") and before.get("dateTime") and not patch.get("dateTime"):
        return {**before, "dateTime": aware(before, organizer_zone(call, event)).isoformat()}
    return before


def _apply_merge_patch(before: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """Apply a JSON merge patch (RFC 7396)."""
    after = dict(before)
    for name, value in patch.items():
        if value is None:
            after.pop(name, None)
        elif isinstance(value, dict) and isinstance(after.get(name), dict):
            after[name] = _apply_merge_patch(after[name], value)  # pyright: ignore[reportUnknownArgumentType]
        else:
            after[name] = value
    return after


@api.put("/calendars/{calendarId}/events/{eventId}")
def update_event(
    call: Call,
    calendar_id: str,
    event_id: str,
    event: Annotated[EventBody, Body],
    conference_data_version: ConferenceVersion = 0,
    max_attendees: MaxAttendees | None = None,
    send_notifications: bool = False,
    send_updates: SendUpdates | None = None,
    supports_attachments: bool = False,
    if_match: IfMatch = "",
) -> dict[str, Any]:
    """Replace an event; omitted fields are cleared, and a cancelled event is confirmed unless the body has a status."""
    access = open_calendar(call, calendar_id, "freeBusyReader")
    seen = find_event(call, access, event_id)
    check_if_match(if_match, seen.event.etag, ConditionNotMet)
    if not event.start or not event.end:
        raise Required(f"Missing {'end' if event.start else 'start'} time.")
    columns = all_columns(event)
    if conference_data_version < 1:
        columns.pop("conference_data")
    columns = with_conference(call, columns, conference_data_version)
    if not supports_attachments:
        columns.pop("attachments", None)
    event = replace(event, attendees=event.attendees or [], sequence=event.sequence or 0)
    return _change(call, access, seen, columns, event, _mails(send_updates, send_notifications), max_attendees)


def _change(
    call: Call,
    access: Access,
    seen: SeenEvent,
    columns: dict[str, Any],
    event: EventBody,
    mails: str,
    max_attendees: int | None = None,
) -> dict[str, Any]:
    """Change an event in its organizing calendar, or the copy of an attendee elsewhere."""
    columns = cut_texts(columns)
    check_columns(columns)
    columns = settle_reminders(columns)
    _check_writer(access, seen)
    before, zone = seen.event, zone_name(access.calendar)
    if before.event_type != columns.get("event_type", before.event_type):
        raise Invalid("The type of an event cannot be changed.")
    columns = {**columns, "sequence": check_sequence(event.sequence, before.sequence)}
    if columns.get("reminders") == {"useDefault": True} and before.reminders is None:
        del columns["reminders"]  # what responses show for events without reminders of their own
    columns |= _changed_times(call, access, before, columns)
    if before.calendar_id != access.calendar.id and not before.guests_can_modify:
        change_copy(call, access, seen, columns, event.attendees, mails)
        return _render_event(call, access, before)
    if seen.series and columns.get("recurrence"):
        raise Invalid("Invalid recurrence rule. An occurrence of a series cannot recur.")
    if columns.get("status") == "cancelled" and before.status != "cancelled":
        cancel(call, access, seen, mails)
        return _render_event(call, access, before)
    after = replace(before, **columns)
    attendees = None if event.attendees is UNSET else _attendee_rows(call, seen, after, event)
    if after == before and (attendees is None or is_same_list(seen.attendees, attendees)):
        return _render_event(call, access, before, max_attendees)
    has_attendees = bool(seen.attendees if attendees is None else attendees)
    check_event(after, zone, is_primary=_is_primary(call, access), has_attendees=has_attendees)
    written = write_change(call, access, seen, after, attendees, mails)
    answer_for_rooms(call, access.calendar, written, is_moved=is_moved(before, after, zone))
    return _render_event(call, access, written, max_attendees)


def _attendee_rows(call: Call, seen: SeenEvent, event: CalendarEvent, body: EventBody) -> list[CalendarEventAttendee]:
    """Build the attendee rows for a changed event; an occurrence that becomes an exception gets rows of its own.

    With `attendeesOmitted`, the body changes only the attendees that it names, and all others stay.
    """
    known = [structs.replace(each, event_id=event.id) for each in seen.attendees]
    return rows_of(call, event, body.attendees or (), known, others_stay=body.attendees_omitted is True)


def _changed_times(call: Call, access: Access, before: CalendarEvent, columns: dict[str, Any]) -> dict[str, Any]:
    """Return the given `start` and `end` as they are stored: those that name the same time as before stay as they were.

    The calendar in which the change is made gives a zone to times that lack one.
    """
    zone, calendar_id = zone_name(access.calendar), access.calendar.id
    given = {name: check_time(columns[name], name) for name in ("start", "end") if name in columns}
    if not given:
        return {}
    own = zone if before.calendar_id == calendar_id else organizer_zone(call, before)
    kept = {name: getattr(before, name) for name in given if names_same_time(given[name], getattr(before, name), own)}
    moved = {name: when for name, when in given.items() if name not in kept}
    is_series = bool(columns.get("recurrence", before.recurrence))
    return {**kept, **complete_times(moved, zone, is_series=is_series)}


def _check_writer(access: Access, seen: SeenEvent) -> None:
    """Raise the API's error if the actor may only read the event, or if the event is locked."""
    is_private = seen.event.visibility in ("private", "confidential")
    if not is_at_least(access.role, "writer" if is_private else MIN_WRITER_ROLE):
        raise RequiredAccessLevel
    if seen.event.locked:
        raise Forbidden("This is a locked event-like object.")


@api.delete("/calendars/{calendarId}/events/{eventId}", status=204)
def delete_event(
    call: Call,
    calendar_id: str,
    event_id: str,
    send_notifications: bool = False,
    send_updates: SendUpdates | None = None,
    if_match: IfMatch = "",
) -> None:
    """Cancel an event, a series or one occurrence; an attendee only removes it from their own calendar."""
    access = open_calendar(call, calendar_id, "freeBusyReader")
    seen = find_event(call, access, event_id)
    check_if_match(if_match, seen.event.etag, ConditionNotMet)
    _check_writer(access, seen)
    if seen.event.status == "cancelled" or (seen.copy and seen.copy.removed):
        raise Deleted
    mails = _mails(send_updates, send_notifications)
    if seen.event.calendar_id != access.calendar.id:
        remove_copy(call, access, seen, mails)
    else:
        cancel(call, access, seen, mails)


@api.post("/calendars/{calendarId}/events/{eventId}/move")
def move_event(
    call: Call,
    calendar_id: str,
    event_id: str,
    destination: str,
    send_notifications: bool = False,
    send_updates: SendUpdates | None = None,
) -> dict[str, Any]:
    """Move an event to another calendar, which becomes its organizer."""
    source, target = (open_calendar(call, id, MIN_WRITER_ROLE) for id in (calendar_id, destination))
    seen = find_event(call, source, event_id)
    event = seen.event
    if event.status == "cancelled":
        raise NotFound
    if event.calendar_id != source.calendar.id:
        raise ForbiddenForNonOrganizer
    if event.event_type != "default":
        raise EventTypeRestriction("Only events of the default type can be moved.")
    if event.recurring_event_id:
        raise CannotChangeOrganizerOfInstance
    if target.calendar.id == source.calendar.id:
        problem = "The destination calendar is the one that the event is in."
        raise Invalid(problem, location=("parameter", "destination"))
    moved = [event, *exceptions_of(call, event)]
    invited = attendees_of(call, [each.id for each in moved])
    for each in moved:
        after = amend(call, each, calendar_id=target.calendar.id)
        place(call, after, invited.get(each.id, []))
    mails = _mails(send_updates, send_notifications)
    if mails != "none":
        send_about(call, "update", [each.email for each in seen.attendees], event)
    return _render_event(call, target, event)
