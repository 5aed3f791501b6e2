"""Comments on issues and pull requests, reactions, events and timelines.

https://docs.github.com/en/rest/issues/comments
https://docs.github.com/en/rest/reactions
https://docs.github.com/en/rest/issues/timeline
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from twindiff.kit import Call, Operations, ValueResponse
from twindiff.kit.rows import Row

from ..core.access import check_permission, find_issue, find_pull, find_repo, may
from ..core.listing import paginate, slice_page
from ..core.node_ids import node_id
from ..core.stamps import new_id, parse_instant, show_instant
from ..event_delivery.announcements import announce
from ..git.pull_commits import commits_of
from ..tables.issue_tables import Issue, IssueComment, IssueEvent, Reaction, Review, ReviewComment
from ..tables.repository_tables import CommitComment, Release, Repository
from ..views.commit_views import show_git_commit
from ..views.issue_views import show_comment, show_issue
from ..views.review_views import show_review
from ..views.user_views import user_of
from ..wire_style import Forbidden, NotVisible, invalid
from .issue_changes import check_open_for_comments, check_text, find_event, notify, reasons_of, show_event

api = Operations()
Content = Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]


@api.get("/repos/{owner}/{repo}/issues/{issue_number}/comments")
def list_issue_comments(call: Call, owner: str, repo: str, issue_number: int, since: str = "") -> Any:
    """List the comments on an issue, oldest first."""
    row = find_repo(call, owner, repo)
    issue = find_issue(call, row, issue_number)
    where = (IssueComment.issue_id == issue.id, IssueComment.updated_at >= (parse_instant(since) or ""))
    return paginate(
        call,
        IssueComment,
        *where,
        by=(IssueComment.created_at, IssueComment.id),
        show=lambda each: show_comment(call, row, issue_number, each),
    )


@api.get("/repos/{owner}/{repo}/issues/comments")
def list_repository_comments(
    call: Call, owner: str, repo: str, sort: str = "created", direction: str = "asc", since: str = ""
) -> Any:
    """List the comments on all issues of a repository."""
    row = find_repo(call, owner, repo)
    column = IssueComment.updated_at if sort == "updated" else IssueComment.created_at
    by = (-column, -IssueComment.id) if direction == "desc" and sort else (column, IssueComment.id)
    where = (IssueComment.repository_id == row.id, IssueComment.updated_at >= (parse_instant(since) or ""))

    def show(comment: IssueComment) -> dict[str, Any]:
        return show_comment(call, row, call.db.get(Issue, comment.issue_id).number, comment)

    return paginate(call, IssueComment, *where, by=by, show=show)


@api.post("/repos/{owner}/{repo}/issues/{issue_number}/comments", status=201)
def create_comment(call: Call, owner: str, repo: str, issue_number: int, body: str) -> Any:
    """Comment on an issue or a pull request."""
    row = find_repo(call, owner, repo)
    issue = find_issue(call, row, issue_number)
    check_open_for_comments(call, row, issue)
    if not body.strip():
        raise invalid("IssueComment", "body", "unprocessable", "Body cannot be blank")
    check_text("IssueComment", body=body)
    comment = add_comment(call, row, issue, body)
    shown = show_comment(call, row, issue_number, comment)
    announce(call, row, "issue_comment", {"action": "created", "issue": show_issue(call, row, issue), "comment": shown})
    return shown


def add_comment(call: Call, repo: Repository, issue: Issue, body: str) -> IssueComment:
    """Add the row of a comment, and notify those whom it concerns."""
    now = call.clock.iso()
    about: dict[str, Any] = {"repository_id": repo.id, "issue_id": issue.id, "user": call.actor}
    comment = call.db.add(IssueComment(id=new_id(call), body=body, created_at=now, updated_at=now, **about))
    issue = call.db.change(issue, comments=issue.comments + 1, updated_at=now)
    before = call.db.rows(IssueComment, IssueComment.issue_id == issue.id, columns=(IssueComment.user,))
    notify(call, repo, issue, reasons_of(call, repo, issue, body, [row[0] for row in before]), comment.id)
    return comment


def find_comment(call: Call, repo: Repository, comment_id: int) -> tuple[IssueComment, Issue]:
    """Return a comment of a repository with its issue; raise NotVisible."""
    comment = call.db.find(IssueComment, IssueComment.id == comment_id, IssueComment.repository_id == repo.id)
    if comment is None:
        raise NotVisible
    return comment, call.db.get(Issue, comment.issue_id)


@api.get("/repos/{owner}/{repo}/issues/comments/{comment_id}")
def get_comment(call: Call, owner: str, repo: str, comment_id: int) -> Any:
    """Get a comment."""
    row = find_repo(call, owner, repo)
    comment, issue = find_comment(call, row, comment_id)
    return show_comment(call, row, issue.number, comment)


def _check_author(call: Call, repo: Repository, author: str) -> None:
    if author != call.actor and not may(call, repo, "push"):
        raise Forbidden("Must have admin rights to Repository.")


@api.patch("/repos/{owner}/{repo}/issues/comments/{comment_id}")
def update_comment(call: Call, owner: str, repo: str, comment_id: int, body: str) -> Any:
    """Change a comment."""
    row = find_repo(call, owner, repo)
    comment, issue = find_comment(call, row, comment_id)
    _check_author(call, row, comment.user)
    check_text("IssueComment", body=body)
    comment = call.db.change(comment, body=body, updated_at=call.clock.iso())
    shown = show_comment(call, row, issue.number, comment)
    announce(call, row, "issue_comment", {"action": "edited", "issue": show_issue(call, row, issue), "comment": shown})
    return shown


@api.delete("/repos/{owner}/{repo}/issues/comments/{comment_id}", status=204)
def delete_comment(call: Call, owner: str, repo: str, comment_id: int) -> None:
    """Delete a comment."""
    row = find_repo(call, owner, repo)
    comment, issue = find_comment(call, row, comment_id)
    _check_author(call, row, comment.user)
    shown = show_comment(call, row, issue.number, comment)
    call.db.remove(comment)
    call.db.change(issue, comments=max(0, issue.comments - 1))
    announce(call, row, "issue_comment", {"action": "deleted", "issue": show_issue(call, row, issue), "comment": shown})


class _Subject(NamedTuple):
    """An object that users react to: its table, as rows name it, and its class."""

    name: str
    table: type[Row]


_SUBJECTS = {
    "issues": _Subject("issues", Issue),
    "issues/comments": _Subject("issue_comments", IssueComment),
    "pulls/comments": _Subject("review_comments", ReviewComment),
    "comments": _Subject("commit_comments", CommitComment),
    "releases": _Subject("releases", Release),
}


def show_reaction(call: Call, reaction: Reaction) -> dict[str, Any]:
    """Render a reaction."""
    return {
        "id": reaction.id,
        "node_id": node_id("REA", reaction.subject_id, reaction.id),
        "user": user_of(call, reaction.user),
        "content": reaction.content,
        "created_at": show_instant(reaction.created_at),
    }


def _subject_id(call: Call, repo: Repository, kind: str, number: int) -> int:
    """Return the id of an object of a repository; issues are given by number. Raise NotVisible."""
    if kind == "issues":
        return find_issue(call, repo, number).id
    table: Any = _SUBJECTS[kind].table
    if call.db.find(table, table.id == number, table.repository_id == repo.id) is None:
        raise NotVisible
    return number


def _declare_reactions(kind: str) -> None:
    """Declare the operations on the reactions of one kind of object."""
    path = f"/repos/{{owner}}/{{repo}}/{kind}/{{number}}/reactions"
    subject = _SUBJECTS[kind].name

    def list_reactions(call: Call, owner: str, repo: str, number: int, content: str = "") -> Any:
        """List the reactions to an object."""
        target = _subject_id(call, find_repo(call, owner, repo), kind, number)
        where: list[Any] = [Reaction.subject == subject, Reaction.subject_id == target]
        where += [Reaction.content == content] if content else []
        return paginate(call, Reaction, *where, by=Reaction.id, show=lambda each: show_reaction(call, each))

    def create_reaction(call: Call, owner: str, repo: str, number: int, content: Content) -> Any:
        """React to an object: 201, or 200 if the caller has reacted so before."""
        target = _subject_id(call, find_repo(call, owner, repo), kind, number)
        where = (Reaction.subject == subject, Reaction.subject_id == target)
        mine = (Reaction.user == call.actor, Reaction.content == content)
        if known := call.db.find(Reaction, *where, *mine):
            return ValueResponse(show_reaction(call, known), 200)
        fields: dict[str, Any] = {"user": call.actor, "content": content, "created_at": call.clock.iso()}
        row = call.db.add(Reaction(id=new_id(call), subject=subject, subject_id=target, **fields))
        return show_reaction(call, row)

    def delete_reaction(call: Call, owner: str, repo: str, number: int, reaction_id: int) -> None:
        """Remove the caller's reaction, or as a writer any."""
        row = find_repo(call, owner, repo)
        target = _subject_id(call, row, kind, number)
        known = call.db.find(Reaction, Reaction.id == reaction_id, Reaction.subject_id == target)
        if known is None:
            raise NotVisible
        if known.user != call.actor:
            check_permission(call, row, "push")
        call.db.remove(known)

    api.get(path)(list_reactions)
    api.post(path, status=201)(create_reaction)
    api.delete(f"{path}/{{reaction_id}}", status=204)(delete_reaction)


