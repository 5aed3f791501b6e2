"""Users of the enterprise.

https://developer.box.com/reference/resources/user
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Meta, Operations, Struct, UnsetType, any_of, revise
from twindiff.kit.errors import MissingParameter
from twindiff.kit.rows import Expression
from twindiff.twins.box.wire_style import (
    BadRequest,
    Notify,
    marker_of,
    marker_page,
    offset_in,
    offset_page,
    wanted_fields,
    window,
)

from ..content.trash_lifecycle import purge
from ..core.access import acting_user, require_admin, user_of
from ..core.email_addresses import EMAIL, check_email
from ..core.errors import Forbidden, NotFound, UserHasContent, UserLoginAlreadyUsed
from ..core.folder_listing import KINDS
from ..core.row_stamps import format_instant, new_id
from ..event_delivery.event_emission import record
from ..tables.further_tables import Collaboration, GroupMembership
from ..tables.governance_tables import LegalHold, RetentionPolicy
from ..tables.item_tables import Item, User
from ..views.item_views import pick_fields, user_mini

api = Operations(prefix="/2.0")
ENTERPRISE = {"id": "1000001", "type": "enterprise", "name": "Enterprise"}
Status = Literal["active", "inactive", "cannot_delete_edit", "cannot_delete_edit_upload"]

_USUAL = (
    *("name", "login", "created_at", "modified_at", "language", "timezone", "space_amount", "space_used"),
    *("max_upload_size", "status", "job_title", "phone", "address", "avatar_url", "notification_email"),
)


def user_object(user: User, fields: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Render a user with the requested fields or the default ones."""
    shown: dict[str, Any] = {
        "type": "user",
        "id": user.id,
        "name": user.name or "",
        "login": user.login or "",
        "created_at": format_instant(user.created_at),
        "modified_at": format_instant(user.modified_at or user.created_at),
        "language": user.language or "en",
        "timezone": user.timezone or "America/Los_Angeles",
        "space_amount": user.space_amount,
        "space_used": user.space_used or 0,
        "max_upload_size": user.max_upload_size,
        "status": user.status,
        "job_title": user.job_title or "",
        "phone": user.phone or "",
        "address": user.address or "",
        "avatar_url": user.avatar_url or f"https://app.box.com/api/avatar/large/{user.id}",
        "notification_email": user.notification_email,
        "role": user.role or "user",
        "tracking_codes": user.tracking_codes or [],
        "can_see_managed_users": user.can_see_managed_users is not False,
        "is_sync_enabled": bool(user.is_sync_enabled),
        "is_external_collab_restricted": bool(user.is_external_collab_restricted),
        "is_exempt_from_device_limits": bool(user.is_exempt_from_device_limits),
        "is_exempt_from_login_verification": bool(user.is_exempt_from_login_verification),
        "enterprise": user.enterprise or ENTERPRISE,
        "my_tags": user.my_tags or [],
        "hostname": user.hostname or "https://app.box.com/",
        "is_platform_access_only": bool(user.is_platform_access_only),
        "external_app_user_id": user.external_app_user_id or "",
    }
    present = {name: value for name, value in shown.items() if value is not None or name == "notification_email"}
    return pick_fields(present, fields or _USUAL)


def enterprise_of(user: User) -> dict[str, Any]:
    """Render the enterprise that a user belongs to."""
    return user.enterprise or ENTERPRISE


def find_user(call: Call, user_id: str) -> User:
    """Return a user; raise NotFound if there is none."""
    user = user_of(call, user_id)
    if user is None:
        raise NotFound.of("user", user_id)
    return user


@api.get("/users/me")
def get_me(call: Call, fields: str = "") -> dict[str, Any]:
    """Get the current user.

    https://developer.box.com/reference/get-users-me
    """
    return user_object(acting_user(call), wanted_fields(fields))


@api.get("/users")
def list_users(
    call: Call,
    filter_term: str = "",
    user_type: Literal["all", "managed", "external"] = "managed",
    external_app_user_id: str = "",
    fields: str = "",
    offset: int = 0,
    limit: int = 100,
    usemarker: bool = False,
    marker: str = "",
) -> dict[str, Any]:
    """List users, or those whose name or login begins with a term.

    https://developer.box.com/reference/get-users
    """
    where: list[Expression] = []
    if filter_term:
        where.append(any_of(User.name.contains(filter_term, fold=True), User.login.starts(filter_term, fold=True)))
    if external_app_user_id:
        where.append(User.external_app_user_id == external_app_user_id)
    if user_type == "external":
        where.append(any_of())
    at = window(offset_in(marker) if usemarker else offset, limit)
    rows = call.db.rows(User, *where, order=(User.name, User.id), limit=at.limit, offset=at.offset)
    total = call.db.count(User, *where)
    entries = [user_object(row, wanted_fields(fields)) for row in rows]
    if usemarker:
        end = at.offset + len(rows)
        return marker_page(entries, limit, marker_of(end) if end < total else None)
    return offset_page(entries, total, at)


@api.get("/users/{user_id}")
def get_user(call: Call, user_id: str, fields: str = "") -> dict[str, Any]:
    """Get a user.

    https://developer.box.com/reference/get-users-id
    """
    return user_object(find_user(call, user_id), wanted_fields(fields))


def _check_login(call: Call, login: str, but: str = "") -> str:
    check_email("login", login)
    known = call.db.find(User, User.login.equals(login))
    if known and known.id != but:
        raise UserLoginAlreadyUsed
    return login


