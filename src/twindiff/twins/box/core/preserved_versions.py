"""Determines which content retention policies and legal holds protect from permanent deletion.

https://developer.box.com/guides/retention-policies
https://developer.box.com/guides/legal-holds
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from twindiff.kit import Call, any_of, not_
from twindiff.kit.rows import Expression

from ..tables.further_tables import Collaboration, MetadataInstance, MetadataTemplate
from ..tables.governance_tables import LegalHold, LegalHoldAssignment, RetentionAssignment, RetentionPolicy
from ..tables.item_tables import File, FileVersion
from .access import chain
from .errors import Forbidden
from .folder_listing import folders_below

Conditions = tuple[Expression, ...]
_CUSTODIANS = ("user", "ownership", "interactions")


class PreservedVersion(NamedTuple):
    """A preserved version, and the instant at which its preservation ends; None if it does not end by itself."""

    file: File
    version: FileVersion
    until: str | None

    def lasts(self, call: Call) -> bool:
        """Return whether the version is still preserved."""
        return self.until is None or self.until > call.clock.iso()


class Retention(NamedTuple):
    """A preserved version, and the assignment of the policy that ends last."""

    kept: PreservedVersion
    assignment: RetentionAssignment
    policy: RetentionPolicy

    @property
    def until(self) -> str:
        """Return when it ends, in whole seconds as Box renders it; an indefinite one sorts after all others."""
        return (self.kept.until or "9999")[:19]


def list_retained_versions(call: Call, assignment: RetentionAssignment, *where: Expression) -> list[PreservedVersion]:
    """Return the versions that a retention assignment preserves now, of files that match the conditions."""
    return [each for each in _list_retained_versions_ever(call, assignment, *where) if each.lasts(call)]


def _list_retained_versions_ever(
    call: Call, assignment: RetentionAssignment, *where: Expression
) -> list[PreservedVersion]:
    """Return the same versions, including those whose retention has ended."""
    policy = call.db.get(RetentionPolicy, assignment.policy_id)
    if policy.status != "active":
        return []
    return [
        PreservedVersion(file, version, _disposition(call, policy, assignment, file, version))
        for file, version in _versions(call, (*where, *files_of(call, assignment)))
    ]


def retentions(call: Call, *where: Expression) -> list[Retention]:
    """Return the retentions of all versions, including ended ones, ordered by id, which is the version's id."""
    longest: dict[str, Retention] = {}
    for assignment in call.db.rows(RetentionAssignment, order=RetentionAssignment.id):
        policy = call.db.get(RetentionPolicy, assignment.policy_id)
        for kept in _list_retained_versions_ever(call, assignment, *where):
            one, known = Retention(kept, assignment, policy), longest.get(kept.version.id)
            if known is None or known.until < one.until:
                longest[kept.version.id] = one
    return [longest[id] for id in sorted(longest)]


def list_held_versions(call: Call, assignment: LegalHoldAssignment, *where: Expression) -> list[PreservedVersion]:
    """Return the versions that an assignment of a legal hold preserves, of files that match the conditions."""
    policy = call.db.get(LegalHold, assignment.policy_id)
    kept = [
        PreservedVersion(file, version, None)
        for file, version in _versions(call, (*where, *files_of(call, assignment)))
    ]
    if assignment.assigned_to_type == "file_version":
        return [each for each in kept if each.version.id == assignment.assigned_to_id]
    if assignment.assigned_to_type not in _CUSTODIANS:
        return kept
    first, last = policy.filter_started_at or "", policy.filter_ended_at or "9999"
    return [each for each in kept if first <= (each.version.created_at or "") <= last]


def check_deletable(call: Call, *where: Expression) -> None:
    """Raise if content of one of the files that match the conditions is preserved."""
    for assignment in _retentions(call):
        if list_retained_versions(call, assignment, *where):
            raise Forbidden("The item is under retention")
    for assignment in call.db.rows(LegalHoldAssignment):
        if list_held_versions(call, assignment, *where):
            raise Forbidden("The item is under legal hold")


def disposition_of(call: Call, file: File) -> str | None:
    """Return when the retention of a file ends: the requested date, else that of the policy that ends last."""
    if file.disposition_at is not None:
        return file.disposition_at
    ends = [
        each.until
        for assignment in _retentions(call)
        for each in list_retained_versions(call, assignment, File.id == file.id)
        if each.version.id == file.file_version_id and each.until
    ]
    return max(ends, default=None)


def reschedule_disposition(call: Call, kind: str = "", policy_id: str = "") -> None:
    """Reschedule the deletion of content after its retention, because the data it depends on has changed.

    Affects the assignments that are already scheduled and those of the policy `policy_id`. With `kind`, only those
    assigned to targets of that kind.
    """
    deletes = any_of(not_(RetentionAssignment.disposes_at.is_null()), RetentionAssignment.policy_id == policy_id)
    of_kind = [RetentionAssignment.assigned_to_type == kind] if kind else []
    for row in call.db.rows(RetentionAssignment, deletes, *of_kind):
        call.db.change(row, disposes_at=call.clock.iso())


def matches_version(call: Call, version_id: str) -> Expression:
    """Return the condition that a file has the given version."""
    version = call.db.find(FileVersion, FileVersion.id == version_id)
    return File.id == (version.file_id if version else "")


def _retentions(call: Call) -> list[RetentionAssignment]:
    """Return the assignments of retention policies, looked up once per response."""
    if "retentions" not in call.memo:
        call.memo["retentions"] = call.db.rows(RetentionAssignment)
    return call.memo["retentions"]


