"""Avatars of users.

https://developer.box.com/reference/resources/user-avatar
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations, Response, Upload
from twindiff.kit.http import json_answer
from twindiff.kit.images import UnreadableImage, facts_of
from twindiff.twins.box.wire_style import BadRequest

from ..core.access import is_admin
from ..core.contents import type_of
from ..core.errors import AccessDeniedInsufficientPermissions, NotFound
from ..core.row_stamps import extension_of
from ..tables.administration_tables import Avatar
from ..tables.item_tables import User
from .users import find_user

api = Operations(prefix="/2.0")
MAX_AVATAR_BYTES = 1_000_000
MAX_PIXELS = 1024 * 1024


def _own(call: Call, user_id: str) -> User:
    """Return a user whose avatar the caller may change: the caller, or any user for an administrator."""
    user = find_user(call, user_id)
    if user.id != call.actor and not is_admin(call):
        raise AccessDeniedInsufficientPermissions
    return user


def _find(call: Call, user_id: str) -> Avatar:
    avatar = call.db.find(Avatar, Avatar.user_id == find_user(call, user_id).id)
    if avatar is None:
        raise NotFound.of("avatar", user_id)
    return avatar


@api.get("/users/{user_id}/avatar")
def get_avatar(call: Call, user_id: str) -> Response:
    """Get the avatar of a user.

    https://developer.box.com/reference/get-users-id-avatar
    """
    avatar = _find(call, user_id)
    return Response(call.blobs.get(avatar.digest), content_type=avatar.content_type)


@api.post("/users/{user_id}/avatar", in_thread=True)
def set_avatar(call: Call, user_id: str, pic: Upload) -> Response:
    """Set the avatar of a user: a PNG or JPEG of at most one megabyte and 1024 by 1024 pixels.

    https://developer.box.com/reference/post-users-id-avatar
    """
    user = _own(call, user_id)
    _check(pic)
    before = call.db.find(Avatar, Avatar.user_id == user.id)
    held = {"digest": call.blobs.put(pic.data), "content_type": type_of(pic.filename)}
    if before:
        call.db.change(before, **held)
    else:
        call.db.add(Avatar(user_id=user.id, **held))
    return json_answer({"pic_urls": _addresses(call, user)}, 200 if before else 201)


def _addresses(call: Call, user: User) -> dict[str, Any]:
    at = f"{call.base_url}/2.0/users/{user.id}/avatar"
    return {"small": at, "large": at, "preview": at}


def _check(pic: Upload) -> None:
    said = "It is no PNG or JPEG of up to 1 MB and 1024 x 1024 pixels."
    if extension_of(pic.filename).lower() not in ("png", "jpg", "jpeg") or len(pic.data) > MAX_AVATAR_BYTES:
        raise BadRequest.of("invalid_parameter", "pic", said)
    try:
        facts = facts_of(pic.data)
    except UnreadableImage:
        raise BadRequest.of("invalid_parameter", "pic", said) from None
    if facts.width * facts.height > MAX_PIXELS:
        raise BadRequest.of("invalid_parameter", "pic", said)


@api.delete("/users/{user_id}/avatar", status=204)
def delete_avatar(call: Call, user_id: str) -> None:
    """Delete the avatar of a user.

    https://developer.box.com/reference/delete-users-id-avatar
    """
    _own(call, user_id)
    call.db.remove(_find(call, user_id))
