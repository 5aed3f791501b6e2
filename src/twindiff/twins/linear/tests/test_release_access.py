"""Releases as CI sees them, and as they are searched.  https://linear.app/docs/releases"""

from __future__ import annotations

import pytest

RECENT = "query($n: Int) { recentReleasesByAccessKey(limit: $n) { name } }"


@pytest.fixture
def pipeline(workspace):
    """A workspace whose clock goes in steps, and a pipeline with a release of each type of stage."""
    linear = workspace(clock={"mode": "steps"})
    key = linear.create("releasePipeline", name="Robots")["id"]
    for position, kind in enumerate(("planned", "started", "completed", "canceled")):
        stage = {"pipelineId": key, "name": kind, "color": "#123456", "position": position, "type": kind}
        stage_id = linear.create("releaseStage", **stage)["id"]
        release = linear.create("release", name=f"{position}.0 {kind}", pipelineId=key)["id"]
        linear.update("release", release, stageId=stage_id)
    return linear, key


def names(releases):
    return [each["name"] for each in releases]


def test_a_key_leads_to_its_pipeline(pipeline):
    linear, key = pipeline
    linear.create("releasePipeline", name="Cranes")
    query = "{ releasePipelineByAccessKey { name } latestReleaseByAccessKey { name } }"
    assert linear.error("{ releasePipelineByAccessKey { name } }")["extensions"]["code"] == "FORBIDDEN"
    linear.key = f"lin_release_{key}"
    assert linear(query) == {
        "releasePipelineByAccessKey": {"name": "Robots"},
        "latestReleaseByAccessKey": {"name": "3.0 canceled"},
    }


def test_recent_releases_are_those_under_way_and_then_those_completed(pipeline):
    linear, _ = pipeline
    assert names(linear(RECENT)["recentReleasesByAccessKey"]) == ["1.0 started", "2.0 completed"]
    assert names(linear(RECENT, n=1)["recentReleasesByAccessKey"]) == ["1.0 started"]


def test_releases_are_searched_by_words_in_their_names_and_their_pipeline_s(pipeline):
    linear, _ = pipeline
    query = "query($t: String) { releaseSearch(term: $t) { name } }"
    assert names(linear(query, t="robots 2.0")["releaseSearch"]) == ["2.0 completed"]
    assert linear(query, t="crane")["releaseSearch"] == []


def test_without_a_term_releases_come_by_stage(pipeline):
    linear, _ = pipeline
    listed = names(linear("{ releaseSearch { name } }")["releaseSearch"])
    assert [name.split()[1] for name in listed] == ["started", "planned", "completed", "canceled"]
