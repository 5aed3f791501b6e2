"""Retention policies: how long content is preserved, and what happens afterwards.

https://developer.box.com/reference/resources/retention-policy
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from twindiff.kit import Body, Call, Meta, Operations, Struct, revise
from twindiff.kit.rows import Expression
from twindiff.twins.box.wire_style import BadRequest, marker_page, wanted_fields

from ..content.item_updates import Ref
from ..core.access import require_admin
from ..core.errors import Forbidden, NotFound, PolicyNameInUse
from ..core.folder_listing import rows_from
from ..core.preserved_versions import reschedule_disposition
from ..core.row_stamps import format_instant, new_id
from ..enterprise.users import find_user
from ..tables.governance_tables import RetentionAssignment, RetentionPolicy
from ..views.item_views import Shown, pick_fields, user_mini

api = Operations(prefix="/2.0")
Disposition = Literal["permanently_delete", "remove_retention"]
Kind = Literal["modifiable", "non_modifiable"]
Name = Annotated[str, Meta(min_length=1, max_length=254)]
Text = Annotated[str, Meta(max_length=500)]
_KINDS = ("enterprise", "folder", "metadata_template")


def policy_mini(policy: RetentionPolicy) -> Shown:
    """Render a policy as other objects refer to it."""
    return {
        "type": "retention_policy",
        "id": policy.id,
        "policy_name": policy.policy_name,
        "retention_length": policy.retention_length or "indefinite",
        "disposition_action": policy.disposition_action,
        "max_extension_length": policy.max_extension_length,
    }


def _policy_object(call: Call, policy: RetentionPolicy) -> Shown:
    to = RetentionAssignment.assigned_to_type
    mine = RetentionAssignment.policy_id == policy.id
    recipients: list[str] = policy.custom_notification_recipients or []
    return {
        **policy_mini(policy),
        "description": policy.description or "",
        "policy_type": policy.policy_type,
        "retention_type": policy.retention_type,
        "status": policy.status,
        "can_owner_extend_retention": bool(policy.can_owner_extend_retention),
        "are_owners_notified": bool(policy.are_owners_notified),
        "custom_notification_recipients": [user_mini(call, id) for id in recipients],
        "assignment_counts": {kind: call.db.count(RetentionAssignment, mine, to == kind) for kind in _KINDS},
        "created_by": user_mini(call, policy.created_by_id),
        "created_at": format_instant(policy.created_at),
        "modified_at": format_instant(policy.modified_at or policy.created_at),
    }


def find_policy(call: Call, id: str) -> RetentionPolicy:
    """Return a policy; raise NotFound if there is none."""
    policy = call.db.find(RetentionPolicy, RetentionPolicy.id == id)
    if policy is None:
        raise NotFound.of("retention_policy", id)
    return policy


@api.get("/retention_policies")
def list_policies(
    call: Call,
    policy_name: str = "",
    policy_type: Literal["finite", "indefinite"] | None = None,
    created_by_user_id: str = "",
    fields: str = "",
    limit: int = 100,
    marker: str = "",
) -> Shown:
    """List the policies, optionally by the start of their name, their type or their creator.

    https://developer.box.com/reference/get-retention-policies
    """
    require_admin(call)
    where: list[Expression] = [RetentionPolicy.policy_name.starts(policy_name, fold=True)] if policy_name else []
    where += [RetentionPolicy.policy_type == policy_type] if policy_type else []
    if created_by_user_id:
        where.append(RetentionPolicy.created_by_id == find_user(call, created_by_user_id).id)
    rows, more = rows_from(call, marker, limit, RetentionPolicy, *where, order=RetentionPolicy.id)
    names = wanted_fields(fields)
    return marker_page([pick_fields(_policy_object(call, row), names) for row in rows], limit, more)


@api.post("/retention_policies", status=201)
def create_policy(
    call: Call,
    policy_name: Name,
    policy_type: Literal["finite", "indefinite"],
    disposition_action: Disposition,
    description: Text = "",
    retention_length: str | int | None = None,
    retention_type: Kind = "modifiable",
    can_owner_extend_retention: bool = False,
    max_extension_length: str | int | None = None,
    are_owners_notified: bool = False,
    custom_notification_recipients: list[Ref] | None = None,
) -> Shown:
    """Create a policy. It preserves nothing until it is assigned.

    https://developer.box.com/reference/post-retention-policies
    """
    require_admin(call)
    _check_name(call, policy_name)
    made = RetentionPolicy(
        id=new_id(call, 7),
        policy_name=policy_name,
        policy_type=policy_type,
        disposition_action=disposition_action,
        description=description,
        retention_length=_text(retention_length),
        retention_type=retention_type,
        can_owner_extend_retention=can_owner_extend_retention,
        max_extension_length=_text(max_extension_length),
        are_owners_notified=are_owners_notified,
        custom_notification_recipients=_users(call, custom_notification_recipients),
        created_by_id=call.actor,
        created_at=call.clock.iso(),
        modified_at=call.clock.iso(),
    )
    _check_policy(made)
    return _policy_object(call, call.db.add(made))


@api.get("/retention_policies/{retention_policy_id}")
def get_policy(call: Call, retention_policy_id: str, fields: str = "") -> Shown:
    """Get a policy.

    https://developer.box.com/reference/get-retention-policies-id
    """
    require_admin(call)
    return pick_fields(_policy_object(call, find_policy(call, retention_policy_id)), wanted_fields(fields))


class PolicyChanges(Struct):
    """The fields of an update request; null leaves a field as it is."""

    policy_name: Name | None = None
    description: Text | None = None
    disposition_action: Disposition | None = None
    retention_type: Kind | None = None
    retention_length: str | int | None = None
    status: Literal["active", "retired"] | None = None
    can_owner_extend_retention: bool | None = None
    max_extension_length: str | int | None = None
    are_owners_notified: bool | None = None
    custom_notification_recipients: list[Ref] | None = None

    def to_columns(self, call: Call) -> dict[str, Any]:
        """Return the changed columns."""
        recipients = self.custom_notification_recipients
        changes: dict[str, Any] = {
            **msgspec.structs.asdict(self),
            "retention_length": _text(self.retention_length),
            "max_extension_length": _text(self.max_extension_length),
            "custom_notification_recipients": _users(call, recipients) if recipients else None,
        }
        return {name: value for name, value in changes.items() if value is not None}


@api.put("/retention_policies/{retention_policy_id}")
def update_policy(call: Call, retention_policy_id: str, changes: Annotated[PolicyChanges, Body]) -> Shown:
    """Change or retire a policy. One that is not modifiable can only become longer.

    https://developer.box.com/reference/put-retention-policies-id
    """
    require_admin(call)
    policy = find_policy(call, retention_policy_id)
    if changes.policy_name not in (None, policy.policy_name):
        _check_name(call, changes.policy_name)
    given = changes.to_columns(call)
    _check_modifiable(policy, given)
    now = revise(call.db, policy, stamp={"modified_at": call.clock.iso()}, **given)
    _check_policy(now)
    reschedule_disposition(call, policy_id=policy.id)
    return _policy_object(call, now)


@api.delete("/retention_policies/{retention_policy_id}", status=204)
def delete_policy(call: Call, retention_policy_id: str) -> None:
    """Delete a policy with its assignments; raise Forbidden if it is not modifiable.

    https://developer.box.com/reference/delete-retention-policies-id
    """
    require_admin(call)
    policy = find_policy(call, retention_policy_id)
    if policy.retention_type == "non_modifiable":
        raise Forbidden("A non-modifiable policy cannot be deleted")
    call.db.remove(policy)
    reschedule_disposition(call)


def _text(number: str | int | None) -> str | None:
    return None if number is None else str(number)


def _users(call: Call, named: list[Ref] | None) -> list[str]:
    return [find_user(call, str(each.id)).id for each in named or ()]


def _check_name(call: Call, name: str | None) -> None:
    if call.db.find(RetentionPolicy, RetentionPolicy.policy_name == name):
        raise PolicyNameInUse


def _check_policy(policy: RetentionPolicy) -> None:
    """Raise BadRequest for a combination of type, length and disposition action that is not allowed."""
    is_finite = policy.policy_type == "finite"
    if is_finite != (policy.retention_length is not None):
        said = "A finite policy has a length in days, an indefinite one none."
        raise BadRequest.of("invalid_parameter", "retention_length", said)
    if policy.retention_length is not None and not _is_days(policy.retention_length):
        said = f"Invalid value '{policy.retention_length}'. It is no number of days from 1 to 36500."
        raise BadRequest.of("invalid_parameter", "retention_length", said)
    is_deleted = policy.disposition_action == "permanently_delete"
    if is_deleted and not is_finite:
        said = "An indefinite policy can only remove retention."
        raise BadRequest.of("invalid_parameter", "disposition_action", said)
    longer = policy.max_extension_length
    if longer not in (None, "none") and not (is_deleted and _is_days(longer)):
        said = "It is a number of days, of a finite policy that deletes."
        raise BadRequest.of("invalid_parameter", "max_extension_length", said)


def _is_days(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 5 and 1 <= int(text) <= 36500


def _check_modifiable(policy: RetentionPolicy, changes: dict[str, Any]) -> None:
    if policy.retention_type != "non_modifiable":
        return
    if changes.get("retention_type") == "modifiable":
        raise Forbidden("A non-modifiable policy cannot become modifiable")
    length, before = changes.get("retention_length"), policy.retention_length
    if isinstance(length, str) and _is_days(length) and before and int(length) < int(before):
        raise Forbidden("The duration of a non-modifiable policy cannot be shortened")
