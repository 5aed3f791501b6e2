"""Disposition: deletes content whose retention has ended under a policy that deletes permanently.

It runs at the first whole minute after the end, so that files uploaded one after another are deleted together. If
several policies apply, the one that ends last decides the action. A legal hold defers the deletion until its release.

https://support.box.com/hc/en-us/articles/360043694374-Using-Retention-Policies-to-Manage-Content-Deletion
"""

from __future__ import annotations

from datetime import datetime, timedelta

from twindiff.kit import Call, Operations
from twindiff.kit.rows import Expression

from ..content.trash_lifecycle import purge, purge_versions
from ..core.preserved_versions import files_of, list_held_versions, list_retained_versions, retentions
from ..tables.governance_tables import LegalHoldAssignment, RetentionAssignment, RetentionPolicy
from ..tables.item_tables import File, FileVersion

api = Operations()


@api.due(RetentionAssignment.disposes_at, actor=RetentionAssignment.assigned_by_id)
def dispose(call: Call, assignment: RetentionAssignment) -> None:
    """Delete the content whose retention under an assignment has ended, and schedule the next run."""
    policy = call.db.get(RetentionPolicy, assignment.policy_id)
    deletes = policy.status == "active" and policy.disposition_action == "permanently_delete"
    if deletes:
        _delete(call, _over(call, *files_of(call, assignment)))
    call.db.change(assignment, disposes_at=_next_look(call, policy, assignment) if deletes else None)


def _over(call: Call, *where: Expression) -> dict[str, FileVersion]:
    """Return the versions to delete, by id."""
    holds = call.db.rows(LegalHoldAssignment)
    on_hold = {kept.version.id for hold in holds for kept in list_held_versions(call, hold, *where)}
    return {
        each.kept.version.id: each.kept.version
        for each in retentions(call, *where)
        if not each.kept.lasts(call)
        and each.policy.disposition_action == "permanently_delete"
        and each.kept.version.id not in on_hold
    }


def _delete(call: Call, over: dict[str, FileVersion]) -> None:
    """Delete versions, and files all of whose versions are deleted. A current version goes only with its file."""
    ids = sorted({version.file_id for version in over.values()})
    files = {file.id: file for file in call.db.rows(File, File.id.in_(ids))} if ids else {}
    for file in files.values():
        versions = call.db.rows(FileVersion, FileVersion.file_id == file.id, FileVersion.purged_at.is_null())
        if all(version.id in over for version in versions):
            purge(call, file)
        else:
            past = [version for version in versions if version.id in over and version.id != file.file_version_id]
            purge_versions(call, files, past)


def _next_look(call: Call, policy: RetentionPolicy, assignment: RetentionAssignment) -> str:
    """Return when the next retention may end, at a whole minute.

    Content uploaded later is retained for a whole retention period from then, so the end of one period from now is
    always checked.
    """
    now = datetime.fromisoformat(call.clock.iso())
    ends = [datetime.fromisoformat(each.until) for each in list_retained_versions(call, assignment) if each.until]
    first = min([*ends, now + timedelta(days=int(policy.retention_length or 1))])
    into = timedelta(seconds=first.second, microseconds=first.microsecond)
    return (first + -into % timedelta(minutes=1)).isoformat()
