"""Branches and their protection, merges of branches, and renames.

https://docs.github.com/en/rest/branches
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations, Response, Struct
from twindiff.kit.http import json_answer

from ..core.access import check_permission, find_repo
from ..core.listing import slice_page
from ..git.commit_objects import signature_of, write_commit
from ..git.histories import diverge
from ..git.objects import EMPTY_TREE, store_of
from ..git.protection import protection_of, required_contexts
from ..git.refs import HEADS, find_branch, find_commit, find_ref, is_valid_ref, list_refs
from ..git.tree_merges import merge_trees
from ..pushes.head_tracking import branch_key, change_base, open_pulls
from ..pushes.ref_updates import move_ref
from ..tables.issue_tables import PullRequest
from ..tables.repository_tables import BranchProtection, Ref, Release, Repository
from ..tables.user_tables import Team
from ..views.commit_views import show_commit
from ..views.repository_views import html_url, repo_url
from ..views.user_views import show_team, users_of
from ..wire_style import Conflict, NotVisible, Unprocessable, invalid

api = Operations()
_SWITCHES = (
    "required_linear_history",
    "allow_force_pushes",
    "allow_deletions",
    "block_creations",
    "required_conversation_resolution",
    "lock_branch",
    "allow_fork_syncing",
)


def show_short_branch(call: Call, repo: Repository, ref: Ref) -> dict[str, Any]:
    """Render a branch as lists have it."""
    name, url = ref.ref.removeprefix(HEADS), repo_url(call, repo)
    protection = protection_of(call, repo, name)
    contexts = required_contexts(protection.settings) if protection else []
    level = "non_admins" if contexts else "off"
    checks: dict[str, Any] = {"enforcement_level": level, "contexts": contexts, "checks": []}
    return {
        "name": name,
        "commit": {"sha": ref.sha, "url": f"{url}/commits/{ref.sha}"},
        "protected": protection is not None,
        "protection": {"enabled": protection is not None, "required_status_checks": checks},
        "protection_url": f"{url}/branches/{name}/protection",
    }


@api.get("/repos/{owner}/{repo}/branches")
def list_branches(call: Call, owner: str, repo: str, protected: bool | None = None) -> Any:
    """List the branches in order of names."""
    row = find_repo(call, owner, repo)
    refs = [
        ref
        for ref in list_refs(call, row, HEADS)
        if protected is None or protected == bool(protection_of(call, row, ref.ref.removeprefix(HEADS)))
    ]
    return slice_page(call, refs, lambda ref: show_short_branch(call, row, ref))


@api.get("/repos/{owner}/{repo}/branches/{branch:path}")
def get_branch(call: Call, owner: str, repo: str, branch: str) -> Any:
    """Get a branch with its newest commit."""
    row = find_repo(call, owner, repo)
    return show_branch(call, row, find_branch(call, row, branch))


def show_branch(call: Call, repo: Repository, ref: Ref) -> dict[str, Any]:
    """Render a branch with its newest commit and its protection."""
    shown = show_short_branch(call, repo, ref)
    name = shown["name"]
    links = {"self": f"{repo_url(call, repo)}/branches/{name}", "html": f"{html_url(call, repo)}/tree/{name}"}
    return shown | {"commit": show_commit(call, repo, find_commit(call, repo, ref.sha)), "_links": links}


@api.post("/repos/{owner}/{repo}/branches/{branch}/rename", status=201)
def rename_branch(call: Call, owner: str, repo: str, branch: str, new_name: str) -> Any:
    """Rename a branch; the default branch stays the default one, and what names the branch follows."""
    row = find_repo(call, owner, repo)
    ref = find_branch(call, row, branch)
    if branch == row.default_branch or protection_of(call, row, branch):
        check_permission(call, row, "admin")
    if not is_valid_ref(HEADS + new_name):
        raise invalid("Branch", "new_name")
    if find_ref(call, row, HEADS + new_name):
        raise Unprocessable(f"Branch {new_name} already exists")
    row = move_ref(call, row, HEADS + new_name, ref.sha)
    if row.default_branch == branch:
        row = call.db.change(row, default_branch=new_name)
    _follow_rename(call, row, branch, new_name)
    row = move_ref(call, row, HEADS + branch, None, skips_protection=True)
    return show_branch(call, row, find_branch(call, row, new_name))


def _follow_rename(call: Call, repo: Repository, branch: str, new_name: str) -> None:
    """Give the new name of a branch to its protection, to the open pull requests into it and to draft releases.

    https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-branches-in-your-repository/renaming-a-branch
    """
    base = find_branch(call, repo, new_name)
    for pull, issue in open_pulls(call, PullRequest.base_repository_ref == branch_key(repo.id, branch)):
        change_base(call, repo, pull, issue, base)
    if protection := _find_rule(call, repo, branch):
        call.db.remove(protection)
        _set_rule(call, repo, new_name, protection.settings)
    draft = (Release.repository_id == repo.id, Release.draft.is_true, Release.target_commitish == branch)
    for release in call.db.rows(Release, *draft):
        call.db.change(release, target_commitish=new_name)


def _find_rule(call: Call, repo: Repository, branch: str) -> BranchProtection | None:
    """Return the protection rule of exactly this name; it may have outlived its branch."""
    return call.db.find(BranchProtection, BranchProtection.repository_id == repo.id, BranchProtection.branch == branch)


def _set_rule(call: Call, repo: Repository, branch: str, settings: dict[str, Any]) -> None:
    """Add the protection rule of a name, or change the one that there is."""
    if known := _find_rule(call, repo, branch):
        call.db.change(known, settings=settings)
    else:
        call.db.add(BranchProtection(repository_id=repo.id, branch=branch, settings=settings))


class ProtectionBody(Struct):
    """The protection of a branch; the first four are required, though they may be null."""

    required_status_checks: dict[str, Any] | None
    enforce_admins: bool | None
    required_pull_request_reviews: dict[str, Any] | None
    restrictions: dict[str, Any] | None
    required_linear_history: bool = False
    allow_force_pushes: bool | None = False
    allow_deletions: bool = False
    block_creations: bool = False
    required_conversation_resolution: bool = False
    lock_branch: bool = False
    allow_fork_syncing: bool = False


def _find_protection(call: Call, owner: str, repo: str, branch: str) -> tuple[Repository, BranchProtection]:
    row = find_repo(call, owner, repo)
    find_branch(call, row, branch)
    protection = protection_of(call, row, branch)
    if protection is None:
        raise NotVisible("Branch not protected")
    return row, protection


@api.get("/repos/{owner}/{repo}/branches/{branch}/protection")
def get_protection(call: Call, owner: str, repo: str, branch: str) -> Any:
    """Get the protection of a branch."""
    row, protection = _find_protection(call, owner, repo, branch)
    return show_protection(call, row, branch, protection.settings)


@api.put("/repos/{owner}/{repo}/branches/{branch}/protection")
def protect_branch(call: Call, owner: str, repo: str, branch: str, body: Annotated[ProtectionBody, Body]) -> Any:
    """Protect a branch."""
    row = find_repo(call, owner, repo)
    find_branch(call, row, branch)
    settings: dict[str, Any] = {name: getattr(body, name) for name in body.__struct_fields__}
    _set_rule(call, row, branch, settings)
    return show_protection(call, row, branch, settings)


@api.delete("/repos/{owner}/{repo}/branches/{branch}/protection", status=204)
def unprotect_branch(call: Call, owner: str, repo: str, branch: str) -> None:
    """Remove the protection of a branch."""
    call.db.remove(_find_protection(call, owner, repo, branch)[1])


@api.get("/repos/{owner}/{repo}/branches/{branch}/protection/{part}")
def get_protection_part(call: Call, owner: str, repo: str, branch: str, part: str) -> Any:
    """Get one part of the protection of a branch, such as its required status checks."""
    row, protection = _find_protection(call, owner, repo, branch)
    shown = show_protection(call, row, branch, protection.settings)
    if part not in shown or part == "url":
        raise NotVisible(f"{part.replace('_', ' ').capitalize()} not enabled")
    return shown[part]


def show_protection(call: Call, repo: Repository, branch: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Render a protection."""
    url = f"{repo_url(call, repo)}/branches/{branch}/protection"
    shown: dict[str, Any] = {"url": url}
    checks: dict[str, Any] | None = settings.get("required_status_checks")
    if checks:
        contexts = required_contexts(settings)
        named = [{"context": context, "app_id": None} for context in contexts]
        address = f"{url}/required_status_checks"
        more = {"contexts": contexts, "contexts_url": f"{address}/contexts", "checks": named}
        shown["required_status_checks"] = {"url": address, "strict": bool(checks.get("strict")), **more}
    reviews: dict[str, Any] | None = settings.get("required_pull_request_reviews")
    if reviews is not None:
        shown["required_pull_request_reviews"] = _show_reviews(f"{url}/required_pull_request_reviews", reviews)
    shown["required_signatures"] = {"url": f"{url}/required_signatures", "enabled": False}
    shown["enforce_admins"] = {"url": f"{url}/enforce_admins", "enabled": bool(settings.get("enforce_admins"))}
    shown |= {name: {"enabled": bool(settings.get(name))} for name in _SWITCHES}
    if settings.get("restrictions"):
        shown["restrictions"] = _show_restrictions(call, repo, f"{url}/restrictions", settings["restrictions"])
    return shown


