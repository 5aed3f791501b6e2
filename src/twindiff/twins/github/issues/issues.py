"""Issues: list, make, change, lock.

https://docs.github.com/en/rest/issues/issues
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Operations, Struct, UnsetType, any_of, not_
from twindiff.kit.computed_values import Item
from twindiff.kit.rows import Expression, Items, exists

from ..core.access import find_issue, find_org, find_repo, may
from ..core.listing import paginate
from ..core.stamps import new_id, parse_instant
from ..core.visibility import visible_to_caller
from ..tables.issue_tables import Issue, PullRequest
from ..tables.repository_tables import Repository
from ..views.issue_views import ISSUE_TYPES, prepare_issues, show_issue
from ..wire_style import Unprocessable, invalid
from .issue_changes import (
    announce_issue,
    change_assignees,
    change_labels,
    change_milestone,
    change_state,
    check_author_or_triage,
    check_has_issues,
    check_text,
    note_event,
    notify,
    reasons_of,
    resolve_assignees,
    resolve_labels,
    resolve_milestone,
    take_number,
)

api = Operations()
_SORTS = {"created": Issue.created_at, "updated": Issue.updated_at, "comments": Issue.comments}
LockReason = Literal["off-topic", "too heated", "resolved", "spam"]


class IssueBody(Struct):
    """An issue to make or to change."""

    title: str | int | UnsetType | None = UNSET
    body: str | UnsetType | None = UNSET
    assignee: str | UnsetType | None = UNSET
    assignees: list[Any] | UnsetType | None = UNSET
    labels: list[Any] | UnsetType | None = UNSET
    milestone: int | str | UnsetType | None = UNSET
    state: Literal["open", "closed"] | UnsetType = UNSET
    state_reason: Literal["completed", "not_planned", "duplicate", "reopened"] | UnsetType | None = UNSET
    type: str | UnsetType | None = UNSET


def names_in(items: list[Any], field: str) -> list[str]:
    """Return the texts of a list whose items are texts or objects with a text in `field`."""
    return [str(item.get(field, "") if isinstance(item, dict) else item) for item in items]  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def wanted_assignees(body: IssueBody) -> list[str] | None:
    """Return the logins that a request assigns; None if it says nothing of them."""
    if isinstance(body.assignees, list):
        return names_in(body.assignees, "login")
    if body.assignee is not UNSET:
        return [body.assignee] if body.assignee else []
    return None if body.assignees is UNSET else []


def has_item(column: Any, value: str) -> Expression:
    """Return the condition that a list in a column has a text."""
    return exists(Items(column), Item.value == value)


def filter_issues(call: Call, query: dict[str, str], repo: Repository | None) -> list[Expression]:
    """Return the conditions of the parameters of a list of issues."""
    where: list[Expression] = []
    state = query.get("state", "open")
    if state not in ("open", "closed", "all"):
        raise invalid("Issue", "state", value=state)
    if state != "all":
        where.append(Issue.state == state)
    assignee, milestone = query.get("assignee", ""), query.get("milestone", "")
    if assignee in ("*", "none"):
        anyone = exists(Items(Issue.assignees))
        where.append(anyone if assignee == "*" else not_(anyone))
    elif assignee:
        where.append(has_item(Issue.assignees, assignee))
    if milestone in ("*", "none"):
        where.append(Issue.milestone_id.is_null() if milestone == "none" else not_(Issue.milestone_id.is_null()))
    elif milestone:
        where.append(Issue.milestone_id == (resolve_milestone(call, repo, milestone) if repo else -1))
    if query.get("creator"):
        where.append(Issue.user.equals(query["creator"]))
    if query.get("mentioned"):
        where.append(Issue.body.contains(f"@{query['mentioned']}", fold=True))
    where += [has_item(Issue.labels, name.strip()) for name in query.get("labels", "").split(",") if name.strip()]
    return where + _filter_times_and_types(query)


def _filter_times_and_types(query: dict[str, str]) -> list[Expression]:
    where: list[Expression] = []
    if query.get("since"):
        where.append(Issue.updated_at >= (parse_instant(query["since"]) or "9999"))
    if query.get("type") not in (None, "", "*"):
        where.append(Issue.type == (None if query["type"] == "none" else query["type"]))
    return where


def order_issues(query: dict[str, str]) -> Any:
    """Return the order of a list of issues: newest first unless the request says otherwise."""
    column = _SORTS.get(query.get("sort", ""), Issue.created_at)
    return (column, Issue.id) if query.get("direction") == "asc" else (-column, -Issue.id)


@api.get("/repos/{owner}/{repo}/issues")
def list_issues(call: Call, owner: str, repo: str) -> Any:
    """List the issues and pull requests of a repository."""
    row, query = find_repo(call, owner, repo), call.memo["query"]
    where = [Issue.repository_id == row.id, *filter_issues(call, query, row)]
    return paginate(
        call,
        Issue,
        *where,
        by=order_issues(query),
        prepare=lambda rows: prepare_issues(call, rows),
        show=lambda each: show_issue(call, row, each, in_list=True),
    )


def _list_across(call: Call, *where: Expression) -> Any:
    """Return a page of issues of several repositories."""
    query: dict[str, str] = call.memo["query"]
    kinds: dict[str, Expression] = {
        "assigned": has_item(Issue.assignees, call.actor),
        "created": Issue.user == call.actor,
        "mentioned": Issue.body.contains(f"@{call.actor}", fold=True),
        "subscribed": any_of(Issue.user == call.actor, has_item(Issue.assignees, call.actor)),
    }
    chosen = kinds.get(query.get("filter", "assigned"))
    visible = exists(Repository, Repository.id == Issue.repository_id, visible_to_caller(call))
    conditions = [visible, *where, *filter_issues(call, query, None), *([chosen] if chosen is not None else [])]

    def show(issue: Issue) -> dict[str, Any]:
        return show_issue(call, call.db.get(Repository, issue.repository_id), issue, with_repo=True, in_list=True)

    return paginate(call, Issue, *conditions, by=order_issues(query), show=show)


@api.get("/issues")
def list_all_issues(call: Call) -> Any:
    """List the issues of all repositories that are the caller's by `filter`."""
    return _list_across(call)


