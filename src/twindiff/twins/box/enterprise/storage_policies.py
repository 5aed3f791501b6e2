"""Storage policies: the region in which the content of a user or of the enterprise is stored.

Policies come from Box or from a template. A user without an assignment uses the enterprise's policy.

https://developer.box.com/reference/resources/storage-policy-assignment
"""

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit import Call, Operations, Struct
from twindiff.kit.rows import Expression
from twindiff.twins.box.wire_style import marker_page, wanted_fields

from ..core.access import acting_user, require_admin
from ..core.errors import NotFound, StorageAlreadyAssigned
from ..core.folder_listing import rows_from
from ..core.row_stamps import new_id
from ..tables.administration_tables import StoragePolicy, StoragePolicyAssignment
from ..views.item_views import pick_fields
from .users import enterprise_of, find_user

api = Operations(prefix="/2.0")
Shown = dict[str, Any]
Target = Literal["user", "enterprise"]


class PolicyRef(Struct):
    """A reference to a storage policy."""

    id: str
    type: Literal["storage_policy"] = "storage_policy"


class AssignTo(Struct):
    """The target of an assignment: a user or the enterprise."""

    type: Target
    id: str


def _policy_object(policy: StoragePolicy) -> Shown:
    return {"type": policy.type, "id": policy.id, "name": policy.name}


def _assignment_object(row: StoragePolicyAssignment) -> Shown:
    return {
        "type": row.type,
        "id": row.id,
        "storage_policy": {"type": "storage_policy", "id": row.storage_policy_id},
        "assigned_to": {"type": row.assigned_to_type, "id": row.assigned_to_id},
    }


def _policy(call: Call, id: str) -> StoragePolicy:
    policy = call.db.find(StoragePolicy, StoragePolicy.id == id)
    if policy is None:
        raise NotFound.of("storage_policy", id)
    return policy


def _assignment(call: Call, id: str) -> StoragePolicyAssignment:
    require_admin(call)
    row = call.db.find(StoragePolicyAssignment, StoragePolicyAssignment.id == id)
    if row is None:
        raise NotFound.of("storage_policy_assignment", id)
    return row


def _is_of(kind: Target, id: str) -> tuple[Expression, ...]:
    return StoragePolicyAssignment.assigned_to_type == kind, StoragePolicyAssignment.assigned_to_id == id


def _check_target(call: Call, kind: Target, id: str) -> None:
    if kind == "user":
        find_user(call, id)
    elif id != enterprise_of(acting_user(call))["id"]:
        raise NotFound.of("enterprise", id)


@api.get("/storage_policies")
def list_policies(call: Call, fields: str = "", marker: str = "", limit: int = 100) -> Shown:
    """List the storage policies.

    https://developer.box.com/reference/get-storage-policies
    """
    require_admin(call)
    rows, more = rows_from(call, marker, limit, StoragePolicy, order=StoragePolicy.id)
    names = wanted_fields(fields)
    return marker_page([pick_fields(_policy_object(row), names) for row in rows], limit, more)


@api.get("/storage_policies/{storage_policy_id}")
def get_policy(call: Call, storage_policy_id: str) -> Shown:
    """Get a storage policy.

    https://developer.box.com/reference/get-storage-policies-id
    """
    require_admin(call)
    return _policy_object(_policy(call, storage_policy_id))


@api.get("/storage_policy_assignments")
def list_assignments(call: Call, resolved_for_type: Target, resolved_for_id: str, marker: str = "") -> Shown:
    """List the one assignment that applies to the enterprise or to a user, who may inherit the enterprise's.

    https://developer.box.com/reference/get-storage-policy-assignments
    """
    require_admin(call)
    _check_target(call, resolved_for_type, resolved_for_id)
    own = call.db.find(StoragePolicyAssignment, *_is_of(resolved_for_type, resolved_for_id))
    enterprise = enterprise_of(acting_user(call))["id"]
    holding = own or call.db.find(StoragePolicyAssignment, *_is_of("enterprise", enterprise))
    return marker_page([_assignment_object(holding)] if holding and not marker else [], 100, None)


@api.post("/storage_policy_assignments")
def assign(call: Call, storage_policy: PolicyRef, assigned_to: AssignTo) -> Shown:
    """Assign a storage policy to the enterprise or to a user without an assignment.

    https://developer.box.com/reference/post-storage-policy-assignments
    """
    require_admin(call)
    policy = _policy(call, storage_policy.id)
    _check_target(call, assigned_to.type, assigned_to.id)
    made = StoragePolicyAssignment(
        id=new_id(call, 8),
        storage_policy_id=policy.id,
        assigned_to_type=assigned_to.type,
        assigned_to_id=assigned_to.id,
    )
    return _assignment_object(call.db.add(made, taken=StorageAlreadyAssigned))


@api.get("/storage_policy_assignments/{storage_policy_assignment_id}")
def get_assignment(call: Call, storage_policy_assignment_id: str) -> Shown:
    """Get an assignment.

    https://developer.box.com/reference/get-storage-policy-assignments-id
    """
    return _assignment_object(_assignment(call, storage_policy_assignment_id))


@api.put("/storage_policy_assignments/{storage_policy_assignment_id}")
def update_assignment(call: Call, storage_policy_assignment_id: str, storage_policy: PolicyRef) -> Shown:
    """Change the storage policy of an assignment.

    https://developer.box.com/reference/put-storage-policy-assignments-id
    """
    row = _assignment(call, storage_policy_assignment_id)
    return _assignment_object(call.db.change(row, storage_policy_id=_policy(call, storage_policy.id).id))


@api.delete("/storage_policy_assignments/{storage_policy_assignment_id}", status=204)
def unassign(call: Call, storage_policy_assignment_id: str) -> None:
    """Delete an assignment. Its user then inherits the enterprise's policy.

    https://developer.box.com/reference/delete-storage-policy-assignments-id
    """
    call.db.remove(_assignment(call, storage_policy_assignment_id))
