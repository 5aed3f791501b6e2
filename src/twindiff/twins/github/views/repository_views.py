"""Repositories as the API shows them."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from twindiff.kit import Call

from ..core.access import LEVELS, permission_of
from ..core.node_ids import node_id
from ..core.stamps import show_instant
from ..tables.issue_tables import Issue
from ..tables.repository_tables import Release, Repository
from ..tables.user_tables import User
from ..tables.work_tables import Star, Subscription
from .license_views import show_license
from .user_views import PAGES, Shown, user_of

SETTINGS: dict[str, Any] = {
    "has_issues": True,
    "has_projects": True,
    "has_downloads": True,
    "has_wiki": True,
    "has_pages": False,
    "has_discussions": False,
}
MERGE_SETTINGS: dict[str, Any] = {
    "allow_squash_merge": True,
    "allow_merge_commit": True,
    "allow_rebase_merge": True,
    "allow_auto_merge": False,
    "delete_branch_on_merge": False,
    "allow_update_branch": False,
    "use_squash_pr_title_as_default": False,
    "squash_merge_commit_message": "COMMIT_MESSAGES",
    "squash_merge_commit_title": "COMMIT_OR_PR_TITLE",
    "merge_commit_message": "PR_TITLE",
    "merge_commit_title": "MERGE_MESSAGE",
}
_LINKS = {
    "forks_url": "forks",
    "keys_url": "keys{/key_id}",
    "collaborators_url": "collaborators{/collaborator}",
    "teams_url": "teams",
    "hooks_url": "hooks",
    "issue_events_url": "issues/events{/number}",
    "events_url": "events",
    "assignees_url": "assignees{/user}",
    "branches_url": "branches{/branch}",
    "tags_url": "tags",
    "blobs_url": "git/blobs{/sha}",
    "git_tags_url": "git/tags{/sha}",
    "git_refs_url": "git/refs{/sha}",
    "trees_url": "git/trees{/sha}",
    "statuses_url": "statuses/{sha}",
    "languages_url": "languages",
    "stargazers_url": "stargazers",
    "contributors_url": "contributors",
    "subscribers_url": "subscribers",
    "subscription_url": "subscription",
    "commits_url": "commits{/sha}",
    "git_commits_url": "git/commits{/sha}",
    "comments_url": "comments{/number}",
    "issue_comment_url": "issues/comments{/number}",
    "contents_url": "contents/{+path}",
    "compare_url": "compare/{base}...{head}",
    "merges_url": "merges",
    "archive_url": "{archive_format}{/ref}",
    "downloads_url": "downloads",
    "issues_url": "issues{/number}",
    "pulls_url": "pulls{/number}",
    "milestones_url": "milestones{/number}",
    "notifications_url": "notifications{?since,all,participating}",
    "labels_url": "labels{/name}",
    "releases_url": "releases{/id}",
    "deployments_url": "deployments",
}


def setting(repo: Repository, name: str) -> Any:
    """Return a setting of a repository, or its default."""
    return repo.settings.get(name, SETTINGS.get(name, MERGE_SETTINGS.get(name)))


def repo_url(call: Call, repo: Repository) -> str:
    """Return the API's address of a repository."""
    return f"{call.base_url}/repos/{repo.full_name}"


def html_url(call: Call, repo: Repository) -> str:
    """Return the address of a repository's page."""
    return f"{PAGES}/{repo.full_name}"


def release_url(call: Call, repo: Repository, release: Release) -> str:
    """Return the address of a release's page, which does not tell the tag of a draft."""
    word = blake2b(str(release.id).encode(), digest_size=10).hexdigest()
    return f"{html_url(call, repo)}/releases/tag/{f'untagged-{word}' if release.draft else release.tag_name}"


def show_repo_name(call: Call, repo: Repository) -> Shown:
    """Render what every form of a repository begins with."""
    url = repo_url(call, repo)
    return {
        "id": repo.id,
        "node_id": node_id("R", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
        "owner": user_of(call, repo.owner),
        "html_url": html_url(call, repo),
        "description": repo.description,
        "fork": repo.parent_id is not None,
        "url": url,
        **{name: f"{url}/{rest}" for name, rest in _LINKS.items()},
    }


def show_repo(call: Call, repo: Repository) -> Shown:
    """Render a repository as lists have it; equal ones are rendered once in an operation."""
    known: dict[int, Shown] = call.memo.setdefault("repos", {})
    if repo.id not in known:
        known[repo.id] = _show_repo(call, repo)
    return dict(known[repo.id])


def forget_shown(call: Call) -> None:
    """Render users and repositories again from now on, because rows have changed."""
    for name in ("repos", "users", "permissions", "associations"):
        call.memo.pop(name, None)


def _show_repo(call: Call, repo: Repository) -> Shown:
    stars = call.db.count(Star, Star.repository_id == repo.id)
    forks = call.db.count(Repository, Repository.network_id == repo.network_id, Repository.parent_id == repo.id)
    issues = call.db.count(Issue, Issue.repository_id == repo.id, Issue.state == "open")
    page = html_url(call, repo)
    return show_repo_name(call, repo) | {
        "created_at": show_instant(repo.created_at),
        "updated_at": show_instant(repo.updated_at),
        "pushed_at": show_instant(repo.pushed_at),
        "git_url": f"git://github.com/{repo.full_name}.git",
        "ssh_url": f"git@github.com:{repo.full_name}.git",
        "clone_url": f"{call.base_url}/{repo.full_name}.git",
        "svn_url": page,
        "homepage": repo.homepage,
        "size": repo.size,
        "stargazers_count": stars,
        "watchers_count": stars,
        "language": repo.language,
        **{name: setting(repo, name) for name in SETTINGS},
        "forks_count": forks,
        "mirror_url": None,
        "archived": repo.archived,
        "disabled": False,
        "open_issues_count": issues,
        "license": show_license(call, repo.license),
        "allow_forking": True,
        "is_template": repo.is_template,
        "web_commit_signoff_required": False,
        "topics": repo.topics,
        "visibility": repo.visibility,
        "forks": forks,
        "open_issues": issues,
        "watchers": stars,
        "default_branch": repo.default_branch,
        "permissions": show_permissions(permission_of(call, repo)),
    }


def show_permissions(level: str) -> dict[str, bool]:
    """Render a permission as the ones that it includes."""
    at = LEVELS.index(level)
    return {name: at >= LEVELS.index(name) for name in ("admin", "maintain", "push", "triage", "pull")}


def show_full_repo(call: Call, repo: Repository) -> Shown:
    """Render a repository with its settings, counts and, of a fork, its parent."""
    shown = show_repo(call, repo) | {"temp_clone_token": ""}
    if permission_of(call, repo) in ("push", "maintain", "admin"):
        shown |= {name: setting(repo, name) for name in MERGE_SETTINGS}
    owner = call.db.find(User, User.login == repo.owner)
    if owner and owner.type == "Organization":
        shown["organization"] = user_of(call, repo.owner)
    parent = call.db.find(Repository, Repository.id == repo.parent_id) if repo.parent_id else None
    if parent:
        source = call.db.find(Repository, Repository.id == repo.network_id) or parent
        shown |= {"parent": show_repo(call, parent), "source": show_repo(call, source)}
    network = call.db.count(Repository, Repository.network_id == repo.network_id)
    watching = call.db.count(Subscription, Subscription.repository_id == repo.id, Subscription.subscribed)
    return shown | {"network_count": network - 1, "subscribers_count": watching}
