"""Releases, their pipelines, stages and notes.  https://linear.app/docs/releases"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, exists, not_
from twindiff.kit.graphql import Section, entity_operations, yes_or_no
from twindiff.kit.graphql.errors import InvalidInput
from twindiff.kit.rows import Expression

from ..core.counts import tally
from ..core.issue_names import slug_with_id
from ..model.releases import IssueToRelease, Release, ReleaseNote, ReleasePipeline, ReleaseStage
from ..projects.projects import workspace

api = Section()


@api.before_create(ReleasePipeline)
def create_pipeline(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set the URL of a new pipeline."""
    values["slugId"] = given.get("slugId") or slug_with_id(values["name"], values["id"][:8])
    values["url"] = f"https://linear.app/{workspace(call)}/releases/{values['slugId']}"


@api.before_create(Release)
def create_release(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set the stage of a new release, by default the first of its pipeline. A pipeline without stages gets one."""
    values["stageId"] = values.get("stageId") or _first_stage(call, values["pipelineId"])
    _check_stage(call, values["stageId"], values["pipelineId"])
    values["slugId"] = values["id"].replace("-", "")[:12]
    values["url"] = f"https://linear.app/{workspace(call)}/release/{values['slugId']}"
    values["creatorId"] = call.actor


def _first_stage(call: Call, pipeline_id: str) -> str:
    stage, now = ReleaseStage.row, call.clock.iso()
    stages = call.db.rows(stage, stage.pipelineId == pipeline_id, order=stage.position, limit=1)
    if stages:
        return stages[0].id
    fields = {"name": "Planned", "type": "planned", "color": "#bec2c8", "position": 0.0, "pipelineId": pipeline_id}
    return call.db.add(stage(id=call.ids.uuid(), createdAt=now, updatedAt=now, **fields)).id


def _check_stage(call: Call, stage_id: str, pipeline_id: str) -> None:
    if call.db.get(ReleaseStage.row, stage_id).pipelineId != pipeline_id:
        raise InvalidInput("stageId: the stage belongs to another pipeline.")


@api.before_update(Release)
def update_release(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Add the timestamps of a release's new stage."""
    if changes.get("stageId"):
        _check_stage(call, changes["stageId"], row.pipelineId)
        kind = call.db.get(ReleaseStage.row, changes["stageId"]).type
        now = call.clock.iso()
        changes.setdefault("startedAt", row.startedAt or (now if kind in ("started", "completed") else None))
        changes.setdefault("completedAt", now if kind == "completed" else None)
        changes["canceledAt"] = now if kind == "canceled" else None


@api.before_delete(Release)
def delete_release(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Mark a deleted release as trashed."""
    changes["trashed"] = True


@api.before_delete(ReleasePipeline)
def delete_pipeline(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Mark a deleted pipeline as trashed."""
    changes["trashed"] = True


@api.before_create(IssueToRelease)
def add_to_release(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Raise InvalidInput if the issue is in the release already."""
    link = IssueToRelease.row
    if call.db.find(link, link.issueId == values["issueId"], link.releaseId == values["releaseId"]):
        raise InvalidInput("issueId: the issue is in the release already.")


@api.field(Release, "issueCount", needs="id")
def issue_count(call: Call, rows: list[Any], include_archived: bool = False) -> list[int]:
    """Return the number of issues in each release."""
    link = IssueToRelease.row
    return tally(call, link.releaseId, rows)


@api.field(ReleasePipeline, "approximateReleaseCount", needs="id")
def approximate_release_count(call: Call, rows: list[Any]) -> list[int]:
    """Return the number of releases in each pipeline."""
    release = Release.row
    return tally(call, release.pipelineId, rows, release.archivedAt.is_null())


@api.filter(Release, "hasReleaseNotes")
def has_release_notes(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on whether a release has a note."""
    return yes_or_no(not_(Release.row.releaseNoteId.is_null()), comparator)


@api.filter(ReleaseNote, "release")
def release_of_note(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the releases of a note."""
    release = Release.row
    return exists(
        release, release.releaseNoteId == ReleaseNote.row.id, *entity_operations.matching(call, Release, comparator)
    )
