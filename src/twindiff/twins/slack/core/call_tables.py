"""The tables of calls that other services host.

https://docs.slack.dev/apis/web-api/using-the-calls-api
"""

from __future__ import annotations

from twindiff.kit import Column, Row, Timestamp, column, references

from .tables import Channel, User


class PlatformCall(Row, table="calls", key=("call_id",), unique=(("external_unique_id",),)):
    """A call; times are in seconds since 1970, and `date_end` is None until it ends."""

    call_id: Column[str]
    user_id: Column[str] = references(User)
    external_unique_id: Column[str]
    join_url: Column[str]
    external_display_id: Column[str | None] = column(default=None)
    desktop_app_join_url: Column[str | None] = column(default=None)
    title: Column[str | None] = column(default=None)
    date_start: Column[int] = column(default=0)
    date_end: Column[int | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)


class CallParticipant(Row, table="call_participants", key=("call_id", "participant_id")):
    """A participant of a call: a user of the workspace, or an external person with an `external_id`."""

    call_id: Column[str] = references(PlatformCall)
    participant_id: Column[str]
    user_id: Column[str | None] = references(User, default=None)
    external_id: Column[str | None] = column(default=None)
    display_name: Column[str | None] = column(default=None)
    avatar_url: Column[str | None] = column(default=None)
    position: Column[int] = column(default=0, derived=True)
    """The order in which participants are listed."""


class CallChannel(Row, table="call_channels", key=("call_id", "channel_id"), visibility="derived"):
    """A conversation in which a call was posted."""

    call_id: Column[str] = references(PlatformCall)
    channel_id: Column[str] = references(Channel)


CALL_TABLES = (PlatformCall, CallParticipant, CallChannel)
