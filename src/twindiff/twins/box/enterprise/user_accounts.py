"""Administration of user accounts: email aliases, transfer of content, termination of sessions.

https://developer.box.com/reference/resources/email-alias
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations, Struct
from twindiff.twins.box.wire_style import BadRequest, Notify, wanted_fields

from ..content.item_names import check_free
from ..core.access import ROOT, forget, require_admin
from ..core.barrier_checks import check_together
from ..core.contents import charge
from ..core.email_addresses import EMAIL
from ..core.errors import NotFound, UserLoginAlreadyUsed
from ..core.folder_listing import KINDS
from ..core.row_stamps import fold_name, new_id, search_text
from ..event_delivery.event_emission import emit_item_event
from ..tables.administration_tables import EmailAlias
from ..tables.further_tables import Group
from ..tables.item_tables import Folder, User
from ..views.item_views import item_object
from .users import find_user

api = Operations(prefix="/2.0")
Shown = dict[str, Any]
TERMINATED = "Request is successful, please check the admin events for the status of the job"


def _alias_object(row: EmailAlias) -> Shown:
    return {"type": "email_alias", "id": row.id, "email": row.email, "is_confirmed": row.is_confirmed}


@api.get("/users/{user_id}/email_aliases")
def list_aliases(call: Call, user_id: str) -> Shown:
    """List the email aliases of a user.

    https://developer.box.com/reference/get-users-id-email-aliases
    """
    user = find_user(call, user_id)
    rows = call.db.rows(EmailAlias, EmailAlias.user_id == user.id, order=EmailAlias.id)
    return {"total_count": len(rows), "entries": [_alias_object(row) for row in rows]}


@api.post("/users/{user_id}/email_aliases", status=201)
def add_alias(call: Call, user_id: str, email: str) -> Shown:
    """Add an email alias to a user. It is confirmed at once.

    https://developer.box.com/reference/post-users-id-email-aliases
    """
    require_admin(call)
    user = find_user(call, user_id)
    if not EMAIL.fullmatch(email):
        raise BadRequest.of(
            "invalid_parameter", "email", f"Invalid value '{email[:100]}'. It must be an email address."
        )
    taken = call.db.find(User, User.login.equals(email)) or call.db.find(EmailAlias, EmailAlias.email == email)
    if taken:
        raise UserLoginAlreadyUsed
    return _alias_object(call.db.add(EmailAlias(id=new_id(call, 9), user_id=user.id, email=email)))


@api.delete("/users/{user_id}/email_aliases/{email_alias_id}", status=204)
def delete_alias(call: Call, user_id: str, email_alias_id: str) -> None:
    """Delete an email alias of a user.

    https://developer.box.com/reference/delete-users-id-email-aliases-id
    """
    require_admin(call)
    row = call.db.find(EmailAlias, EmailAlias.id == email_alias_id, EmailAlias.user_id == user_id)
    if row is None:
        raise NotFound.of("email_alias", email_alias_id)
    call.db.remove(row)


class Owner(Struct):
    """The new owner of transferred content."""

    id: str


@api.put("/users/{user_id}/folders/0")
def transfer_content(call: Call, user_id: str, owned_by: Owner, fields: str = "", notify: Notify = "false") -> Shown:
    """Move everything a user owns to a new folder of another user. Shared links and collaborations stay.

    https://developer.box.com/reference/put-users-id-folders-0
    """
    require_admin(call)
    source, target = find_user(call, user_id), find_user(call, owned_by.id)
    if source.id == target.id:
        raise BadRequest.of("invalid_parameter", "owned_by", "The content must go to another user.")
    check_together(call, [source.id], [target.id])
    folder = _folder_for(call, source, target)
    for kind in KINDS:
        for row in call.db.rows(kind, kind.owned_by_id == source.id):
            changes: Shown = {"owned_by_id": target.id}
            if row.parent_id == ROOT:
                changes["parent_id"] = folder.id
            call.db.change(row, **changes)
    size = source.space_used or 0
    charge(call, source.id, -size)
    charge(call, target.id, size)
    forget(call, folder.id)
    emit_item_event(call, "ITEM_CREATE", folder, "FOLDER.CREATED")
    return item_object(call, folder, wanted_fields(fields))


def _folder_for(call: Call, source: User, target: User) -> Folder:
    name, now = f"{source.name}'s Files and Folders", call.clock.iso()
    check_free(call, ROOT, name, target.id)
    made = Folder(
        id=new_id(call),
        name=name,
        description="",
        parent_id=ROOT,
        created_by_id=call.actor,
        modified_by_id=call.actor,
        owned_by_id=target.id,
        etag="0",
        sequence_id="0",
        created_at=now,
        modified_at=now,
        content_created_at=now,
        content_modified_at=now,
        folded_name=fold_name(name),
        search_text=search_text(name, None, None),
    )
    return call.db.add(made)


@api.post("/users/terminate_sessions", status=202, reads=True)
def terminate_users(call: Call, user_ids: list[str], user_logins: list[str]) -> Shown:
    """Terminate the sessions of users. Tokens stay valid here.

    https://developer.box.com/reference/post-users-terminate-sessions
    """
    require_admin(call)
    if not user_ids or not user_logins:
        raise BadRequest.of("missing_parameter", "user_ids", "Users can not be NULL or EMPTY")
    for user_id in user_ids:
        find_user(call, user_id)
    return {"message": TERMINATED}


@api.post("/groups/terminate_sessions", status=202, reads=True)
def terminate_groups(call: Call, group_ids: list[str]) -> Shown:
    """Terminate the sessions of the users of groups. Tokens stay valid here.

    https://developer.box.com/reference/post-groups-terminate-sessions
    """
    require_admin(call)
    if not group_ids:
        raise BadRequest.of("missing_parameter", "group_ids", "Groups can not be NULL or EMPTY")
    for group_id in group_ids:
        if call.db.find(Group, Group.id == group_id) is None:
            raise NotFound.of("group", group_id)
    return {"message": TERMINATED}
