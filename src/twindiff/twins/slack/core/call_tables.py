"""The tables of calls that other services hold and Slack shows.

https://docs.slack.dev/apis/web-api/using-the-calls-api
"""

from __future__ import annotations

from twindiff.kit import Column, Row, Timestamp, column, references

from .tables import Channel, User


class PlatformCall(Row, table="calls", key=("call_id",), unique=(("external_unique_id",),)):
    """A call; times in seconds since 1970, `date_end` once it is over."""

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
    """Somebody in a call: a person of the workspace, or one whom the other service knows by `external_id`."""

    call_id: Column[str] = references(PlatformCall)
    participant_id: Column[str]
    user_id: Column[str | None] = references(User, default=None)
    external_id: Column[str | None] = column(default=None)
    display_name: Column[str | None] = column(default=None)
    avatar_url: Column[str | None] = column(default=None)
    position: Column[int] = column(default=0, derived=True)
    """By which those in the call are listed."""


class CallChannel(Row, table="call_channels", key=("call_id", "channel_id"), visibility="derived"):
    """A conversation that a call was posted to."""

    call_id: Column[str] = references(PlatformCall)
    channel_id: Column[str] = references(Channel)


CALL_TABLES = (PlatformCall, CallParticipant, CallChannel)
