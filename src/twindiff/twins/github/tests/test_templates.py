"""The templates, and what a configuration makes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.harness import Platform

from .conftest import Hub

CONFIG = {
    "users": [{"login": "maya", "name": "Maya Lin", "email": "maya@example.com"}],
    "orgs": [{"login": "acme", "name": "Acme"}],
    "repos": [
        {
            "owner": "acme",
            "name": "shop",
            "private": False,
            "description": "Sells",
            "default_branch": "trunk",
            "files": [{"path": "src/a.py", "content": "a = 1\n"}],
            "issues": [{"title": "Broken", "body": "It is"}, {"title": "Done", "state": "closed"}],
            "prs": [
                {
                    "title": "Mend",
                    "head": "mend",
                    "base": "trunk",
                    "files": [{"path": "src/a.py", "content": "a = 2\n"}],
                },
                {"title": "Add", "body": "b", "head": "add", "state": "merged", "merged": True},
            ],
        }
    ],
}


@pytest.fixture(scope="module")
def company(platform: Platform) -> Hub:
    """The default template, which these tests only read."""
    tokens = {f"token-{login}": login for login in ("agent", "ada")}
    return Hub(platform.environment("github:github_default", "agent", tokens=tokens), "agent")


def test_the_organization_has_work_in_every_state(company: Hub):
    counts = {
        q: company("GET", "/search/issues", params={"q": f"org:tidewater {q}"})["total_count"]
        for q in (
            "is:issue",
            "is:issue is:closed",
            "is:pr",
            "is:merged",
            "is:pr is:open draft:true",
            "review:approved is:open",
        )
    }
    assert counts["is:issue"] == 150
    assert counts["is:pr"] == 60
    assert all(counts.values()), counts


def test_a_pull_request_of_the_template_is_worked_out(company: Hub):
    pulls = company("GET", "/repos/tidewater/harbour-api/pulls")
    states = {
        company("GET", f"/repos/tidewater/harbour-api/pulls/{each['number']}")["mergeable_state"] for each in pulls
    }
    assert "dirty" in states
    assert states <= {"dirty", "blocked", "clean", "unstable", "draft"}


def test_new_objects_take_no_id_of_the_template(platform: Platform):
    hub = Hub(platform.environment("github:github_default", "agent", tokens={"token-agent": "agent"}), "agent")
    issue = hub("POST", "/repos/tidewater/harbour-web/issues", {"title": "New"})
    assert issue["id"] > 1_000_000
    hub.write("/repos/tidewater/harbour-web", "new.md", "new\n")


def test_a_configuration_makes_repositories_issues_and_pull_requests(platform: Platform):
    answer = platform.client.post("/twin-runs", json={"twins": ["github"], "seed_config": {"github": CONFIG}})
    assert answer.is_success, answer.text


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({"repos": [{"name": "a", "owner": "nobody"}]}, "repos[0].owner"),
        ({"repos": [{"name": "a", "prs": [{"title": "t", "head": "h", "base": "nope"}]}]}, "repos[0].prs[0].base"),
        ({"repos": [{"name": "a"}, {"name": "a"}]}, "repos[1]: Repository creation failed."),
        ({"repos": [{"name": "a", "issues": [{"title": "t", "user": "nobody"}]}]}, "repos[0].issues[0].user"),
        ({"repo": []}, "did you mean 'repos'?"),
    ],
)
def test_a_configuration_that_cannot_be_says_where(platform: Platform, config: Any, problem: str):
    answer = platform.client.post("/twin-runs", json={"twins": ["github"], "seed_config": {"github": config}})
    assert (answer.status_code, problem in answer.text) == (422, True), answer.text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("", "tidewater/buoy-firmware"),
        ("tidewater/harbour-api", "Add berths"),
        ("tidewater/harbour-api/issues/1", "Opened by"),
        ("tidewater/harbour-api/pull/31", "diff --git a/src/"),
    ],
)
def test_people_see_repositories_issues_and_diffs(company: Hub, path: str, text: str):
    page = f"/inspect/environments/{company.environment.id}/screens/github{f'/{path}' if path else ''}"
    assert text in company.environment.platform.client.get(page).text


def test_people_see_a_workflow_run(company: Hub):
    (run,) = company("GET", "/repos/tidewater/harbour-api/actions/runs", params={"event": "workflow_dispatch"})[
        "workflow_runs"
    ]
    base = f"/inspect/environments/{company.environment.id}/screens/github/tidewater/harbour-api/actions/runs"
    client = company.environment.platform.client
    assert "Smoke test" in client.get(f"{base}/{run['id']}").text
    assert client.get(f"{base}/1").status_code == 404
