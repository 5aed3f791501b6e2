"""Legal holds: content that must not be deleted permanently while a lawsuit needs it.

https://developer.box.com/reference/resources/legal-hold-policy
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal, NamedTuple

from twindiff.kit import UNSET, Call, Meta, Operations, Struct, UnsetType, revise
from twindiff.kit.rows import Expression
from twindiff.twins.box.wire_style import BadRequest, marker_page, wanted_fields

from ..core.access import folder_row, require_admin
from ..core.errors import Conflict, NotFound, PolicyNameInUse
from ..core.folder_listing import rows_from
from ..core.preserved_versions import PreservedVersion, list_held_versions, matches_version, reschedule_disposition
from ..core.row_stamps import format_instant, new_id, read_instant
from ..tables.governance_tables import LegalHold, LegalHoldAssignment
from ..tables.item_tables import File, FileVersion, User
from ..views.item_views import Shown, pick_fields, user_mini
from .retention_assignments import is_current, kept_file, page_of

api = Operations(prefix="/2.0")
Target = Literal["file", "file_version", "folder", "user", "ownership", "interactions"]
Name = Annotated[str, Meta(min_length=1, max_length=254)]
Text = Annotated[str, Meta(max_length=500)]
_TARGETS = ("user", "folder", "file", "file_version", "ownership", "interactions")


class AssignTo(Struct):
    """The target of an assignment."""

    type: Target
    id: str


def _hold_object(call: Call, hold: LegalHold) -> Shown:
    mine = LegalHoldAssignment.policy_id == hold.id
    to = LegalHoldAssignment.assigned_to_type
    return {
        "type": "legal_hold_policy",
        "id": hold.id,
        "policy_name": hold.policy_name,
        "description": hold.description or "",
        "status": hold.status,
        "assignment_counts": {kind: call.db.count(LegalHoldAssignment, mine, to == kind) for kind in _TARGETS},
        "created_by": user_mini(call, hold.created_by_id),
        "created_at": format_instant(hold.created_at),
        "modified_at": format_instant(hold.modified_at or hold.created_at),
        "deleted_at": None,
        "filter_started_at": format_instant(hold.filter_started_at),
        "filter_ended_at": format_instant(hold.filter_ended_at),
        "release_notes": hold.release_notes,
    }


def _assignment_object(call: Call, row: LegalHoldAssignment) -> Shown:
    return {
        "type": "legal_hold_policy_assignment",
        "id": row.id,
        "legal_hold_policy": {"type": "legal_hold_policy", "id": row.policy_id},
        "assigned_to": {"type": row.assigned_to_type, "id": row.assigned_to_id},
        "assigned_by": user_mini(call, row.assigned_by_id),
        "assigned_at": format_instant(row.assigned_at),
        "deleted_at": None,
    }


def _find(call: Call, id: str) -> LegalHold:
    require_admin(call)
    hold = call.db.find(LegalHold, LegalHold.id == id)
    if hold is None:
        raise NotFound.of("legal_hold_policy", id)
    return hold


def _assignment(call: Call, id: str) -> LegalHoldAssignment:
    require_admin(call)
    row = call.db.find(LegalHoldAssignment, LegalHoldAssignment.id == id)
    if row is None:
        raise NotFound.of("legal_hold_policy_assignment", id)
    return row


def _check_name(call: Call, name: str) -> None:
    if call.db.find(LegalHold, LegalHold.policy_name == name):
        raise PolicyNameInUse


@api.get("/legal_hold_policies")
def list_holds(call: Call, policy_name: str = "", fields: str = "", marker: str = "", limit: int = 100) -> Shown:
    """List the legal holds whose names start with `policy_name`.

    https://developer.box.com/reference/get-legal-hold-policies
    """
    require_admin(call)
    where: list[Expression] = [LegalHold.policy_name.starts(policy_name, fold=True)] if policy_name else []
    rows, more = rows_from(call, marker, limit, LegalHold, *where, order=LegalHold.id)
    names = wanted_fields(fields)
    return marker_page([pick_fields(_hold_object(call, row), names) for row in rows], limit, more)


@api.post("/legal_hold_policies", status=201)
def create_hold(
    call: Call,
    policy_name: Name,
    description: Text = "",
    filter_started_at: str | None = None,
    filter_ended_at: str | None = None,
    is_ongoing: bool = False,
) -> Shown:
    """Create a legal hold: ongoing, or for the custodians' activity between two dates.

    https://developer.box.com/reference/post-legal-hold-policies
    """
    require_admin(call)
    if not is_ongoing and not (filter_started_at and filter_ended_at):
        raise BadRequest.of("missing_parameter", "is_ongoing", "A hold is ongoing or has both filter dates.")
    if is_ongoing and filter_ended_at:
        raise BadRequest.of("invalid_parameter", "filter_ended_at", "An ongoing hold has no end.")
    _check_name(call, policy_name)
    made = LegalHold(
        id=new_id(call, 6),
        policy_name=policy_name,
        description=description,
        filter_started_at=read_instant(filter_started_at, "filter_started_at") if filter_started_at else None,
        filter_ended_at=read_instant(filter_ended_at, "filter_ended_at") if filter_ended_at else None,
        created_by_id=call.actor,
        created_at=call.clock.iso(),
        modified_at=call.clock.iso(),
    )
    return _hold_object(call, call.db.add(made))


@api.get("/legal_hold_policies/{legal_hold_policy_id}")
def get_hold(call: Call, legal_hold_policy_id: str) -> Shown:
    """Get a legal hold.

    https://developer.box.com/reference/get-legal-hold-policies-id
    """
    return _hold_object(call, _find(call, legal_hold_policy_id))


@api.put("/legal_hold_policies/{legal_hold_policy_id}")
def update_hold(
    call: Call,
    legal_hold_policy_id: str,
    policy_name: Name | UnsetType = UNSET,
    description: Text | UnsetType = UNSET,
    release_notes: Text | UnsetType = UNSET,
) -> Shown:
    """Change the name, the description or the release notes of a legal hold.

    https://developer.box.com/reference/put-legal-hold-policies-id
    """
    hold = _find(call, legal_hold_policy_id)
    if isinstance(policy_name, str) and policy_name != hold.policy_name:
        _check_name(call, policy_name)
    changes = {"policy_name": policy_name, "description": description, "release_notes": release_notes}
    return _hold_object(call, revise(call.db, hold, stamp={"modified_at": call.clock.iso()}, **changes))


@api.delete("/legal_hold_policies/{legal_hold_policy_id}", status=202)
def delete_hold(call: Call, legal_hold_policy_id: str) -> None:
    """Release a legal hold and its assignments at once.

    https://developer.box.com/reference/delete-legal-hold-policies-id
    """
    call.db.remove(_find(call, legal_hold_policy_id))
    reschedule_disposition(call)


@api.get("/legal_hold_policy_assignments")
def list_assignments(
    call: Call,
    policy_id: str,
    assign_to_type: Target | None = None,
    assign_to_id: str = "",
    marker: str = "",
    limit: int = 100,
    fields: str = "",
) -> Shown:
    """List the assignments of a legal hold.

    https://developer.box.com/reference/get-legal-hold-policy-assignments
    """
    where = [LegalHoldAssignment.policy_id == _find(call, policy_id).id]
    where += [LegalHoldAssignment.assigned_to_type == assign_to_type] if assign_to_type else []
    where += [LegalHoldAssignment.assigned_to_id == assign_to_id] if assign_to_id else []
    rows, more = rows_from(call, marker, limit, LegalHoldAssignment, *where, order=LegalHoldAssignment.id)
    names = wanted_fields(fields)
    return marker_page([pick_fields(_assignment_object(call, row), names) for row in rows], limit, more)


@api.post("/legal_hold_policy_assignments", status=201)
def assign(call: Call, policy_id: str, assign_to: AssignTo) -> Shown:
    """Assign a legal hold to a file, a version, a folder, or to what a user has access to, owns or has worked on.

    https://developer.box.com/reference/post-legal-hold-policy-assignments
    """
    hold = _find(call, policy_id)
    if not _exists(call, assign_to):
        raise NotFound.of(assign_to.type, assign_to.id)
    same = (LegalHoldAssignment.policy_id == hold.id, LegalHoldAssignment.assigned_to_id == assign_to.id)
    if call.db.count(LegalHoldAssignment, *same, LegalHoldAssignment.assigned_to_type == assign_to.type):
        raise Conflict("The legal hold is on this already")
    made = LegalHoldAssignment(
        id=new_id(call, 6),
        policy_id=hold.id,
        assigned_to_type=assign_to.type,
        assigned_to_id=assign_to.id,
        assigned_by_id=call.actor,
        assigned_at=call.clock.iso(),
    )
    return _assignment_object(call, call.db.add(made))


def _exists(call: Call, to: AssignTo) -> bool:
    if to.type == "folder":
        return folder_row(call, to.id) is not None
    if to.type == "file":
        return call.db.find(File, File.id == to.id) is not None
    if to.type == "file_version":
        return call.db.find(FileVersion, FileVersion.id == to.id) is not None
    return call.db.find(User, User.id == to.id) is not None


@api.get("/legal_hold_policy_assignments/{legal_hold_policy_assignment_id}")
def get_assignment(call: Call, legal_hold_policy_assignment_id: str) -> Shown:
    """Get an assignment of a legal hold.

    https://developer.box.com/reference/get-legal-hold-policy-assignments-id
    """
    return _assignment_object(call, _assignment(call, legal_hold_policy_assignment_id))


@api.delete("/legal_hold_policy_assignments/{legal_hold_policy_assignment_id}", status=202)
def unassign(call: Call, legal_hold_policy_assignment_id: str) -> None:
    """Release an assignment of a legal hold at once.

    https://developer.box.com/reference/delete-legal-hold-policy-assignments-id
    """
    call.db.remove(_assignment(call, legal_hold_policy_assignment_id))
    reschedule_disposition(call)


@api.get("/legal_hold_policy_assignments/{legal_hold_policy_assignment_id}/files_on_hold")
def files_on_hold(
    call: Call, legal_hold_policy_assignment_id: str, marker: str = "", limit: int = 100, fields: str = ""
) -> Shown:
    """List the files whose current version is held.

    https://developer.box.com/reference/get-legal-hold-policy-assignments-id-files-on-hold
    """
    kept = list_held_versions(call, _assignment(call, legal_hold_policy_assignment_id))
    names = wanted_fields(fields)
    current = [each for each in kept if is_current(each)]
    return page_of(current, lambda each: pick_fields(kept_file(call, each), names), marker, limit)


@api.get("/legal_hold_policy_assignments/{legal_hold_policy_assignment_id}/file_versions_on_hold")
def file_versions_on_hold(
    call: Call, legal_hold_policy_assignment_id: str, marker: str = "", limit: int = 100, fields: str = ""
) -> Shown:
    """List the past versions that are held.

    https://developer.box.com/reference/get-legal-hold-policy-assignments-id-file-versions-on-hold
    """
    kept = list_held_versions(call, _assignment(call, legal_hold_policy_assignment_id))
    names = wanted_fields(fields)
    past = [each for each in kept if not is_current(each)]
    return page_of(past, lambda each: pick_fields(kept_file(call, each), names), marker, limit)


class VersionHold(NamedTuple):
    """A held version with the assignments that hold it."""

    kept: PreservedVersion
    assignments: list[LegalHoldAssignment]


def _version_holds(call: Call, assigned: Sequence[Expression], *where: Expression) -> list[VersionHold]:
    """Return the versions that some assignments hold, ordered by id, which is the version's id."""
    holds: dict[str, VersionHold] = {}
    for assignment in call.db.rows(LegalHoldAssignment, *assigned, order=LegalHoldAssignment.id):
        for kept in list_held_versions(call, assignment, *where):
            holds.setdefault(kept.version.id, VersionHold(kept, [])).assignments.append(assignment)
    return [holds[id] for id in sorted(holds)]


