"""Assignments of retention policies, and the content that they preserve.

https://developer.box.com/reference/resources/retention-policy-assignment
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, TypeVar

from twindiff.kit import Call, Operations, Struct
from twindiff.twins.box.wire_style import BadRequest, check_limit, marker_of, marker_page, offset_in, wanted_fields

from ..core.access import folder_row, require_admin
from ..core.errors import Forbidden, NotFound, RetentionAlreadyAssigned
from ..core.folder_listing import rows_from
from ..core.preserved_versions import (
    PreservedVersion,
    Retention,
    list_retained_versions,
    matches_version,
    reschedule_disposition,
    retentions,
)
from ..core.row_stamps import format_instant, new_id, read_instant
from ..enterprise.users import ENTERPRISE
from ..tables.further_tables import MetadataTemplate
from ..tables.governance_tables import RetentionAssignment, RetentionPolicy
from ..tables.item_tables import File
from ..views.item_views import Shown, item_object, pick_fields, user_mini
from .retention_policies import find_policy, policy_mini

api = Operations(prefix="/2.0")
Target = Literal["enterprise", "folder", "metadata_template"]
R = TypeVar("R")


class AssignTo(Struct):
    """The target of an assignment."""

    type: Target
    id: str | None = None


class FilterField(Struct):
    """A metadata field and the value it must have."""

    field: str
    value: str


def _assignment_object(call: Call, row: RetentionAssignment) -> Shown:
    id = row.assigned_to_id or ENTERPRISE["id"]
    return {
        "type": "retention_policy_assignment",
        "id": row.id,
        "retention_policy": policy_mini(call.db.get(RetentionPolicy, row.policy_id)),
        "assigned_to": {"type": row.assigned_to_type, "id": id},
        "filter_fields": row.filter_fields,
        "assigned_by": user_mini(call, row.assigned_by_id),
        "assigned_at": format_instant(row.assigned_at),
        "start_date_field": row.start_date_field,
    }


def _find(call: Call, id: str) -> RetentionAssignment:
    require_admin(call)
    row = call.db.find(RetentionAssignment, RetentionAssignment.id == id)
    if row is None:
        raise NotFound.of("retention_policy_assignment", id)
    return row


@api.get("/retention_policies/{retention_policy_id}/assignments")
def list_assignments(
    call: Call,
    retention_policy_id: str,
    type: Target | None = None,
    fields: str = "",
    marker: str = "",
    limit: int = 100,
) -> Shown:
    """List the assignments of a policy.

    https://developer.box.com/reference/get-retention-policies-id-assignments
    """
    require_admin(call)
    where = [RetentionAssignment.policy_id == find_policy(call, retention_policy_id).id]
    where += [RetentionAssignment.assigned_to_type == type] if type else []
    rows, more = rows_from(call, marker, limit, RetentionAssignment, *where, order=RetentionAssignment.id)
    names = wanted_fields(fields)
    return marker_page([pick_fields(_assignment_object(call, row), names) for row in rows], limit, more)


@api.post("/retention_policy_assignments", status=201)
def assign(
    call: Call,
    policy_id: str,
    assign_to: AssignTo,
    filter_fields: list[FilterField] | None = None,
    start_date_field: str | None = None,
) -> Shown:
    """Assign a policy to a folder, to files by their metadata, or to the whole enterprise.

    https://developer.box.com/reference/post-retention-policy-assignments
    """
    require_admin(call)
    policy = find_policy(call, policy_id)
    _check_target(call, assign_to, start_date_field, filter_fields)
    _check_longer(call, policy, assign_to)
    made = RetentionAssignment(
        id=new_id(call, 7),
        policy_id=policy.id,
        assigned_to_type=assign_to.type,
        assigned_to_id=assign_to.id,
        filter_fields=[{"field": each.field, "value": each.value} for each in filter_fields or []],
        start_date_field=start_date_field,
        assigned_by_id=call.actor,
        assigned_at=call.clock.iso(),
        disposes_at=call.clock.iso() if policy.disposition_action == "permanently_delete" else None,
    )
    return _assignment_object(call, call.db.add(made))


def _check_target(call: Call, to: AssignTo, start: str | None, filters: list[FilterField] | None) -> None:
    if (to.type == "enterprise") == bool(to.id):
        raise BadRequest.of("invalid_parameter", "id", "An enterprise is named by no id, all else by one.")
    if to.type == "metadata_template":
        if call.db.find(MetadataTemplate, MetadataTemplate.id == to.id) is None:
            raise NotFound.of("metadata_template", to.id or "")
        return
    if start or filters:
        raise BadRequest.of("invalid_parameter", "start_date_field", "Fields go with metadata templates alone.")
    if to.type == "folder" and folder_row(call, to.id or "") is None:
        raise NotFound.of("folder", to.id or "")


def _check_longer(call: Call, policy: RetentionPolicy, to: AssignTo) -> None:
    """Raise if the target already has a policy of the same or a greater length."""
    same = (RetentionAssignment.assigned_to_type == to.type, RetentionAssignment.assigned_to_id == to.id)
    for row in call.db.rows(RetentionAssignment, *same[:1], *(same[1:] if to.id else ())):
        other = call.db.get(RetentionPolicy, row.policy_id).retention_length
        if other is None or (policy.retention_length is not None and int(other) >= int(policy.retention_length)):
            raise RetentionAlreadyAssigned


@api.get("/retention_policy_assignments/{retention_policy_assignment_id}")
def get_assignment(call: Call, retention_policy_assignment_id: str, fields: str = "") -> Shown:
    """Get an assignment.

    https://developer.box.com/reference/get-retention-policy-assignments-id
    """
    return pick_fields(_assignment_object(call, _find(call, retention_policy_assignment_id)), wanted_fields(fields))


@api.delete("/retention_policy_assignments/{retention_policy_assignment_id}", status=204)
def unassign(call: Call, retention_policy_assignment_id: str) -> None:
    """Delete an assignment; raise Forbidden if its policy is not modifiable.

    https://developer.box.com/reference/delete-retention-policy-assignments-id
    """
    row = _find(call, retention_policy_assignment_id)
    if call.db.get(RetentionPolicy, row.policy_id).retention_type == "non_modifiable":
        raise Forbidden("What a non-modifiable policy is assigned to stays so")
    call.db.remove(row)
    reschedule_disposition(call)


def page_of(rows: Sequence[R], show: Callable[[R], Shown], marker: str, limit: int) -> Shown:
    """Return a page of precomputed rows. Only the rows of the page are rendered."""
    start = offset_in(marker)
    end = start + check_limit(limit)
    return marker_page([*map(show, rows[start:end])], limit, marker_of(end) if end < len(rows) else None)


def kept_file(call: Call, kept: PreservedVersion) -> Shown:
    """Render a preserved file with the version that is preserved."""
    version = {"type": "file_version", "id": kept.version.id, "sha1": kept.version.sha_1 or ""}
    return {**item_object(call, kept.file, mini=True), "file_version": version}


def is_current(kept: PreservedVersion) -> bool:
    """Return whether the preserved version is the current one of its file."""
    return kept.version.id == kept.file.file_version_id


@api.get("/retention_policy_assignments/{retention_policy_assignment_id}/files_under_retention")
def files_under_retention(call: Call, retention_policy_assignment_id: str, marker: str = "", limit: int = 100) -> Shown:
    """List the files whose current version is retained.

    https://developer.box.com/reference/get-retention-policy-assignments-id-files-under-retention
    """
    kept = list_retained_versions(call, _find(call, retention_policy_assignment_id))
    return page_of([each for each in kept if is_current(each)], partial(kept_file, call), marker, limit)


@api.get("/retention_policy_assignments/{retention_policy_assignment_id}/file_versions_under_retention")
def file_versions_under_retention(
    call: Call, retention_policy_assignment_id: str, marker: str = "", limit: int = 100
) -> Shown:
    """List the past versions that are retained.

    https://developer.box.com/reference/get-retention-policy-assignments-id-file-versions-under-retention
    """
    kept = list_retained_versions(call, _find(call, retention_policy_assignment_id))
    return page_of([each for each in kept if not is_current(each)], partial(kept_file, call), marker, limit)


def _retention_object(call: Call, retention: Retention) -> Shown:
    kept, assignment, policy = retention
    file = kept_file(call, kept)
    return {
        "type": "file_version_retention",
        "id": kept.version.id,
        "file_version": file["file_version"],
        "file": file,
        "applied_at": format_instant(max(kept.version.created_at or "", assignment.assigned_at or "")),
        "disposition_at": format_instant(kept.until),
        "winning_retention_policy": policy_mini(policy),
    }


@api.get("/file_version_retentions")
def list_retentions(
    call: Call,
    file_id: str = "",
    file_version_id: str = "",
    policy_id: str = "",
    disposition_action: Literal["permanently_delete", "remove_retention"] | None = None,
    disposition_before: str = "",
    disposition_after: str = "",
    limit: int = 100,
    marker: str = "",
) -> Shown:
    """List the retained versions, optionally of a file, of a policy, or by the time their retention ends.

    https://developer.box.com/reference/get-file-version-retentions
    """
    require_admin(call)
    before = read_instant(disposition_before, "disposition_before") if disposition_before else ""
    after = read_instant(disposition_after, "disposition_after") if disposition_after else ""
    where = [
        *([File.id == file_id] if file_id else ()),
        *([matches_version(call, file_version_id)] if file_version_id else ()),
    ]
    lasting = [
        each
        for each in retentions(call, *where)
        if each.kept.lasts(call)
        and file_version_id in ("", each.kept.version.id)
        and policy_id in ("", each.policy.id)
        and disposition_action in (None, each.policy.disposition_action)
        and (not before or each.until < before)
        and each.until > after
    ]
    return page_of(lasting, partial(_retention_object, call), marker, limit)


@api.get("/file_version_retentions/{file_version_retention_id}")
def get_retention(call: Call, file_version_retention_id: str) -> Shown:
    """Get the retention of a version.

    https://developer.box.com/reference/get-file-version-retentions-id
    """
    require_admin(call)
    for each in retentions(call, matches_version(call, file_version_retention_id)):
        if each.kept.version.id == file_version_retention_id and each.kept.lasts(call):
            return _retention_object(call, each)
    raise NotFound.of("file_version_retention", file_version_retention_id)
