"""Calls hosted by other services: registration, changes, end and participants.

https://docs.slack.dev/apis/web-api/using-the-calls-api
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import UNSET, Call, Operations, UnsetType, revise

from ..core.authorization import is_strict
from ..core.call_tables import CallParticipant, PlatformCall
from ..core.errors import InvalidArguments, MissingArgument, UserNotFound
from ..core.people import bot_of
from ..core.tables import User
from ..rendering.call_blocks import call_objects
from .call_errors import BadUsers, InactiveCall, InvalidCallId, InvalidCreatedBy, InvalidStartTime

api = Operations()

People = list[dict[str, Any]]


@api.method("calls.add", scope="calls:write")
def add(
    call: Call,
    external_unique_id: str,
    join_url: str,
    external_display_id: str | None = None,
    desktop_app_join_url: str | None = None,
    date_start: Annotated[int, InvalidStartTime] | None = None,
    title: str | None = None,
    created_by: str = "",
    users: People | None = None,
) -> dict[str, Any]:
    """Register a call; bots must name its creator in `created_by`.

    https://docs.slack.dev/reference/methods/calls.add
    """
    if date_start is not None and date_start < 0:
        raise InvalidStartTime
    made = PlatformCall(
        call_id=call.ids.new("R"),
        user_id=_creator(call, created_by),
        external_unique_id=external_unique_id,
        join_url=join_url,
        external_display_id=external_display_id,
        desktop_app_join_url=desktop_app_join_url,
        title=title,
        date_start=call.clock.unix() if date_start is None else date_start,
        created_at=call.clock.iso(),
    )
    call.db.add(made, taken=_Taken)
    _join(call, made, _participants(call, made, users or []))
    return _render_call(call, made)


class _Taken(InvalidArguments):
    """Another call has this external_unique_id."""

    code = InvalidArguments.code

    def __init__(self) -> None:
        super().__init__(response_metadata={"messages": ["[ERROR] external_unique_id is another call's"]})


def _creator(call: Call, created_by: str) -> str:
    if created_by:
        return call.db.get(User, created_by, missing=InvalidCreatedBy).user_id
    if is_strict(call) and bot_of(call.db, call.actor):
        raise InvalidCreatedBy
    return call.actor


def _render_call(call: Call, platform_call: PlatformCall) -> dict[str, Any]:
    (shown,) = call_objects(call, [platform_call.call_id])
    return {"call": shown}


def _participants(call: Call, platform_call: PlatformCall, given: People) -> list[CallParticipant]:
    """Return the given participants without duplicates.

    Raises InvalidArguments if one has neither `slack_id` nor `external_id`, UserNotFound for an unknown user.
    """
    people: dict[str, CallParticipant] = {}
    before = call.db.count(CallParticipant, CallParticipant.call_id == platform_call.call_id)
    for position, each in enumerate(given, before):
        texts = {name: value for name, value in each.items() if isinstance(value, str) and value}
        user, other = texts.get("slack_id"), texts.get("external_id")
        participant = user or other
        if participant is None:
            raise InvalidArguments(response_metadata={"messages": ["[ERROR] users have a slack_id or an external_id"]})
        people[participant] = CallParticipant(
            call_id=platform_call.call_id,
            participant_id=participant,
            user_id=user,
            external_id=other,
            display_name=texts.get("display_name"),
            avatar_url=texts.get("avatar_url"),
            position=position,
        )
    ids = [each.user_id for each in people.values() if each.user_id]
    if call.db.count(User, User.user_id.in_(ids)) < len(ids):
        raise UserNotFound
    return list(people.values())


def _join(call: Call, platform_call: PlatformCall, people: list[CallParticipant]) -> None:
    if _inside(call, platform_call, people):
        raise BadUsers
    for each in people:
        call.db.add(each)


def _inside(call: Call, platform_call: PlatformCall, people: list[CallParticipant]) -> list[CallParticipant]:
    ids = [each.participant_id for each in people]
    here = CallParticipant.call_id == platform_call.call_id
    return list(call.db.rows(CallParticipant, here, CallParticipant.participant_id.in_(ids))) if ids else []


@api.method("calls.info", reads=True, scope="calls:read")
def info(call: Call, id: str) -> dict[str, Any]:
    """Return a call.

    https://docs.slack.dev/reference/methods/calls.info
    """
    return _render_call(call, _call(call, id))


def _call(call: Call, id: str) -> PlatformCall:
    return call.db.get(PlatformCall, id, missing=InvalidCallId)


def _running(call: Call, id: str) -> PlatformCall:
    platform_call = _call(call, id)
    if platform_call.date_end is not None:
        raise InactiveCall
    return platform_call


@api.method("calls.update", scope="calls:write")
def update(
    call: Call,
    id: str,
    title: str | UnsetType = UNSET,
    join_url: str | UnsetType = UNSET,
    desktop_app_join_url: str | UnsetType = UNSET,
) -> dict[str, Any]:
    """Change the title and join URLs of a call.

    https://docs.slack.dev/reference/methods/calls.update
    """
    wanted: dict[str, Any] = {"title": title, "join_url": join_url, "desktop_app_join_url": desktop_app_join_url}
    return _render_call(call, revise(call.db, _call(call, id), **wanted))


@api.method("calls.end", scope="calls:write")
def end(call: Call, id: str, duration: int | None = None) -> dict[str, Any]:
    """End a call after `duration` seconds from its start, or now.

    https://docs.slack.dev/reference/methods/calls.end
    """
    platform_call = _running(call, id)
    if duration is not None and duration < 0:
        raise InvalidArguments(response_metadata={"messages": ["[ERROR] duration must not be negative"]})
    over = call.clock.unix() if duration is None else platform_call.date_start + duration
    return _render_call(call, call.db.change(platform_call, date_end=over))


@api.method("calls.participants.add", scope="calls:write")
def add_participants(call: Call, id: str, users: People) -> dict[str, Any]:
    """Add participants to a call.

    https://docs.slack.dev/reference/methods/calls.participants.add
    """
    platform_call = _running(call, id)
    if not users:
        raise MissingArgument
    _join(call, platform_call, _participants(call, platform_call, users))
    return _render_call(call, platform_call)


@api.method("calls.participants.remove", scope="calls:write")
def remove_participants(call: Call, id: str, users: People) -> dict[str, Any]:
    """Remove participants from a call.

    https://docs.slack.dev/reference/methods/calls.participants.remove
    """
    platform_call = _running(call, id)
    if not users:
        raise MissingArgument
    people = _participants(call, platform_call, users)
    inside = _inside(call, platform_call, people)
    if len(inside) < len(people):
        raise BadUsers
    for each in inside:
        call.db.remove(each)
    return _render_call(call, platform_call)