@api.get("/user/issues")
def list_own_issues(call: Call) -> Any:
    """List the issues of the caller's repositories."""
    return _list_across(call, exists(Repository, Repository.id == Issue.repository_id, Repository.owner == call.actor))


@api.get("/orgs/{org}/issues")
def list_org_issues(call: Call, org: str) -> Any:
    """List the issues of an organization's repositories."""
    owner = find_org(call, org).login
    return _list_across(call, exists(Repository, Repository.id == Issue.repository_id, Repository.owner == owner))


@api.post("/repos/{owner}/{repo}/issues", status=201)
def create_issue(call: Call, owner: str, repo: str, body: Annotated[IssueBody, Body]) -> Any:
    """Make an issue; only those who may push set its labels, assignees and milestone."""
    row = find_repo(call, owner, repo)
    check_has_issues(row)
    if body.title is UNSET:
        raise Unprocessable('Invalid request.\n\n"title" wasn\'t supplied.')
    check_text("Issue", body.title, body.body)
    if row.archived:
        raise Unprocessable("Repository was archived so is read-only.")
    may_triage = may(call, row, "triage")
    labels = resolve_labels(call, row, names_in(body.labels or [], "name")) if may_triage and body.labels else []
    assignees = resolve_assignees(call, row, wanted_assignees(body) or [], strict=True) if may_triage else []
    milestone = resolve_milestone(call, row, body.milestone) if may_triage and body.milestone is not UNSET else None
    issue = add_issue(
        call,
        row,
        title=str(body.title),
        body=None if body.body is UNSET else body.body,
        type=_check_type(body.type),
        milestone_id=milestone,
    )
    row = call.db.get(Repository, row.id)
    issue = change_labels(call, row, issue, labels)
    issue = change_assignees(call, row, issue, assignees)
    announce_issue(call, row, issue, "opened")
    return show_issue(call, row, issue)


def _check_type(name: str | UnsetType | None) -> str | None:
    if not name:
        return None
    if name not in [each[0] for each in ISSUE_TYPES]:
        raise invalid("Issue", "type", value=name)
    return name


def add_issue(call: Call, repo: Repository, *, title: str, body: str | None, **more: Any) -> Issue:
    """Add the row of an issue with the next number, and notify those whom it concerns."""
    now = call.clock.iso()
    repo, number = take_number(call, repo)
    issue = Issue(
        id=new_id(call),
        repository_id=repo.id,
        number=number,
        title=title,
        body=body,
        user=call.actor,
        created_at=now,
        updated_at=now,
        **more,
    )
    call.db.add(issue)
    call.memo.pop("repos", None)
    notify(call, repo, issue, reasons_of(call, repo, issue, body))
    return issue


@api.get("/repos/{owner}/{repo}/issues/{issue_number}")
def get_issue(call: Call, owner: str, repo: str, issue_number: int) -> Any:
    """Get an issue."""
    row = find_repo(call, owner, repo)
    return show_issue(call, row, find_issue(call, row, issue_number))


