"""PyGithub, unmodified, over a socket."""

from __future__ import annotations

from typing import Any

import pytest
from github import Auth, Github, GithubException, InputGitTreeElement, UnknownObjectException

from .conftest import CAT, Hub

EAGER: dict[str, Any] = {"seconds_between_requests": 0, "seconds_between_writes": 0}


@pytest.fixture
def client(platform: Any) -> Any:
    """A client of an environment with a repository."""
    live = type(platform)(platform.server.client)
    hub = Hub(live.environment("github:github_base", CAT, tokens={f"token-{CAT}": CAT}))
    hub.repo()
    with Github(base_url=hub.url.rstrip("/"), auth=Auth.Token(hub.token), retry=None, timeout=60, **EAGER) as made:
        yield made


def test_files_branches_and_pull_requests(client: Any):
    repo = client.get_repo("octocat/demo")
    repo.create_git_ref("refs/heads/feature", repo.get_branch("main").commit.sha)
    repo.create_file("a.txt", "Add a", "one\n", branch="feature")
    pull = repo.create_pull(title="A", body="b", head="feature", base="main")
    assert [file.filename for file in pull.get_files()] == ["a.txt"]
    pull.create_review(body="Good", event="COMMENT")
    assert pull.merge(merge_method="squash").merged
    assert repo.get_contents("a.txt").decoded_content == b"one\n"
    repo.delete_file("a.txt", "Remove a", repo.get_contents("a.txt").sha)
    assert next(commit.commit.message for commit in repo.get_commits()) == "Remove a"


def test_issues_labels_and_search(client: Any):
    repo = client.get_repo("octocat/demo")
    milestone = repo.create_milestone("1.0")
    issues = [repo.create_issue(f"Issue {number}", labels=["bug"], milestone=milestone) for number in range(35)]
    issues[0].create_comment("Hi")
    issues[0].edit(state="closed")
    issues[1].add_to_labels("mine")
    assert repo.get_issues(state="all").totalCount == 35
    assert len(list(repo.get_issues(labels=["bug"]))) == 34
    assert client.search_issues("repo:octocat/demo label:mine")[0].number == 2
    assert [event.event for event in issues[0].get_timeline()][-1] == "closed"


def test_trees_and_commits_are_made(client: Any):
    repo = client.get_repo("octocat/demo")
    head = repo.get_git_ref("heads/main")
    base = repo.get_git_commit(head.object.sha)
    tree = repo.create_git_tree([InputGitTreeElement("x/y.txt", "100644", "blob", content="y\n")], base.tree)
    head.edit(repo.create_git_commit("Add y", tree, [base]).sha)
    assert repo.get_contents("x/y.txt").size == 2
    release = repo.create_git_release("v1", "One", "First")
    assert repo.get_latest_release().id == release.id
    assert repo.get_archive_link("zipball", "v1").endswith("/octocat/demo/legacy.zip/refs/tags/v1")


def test_errors_are_the_client_s(client: Any):
    with pytest.raises(UnknownObjectException):
        client.get_repo("octocat/nope")
    with pytest.raises(GithubException) as refused:
        client.get_repo("octocat/demo").create_issue("")
    assert refused.value.status == 422
