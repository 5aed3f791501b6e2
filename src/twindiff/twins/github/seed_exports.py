"""Fills a repository from what GitHub's REST API answered about it, as octokit returns it.

Numbers, people, labels, milestones, states and times are those of the export. Unknown fields are left out.
https://docs.github.com/en/rest
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from twindiff.kit import Call

from .core.stamps import new_id, parse_instant
from .git.objects import store_of
from .issues.issue_changes import resolve_labels
from .issues.issues import add_issue
from .pulls.pulls import PullBody, add_pull
from .pushes.head_tracking import set_pull_ref
from .tables.issue_tables import Issue, IssueComment, Label, Milestone, PullRequest
from .tables.repository_tables import Release, Repository
from .wire_style import Unprocessable


class ExportedUser(msgspec.Struct):
    """A user or an organization."""

    login: str
    type: str = "User"


class ExportedRepository(msgspec.Struct):
    """The answer of `GET /repos/{owner}/{repo}`."""

    name: str
    owner: ExportedUser
    private: bool = False
    description: str | None = None
    default_branch: str | None = None
    homepage: str | None = None
    topics: list[str] = []


class ExportedLabel(msgspec.Struct):
    """An item of `GET …/labels`, or of an issue's labels."""

    name: str
    color: str = "ededed"
    description: str | None = None


class ExportedMilestone(msgspec.Struct):
    """An item of `GET …/milestones`."""

    number: int
    title: str
    description: str | None = None
    state: str = "open"
    creator: ExportedUser | None = None
    due_on: str | None = None
    closed_at: str | None = None
    created_at: str | None = None


class ExportedIssue(msgspec.Struct):
    """An item of `GET …/issues`, with `pull_request` if it is one of those."""

    number: int
    title: str
    body: str | None = None
    state: str = "open"
    state_reason: str | None = None
    user: ExportedUser | None = None
    labels: list[ExportedLabel | str] = []
    assignees: list[ExportedUser] = []
    milestone: ExportedMilestone | None = None
    locked: bool = False
    closed_by: ExportedUser | None = None
    created_at: str | None = None
    closed_at: str | None = None
    pull_request: dict[str, Any] | None = None


class ExportedSide(msgspec.Struct):
    """The head or the base of a pull request."""

    ref: str
    sha: str


class ExportedPull(ExportedIssue, kw_only=True):
    """An item of `GET …/pulls`."""

    head: ExportedSide
    base: ExportedSide
    draft: bool = False
    merged_at: str | None = None
    merge_commit_sha: str | None = None


class ExportedComment(msgspec.Struct):
    """An item of `GET …/issues/comments`."""

    body: str
    issue_url: str
    user: ExportedUser | None = None
    created_at: str | None = None


class ExportedRelease(msgspec.Struct):
    """An item of `GET …/releases`."""

    tag_name: str
    target_commitish: str = ""
    name: str | None = None
    body: str | None = None
    draft: bool = False
    prerelease: bool = False
    author: ExportedUser | None = None
    created_at: str | None = None
    published_at: str | None = None


class SeedExport(msgspec.Struct, forbid_unknown_fields=True):
    """Answers about a repository, with a git bundle of its commits in base64."""

    repository: ExportedRepository
    bundle: str | None = None
    labels: list[ExportedLabel] = []
    milestones: list[ExportedMilestone] = []
    issues: list[ExportedIssue] = []
    pulls: list[ExportedPull] = []
    comments: list[ExportedComment] = []
    releases: list[ExportedRelease] = []


