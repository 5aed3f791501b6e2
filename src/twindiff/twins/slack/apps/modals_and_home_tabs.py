"""Modals and home tabs that apps show to users.

https://docs.slack.dev/surfaces/modals
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Annotated, Any, cast

import msgspec

from twindiff.kit import Call, Operations

from ..core.access import workspace
from ..core.errors import InvalidArguments, NoSuchItem, UserNotFound
from ..core.surface_errors import (
    DuplicateExternalId,
    ExchangedTriggerId,
    HashConflict,
    InvalidTriggerId,
    PushLimitReached,
    ViewTooLarge,
)
from ..core.tables import User, View
from ..messages.blocks import MAX_VIEW_BLOCKS, Check, boolean, plain, problems, shape, text
from ..rendering.message_views import block_objects

api = Operations()

_TRIGGER = re.compile(r"\d+\.\d+\.[0-9a-f]+")
_MAX_VIEW_BYTES = 250_000
_DEEPEST = 3

_KEPT = ("callback_id", "private_metadata", "submit", "close", "title", "clear_on_close", "notify_on_close")
_COMMON: dict[str, Check] = {
    "callback_id": text(255, 0),
    "private_metadata": text(3000, 0),
    "external_id": text(255, 0),
}
_BUTTONS: dict[str, Check] = {
    "submit": plain(24),
    "close": plain(24),
    "clear_on_close": boolean,
    "notify_on_close": boolean,
}
_SHAPES: dict[str, Check] = {
    "modal": shape({"title": plain(24)}, {**_COMMON, **_BUTTONS}),
    "home": shape({}, _COMMON),
}

Content = Annotated[dict[str, Any], InvalidArguments]


@api.method("views.open")
def open_view(
    call: Call, view: Content, trigger_id: str | None = None, interactivity_pointer: str | None = None
) -> dict[str, Any]:
    """Open a modal for the caller. The twin has no clicks, so any well-formed trigger works once and none expires.

    https://docs.slack.dev/reference/methods/views.open
    """
    content = _check_view(view, "modal")
    return _add_view(call, content, call.actor, _exchange(call, trigger_id, interactivity_pointer), None)


@api.method("views.push")
def push(
    call: Call, view: Content, trigger_id: str | None = None, interactivity_pointer: str | None = None
) -> dict[str, Any]:
    """Push a view onto the caller's latest modal, up to three views.

    https://docs.slack.dev/reference/methods/views.push
    """
    content = _check_view(view, "modal")
    trigger = _exchange(call, trigger_id, interactivity_pointer)
    modals = (View.user_id == call.actor, View.view_type == "modal")
    tops = call.db.rows(View, *modals, order=(-View.hash, -View.view_id), limit=1)
    if not tops:
        raise NoSuchItem
    if call.db.count(View, *modals, View.root_id == tops[0].root_id) >= _DEEPEST:
        raise PushLimitReached
    return _add_view(call, content, call.actor, trigger, tops[0])


@api.method("views.update")
def update(
    call: Call, view: Content, view_id: str | None = None, external_id: str | None = None, hash: str | None = None
) -> dict[str, Any]:
    """Replace the content of a view, by `view_id` or `external_id`.

    https://docs.slack.dev/reference/methods/views.update
    """
    if view_id is not None and external_id is not None:
        raise _invalid("Cannot provide both `view_id` and `external_id`")
    known = View.view_id == view_id if view_id else View.external_id == external_id
    current = call.db.find(View, known) if view_id or external_id else None
    if current is None:
        raise NoSuchItem
    return _update_view(call, current, _check_view(view, current.view_type), hash)


@api.method("views.publish")
def publish(call: Call, user_id: str, view: Content, hash: str | None = None) -> dict[str, Any]:
    """Publish the home tab of an app to a user.

    https://docs.slack.dev/reference/methods/views.publish
    """
    person = call.db.get(User, user_id, missing=UserNotFound)
    content = _check_view(view, "home")
    home = call.db.find(View, View.user_id == person.user_id, View.view_type == "home")
    if home:
        return _update_view(call, home, content, hash)
    return _add_view(call, content, person.user_id, None, None)


def _exchange(call: Call, trigger_id: str | None, pointer: str | None) -> str:
    """Return the trigger of a request, which has one of two names; raises an error if it opens nothing."""
    if trigger_id is not None and pointer is not None:
        raise _invalid("Cannot provide both `trigger_id` and `interactivity_pointer`")
    trigger = pointer if trigger_id is None else trigger_id
    if trigger is None:
        raise _invalid("missing required field: trigger_id")
    if not _TRIGGER.fullmatch(trigger):
        raise InvalidTriggerId
    if call.db.find(View, View.trigger_id == trigger):
        raise ExchangedTriggerId
    return trigger


def _invalid(*messages: str) -> InvalidArguments:
    return InvalidArguments(response_metadata={"messages": [f"[ERROR] {each}" for each in messages]})


def _check_view(view: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return a valid view; raises InvalidArguments with all problems."""
    if len(msgspec.json.encode(view)) > _MAX_VIEW_BYTES:
        raise ViewTooLarge
    if errors := list(_problems(view, kind)):
        raise _invalid(*errors)
    return view