for _kind in _SUBJECTS:
    _declare_reactions(_kind)


@api.get("/repos/{owner}/{repo}/issues/{issue_number}/events")
def list_issue_events(call: Call, owner: str, repo: str, issue_number: int) -> Any:
    """List the events of an issue, oldest first."""
    row = find_repo(call, owner, repo)
    issue = find_issue(call, row, issue_number)
    return paginate(
        call,
        IssueEvent,
        IssueEvent.issue_id == issue.id,
        by=IssueEvent.id,
        show=lambda each: show_event(call, row, issue, each),
    )


@api.get("/repos/{owner}/{repo}/issues/events")
def list_repository_events(call: Call, owner: str, repo: str) -> Any:
    """List the events of all issues of a repository, newest first."""
    row = find_repo(call, owner, repo)

    def show(event: IssueEvent) -> dict[str, Any]:
        return show_event(call, row, call.db.get(Issue, event.issue_id), event, with_issue=True)

    return paginate(call, IssueEvent, IssueEvent.repository_id == row.id, by=-IssueEvent.id, show=show)


@api.get("/repos/{owner}/{repo}/issues/events/{event_id}")
def get_event(call: Call, owner: str, repo: str, event_id: int) -> Any:
    """Get an event of an issue."""
    row = find_repo(call, owner, repo)
    event = find_event(call, row, event_id)
    return show_event(call, row, call.db.get(Issue, event.issue_id), event, with_issue=True)


