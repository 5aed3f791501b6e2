"""Issues, labels, milestones and comments as the API shows them."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from markdown_it import MarkdownIt

from twindiff.kit import Call

from ..core.access import association_of
from ..core.node_ids import node_id
from ..core.stamps import show_instant, times_of
from ..tables.issue_tables import Issue, IssueComment, IssueDependency, Label, Milestone, PullRequest, Reaction
from ..tables.repository_tables import Repository
from .reaction_views import is_plain, note_plain, show_reactions
from .repository_views import html_url, repo_url, show_repo
from .user_views import Shown, user_of, users_of

IN_ADDRESSES = ";/?:@&=+$,[]!~*'()"
"""Signs that the vendor does not escape in addresses of labels: `…/labels/kind/bug`."""
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
ISSUE_TYPES = (
    ("Task", "A specific piece of work", "yellow"),
    ("Bug", "An unexpected problem or behavior", "red"),
    ("Feature", "A request, idea, or new functionality", "blue"),
)


def show_label(call: Call, repo: Repository, label: Label) -> Shown:
    """Render a label."""
    return {
        "id": label.id,
        "node_id": node_id("LA", repo.id, label.id),
        "url": f"{repo_url(call, repo)}/labels/{quote(label.name, safe=IN_ADDRESSES)}",
        "name": label.name,
        "color": label.color,
        "default": label.default,
        "description": label.description,
    }


def labels_of(call: Call, repo: Repository, names: list[str]) -> list[Shown]:
    """Render the labels of an issue by their names."""
    known: dict[int, dict[str, Label]] = call.memo.setdefault("labels", {})
    if repo.id not in known:
        rows = call.db.rows(Label, Label.repository_id == repo.id, order=Label.id)
        known[repo.id] = {row.name: row for row in rows}
    return [show_label(call, repo, label) for name in names if (label := known[repo.id].get(name))]


def show_milestone(call: Call, repo: Repository, milestone: Milestone) -> Shown:
    """Render a milestone with the numbers of its issues."""
    url = f"{repo_url(call, repo)}/milestones/{milestone.number}"
    counts = {
        f"{state}_issues": call.db.count(Issue, Issue.milestone_id == milestone.id, Issue.state == state)
        for state in ("open", "closed")
    }
    return {
        "url": url,
        "html_url": f"{html_url(call, repo)}/milestone/{milestone.number}",
        "labels_url": f"{url}/labels",
        "id": milestone.id,
        "node_id": node_id("MI", repo.id, milestone.id),
        "number": milestone.number,
        "title": milestone.title,
        "description": milestone.description,
        "creator": user_of(call, milestone.creator),
        **counts,
        "state": milestone.state,
        **times_of(milestone),
        "due_on": show_instant(milestone.due_on),
        "closed_at": show_instant(milestone.closed_at),
    }


def milestone_of(call: Call, repo: Repository, milestone_id: int | None) -> Shown | None:
    """Render the milestone of an issue; None if it has none."""
    if milestone_id is None:
        return None
    known: dict[int, Shown | None] = call.memo.setdefault("milestones", {})
    if milestone_id not in known:
        row = call.db.find(Milestone, Milestone.id == milestone_id)
        known[milestone_id] = show_milestone(call, repo, row) if row else None
    return known[milestone_id]


def forget_labels(call: Call) -> None:
    """Render labels and milestones again from now on, because rows have changed."""
    for name in ("labels", "milestones"):
        call.memo.pop(name, None)


def render_html(text: str | None) -> str:
    """Return the HTML of a text in Markdown, without raw HTML in it."""
    return _MARKDOWN.render(text or "").strip()


def text_forms(call: Call, text: str | None) -> Shown:
    """Render a text as HTML or plain text too, if the media type asks for it."""
    accept, shown = str(call.memo.get("accept", "")), Shown()
    if ".html" in accept or ".full" in accept:
        shown["body_html"] = render_html(text)
    if ".text" in accept or ".full" in accept:
        shown["body_text"] = text or ""
    return shown


def show_issue_type(org_id: int, name: str) -> Shown | None:
    """Render an issue type; None for an unknown one."""
    for number, (each, description, color) in enumerate(ISSUE_TYPES, 1):
        if each == name:
            created = "2025-01-01T00:00:00Z"
            named = {"id": number, "node_id": node_id("IT", org_id, number), "name": each, "description": description}
            return {**named, "color": color, "created_at": created, "updated_at": created, "is_enabled": True}
    return None


def prepare_issues(call: Call, issues: Sequence[Issue]) -> None:
    """Find out for a page of issues which have reactions, sub-issues and dependencies, by one query each."""
    ids = {issue.id for issue in issues}
    reacted = call.db.rows(
        Reaction, Reaction.subject == "issues", Reaction.subject_id.in_(ids), columns=(Reaction.subject_id,)
    )
    parents = call.db.rows(Issue, Issue.parent_id.in_(ids), columns=(Issue.parent_id,))
    blocked = call.db.rows(IssueDependency, IssueDependency.issue_id.in_(ids))
    blocking = call.db.rows(IssueDependency, IssueDependency.blocked_by_id.in_(ids))
    dependent = {row.issue_id for row in blocked} | {row.blocked_by_id for row in blocking}
    note_plain(call, "issues", ids, {row[0] for row in reacted})
    note_plain(call, "parents", ids, {row[0] for row in parents})
    note_plain(call, "dependencies", ids, dependent)


def show_sub_issues(call: Call, issue: Issue) -> Shown:
    """Render how many sub-issues there are and how many are closed."""
    if is_plain(call, "parents", issue.id):
        return {"total": 0, "completed": 0, "percent_completed": 0}
    states = [row[0] for row in call.db.rows(Issue, Issue.parent_id == issue.id, columns=(Issue.state,))]
    done = states.count("closed")
    return {"total": len(states), "completed": done, "percent_completed": done * 100 // max(1, len(states))}


def show_dependencies(call: Call, issue: Issue) -> Shown:
    """Render how many issues block an issue and how many it blocks; the first two count open ones."""
    if is_plain(call, "dependencies", issue.id):
        return dict.fromkeys(("blocked_by", "blocking", "total_blocked_by", "total_blocking"), 0)
    blockers = [each.blocked_by_id for each in call.db.rows(IssueDependency, IssueDependency.issue_id == issue.id)]
    blocked = [each.issue_id for each in call.db.rows(IssueDependency, IssueDependency.blocked_by_id == issue.id)]
    is_open = Issue.state == "open"
    return {
        "blocked_by": call.db.count(Issue, Issue.id.in_(blockers), is_open) if blockers else 0,
        "blocking": call.db.count(Issue, Issue.id.in_(blocked), is_open) if blocked else 0,
        "total_blocked_by": len(blockers),
        "total_blocking": len(blocked),
    }


def _issue_fields(call: Call, repo: Repository, issue: Issue, url: str) -> Shown:
    """Render what an issue says, without its addresses."""
    assignees = users_of(call, issue.assignees)
    return {
        "number": issue.number,
        "title": issue.title,
        "user": user_of(call, issue.user),
        "labels": labels_of(call, repo, issue.labels),
        "state": issue.state,
        "locked": issue.locked,
        "assignee": assignees[0] if assignees else None,
        "assignees": assignees,
        "milestone": milestone_of(call, repo, issue.milestone_id),
        "comments": issue.comments,
        **times_of(issue),
        "closed_at": show_instant(issue.closed_at),
        "author_association": association_of(call, repo, issue.user),
        "type": show_issue_type(repo.id, issue.type) if issue.type else None,
        "active_lock_reason": issue.active_lock_reason,
        "sub_issues_summary": show_sub_issues(call, issue),
        "issue_dependencies_summary": show_dependencies(call, issue),
        "body": issue.body,
        **text_forms(call, issue.body),
        "reactions": show_reactions(call, "issues", issue.id, url),
        "timeline_url": f"{url}/timeline",
        "performed_via_github_app": None,
        "state_reason": issue.state_reason,
    }


def show_issue(call: Call, repo: Repository, issue: Issue, *, with_repo: bool = False, in_list: bool = False) -> Shown:
    """Render an issue, or the issue half of a pull request."""
    base = repo_url(call, repo)
    url = f"{base}/issues/{issue.number}"
    page = f"{html_url(call, repo)}/{'pull' if issue.is_pull_request else 'issues'}/{issue.number}"
    shown: Shown = {
        "url": url,
        "repository_url": base,
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": page,
        "id": issue.id,
        "node_id": node_id("PR" if issue.is_pull_request else "I", repo.id, issue.id),
        **_issue_fields(call, repo, issue, url),
    }
    if not in_list:
        shown["closed_by"] = user_of(call, issue.closed_by)
    if issue.is_pull_request:
        shown |= _pull_fields(call, repo, issue, page)
    if issue.parent_id:
        shown["parent_issue_url"] = _parent_url(call, issue.parent_id)
    return shown | {"repository": show_repo(call, repo)} if with_repo else shown


def _parent_url(call: Call, parent_id: int) -> str | None:
    parent = call.db.find(Issue, Issue.id == parent_id)
    repo = call.db.find(Repository, Repository.id == parent.repository_id) if parent else None
    return f"{repo_url(call, repo)}/issues/{parent.number}" if parent and repo else None


def _pull_fields(call: Call, repo: Repository, issue: Issue, page: str) -> Shown:
    pull = call.db.find(PullRequest, PullRequest.repository_id == repo.id, PullRequest.number == issue.number)
    links = {
        "url": f"{repo_url(call, repo)}/pulls/{issue.number}",
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "merged_at": show_instant(pull.merged_at) if pull else None,
    }
    return {"draft": bool(pull and pull.draft), "pull_request": links}


def show_comment(call: Call, repo: Repository, number: int, comment: IssueComment) -> Shown:
    """Render a comment on an issue."""
    base = repo_url(call, repo)
    url = f"{base}/issues/comments/{comment.id}"
    return {
        "url": url,
        "html_url": f"{html_url(call, repo)}/issues/{number}#issuecomment-{comment.id}",
        "issue_url": f"{base}/issues/{number}",
        "id": comment.id,
        "node_id": node_id("IC", repo.id, comment.id),
        "user": user_of(call, comment.user),
        **times_of(comment),
        "body": comment.body,
        **text_forms(call, comment.body),
        "author_association": association_of(call, repo, comment.user),
        "reactions": show_reactions(call, "issue_comments", comment.id, url),
        "performed_via_github_app": None,
    }