class Profile(Struct, kw_only=True):
    """The settable fields of a user."""

    name: Annotated[str, Meta(min_length=1, max_length=50)] | UnsetType = UNSET
    login: str | UnsetType = UNSET
    role: Literal["coadmin", "user"] | UnsetType = UNSET
    language: str | UnsetType = UNSET
    is_sync_enabled: bool | UnsetType = UNSET
    job_title: Annotated[str, Meta(max_length=100)] | UnsetType = UNSET
    phone: Annotated[str, Meta(max_length=100)] | UnsetType = UNSET
    address: Annotated[str, Meta(max_length=255)] | UnsetType = UNSET
    tracking_codes: list[dict[str, Any]] | UnsetType = UNSET
    can_see_managed_users: bool | UnsetType = UNSET
    timezone: str | UnsetType = UNSET
    is_external_collab_restricted: bool | UnsetType = UNSET
    is_exempt_from_device_limits: bool | UnsetType = UNSET
    is_exempt_from_login_verification: bool | UnsetType = UNSET
    is_platform_access_only: bool | UnsetType = UNSET
    status: Status | UnsetType = UNSET
    space_amount: int | UnsetType = UNSET
    notification_email: dict[str, Any] | UnsetType | None = UNSET
    external_app_user_id: str | UnsetType = UNSET

    def to_columns(self) -> dict[str, Any]:
        """Return the given fields as columns by name."""
        said = {name: getattr(self, name) for name in self.__struct_fields__ if getattr(self, name) is not UNSET}
        if isinstance(self.notification_email, dict):
            said["notification_email"] = _notification(self.notification_email)
        return said


@api.post("/users", status=201)
def create_user(call: Call, profile: Annotated[Profile, Body], fields: str = "") -> dict[str, Any]:
    """Create a managed user, or an app user without a login.

    https://developer.box.com/reference/post-users
    """
    require_admin(call)
    if profile.name is UNSET:
        raise MissingParameter("name")
    if not profile.login and profile.is_platform_access_only is not True:
        raise MissingParameter("login")
    user_id, now = new_id(call, 11), call.clock.iso()
    login = _check_login(call, profile.login) if profile.login else f"AppUser_{user_id}@boxdevedition.com"
    said: dict[str, Any] = {**profile.to_columns(), "login": login}
    made = User(id=user_id, enterprise=acting_user(call).enterprise, created_at=now, modified_at=now, **said)
    call.db.add(made)
    record(call, "NEW_USER", user_mini(call, made.id), owner=call.actor)
    return user_object(made, wanted_fields(fields))


@api.put("/users/{user_id}")
def update_user(call: Call, user_id: str, profile: Annotated[Profile, Body], fields: str = "") -> dict[str, Any]:
    """Update the given fields of a user.

    https://developer.box.com/reference/put-users-id
    """
    if user_id != call.actor or not _is_own(profile):
        require_admin(call)
    user = find_user(call, user_id)
    if profile.login is not UNSET:
        _check_login(call, profile.login, user.id)
    changed = revise(call.db, user, stamp={"modified_at": call.clock.iso()}, **profile.to_columns())
    if changed is not user:
        record(call, "EDIT_USER", user_mini(call, user.id), owner=call.actor)
    return user_object(changed, wanted_fields(fields))


def _is_own(profile: Profile) -> bool:
    """Return whether users may change the given fields of their own account."""
    return (profile.role, profile.status, profile.space_amount) == (UNSET, UNSET, UNSET)


def _notification(given: dict[str, Any]) -> dict[str, Any] | None:
    email = given.get("email")
    if not email:
        return None
    if not isinstance(email, str) or not EMAIL.fullmatch(email):
        raise BadRequest.of("invalid_parameter", "notification_email", f"Invalid value '{email}'.")
    return {"email": email, "is_confirmed": False}


@api.delete("/users/{user_id}", status=204)
def delete_user(call: Call, user_id: str, notify: Notify = "false", force: bool = False) -> None:
    """Delete a user. If the user still owns content, `force` is required and deletes that too.

    https://developer.box.com/reference/delete-users-id
    """
    require_admin(call)
    user = find_user(call, user_id)
    if user.id == call.actor:
        raise BadRequest.of("invalid_parameter", "user_id", "Nobody can remove themselves.")
    owned = _list_owned_items(call, user)
    if owned and not force:
        raise UserHasContent
    if owned and any(call.db.count(policy) for policy in (RetentionPolicy, LegalHold)):
        # https://support.box.com/hc/en-us/articles/33282413279635
        raise Forbidden("User cannot be deleted due to retention policies. Please transfer user content first")
    for item in owned:
        purge(call, item)
    for row in call.db.rows(Collaboration, Collaboration.accessible_by_id == user.id):
        call.db.remove(row)
    for row in call.db.rows(GroupMembership, GroupMembership.user_id == user.id):
        call.db.remove(row)
    record(call, "DELETE_USER", user_mini(call, user.id), owner=call.actor)
    call.db.remove(user)


def _list_owned_items(call: Call, user: User) -> list[Item]:
    """Return the topmost items that a user owns, without those inside a folder that the user owns."""
    rows: list[Item] = [row for kind in KINDS for row in call.db.rows(kind, kind.owned_by_id == user.id)]
    folders = {row.id for row in rows if row.type == "folder"}
    return [row for row in rows if row.parent_id not in folders]
