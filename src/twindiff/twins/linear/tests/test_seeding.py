"""Workspaces that are filled from a configuration."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.harness import Platform

TEAMS = [{"key": "ENG", "name": "Engineering"}]
STATES = "{ projects { nodes { name status { type } } } issues { nodes { title state { type } } } }"


def provision(platform: Platform, **config: Any) -> httpx.Response:
    return platform.client.post(
        "/twin-runs", json={"twins": ["linear"], "ports": False, "seed_config": {"linear": config}}
    )


@pytest.mark.parametrize(
    ("project", "issue"), [("started", "completed"), ("In Progress", "Done"), ("canceled", "canceled")]
)
def test_states_are_meant_by_their_names_and_their_types(platform: Platform, project: str, issue: str) -> None:
    projects = [{"team_key": "ENG", "name": "Launch", "state": project}]
    issues = [{"team_key": "ENG", "title": "Decide", "state": issue}]
    run_id = provision(platform, teams=TEAMS, projects=projects, issues=issues).json()["run_id"]
    url = platform.client.get(f"/twin-runs/{run_id}").json()["twins"]["linear"]["env_vars"]["LINEAR_API_URL"]
    data = platform.client.post(url, json={"query": STATES}, headers={"Authorization": "any"}).json()["data"]
    kinds = {"In Progress": "started", "Done": "completed"}
    assert data["projects"]["nodes"][0]["status"]["type"] == kinds.get(project, project)
    assert data["issues"]["nodes"][0]["state"]["type"] == kinds.get(issue, issue)


def test_a_state_that_there_is_not_is_refused_with_those_that_there_are(platform: Platform) -> None:
    answer = provision(platform, teams=TEAMS, projects=[{"team_key": "ENG", "name": "Launch", "state": "soon"}])
    assert (answer.status_code, "projects[0].state: there is no status 'soon'" in answer.json()["detail"]) == (
        422,
        True,
    )
    assert "started" in answer.json()["detail"]
