"""The tables of a calendar world. Plain tables and columns are those that public suites check.

Columns that Google computes are derived: ETags, links, organizers, and start and end repeated as local times.
"""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references


class CalendarUser(Row, table="calendar_users", key=("id",), unique=(("email",),)):
    id: Column[str]
    email: Column[str]
    display_name: Column[str | None] = column(default=None)
    self: Column[bool] = column(default=False)
    created_at: Column[Timestamp | None] = column(default=None)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)


class Calendar(Row, table="calendars", key=("id",), indexes=(("owner_id",),)):
    """A calendar; the id of a user's primary calendar is the user's email address."""

    id: Column[str]
    summary: Column[str]
    description: Column[str | None] = column(default=None)
    location: Column[str | None] = column(default=None)
    time_zone: Column[str | None] = column(default=None)
    etag: Column[str] = column(default="", derived=True)
    conference_properties: Column[Json | None] = column(default=None)
    auto_accept_invitations: Column[bool] = column(default=False)
    owner_id: Column[str] = references(CalendarUser)
    data_owner: Column[str | None] = column(default=None, derived=True)
    created_at: Column[Timestamp | None] = column(default=None)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)
    deleted: Column[bool] = column(default=False)


class CalendarListEntry(
    Row, table="calendar_list_entries", key=("id",), unique=(("user_id", "calendar_id"),), indexes=(("calendar_id",),)
):
    """A user's entry for a calendar in their calendar list."""

    id: Column[str]
    user_id: Column[str] = references(CalendarUser)
    calendar_id: Column[str] = references(Calendar)
    etag: Column[str] = column(default="", derived=True)
    access_role: Column[str] = column(default="reader")
    summary_override: Column[str | None] = column(default=None)
    description_override: Column[str | None] = column(default=None)
    color_id: Column[str | None] = column(default=None)
    background_color: Column[str | None] = column(default=None)
    foreground_color: Column[str | None] = column(default=None)
    hidden: Column[bool] = column(default=False)
    selected: Column[bool] = column(default=True)
    primary: Column[bool] = column(default=False)
    deleted: Column[bool] = column(default=False)
    default_reminders: Column[Json | None] = column(default=None)
    notification_settings: Column[Json | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)


class CalendarAclRule(
    Row, table="calendar_acl_rules", key=("id",), unique=(("calendar_id", "scope_type", "scope_value"),)
):
    """A rule that gives a scope (user, group, domain or everyone) a role in a calendar."""

    id: Column[str]
    calendar_id: Column[str] = references(Calendar)
    etag: Column[str] = column(default="", derived=True)
    role: Column[str]
    scope_type: Column[str]
    scope_value: Column[str | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)
    deleted: Column[bool] = column(default=False)


