"""Errors of the Calendar API.

https://developers.google.com/workspace/calendar/api/guides/errors
"""

from __future__ import annotations

from twindiff.kit.styles.google import GoogleError, NoSuchThing


class BadRequest(GoogleError):
    """Bad Request"""

    code = "badRequest"


class Invalid(GoogleError):
    """Invalid Value"""

    code = "invalid"


class MixedTimes(Invalid):
    """Start and end times must either both be date or both be dateTime."""

    code = "invalid"


class OrderingNotAvailable(Invalid):
    """The requested ordering is not available for the particular query."""

    code = "invalid"
    location = ("parameter", "orderBy")


class SyncTokenConflict(Invalid):
    """Sync token cannot be used together with filters or an order; deleted and hidden items always come with one."""

    code = "invalid"
    location = ("parameter", "syncToken")


class Required(GoogleError):
    """Required"""

    code = "required"


class InvalidParameterValue(GoogleError):
    """Invalid Value"""

    code = "invalidParameter"


class TimeRangeEmpty(GoogleError):
    """The specified time range is empty."""

    code = "timeRangeEmpty"
    domain = "calendar"
    location = ("parameter", "timeMax")


class UpdatedMinTooLongAgo(GoogleError):
    """The requested minimum modification time lies too far in the past."""

    status = 410
    code = "updatedMinTooLongAgo"
    domain = "calendar"
    location = ("parameter", "updatedMin")


class ValueTooLarge(GoogleError):
    """A provided value exceeds the allowed size limit."""

    code = "invalid"


class InvalidRecurrence(GoogleError):
    """Invalid recurrence rule."""

    code = "invalid"


class NotFound(NoSuchThing):
    """Not Found"""

    code = "notFound"


class Deleted(GoogleError):
    """Resource has been deleted"""

    status = 410
    code = "deleted"


class FullSyncRequired(GoogleError):
    """Sync token is no longer valid, a full sync is required."""

    status = 410
    code = "fullSyncRequired"
    domain = "calendar"
    location = ("parameter", "syncToken")


class InvalidPageToken(GoogleError):
    """Invalid page token value."""

    code = "invalid"
    location = ("parameter", "pageToken")


class RequiredAccessLevel(GoogleError):
    """You need to have writer access to this calendar."""

    status = 403
    code = "requiredAccessLevel"
    domain = "calendar"


class Forbidden(GoogleError):
    """Forbidden"""

    status = 403
    code = "forbidden"


class ForbiddenForNonOrganizer(GoogleError):
    """Shared properties can only be changed by the organizer of the event."""

    status = 403
    code = "forbiddenForNonOrganizer"
    domain = "calendar"


class CannotChangeOwner(GoogleError):
    """Cannot change your own access level."""

    status = 403
    code = "cannotChangeOwnAcl"
    domain = "calendar"


class CannotDeletePrimary(GoogleError):
    """A primary calendar cannot be deleted; clear it instead."""

    status = 403
    code = "cannotDeletePrimaryCalendar"
    domain = "calendar"


class CannotUseDefaultRemindersAndSpecifyOverride(GoogleError):
    """Cannot specify both default reminders and overrides at the same time."""

    code = "cannotUseDefaultRemindersAndSpecifyOverride"
    domain = "calendar"


class EventRemindersCountExceedsLimit(GoogleError):
    """The number of override reminders exceeds the limit of 5 for one event."""

    code = "eventRemindersCountExceedsLimit"
    domain = "calendar"


class ParticipantIsNeitherOrganizerNorAttendee(GoogleError):
    """The owner of the calendar must either be the organizer or an attendee of an event that is imported."""

    code = "participantIsNeitherOrganizerNorAttendee"
    domain = "calendar"


class ChannelIdNotUnique(GoogleError):
    """Channel id not unique"""

    code = "channelIdNotUnique"


class NotRecurring(GoogleError):
    """The event is not a recurring event."""

    code = "invalid"


class TimeRangeTooLong(GoogleError):
    """The requested time range is too long."""

    code = "timeRangeTooLong"
    domain = "calendar"
    location = ("parameter", "timeMax")


class TooManyAttendees(GoogleError):
    """An event has at most 200 attendees."""

    code = "limitExceeded"
    domain = "calendar"


class EventTypeRestriction(GoogleError):
    """The event type does not allow this."""

    code = "eventTypeRestriction"
    domain = "calendar"


class MalformedOutOfOfficeEvent(EventTypeRestriction):
    """An out of office event is malformed."""

    code = "malformedOutOfOfficeEvent"


class MalformedFocusTimeEvent(EventTypeRestriction):
    """A focus time event is malformed."""

    code = "malformedFocusTimeEvent"


class MalformedWorkingLocationEvent(EventTypeRestriction):
    """A working location event is malformed."""

    code = "malformedWorkingLocationEvent"


class CannotChangeOrganizerOfInstance(GoogleError):
    """Cannot change the organizer of an instance."""

    code = "cannotChangeOrganizerOfInstance"
    domain = "calendar"


class CannotUnsubscribeFromOwnedCalendar(GoogleError):
    """A calendar that the user owns cannot be taken off the list. Hide it instead."""

    status = 403
    code = "cannotUnsubscribeFromOwnedCalendar"
    domain = "calendar"


class CannotChangeOwnPrimarySubscription(GoogleError):
    """The subscription to the user's own primary calendar cannot be changed."""

    status = 403
    code = "cannotChangeOwnPrimarySubscription"
    domain = "calendar"