@api.patch("/repos/{owner}/{repo}/issues/{issue_number}")
def update_issue(call: Call, owner: str, repo: str, issue_number: int, body: Annotated[IssueBody, Body]) -> Any:
    """Change an issue."""
    row = find_repo(call, owner, repo)
    issue = find_issue(call, row, issue_number)
    check_author_or_triage(call, row, issue)
    check_text("Issue", body.title, body.body)
    issue = edit_texts(call, row, issue, body.title, body.body)
    if may(call, row, "triage"):
        issue = _triage(call, row, issue, body)
    if body.state is not UNSET or body.state_reason not in (UNSET, None):
        reason = None if body.state_reason is UNSET else body.state_reason
        state = body.state if body.state is not UNSET else issue.state
        if issue.is_pull_request and state == "open" and issue.state == "closed":
            _check_reopening(call, issue)
        issue = change_state(call, row, issue, state, reason)
    call.memo.pop("repos", None)
    return show_issue(call, row, issue)


def _check_reopening(call: Call, issue: Issue) -> None:
    pull = call.db.find(PullRequest, PullRequest.issue_id == issue.id)
    if pull and pull.merged:
        raise invalid("Issue", "state", "custom", "state cannot be changed. The pull request was merged.")


def edit_texts(call: Call, repo: Repository, issue: Issue, title: Any, body: Any) -> Issue:
    """Set the title and the body of an issue where they are given and differ."""
    fields: dict[str, Any] = {}
    if title is not UNSET and str(title) != issue.title:
        fields["title"] = str(title)
    if body is not UNSET and body != issue.body:
        fields["body"] = body
    if not fields:
        return issue
    former = issue.title
    issue = call.db.change(issue, updated_at=call.clock.iso(), **fields)
    if "title" in fields:
        note_event(call, issue, "renamed", rename={"from": former, "to": issue.title})
    announce_issue(call, repo, issue, "edited", changes={name: {"from": former} for name in fields if name == "title"})
    return issue


def _triage(call: Call, repo: Repository, issue: Issue, body: IssueBody) -> Issue:
    """Set the labels, assignees, milestone and type that a request gives."""
    if body.labels is not UNSET:
        issue = change_labels(call, repo, issue, resolve_labels(call, repo, names_in(body.labels or [], "name")))
    assignees = wanted_assignees(body)
    if assignees is not None:
        issue = change_assignees(call, repo, issue, resolve_assignees(call, repo, assignees, strict=True))
    if body.milestone is not UNSET:
        issue = change_milestone(call, repo, issue, resolve_milestone(call, repo, body.milestone))
    if body.type is not UNSET and _check_type(body.type) != issue.type:
        issue = call.db.change(issue, type=_check_type(body.type), updated_at=call.clock.iso())
    return issue


class LockBody(Struct):
    """Why a conversation is locked."""

    lock_reason: LockReason | None = None


@api.put("/repos/{owner}/{repo}/issues/{issue_number}/lock", status=204)
def lock_issue(call: Call, owner: str, repo: str, issue_number: int, body: Annotated[LockBody, Body]) -> None:
    """Lock a conversation, so that only those who may push comment."""
    row = find_repo(call, owner, repo)
    issue = find_issue(call, row, issue_number)
    issue = call.db.change(issue, locked=True, active_lock_reason=body.lock_reason, updated_at=call.clock.iso())
    note_event(call, issue, "locked", lock_reason=body.lock_reason)
    announce_issue(call, row, issue, "locked")


@api.delete("/repos/{owner}/{repo}/issues/{issue_number}/lock", status=204)
def unlock_issue(call: Call, owner: str, repo: str, issue_number: int) -> None:
    """Unlock a conversation."""
    row = find_repo(call, owner, repo)
    issue = find_issue(call, row, issue_number)
    issue = call.db.change(issue, locked=False, active_lock_reason=None, updated_at=call.clock.iso())
    note_event(call, issue, "unlocked")
    announce_issue(call, row, issue, "unlocked")


@api.post("/repos/{owner}/{repo}/issues/{issue_number}/assignees", status=201)
def add_assignees(call: Call, owner: str, repo: str, issue_number: int, assignees: list[str] | None = None) -> Any:
    """Add assignees; users who cannot be assigned are left out, as the vendor does."""
    row = find_repo(call, owner, repo)
    issue = find_issue(call, row, issue_number)
    more = resolve_assignees(call, row, [*issue.assignees, *(assignees or [])], strict=False)
    return show_issue(call, row, change_assignees(call, row, issue, more))


@api.delete("/repos/{owner}/{repo}/issues/{issue_number}/assignees")
def remove_assignees(call: Call, owner: str, repo: str, issue_number: int, assignees: list[str] | None = None) -> Any:
    """Remove assignees."""
    row = find_repo(call, owner, repo)
    issue = find_issue(call, row, issue_number)
    gone = {login.lower() for login in assignees or []}
    rest = [login for login in issue.assignees if login.lower() not in gone]
    return show_issue(call, row, change_assignees(call, row, issue, rest))