@api.get("/repos/{owner}/{repo}/issues/{issue_number}/timeline")
def list_timeline(call: Call, owner: str, repo: str, issue_number: int) -> Any:
    """List what happened to an issue, oldest first: events, comments and, of pull requests, commits and reviews."""
    row = find_repo(call, owner, repo)
    issue = find_issue(call, row, issue_number)
    entries: list[tuple[str, dict[str, Any]]] = []
    events = call.db.rows(IssueEvent, IssueEvent.issue_id == issue.id, order=IssueEvent.id)
    entries += [(event.created_at, show_event(call, row, issue, event)) for event in events]
    for comment in call.db.rows(IssueComment, IssueComment.issue_id == issue.id, order=IssueComment.id):
        shown = show_comment(call, row, issue_number, comment) | {"event": "commented"}
        entries.append((comment.created_at, shown | {"actor": shown["user"]}))
    if issue.is_pull_request:
        pull = find_pull(call, row, issue_number)
        entries += [
            (each.committed_at, show_git_commit(call, row, each) | {"event": "committed"})
            for each in commits_of(call, row, pull)
        ]
        entries += [
            (each.submitted_at, show_review(call, row, pull, each) | {"event": "reviewed"})
            for each in call.db.rows(Review, Review.pull_request_id == pull.id, order=Review.id)
            if each.submitted_at
        ]
    return slice_page(call, [shown for _, shown in sorted(entries, key=lambda entry: entry[0])])
