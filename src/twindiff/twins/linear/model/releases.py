"""Releases, their pipelines and stages.  https://linear.app/docs/releases"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import date, datetime

from twindiff.kit.graphql import Entity, Many, One, column, computed_field, derived_field, inverse, through

from .enums import ReleaseNoteGenerationStatus, ReleasePipelineType, ReleaseStageType


class Release(Entity):
    autoArchivedAt: datetime | None
    canceledAt: datetime | None = derived_field()
    commitSha: str | None
    completedAt: datetime | None = derived_field()
    currentProgress: JSONObject = derived_field(default={})
    description: str | None
    name: str
    progressHistory: JSONObject = derived_field(default={})
    slugId: str = derived_field(default="")
    startDate: date | None
    startedAt: datetime | None = derived_field()
    targetDate: date | None
    trashed: bool | None
    url: str = derived_field(default="")
    version: str | None
    creator: One[User] | None
    pipeline: One[ReleasePipeline]
    releaseNote: One[ReleaseNote] | None
    stage: One[ReleaseStage]
    documents: Many[Document] = inverse("release")
    history: Many[ReleaseHistory]
    issues: Many[Issue] = through("IssueToRelease")
    links: Many[EntityExternalLink] = inverse("release")
    releaseNotes: list[ReleaseNote] = computed_field()
    issueCount: int = computed_field(includeArchived="Boolean = false")

    filters = "completedAt hasReleaseNotes:BooleanComparator name pipeline stage version~"
    filter_variants = "collection"
    create = (
        "commitSha completedAt createdAt description id name! pipeline! stage startDate startedAt targetDate version"
    )
    update = "commitSha completedAt description name stage startDate startedAt targetDate trashed version"
    sort = "stage:ReleaseStageSort"
    roots = "list get create update delete->ReleaseArchivePayload archive unarchive"


class ReleasePipeline(Entity):
    autoGenerateReleaseNotesOnCompletion: bool = column(default=False)
    includePathPatterns: list[str] = column(default=[])
    isProduction: bool = column(default=False)
    name: str
    slugId: str = derived_field(default="")
    trashed: bool | None
    type: ReleasePipelineType = column(default="continuous")
    url: str = derived_field(default="")
    latestReleaseNote: One[ReleaseNote] | None
    releaseNoteTemplate: One[Template] | None
    releases: Many[Release] = inverse("pipeline", filter=False, sort=True)
    stages: Many[ReleaseStage] = inverse("pipeline", filter=False)
    teams: Many[Team] = through("release_pipeline_team_association", filter=False)
    approximateReleaseCount: int = computed_field()
    rolloverIssuesOnCompletion: bool = column(default=False)

    filters = "isProduction name teams type:ReleasePipelineTypeComparator"
    filter_variants = "collection"
    create = "autoGenerateReleaseNotesOnCompletion id includePathPatterns isProduction name! slugId teams type"
    update = "autoGenerateReleaseNotesOnCompletion includePathPatterns isProduction name slugId teams type"
    sort = "name:ReleasePipelineNameSort"
    roots = "list get create update delete->ReleasePipelineArchivePayload archive unarchive"


class ReleaseStage(Entity):
    color: str
    frozen: bool = column(default=False)
    name: str
    position: float
    type: ReleaseStageType
    pipeline: One[ReleasePipeline]
    releases: Many[Release] = inverse("stage", filter=False)

    filters = "name type:ReleaseStageTypeComparator"
    create = "color! frozen id name! pipeline! position! type!"
    update = "color frozen name position"
    roots = "list get create update archive unarchive"


class ReleaseNote(Entity):
    generationStatus: ReleaseNoteGenerationStatus | None
    releaseCount: int = column(default=0)
    slugId: str = derived_field(default="")
    title: str | None
    url: str = column(default="")
    documentContent: One[DocumentContent] | None
    firstRelease: One[Release] | None
    lastRelease: One[Release] | None
    pipeline: One[ReleasePipeline]
    releases: list[Release] = inverse("releaseNote")

    filters = "pipeline release:ReleaseFilter slugId title~"
    create = "content:String id pipeline! rangeFromReleaseId:String rangeToReleaseId:String releases title"
    update = "content:String rangeFromReleaseId:String rangeToReleaseId:String releases title"
    roots = "list get create update delete"


class IssueToRelease(Entity):
    issue: One[Issue]
    release: One[Release]

    create = "id issue! release!"
    roots = "list get create delete"
    deletes = "hard"
