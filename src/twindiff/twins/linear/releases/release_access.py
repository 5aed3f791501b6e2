"""Releases as CI reads them with a pipeline's access key, and the search for releases.

Linear issues such keys in its settings, not through its API. Here a key names its pipeline: its last part is the
pipeline's id or slug, as in `lin_release_<id>`. A lenient environment with a single pipeline accepts any key for it.

https://linear.app/docs/releases
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, any_of
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import Forbidden, InvalidInput
from twindiff.kit.rows import Expression

from ..model.releases import Release, ReleasePipeline, ReleaseStage

api = Section()

_FIRST, _MOST = 20, 100
_MAX_FOUND_RELEASES = 50
_STAGES = ("started", "planned", "completed", "canceled")
"""The types of stages, in the order of a search without a term."""


def _pipeline(call: Call) -> Any:
    """Return the pipeline of the caller's key; raise Forbidden if it has none."""
    row, name = ReleasePipeline.row, call.token.rsplit("_", 1)[-1]
    pipeline = call.db.find(row, any_of(row.id == name, row.slugId == name), row.archivedAt.is_null())
    if pipeline is None and not call.strict:
        every = call.db.rows(row, row.archivedAt.is_null(), limit=2)
        pipeline = every[0] if len(every) == 1 else None
    if pipeline is None:
        raise Forbidden("The key is no access key of a release pipeline: it ends with none's id or slug.")
    return pipeline


@api.query("releasePipelineByAccessKey: ReleasePipeline!")
def release_pipeline_by_access_key(call: Call) -> Any:
    """Get the pipeline of the access key."""
    return _pipeline(call)


@api.query("latestReleaseByAccessKey: Release")
def latest_release_by_access_key(call: Call) -> Any:
    """Get the latest release of the key's pipeline."""
    row = Release.row
    mine = (row.pipelineId == _pipeline(call).id, row.archivedAt.is_null())
    return next(iter(call.db.rows(row, *mine, order=(-row.createdAt, -row.id), limit=1)), None)


@api.query("recentReleasesByAccessKey(limit: Int): [Release!]!")
def recent_releases_by_access_key(call: Call, limit: int | None = None) -> list[Any]:
    """List releases of the key's pipeline: started ones, then completed ones, each latest first."""
    most = min(_FIRST if limit is None else limit, _MOST)
    if most < 1:
        raise InvalidInput("limit: it is at least 1.")
    row, pipeline = Release.row, _pipeline(call)
    kinds = {each.id: each.type for each in _stages_of(call, ReleaseStage.row.pipelineId == pipeline.id)}
    under_way = [key for key, kind in kinds.items() if kind == "started"]
    completed = [key for key, kind in kinds.items() if kind == "completed"]
    mine = (row.pipelineId == pipeline.id, row.archivedAt.is_null())
    running = call.db.rows(row, *mine, row.stageId.in_(under_way), order=(-row.createdAt, -row.id), limit=most)
    done = call.db.rows(row, *mine, row.stageId.in_(completed), order=(-row.completedAt, -row.id), limit=most)
    return [*running, *done][:most]


def _stages_of(call: Call, *where: Expression) -> list[Any]:
    return call.db.rows(ReleaseStage.row, *where)


@api.query("releaseSearch(filter: ReleaseFilter, first: Int = 20, term: String): [Release!]!")
def release_search(
    call: Call, first: int = _FIRST, term: str | None = None, filter: dict[str, Any] | None = None
) -> list[Any]:
    """List releases in which every word occurs, in name, version or pipeline name; without a term, sorted by stage."""
    if first < 1:
        raise InvalidInput("first: it is at least 1.")
    row = Release.row
    where = entity_operations.filter_visible(call, Release, filter or {})
    words = [_with_word(word) for word in (term or "").split()[:20]]
    releases = call.db.rows(row, *where, *words, order=(-row.createdAt, -row.id))
    if not words:
        kinds = {each.id: _STAGES.index(each.type) for each in _stages_of(call)}
        releases.sort(key=lambda each: kinds[each.stageId])
    return releases[: min(first, _MAX_FOUND_RELEASES)]


def _with_word(word: str) -> Expression:
    row = Release.row
    places = (row.name, row.version, row.pipelineId.to(ReleasePipeline.row.name))
    return any_of(*[place.contains(word, fold=True) for place in places])