def _show_reviews(url: str, reviews: dict[str, Any]) -> dict[str, Any]:
    flags = ("dismiss_stale_reviews", "require_code_owner_reviews", "require_last_push_approval")
    count = reviews.get("required_approving_review_count", 1)
    return {"url": url, **{name: bool(reviews.get(name)) for name in flags}, "required_approving_review_count": count}


def _show_restrictions(call: Call, repo: Repository, url: str, given: dict[str, Any]) -> dict[str, Any]:
    slugs: list[str] = given.get("teams") or []
    teams = call.db.rows(Team, Team.org == repo.owner, Team.slug.in_(slugs))
    addresses = {f"{kind}_url": f"{url}/{kind}" for kind in ("users", "teams", "apps")}
    shown = {"users": users_of(call, given.get("users") or []), "teams": [show_team(call, team) for team in teams]}
    return {"url": url, **addresses, **shown, "apps": []}


class MergeBody(Struct):
    """A merge of one branch into another."""

    base: str
    head: str
    commit_message: str | None = None


@api.post("/repos/{owner}/{repo}/merges")
def merge_branch(call: Call, owner: str, repo: str, body: Annotated[MergeBody, Body]) -> Response:
    """Merge a branch or a commit into a branch: 201, 204 if nothing is to merge, 409 for conflicts."""
    row = find_repo(call, owner, repo)
    base_ref = find_ref(call, row, HEADS + body.base)
    if base_ref is None:
        raise NotVisible("Base does not exist")
    try:
        head = find_commit(call, row, body.head)
    except NotVisible:
        raise NotVisible("Head does not exist") from None
    relation = diverge(call, row.network_id, base_ref.sha, head.sha)
    if not relation.theirs:
        return Response(b"", 204, content_type="")
    base = find_commit(call, row, base_ref.sha)
    start = relation.merge_base.tree_sha if relation.merge_base else EMPTY_TREE
    merged = merge_trees(store_of(call, row), start, base.tree_sha, head.tree_sha)
    if merged.conflicts:
        raise Conflict("Merge conflict")
    message = body.commit_message or f"Merge {body.head} into {body.base}"
    commit = write_commit(call, row, merged.tree, [base.sha, head.sha], message, signature_of(call, None))
    row = move_ref(call, row, HEADS + body.base, commit.sha)
    return json_answer(show_commit(call, row, commit), 201)


@api.post("/repos/{owner}/{repo}/merge-upstream")
def sync_fork(call: Call, owner: str, repo: str, branch: str) -> Any:
    """Bring a branch of a fork up to date with that of its parent, if it can move forward."""
    row = find_repo(call, owner, repo)
    parent = call.db.find(Repository, Repository.id == row.parent_id) if row.parent_id else None
    if parent is None:
        raise Unprocessable("This repository is not a fork.")
    source, target = find_branch(call, parent, branch), find_branch(call, row, branch)
    relation = diverge(call, row.network_id, target.sha, source.sha)
    shown = {"base_branch": f"{parent.owner}:{branch}"}
    if not relation.theirs:
        return {
            "message": f"This branch is not behind the upstream {shown['base_branch']}.",
            "merge_type": "none",
            **shown,
        }
    if relation.ours:
        raise Conflict("There are merge conflicts between the base and head branch.")
    move_ref(call, row, HEADS + branch, source.sha)
    text = f"Successfully fetched and fast-forwarded from upstream {shown['base_branch']}."
    return {"message": text, "merge_type": "fast-forward", **shown}
