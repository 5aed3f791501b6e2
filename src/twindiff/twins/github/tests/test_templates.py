"""The templates, and what a configuration makes."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.harness import Environment, Platform
from twindiff.client import bundle_repositories

from .conftest import Hub
from .test_git import QUIET

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


def test_the_organization_plans_and_talks(company: Hub):
    items = company("GET", "/orgs/tidewater/projectsV2/1/items")
    kinds = [each["content_type"] for each in items]
    assert (kinds.count("Issue"), kinds.count("PullRequest"), kinds.count("DraftIssue")) == (6, 1, 2)
    shown = "discussionCount nodes { ... on Discussion { isAnswered closed upvoteCount } }"
    query = f'{{ search(query: "org:tidewater", type: DISCUSSION, first: 9) {{ {shown} }} }}'
    found = company("POST", "/graphql", {"query": query})["data"]["search"]
    assert found["discussionCount"] == 5
    for name in ("isAnswered", "closed", "upvoteCount"):
        assert any(each[name] for each in found["nodes"]), name


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


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A local repository with two branches, a merge and an annotated tag."""
    folder = tmp_path_factory.mktemp("seed") / "shop"
    folder.mkdir()
    lines = (
        "init -qb trunk",
        "commit -qm One --allow-empty",
        "checkout -qb feature",
        "commit -qm Two --allow-empty",
        "checkout -q trunk",
        "merge -q --no-ff -m Three feature",
        "tag -a v1 -m First",
    )
    for line in lines:
        subprocess.run(["git", "-C", folder, *line.split()], check=True, env=QUIET)
    return folder


def seeded(platform: Platform, config: Any, folder: Path) -> Hub:
    """The environment of a configuration whose paths are relative to a folder, for its first user."""
    body = {"twins": ["github"], "seed_config": bundle_repositories({"github": config}, folder)}
    made = platform.client.post("/twin-runs", json=body)
    assert made.is_success, made.text
    path = f"/api/env/{made.json()['environment_id']}/services/github"
    return Hub(
        Environment(
            platform,
            {"environmentId": "", "agentToken": "", "environmentUrl": path, "environmentUrls": {"github": path}},
        )
    )


def read_git(folder: Path, *arguments: str) -> list[str]:
    """The words that git prints."""
    done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_local_repository_keeps_its_branches_tags_and_commits(platform: Platform, checkout: Path):
    config = {"repos": [{"name": "shop", "repository": "shop", "prs": [{"title": "More", "head": "more"}]}]}
    hub = seeded(platform, config, checkout.parent)
    (about,) = hub("GET", "/user/repos")
    repo = f"/repos/{about['full_name']}"
    refs = [each for kind in ("heads", "tags") for each in hub("GET", f"{repo}/git/matching-refs/{kind}")]
    words = read_git(checkout, "show-ref")
    local = dict(zip(words[1::2], words[::2], strict=True))
    assert {each["ref"]: each["object"]["sha"] for each in refs}.items() >= local.items()
    assert about["default_branch"] == "trunk"
    assert hub("GET", f"{repo}/commits")[0]["commit"]["message"] == "Three"


WHO, CREATED = {"login": "maya", "id": 1, "type": "User"}, "2025-03-01T09:00:00Z"
EXPORT: dict[str, Any] = {
    "repository": {"name": "shop", "owner": {"login": "acme", "type": "Organization"}, "id": 7, "topics": ["a"]},
    "bundle": "shop",
    "labels": [{"name": "bug", "color": "ff0000", "description": "Broken", "id": 9}],
    "milestones": [{"number": 3, "title": "1.0", "state": "open", "creator": WHO}],
    "issues": [
        {
            "number": 4,
            "title": "It fails",
            "state": "closed",
            "state_reason": "not_planned",
            "user": WHO,
            "labels": [{"name": "bug"}],
            "milestone": {"number": 3, "title": "1.0"},
            "created_at": CREATED,
        },
        {"number": 6, "title": "Mend it", "pull_request": {}},
    ],
    "comments": [{"body": "Same here", "issue_url": "https://api.github.com/repos/acme/shop/issues/4", "user": WHO}],
    "releases": [{"tag_name": "v1", "name": "First", "published_at": CREATED, "author": WHO}],
}


def test_an_export_of_githubs_api_keeps_numbers_people_and_states(platform: Platform, checkout: Path):
    trunk, feature = read_git(checkout, "rev-parse", "trunk", "feature")
    sides = {"head": {"ref": "feature", "sha": feature}, "base": {"ref": "trunk", "sha": trunk}}
    pull = {"number": 6, "title": "Mend it", "state": "closed", "user": WHO, "merged_at": CREATED, **sides}
    hub, repo = seeded(platform, {"exports": [{**EXPORT, "pulls": [pull]}]}, checkout.parent), "/repos/acme/shop"
    issue, pull = hub("GET", f"{repo}/issues/4"), hub("GET", f"{repo}/pulls/6")
    assert (issue["user"]["login"], issue["state_reason"], issue["milestone"]["number"]) == ("maya", "not_planned", 3)
    assert (issue["created_at"], issue["comments"], issue["labels"][0]["color"]) == (CREATED, 1, "ff0000")
    assert (pull["merged"], pull["merged_at"], pull["head"]["sha"]) == (True, CREATED, feature)
    assert hub("GET", f"{repo}/releases/latest")["tag_name"] == "v1"
    assert hub("POST", f"{repo}/issues", {"title": "Next"})["number"] == 7


NO_COMMIT = {"number": 1, "title": "t", "head": {"ref": "a", "sha": "0" * 40}, "base": {"ref": "main", "sha": "0" * 40}}
ACME = {"repository": {"name": "a", "owner": {"login": "acme"}}}


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({"repos": [{"name": "a", "bundle": "x"}]}, "repos[0]: bundle: it is not base64"),
        ({"repos": [{"name": "a", "bundle": "IyB2"}]}, "repos[0]: bundle: it is no whole bundle of version 2"),
        ({"exports": [{**ACME, "pulls": [NO_COMMIT]}]}, "exports[0]: pull request 1: commit 000"),
        ({"exports": [{**ACME, "comments": [{"body": "b", "issue_url": "x/9"}]}]}, "there is no issue x/9"),
        ({"exports": [{**ACME, "issues": [{"number": 1, "title": "t"}] * 2}]}, "number 1 is in the export twice"),
        ({"exports": [{}]}, "exports[0]: Object missing required field `repository`"),
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
        ("tidewater/harbour-api/pull/35", "    return rows\n<del>-# Handle empty lists in app, step 0</del>\n<ins>+#"),
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