class CalendarEvent(
    Row,
    table="calendar_events",
    key=("id",),
    indexes=(("calendar_id", "recurring_event_id"), ("recurring_event_id",), ("ical_uid",)),
):
    """An event in the calendar of its organizer: a single one, a series, or an exception from a series.

    `start` and `end` are as the client gave them. Attendees share this row; the module `agenda` lists their calendars.
    """

    id: Column[str]
    calendar_id: Column[str] = references(Calendar)
    etag: Column[str] = column(default="", derived=True)
    status: Column[str] = column(default="confirmed")
    html_link: Column[str | None] = column(default=None, derived=True)
    summary: Column[str | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    location: Column[str | None] = column(default=None)
    color_id: Column[str | None] = column(default=None)
    creator_id: Column[str | None] = references(CalendarUser, default=None)
    organizer_id: Column[str | None] = references(CalendarUser, default=None, derived=True)
    creator_email: Column[str | None] = column(default=None, derived=True)
    organizer_email: Column[str | None] = column(default=None, derived=True)
    creator_display_name: Column[str | None] = column(default=None, derived=True)
    organizer_display_name: Column[str | None] = column(default=None, derived=True)
    creator_profile_id: Column[str | None] = column(default=None, derived=True)
    organizer_profile_id: Column[str | None] = column(default=None, derived=True)
    creator_self: Column[bool] = column(default=False, derived=True)
    organizer_self: Column[bool] = column(default=False, derived=True)
    start: Column[Json] = column(default={})
    end: Column[Json] = column(default={})
    start_datetime: Column[Timestamp | None] = column(default=None, derived=True)
    end_datetime: Column[Timestamp | None] = column(default=None, derived=True)
    start_date: Column[str | None] = column(default=None, derived=True)
    end_date: Column[str | None] = column(default=None, derived=True)
    end_time_unspecified: Column[bool] = column(default=False, derived=True)
    recurrence: Column[Json | None] = column(default=None)
    recurring_event_id: Column[str | None] = references("self", default=None)
    original_start_time: Column[Json | None] = column(default=None)
    transparency: Column[str] = column(default="opaque")
    visibility: Column[str] = column(default="default")
    ical_uid: Column[str | None] = column(default=None)
    sequence: Column[int] = column(default=0, derived=True)
    guests_can_invite_others: Column[bool] = column(default=True)
    guests_can_modify: Column[bool] = column(default=False)
    guests_can_see_other_guests: Column[bool] = column(default=True)
    anyone_can_add_self: Column[bool] = column(default=False)
    private_copy: Column[bool] = column(default=False)
    locked: Column[bool] = column(default=False, derived=True)
    attendees_omitted: Column[bool] = column(default=False, derived=True)
    hangout_link: Column[str | None] = column(default=None)
    conference_data: Column[Json | None] = column(default=None)
    attachments: Column[Json | None] = column(default=None)
    extended_properties: Column[Json | None] = column(default=None)
    source: Column[Json | None] = column(default=None)
    gadget: Column[Json | None] = column(default=None)
    reminders: Column[Json | None] = column(default=None)
    event_type: Column[str] = column(default="default")
    working_location_properties: Column[Json | None] = column(default=None)
    out_of_office_properties: Column[Json | None] = column(default=None)
    focus_time_properties: Column[Json | None] = column(default=None)
    birthday_properties: Column[Json | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)


class CalendarEventAttendee(
    Row, table="calendar_event_attendees", key=("event_id", "email"), indexes=(("email", "event_id"),)
):
    """An attendee of an event."""

    id: Column[int | None] = column(default=None, derived=True)
    event_id: Column[str] = references(CalendarEvent, on_delete="cascade")
    email: Column[str]
    display_name: Column[str | None] = column(default=None)
    organizer: Column[bool] = column(default=False)
    self: Column[bool] = column(default=False, derived=True)
    resource: Column[bool] = column(default=False)
    optional: Column[bool] = column(default=False)
    response_status: Column[str] = column(default="needsAction")
    comment: Column[str | None] = column(default=None)
    additional_guests: Column[int] = column(default=0)
    profile_id: Column[str | None] = column(default=None, derived=True)


class CalendarEventReminder(Row, table="calendar_event_reminders", key=("event_id", "method", "minutes")):
    """A reminder of a template's event; events written through the API have theirs in `reminders`."""

    id: Column[int | None] = column(default=None, derived=True)
    event_id: Column[str] = references(CalendarEvent, on_delete="cascade")
    method: Column[str]
    minutes: Column[int]


class CalendarEventCopy(Row, table="calendar_event_copies", key=("calendar_id", "event_id"), indexes=(("event_id",),)):
    """An attendee's own settings for an event in their calendar."""

    calendar_id: Column[str] = references(Calendar)
    event_id: Column[str] = references(CalendarEvent, on_delete="cascade")
    removed: Column[bool] = column(default=False)
    color_id: Column[str | None] = column(default=None)
    transparency: Column[str | None] = column(default=None)
    visibility: Column[str | None] = column(default=None)
    reminders: Column[Json | None] = column(default=None)
    private_properties: Column[Json | None] = column(default=None)


class CalendarSetting(Row, table="calendar_settings", key=("user_id", "setting_id")):
    id: Column[int | None] = column(default=None, derived=True)
    user_id: Column[str] = references(CalendarUser)
    setting_id: Column[str]
    value: Column[str]
    etag: Column[str] = column(default="", derived=True)


class CalendarChannel(Row, table="calendar_channels", key=("id",)):
    """A watch channel; `expiration` is in milliseconds since 1970."""

    id: Column[str]
    resource_id: Column[str] = column(derived=True)
    resource_uri: Column[str]
    type: Column[str]
    address: Column[str]
    expiration: Column[int | None] = column(default=None)
    token: Column[str | None] = column(default=None)
    params: Column[Json | None] = column(default=None)
    payload: Column[bool] = column(default=False)
    user_id: Column[str | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)


class OutgoingMail(Row, table="calendar_outgoing_mail", key=("id",), indexes=(("recipient",),)):
    """A mail that Calendar would have sent; `kind` is a key of `SUBJECTS` in `mail`, or `sharing`."""

    id: Column[int]
    kind: Column[str]
    recipient: Column[str]
    sender: Column[str | None] = column(default=None)
    subject: Column[str]
    calendar_id: Column[str]
    event_id: Column[str | None] = column(default=None)
    sent_at: Column[Timestamp]


class AgendaEntry(
    Row,
    table="calendar_agenda",
    key=("calendar_id", "event_id"),
    indexes=(
        ("calendar_id", "is_long", "begins"),
        ("calendar_id", "changed", "event_id"),
        ("calendar_id", "original_start"),
        ("event_id",),
    ),
    visibility="bookkeeping",
):
    """An event in one calendar that shows it: the organizer's, or an attendee's.

    Times are in microseconds since 1970; `ends` of an endless series is `FAR`. `schedule` is the recurrence in the form
    that `recurrence.between` takes. `changed` numbers the changes of all calendars, so that a sync token is such a
    number.
    An entry that is `gone` remains, so that incremental sync reports the removal.
    """

    calendar_id: Column[str]
    event_id: Column[str]
    is_copy: Column[bool] = column(default=False)
    gone: Column[bool] = column(default=False)
    is_long: Column[bool] = column(default=False)
    begins: Column[int]
    ends: Column[int]
    duration: Column[int] = column(default=0)
    schedule: Column[str | None] = column(default=None)
    series: Column[str | None] = column(default=None)
    original_start: Column[int | None] = column(default=None)
    status: Column[str] = column(default="confirmed")
    busy: Column[bool] = column(default=True)
    updated: Column[str] = column(default="")
    changed: Column[int] = column(default=0)


class ResourceChange(
    Row,
    table="calendar_changes",
    key=("collection", "id"),
    indexes=(("collection", "changed"),),
    visibility="bookkeeping",
):
    """The latest change of an ACL rule, calendar list entry or setting; `collection` is the path that is watched."""

    collection: Column[str]
    id: Column[str]
    changed: Column[int]


class Alarm(Row, table="calendar_alarms", key=("calendar_id", "event_id"), visibility="bookkeeping"):
    """The time of the next email reminder of an event to the owner of a calendar."""

    calendar_id: Column[str]
    event_id: Column[str] = references(CalendarEvent, on_delete="cascade")
    user_id: Column[str]
    next_at: Column[Timestamp | None] = column(default=None)


TABLES = (
    CalendarUser,
    Calendar,
    CalendarListEntry,
    CalendarAclRule,
    CalendarEvent,
    CalendarEventAttendee,
    CalendarEventReminder,
    CalendarEventCopy,
    CalendarSetting,
    CalendarChannel,
    OutgoingMail,
    AgendaEntry,
    ResourceChange,
    Alarm,
)