def _version_hold(call: Call, hold: VersionHold) -> Shown:
    file = kept_file(call, hold.kept)
    return {
        "type": "file_version_legal_hold",
        "id": hold.kept.version.id,
        "file_version": file["file_version"],
        "file": file,
        "legal_hold_policy_assignments": [_assignment_object(call, each) for each in hold.assignments],
        "deleted_at": None,
    }


@api.get("/file_version_legal_holds")
def list_version_holds(call: Call, policy_id: str, marker: str = "", limit: int = 100) -> Shown:
    """List the versions that a legal hold preserves. An unknown hold preserves none.

    https://developer.box.com/reference/get-file-version-legal-holds
    """
    require_admin(call)
    holds = _version_holds(call, [LegalHoldAssignment.policy_id == policy_id])
    return page_of(holds, partial(_version_hold, call), marker, limit)


@api.get("/file_version_legal_holds/{file_version_legal_hold_id}")
def get_version_hold(call: Call, file_version_legal_hold_id: str) -> Shown:
    """Get the assignments that hold a version.

    https://developer.box.com/reference/get-file-version-legal-holds-id
    """
    require_admin(call)
    for each in _version_holds(call, (), matches_version(call, file_version_legal_hold_id)):
        if each.kept.version.id == file_version_legal_hold_id:
            return _version_hold(call, each)
    raise NotFound.of("file_version_legal_hold", file_version_legal_hold_id)