def _versions(call: Call, where: Conditions) -> Iterator[tuple[File, FileVersion]]:
    files = {file.id: file for file in call.db.rows(File, *where, order=File.id)}
    versions = call.db.rows(FileVersion, FileVersion.file_id.in_([*files]), order=FileVersion.id) if files else ()
    return ((files[version.file_id], version) for version in versions if version.purged_at is None)


def _disposition(
    call: Call, policy: RetentionPolicy, assignment: RetentionAssignment, file: File, version: FileVersion
) -> str | None:
    if policy.retention_length is None:
        return None
    start = _start(call, assignment, file, version)
    end = (datetime.fromisoformat(start) + timedelta(days=int(policy.retention_length))).isoformat()
    return max(end, file.disposition_at or end)


def _start(call: Call, assignment: RetentionAssignment, file: File, version: FileVersion) -> str:
    """Return when the retention of a version began: when it came under the assignment, or the date field it uses."""
    instance = _instance(call, assignment, file) if assignment.assigned_to_type == "metadata_template" else None
    came = instance.applied_at if instance else _arrival(call, assignment, file)
    start = max(version.created_at or "", assignment.assigned_at or "", came or "")
    if assignment.start_date_field == "upload_date":
        return version.created_at or start
    return (_date_in(call, assignment, instance) if assignment.start_date_field else None) or start


def _arrival(call: Call, assignment: RetentionAssignment, file: File) -> str:
    """Return when a file, or a folder around it, was moved into the assignment's folder; "" if it was not."""
    folders = chain(call, file.parent_id) if assignment.assigned_to_type == "folder" else ()
    places = [folder.id for folder in folders]
    if assignment.assigned_to_id not in places:
        return ""
    inside = folders[places.index(assignment.assigned_to_id) + 1 :]
    return max(each.placed_at or "" for each in (file, *inside))


def _instance(call: Call, assignment: RetentionAssignment, file: File) -> MetadataInstance | None:
    template = call.db.get(MetadataTemplate, assignment.assigned_to_id)
    return call.db.find(MetadataInstance, *_instances(template), MetadataInstance.item_id == file.id)


def _date_in(call: Call, assignment: RetentionAssignment, instance: MetadataInstance | None) -> str | None:
    template = call.db.get(MetadataTemplate, assignment.assigned_to_id)
    value: Any = instance.data.get(_key_of(template.fields, assignment.start_date_field)) if instance else None
    return value[:19] if isinstance(value, str) else None


def files_of(call: Call, assignment: RetentionAssignment | LegalHoldAssignment) -> Conditions:
    """Return the conditions for the files of an assignment, computed once per response."""
    key = f"{assignment.type} {assignment.id}"
    if key not in call.memo:
        call.memo[key] = _look_up_files(call, assignment)
    return call.memo[key]


def _look_up_files(call: Call, assignment: RetentionAssignment | LegalHoldAssignment) -> Conditions:
    kind, id = assignment.assigned_to_type, assignment.assigned_to_id or ""
    if isinstance(assignment, RetentionAssignment) and kind == "metadata_template":
        return (File.id.in_(_files_with(call, assignment)),)
    if kind == "folder":
        return (File.parent_id.in_(_folders(call, id)),)
    if kind == "file_version":
        return (matches_version(call, id),)
    of_kind: dict[str, Conditions] = {
        "enterprise": (),
        "file": (File.id == id,),
        "ownership": (File.owned_by_id == id,),
        "interactions": (any_of(File.created_by_id == id, File.modified_by_id == id),),
    }
    return of_kind[kind] if kind in of_kind else (_accessible(call, id),)


def _folders(call: Call, folder_id: str) -> list[str]:
    below = folders_below(call, folder_id, status=None)
    return [folder_id, *(folder.id for level in below for folder in level)]


def _accessible(call: Call, user_id: str) -> Expression:
    """Return the condition for items that a user owns or collaborates on."""
    shared = call.db.rows(Collaboration, Collaboration.accessible_by_id == user_id, Collaboration.status == "accepted")
    files = [each.item_id for each in shared if each.item_type == "file"]
    folders = [id for each in shared if each.item_type == "folder" for id in _folders(call, each.item_id)]
    return any_of(File.owned_by_id == user_id, File.id.in_(files), File.parent_id.in_(folders))


def _instances(template: MetadataTemplate) -> Conditions:
    return (
        MetadataInstance.scope == template.scope,
        MetadataInstance.template_key == template.template_key,
        MetadataInstance.item_type == "file",
    )


def _files_with(call: Call, assignment: RetentionAssignment) -> list[str]:
    """Return the files whose metadata matches an assignment's filter, by keys or ids of fields and options."""
    template = call.db.find(MetadataTemplate, MetadataTemplate.id == assignment.assigned_to_id)
    if template is None:
        return []
    wanted: list[dict[str, str]] = assignment.filter_fields
    fits = {
        _key_of(template.fields, each["field"]): _option_of(template.fields, each["field"], each["value"])
        for each in wanted
    }
    rows = call.db.rows(MetadataInstance, *_instances(template))
    return [row.item_id for row in rows if all(row.data.get(key) == value for key, value in fits.items())]


def _key_of(fields: list[dict[str, Any]], named: str | None) -> str | None:
    return next((field["key"] for field in fields if named in (field["key"], field.get("id"))), named)


def _option_of(fields: list[dict[str, Any]], named: str, value: str) -> str:
    options = (
        option for field in fields if named in (field["key"], field.get("id")) for option in field.get("options") or ()
    )
    return next((option["key"] for option in options if value in (option["key"], option.get("id"))), value)
