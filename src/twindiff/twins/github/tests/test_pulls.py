"""Pull requests: mergeability, three ways to merge, reviews, comments on diffs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Hub


@pytest.mark.parametrize(
    ("method", "parents", "title"),
    [
        ("merge", 2, "Merge pull request #1 from octocat/feature"),
        ("squash", 1, "Write a.txt (#1)"),
        ("rebase", 1, "Write a.txt"),
    ],
)
def test_a_pull_request_is_merged_by_each_method(hub: Hub, method: str, parents: int, title: str):
    repo = hub.repo()
    pull = hub.pull(repo)
    assert (pull["mergeable"], pull["mergeable_state"], pull["commits"], pull["additions"]) == (True, "clean", 1, 1)
    hub.write(repo, "b.txt", "b")
    merged = hub("PUT", f"{repo}/pulls/1/merge", {"merge_method": method})
    head = hub("GET", f"{repo}/commits/main")
    assert (head["sha"], len(head["parents"])) == (merged["sha"], parents)
    assert head["commit"]["message"].partition("\n")[0] == title
    assert [file["name"] for file in hub("GET", f"{repo}/contents")] == ["README.md", "a.txt", "b.txt"]
    after = hub("GET", f"{repo}/pulls/1")
    assert (after["state"], after["merged"], after["merged_by"]["login"]) == ("closed", True, "octocat")


def test_a_conflict_cannot_be_merged(hub: Hub):
    repo = hub.repo()
    hub.pull(repo, text="theirs\n")
    hub.write(repo, "a.txt", "ours\n")
    before, pull = hub.head(repo), hub("GET", f"{repo}/pulls/1")
    assert (pull["mergeable"], pull["mergeable_state"]) == (False, "dirty")
    assert hub.refused("PUT", f"{repo}/pulls/1/merge", {}) == (405, "Pull Request is not mergeable")
    assert hub.head(repo) == before


def test_changes_of_different_lines_are_merged(hub: Hub):
    repo = hub.repo()
    lines = [f"{number}\n" for number in range(10)]
    hub.write(repo, "a.txt", "".join(lines))
    hub.pull(repo, text="".join(["first\n", *lines[1:]]))
    hub.write(repo, "a.txt", "".join([*lines[:-1], "last\n"]))
    hub("PUT", f"{repo}/pulls/1/merge", {"merge_method": "squash"})
    raw = hub.http("GET", f"{repo}/contents/a.txt", headers={"Accept": "application/vnd.github.raw"}).text
    assert raw == "".join(["first\n", *lines[1:-1], "last\n"])


def _states(hub: Hub, *paths: str) -> list[str]:
    return [hub("GET", path)["state"] for path in paths]


@pytest.mark.parametrize("by_push", [False, True])
def test_a_merge_closes_the_issues_and_pull_requests_that_it_fixes(hub: Hub, by_push: bool):
    repo, other = hub.repo(), hub.repo("other")
    for path in (repo, repo, other):
        hub("POST", f"{path}/issues", {"title": "Broken"})
    hub.pull(repo, "older")
    hub.pull(repo, path="b.txt", body="Fixes #1, closes: Octocat/other#1, resolves #3. #2 and octocat/none#2 stay")
    if by_push:
        hub("PATCH", f"{repo}/git/refs/heads/main", {"sha": hub.head(repo, "feature")})
    else:
        hub("PUT", f"{repo}/pulls/4/merge", {})
    assert hub("GET", f"{repo}/pulls/4")["merged"]
    paths = (f"{repo}/issues/1", f"{repo}/issues/2", f"{other}/issues/1", f"{repo}/pulls/3")
    assert _states(hub, *paths) == ["closed", "open", "closed", "closed"]


def test_a_commit_that_reaches_the_default_branch_closes_the_issues_that_it_fixes(hub: Hub):
    repo = hub.repo()
    hub("POST", f"{repo}/issues", {"title": "Broken"})
    hub.branch(repo, "feature")
    hub.write(repo, "a.txt", "a", "feature", message="Mend it\n\nFixed #1")
    assert _states(hub, f"{repo}/issues/1") == ["open"]
    hub("POST", f"{repo}/merges", {"base": "main", "head": "feature"})
    closed = hub("GET", f"{repo}/issues/1/events")[-1]
    assert (closed["event"], closed["commit_id"]) == ("closed", hub.head(repo, "feature"))


def test_a_merge_into_another_branch_closes_no_issue(hub: Hub):
    repo = hub.repo()
    hub("POST", f"{repo}/issues", {"title": "Broken"})
    hub.branch(repo, "next")
    hub.pull(repo, body="Fixes #1", base="next")
    hub("PUT", f"{repo}/pulls/2/merge", {})
    assert _states(hub, f"{repo}/issues/1", f"{repo}/pulls/2") == ["open", "closed"]


def test_a_merge_closes_no_issue_of_a_repository_where_its_author_may_not(github: Callable[..., Hub]):
    hub = github("github_default", user="ben", users=("cleo",))
    theirs = hub.as_user("cleo").repo("theirs")
    hub.as_user("cleo")("POST", f"{theirs}/issues", {"title": "Broken"})
    repo = hub.repo()
    hub.pull(repo, body="Fixes cleo/theirs#1")
    hub("PUT", f"{repo}/pulls/1/merge", {})
    assert _states(hub, f"{theirs}/issues/1") == ["open"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"head": "nope", "base": "main"}, "invalid"),
        ({"head": "main", "base": "main"}, "No commits between main and main"),
        ({"head": "feature", "base": "main"}, "A pull request already exists for octocat:feature."),
    ],
)
def test_pull_requests_that_cannot_be_are_refused(hub: Hub, body: dict[str, str], message: str):
    repo = hub.repo()
    hub.pull(repo)
    (error,) = hub.http("POST", f"{repo}/pulls", json={"title": "t", **body}).json()["errors"]
    assert message in (error["code"], error.get("message"))
    assert len(hub("GET", f"{repo}/pulls")) == 1


def test_a_pull_request_follows_its_branch(hub: Hub):
    repo = hub.repo()
    hub.pull(repo)
    hub.write(repo, "b.txt", "b\n", "feature")
    assert [file["filename"] for file in hub("GET", f"{repo}/pulls/1/files")] == ["a.txt", "b.txt"]
    assert hub("GET", f"{repo}/git/ref/pull/1/head")["object"]["sha"] == hub.head(repo, "feature")
    hub("DELETE", f"{repo}/git/refs/heads/feature")
    assert hub("GET", f"{repo}/pulls/1")["state"] == "closed"


def test_a_push_of_its_commits_merges_a_pull_request(hub: Hub):
    repo = hub.repo()
    hub.pull(repo)
    hub("PATCH", f"{repo}/git/refs/heads/main", {"sha": hub.head(repo, "feature")})
    assert hub("GET", f"{repo}/pulls/1")["merged"]


PROTECTED = dict.fromkeys(("required_status_checks", "enforce_admins", "required_pull_request_reviews", "restrictions"))


@pytest.mark.parametrize(("head", "is_deleted"), [("feature", True), ("protected", False), ("main", False)])
def test_the_head_of_a_merge_is_deleted_unless_it_is_protected_or_the_default_branch(
    hub: Hub, head: str, is_deleted: bool
):
    repo = hub.repo()
    hub("PATCH", repo, {"delete_branch_on_merge": True})
    hub.branch(repo, "next")
    if head != "main":
        hub.branch(repo, head)
    hub.write(repo, "a.txt", "a", head)
    hub("PUT", f"{repo}/branches/protected/protection", PROTECTED) if head == "protected" else None
    hub("POST", f"{repo}/pulls", {"title": "P", "head": head, "base": "next"})
    hub("PUT", f"{repo}/pulls/1/merge", {})
    assert (hub.http("GET", f"{repo}/branches/{head}").status_code == 404) is is_deleted


def test_a_pull_request_whose_base_is_deleted_after_its_merge_moves_to_the_base_of_that(hub: Hub):
    repo = hub.repo()
    hub.pull(repo)
    hub.branch(repo, "child", "feature")
    hub.write(repo, "b.txt", "b", "child")
    hub("POST", f"{repo}/pulls", {"title": "Child", "head": "child", "base": "feature"})
    hub("PUT", f"{repo}/pulls/1/merge", {})
    hub("DELETE", f"{repo}/git/refs/heads/feature")
    child = hub("GET", f"{repo}/pulls/2")
    assert (child["state"], child["base"]["ref"], child["commits"]) == ("open", "main", 1)
    assert hub("GET", f"{repo}/issues/2/events")[-1]["event"] == "automatic_base_change_succeeded"


def test_a_renamed_branch_keeps_its_protection_and_the_pull_requests_into_it(hub: Hub):
    repo = hub.repo()
    hub.pull(repo)
    hub("PUT", f"{repo}/branches/main/protection", PROTECTED)
    hub("POST", f"{repo}/branches/main/rename", {"new_name": "trunk"})
    pull = hub("GET", f"{repo}/pulls/1")
    assert (pull["state"], pull["base"]["ref"]) == ("open", "trunk")
    assert hub("GET", f"{repo}/branches/trunk")["protected"]


def test_a_review_has_comments_on_lines_of_the_diff(hub: Hub):
    repo = hub.repo()
    hub.pull(repo, text="1\n2\n3\n")
    comment = {"path": "a.txt", "line": 2, "body": "Why?"}
    hub("POST", f"{repo}/pulls/1/reviews", {"event": "COMMENT", "body": "See", "comments": [comment]})
    (shown,) = hub("GET", f"{repo}/pulls/1/comments")
    assert (shown["line"], shown["position"], shown["diff_hunk"]) == (2, 2, "@@ -0,0 +1,3 @@\n+1\n+2")
    reply = hub("POST", f"{repo}/pulls/1/comments/{shown['id']}/replies", {"body": "Because"})
    assert reply["in_reply_to_id"] == shown["id"]


@pytest.mark.parametrize(
    "review",
    [
        {"event": "APPROVE"},
        {"event": "REQUEST_CHANGES", "body": "no"},
        {"event": "COMMENT"},
        {"event": "COMMENT", "body": "x", "comments": [{"path": "a.txt", "line": 9, "body": "x"}]},
        {"event": "COMMENT", "body": "x", "comments": [{"path": "nope", "line": 1, "body": "x"}]},
    ],
)
def test_reviews_that_cannot_be_leave_nothing_behind(hub: Hub, review: dict[str, object]):
    repo = hub.repo()
    hub.pull(repo)
    assert hub.refused("POST", f"{repo}/pulls/1/reviews", review)[0] == 422
    assert hub("GET", f"{repo}/pulls/1/reviews") == []


def test_a_branch_is_updated_from_its_base(hub: Hub):
    repo = hub.repo()
    hub.pull(repo)
    hub.write(repo, "b.txt", "b")
    hub("PUT", f"{repo}/pulls/1/update-branch", {})
    assert hub("GET", f"{repo}/compare/feature...main")["status"] == "behind"
    assert len(hub("GET", f"{repo}/pulls/1/commits")) == 2


def test_a_draft_and_a_changed_head_are_not_merged(hub: Hub):
    repo = hub.repo()
    hub.pull(repo, draft=True)
    assert hub.refused("PUT", f"{repo}/pulls/1/merge", {}) == (405, "Pull Request is still a draft")
    assert hub.refused("PUT", f"{repo}/pulls/1/merge", {"sha": "0" * 40})[0] == 409
