"""Pull requests as the API shows them."""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.access import association_of, issue_of
from ..core.node_ids import node_id
from ..core.stamps import show_instant, times_of
from ..git.pull_commits import changes_of_pull, commits_of
from ..git.pull_mergeability import merge_state
from ..tables.issue_tables import Issue, PullRequest, ReviewComment
from ..tables.repository_tables import Repository
from ..tables.user_tables import Team
from .issue_views import labels_of, milestone_of, text_forms
from .repository_views import html_url, repo_url, show_repo
from .user_views import Shown, show_team, user_of, users_of


def _side(call: Call, ref: str, sha: str, repo: Repository | None, owner: str) -> Shown:
    user = user_of(call, repo.owner if repo else owner)
    login = user["login"] if user else owner
    return {
        "label": f"{login}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": user,
        "repo": show_repo(call, repo) if repo else None,
    }


def head_repository(call: Call, pull: PullRequest) -> Repository | None:
    """Return the repository of a pull request's head; None if it was deleted."""
    if pull.head_repository_id is None:
        return None
    return call.db.find(Repository, Repository.id == pull.head_repository_id)


def _pull_fields(call: Call, repo: Repository, pull: PullRequest, issue: Issue) -> Shown:
    """Render what a pull request says, without its addresses and branches."""
    assignees = users_of(call, issue.assignees)
    teams = (
        call.db.rows(Team, Team.org == repo.owner, Team.slug.in_(pull.requested_teams)) if pull.requested_teams else []
    )
    return {
        "number": pull.number,
        "state": issue.state,
        "locked": issue.locked,
        "title": issue.title,
        "user": user_of(call, issue.user),
        "body": issue.body,
        **text_forms(call, issue.body),
        **times_of(issue),
        "closed_at": show_instant(issue.closed_at),
        "merged_at": show_instant(pull.merged_at),
        "merge_commit_sha": pull.merge_commit_sha,
        "assignee": assignees[0] if assignees else None,
        "assignees": assignees,
        "requested_reviewers": users_of(call, pull.requested_reviewers),
        "requested_teams": [show_team(call, team) for team in teams],
        "labels": labels_of(call, repo, issue.labels),
        "milestone": milestone_of(call, repo, issue.milestone_id),
        "draft": pull.draft,
    }


def show_pull(call: Call, repo: Repository, pull: PullRequest) -> Shown:
    """Render a pull request as lists have it."""
    issue, base = issue_of(call, pull), repo_url(call, repo)
    url, page = f"{base}/pulls/{pull.number}", f"{html_url(call, repo)}/pull/{pull.number}"
    issue_url = f"{base}/issues/{pull.number}"
    addresses = {
        "issue_url": issue_url,
        "commits_url": f"{url}/commits",
        "review_comments_url": f"{url}/comments",
        "review_comment_url": f"{base}/pulls/comments{{/number}}",
        "comments_url": f"{issue_url}/comments",
        "statuses_url": f"{base}/statuses/{pull.head_sha}",
    }
    links = {name.removesuffix("_url"): {"href": address} for name, address in addresses.items()}
    return {
        "url": url,
        "id": pull.id,
        "node_id": node_id("PR", repo.id, pull.id),
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        **addresses,
        **_pull_fields(call, repo, pull, issue),
        "head": _side(call, pull.head_ref, pull.head_sha, head_repository(call, pull), pull.head_owner),
        "base": _side(call, pull.base_ref, pull.base_sha, repo, repo.owner),
        "_links": {"self": {"href": url}, "html": {"href": page}, **links},
        "author_association": association_of(call, repo, issue.user),
        "auto_merge": _show_auto_merge(call, pull),
        "active_lock_reason": issue.active_lock_reason,
    }


def _show_auto_merge(call: Call, pull: PullRequest) -> Shown | None:
    wanted: dict[str, Any] | None = pull.auto_merge
    return wanted | {"enabled_by": user_of(call, wanted["enabled_by"])} if wanted else None


def show_full_pull(call: Call, repo: Repository, pull: PullRequest) -> Shown:
    """Render a pull request with its mergeability and numbers."""
    issue = issue_of(call, pull)
    state = merge_state(call, repo, pull, is_open=issue.state == "open")
    changes = changes_of_pull(call, repo, pull)
    return show_pull(call, repo, pull) | {
        "merged": pull.merged,
        "mergeable": state.mergeable,
        "rebaseable": state.mergeable,
        "mergeable_state": state.state,
        "merged_by": user_of(call, pull.merged_by),
        "comments": issue.comments,
        "review_comments": call.db.count(ReviewComment, ReviewComment.pull_request_id == pull.id),
        "maintainer_can_modify": pull.maintainer_can_modify,
        "commits": len(commits_of(call, repo, pull)),
        "additions": sum(each.patch.additions for each in changes),
        "deletions": sum(each.patch.deletions for each in changes),
        "changed_files": len(changes),
    }