def _problems(view: dict[str, Any], kind: str) -> Iterator[str]:
    if "type" not in view:
        yield "failed to match all allowed schemas [json-pointer:/view]"
        yield "missing required field: type [json-pointer:/view]"
        return
    if view["type"] != kind:
        yield f"must be {kind} [json-pointer:/view/type]"
        return
    yield from _SHAPES[kind](view, "/view")
    blocks = view.get("blocks")
    if not isinstance(blocks, list):
        yield "missing required field: blocks [json-pointer:/view]"
        return
    blocks = msgspec.convert(blocks, list[Any])
    yield from problems(blocks, "/view/blocks", MAX_VIEW_BLOCKS)
    if kind == "modal" and not view.get("submit") and any(_is_input(block) for block in blocks):
        yield "a modal with an input block needs submit [json-pointer:/view]"


def _is_input(block: Any) -> bool:
    return isinstance(block, dict) and cast(dict[str, Any], block).get("type") == "input"


def _add_view(
    call: Call, content: dict[str, Any], user: str, trigger: str | None, below: View | None
) -> dict[str, Any]:
    external_id = content.get("external_id") or None
    if external_id and call.db.find(View, View.external_id == external_id):
        raise DuplicateExternalId
    view_id = call.ids.new("V")
    view = View(
        view_id=view_id,
        user_id=user,
        view_type=content["type"],
        content=content,
        external_id=external_id,
        previous_id=below.view_id if below else None,
        root_id=below.root_id if below else view_id,
        hash=_hash(call),
        trigger_id=trigger,
    )
    return _answer(call, call.db.add(view))


def _update_view(call: Call, view: View, content: dict[str, Any], hash: str | None) -> dict[str, Any]:
    if hash is not None and hash != view.hash:
        raise HashConflict
    external_id = content.get("external_id") or None
    if external_id and call.db.find(View, View.external_id == external_id, View.view_id != view.view_id):
        raise DuplicateExternalId
    if content != view.content:
        view = call.db.change(view, content=content, external_id=external_id, hash=_hash(call))
    return _answer(call, view)


def _hash(call: Call) -> str:
    """Build a hash for a view; later hashes are greater."""
    ts = call.ids.ts()
    return f"{ts}{blake2b(ts.encode(), digest_size=4).hexdigest()}"


def _answer(call: Call, view: View) -> dict[str, Any]:
    team_id = workspace(call.db).team_id
    content: dict[str, Any] = view.content
    shown: dict[str, Any] = {
        "id": view.view_id,
        "team_id": team_id,
        "type": view.view_type,
        "blocks": block_objects(content["blocks"], view.view_id),
        "private_metadata": "",
        "callback_id": "",
        "external_id": view.external_id or "",
        "state": {"values": {}},
        "hash": view.hash,
        "clear_on_close": False,
        "notify_on_close": False,
        "submit_disabled": False,
        "root_view_id": view.root_id or view.view_id,
        "previous_view_id": view.previous_id,
        "app_id": "",
        "app_installed_team_id": team_id,
        "bot_id": "",
    }
    return {"view": {**shown, **{key: content[key] for key in _KEPT if content.get(key) is not None}}}