class ExportWriter:
    """Writes an export into a new repository; `find_login` makes users that there are not."""

    def __init__(self, call: Call, repo: Repository, find_login: Callable[[str], str]) -> None:
        self._call, self._repo = call, repo
        self._find_login = find_login
        self._milestones: dict[int, int] = {}
        self._by_number: dict[int, Issue] = {}

    def write(self, export: SeedExport) -> tuple[int, int]:
        """Write all of it, and return the numbers of issues and pull requests; raise Unprocessable."""
        for label in export.labels:
            self._label(label)
        for milestone in export.milestones:
            self._milestone(milestone)
        issues = [each for each in export.issues if each.pull_request is None]
        for each in sorted([*issues, *export.pulls], key=lambda item: item.number):
            issue = self._issue(each)
            if isinstance(each, ExportedPull):
                self._pull(issue, each)
        for comment in export.comments:
            self._comment(comment)
        for release in export.releases:
            self._release(release)
        return len(issues), len(export.pulls)

    def _login(self, user: ExportedUser | None) -> str:
        return self._find_login(user.login) if user else self._call.actor

    def _instant(self, text: str | None) -> str:
        return (parse_instant(text) if text else None) or self._call.clock.iso()

    def _label(self, label: ExportedLabel) -> None:
        (name,) = resolve_labels(self._call, self._repo, [label.name])
        known = self._call.db.find(Label, Label.repository_id == self._repo.id, Label.name == name)
        if known:
            self._call.db.change(known, color=label.color, description=label.description)

    def _milestone(self, each: ExportedMilestone) -> int:
        if each.number not in self._milestones:
            times = {name: parse_instant(getattr(each, name) or "") for name in ("due_on", "closed_at")}
            created = self._instant(each.created_at)
            row = Milestone(
                id=new_id(self._call),
                repository_id=self._repo.id,
                number=each.number,
                title=each.title,
                description=each.description,
                state=each.state,
                creator=self._login(each.creator),
                created_at=created,
                updated_at=created,
                **times,
            )
            self._milestones[each.number] = self._call.db.add(row).id
        return self._milestones[each.number]

    def _issue(self, each: ExportedIssue) -> Issue:
        """Add an issue, or the issue half of a pull request, under its own number."""
        if each.number in self._by_number:
            raise Unprocessable(f"number {each.number} is in the export twice")
        self._call.actor = self._login(each.user)
        repo = self._call.db.change(self._call.db.get(Repository, self._repo.id), next_number=each.number)
        named = [label if isinstance(label, str) else label.name for label in each.labels]
        more: dict[str, Any] = {
            "is_pull_request": isinstance(each, ExportedPull),
            "labels": resolve_labels(self._call, repo, named),
            "assignees": [self._login(user) for user in each.assignees],
            "milestone_id": self._milestone(each.milestone) if each.milestone else None,
            "locked": each.locked,
        }
        issue = add_issue(self._call, repo, title=each.title, body=each.body, **more)
        times: dict[str, Any] = {"created_at": self._instant(each.created_at), "state": each.state}
        if each.state == "closed":
            reason = each.state_reason or (None if isinstance(each, ExportedPull) else "completed")
            times |= {"closed_at": self._instant(each.closed_at), "state_reason": reason}
            times["closed_by"] = self._login(each.closed_by) if each.closed_by else None
        self._by_number[each.number] = issue = self._call.db.change(issue, **times)
        return issue

    def _pull(self, issue: Issue, each: ExportedPull) -> PullRequest:
        """Add a pull request whose commits the bundle has."""
        repo = self._call.db.get(Repository, self._repo.id)
        self._check_commits(repo, each)
        body = PullBody(title=each.title, head=each.head.ref, base=each.base.ref, draft=each.draft)
        sides = (repo, each.head.ref, each.head.sha), (each.base.ref, each.base.sha)
        pull = add_pull(self._call, repo, issue, *sides, body)
        set_pull_ref(self._call, repo, pull)
        if each.merged_at:
            merged: dict[str, Any] = {"merged": True, "merged_at": self._instant(each.merged_at)}
            merged["merge_commit_sha"] = each.merge_commit_sha
            pull = self._call.db.change(pull, merged_by=issue.closed_by or issue.user, **merged)
        return pull

    def _check_commits(self, repo: Repository, each: ExportedPull) -> None:
        store = store_of(self._call, repo)
        for side in (each.head, each.base):
            if store.type_of(side.sha) != "commit":
                raise Unprocessable(
                    f"pull request {each.number}: commit {side.sha} of '{side.ref}' is not in the bundle; fetch "
                    f"refs/pull/{each.number}/head and make the bundle with --all"
                )

    def _comment(self, each: ExportedComment) -> None:
        number = each.issue_url.rpartition("/")[2]
        issue = self._by_number.get(int(number)) if number.isdecimal() else None
        if issue is None:
            raise Unprocessable(f"comment: there is no issue {each.issue_url}")
        created = self._instant(each.created_at)
        about: dict[str, Any] = {"repository_id": self._repo.id, "issue_id": issue.id, "user": self._login(each.user)}
        self._call.db.add(
            IssueComment(id=new_id(self._call), body=each.body, created_at=created, updated_at=created, **about)
        )
        row = self._call.db.get(Issue, issue.id)
        self._call.db.change(row, comments=row.comments + 1)

    def _release(self, each: ExportedRelease) -> None:
        fields = {name: getattr(each, name) for name in ("tag_name", "name", "body", "draft", "prerelease")}
        self._call.db.add(
            Release(
                id=new_id(self._call),
                repository_id=self._repo.id,
                target_commitish=each.target_commitish or self._repo.default_branch,
                author=self._login(each.author),
                created_at=self._instant(each.created_at),
                published_at=parse_instant(each.published_at or ""),
                **fields,
            )
        )
