"""Repositories: list, make, change, rename, transfer, delete; topics, languages, contributors.

https://docs.github.com/en/rest/repos/repos
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Any

from msgspec.structs import replace

from twindiff.kit import UNSET, Body, Call, Operations, Struct, any_of
from twindiff.kit.rows import Expression, exists

from ..core.access import acting_user, check_org_admin, find_org, find_repo, find_user, may, membership_of
from ..core.listing import paginate, slice_page
from ..core.node_ids import node_id
from ..core.stamps import new_id
from ..core.visibility import assignable_logins, visible_to_caller
from ..discussions.categories import ensure_categories
from ..event_delivery.announcements import announce
from ..git.file_projection import languages_of, project_files
from ..git.histories import walk_history
from ..git.objects import ObjectStore
from ..git.refs import HEADS, TAGS, find_ref, list_refs, peel, resolve_commit
from ..tables.repository_tables import Collaborator, Ref, Repository, RepositoryFile, RepositoryName
from ..tables.user_tables import Membership, Team, TeamRepository, User
from ..tables.work_tables import Subscription
from ..views.repository_views import forget_shown, repo_url, setting, show_full_repo, show_repo
from ..views.user_views import show_team, user_of
from ..wire_style import Forbidden, NotVisible, Unprocessable, invalid
from .repository_bodies import (
    MAX_TOPICS,
    RepositoryBody,
    add_default_labels,
    check_name_is_free,
    clean_name,
    columns_of,
    commit_files,
    creation_failed,
    make_repository,
)

api = Operations()
_TOPIC = re.compile(r"[a-z0-9][a-z0-9-]{0,49}")
_ORDERS = {"created": Repository.created_at, "updated": Repository.updated_at, "pushed": Repository.pushed_at}


def order_of(sort: str, direction: str) -> Any:
    """Return the order of a list of repositories: by name ascending, by times descending, unless told otherwise."""
    column = _ORDERS.get(sort, Repository.full_name)
    is_descending = direction == "desc" or (not direction and sort in _ORDERS)
    return (-column, -Repository.id) if is_descending else (column, Repository.id)


@api.get("/repos/{owner}/{repo}")
def get_repository(call: Call, owner: str, repo: str) -> Any:
    """Get a repository."""
    return show_full_repo(call, find_repo(call, owner, repo))


@api.get("/user/repos")
def list_own_repositories(
    call: Call, visibility: str = "all", affiliation: str = "", type: str = "", sort: str = "", direction: str = ""
) -> Any:
    """List the repositories that the caller owns or works in."""
    me = acting_user(call).login
    kinds = {
        "owner": Repository.owner == me,
        "collaborator": exists(Collaborator, Collaborator.repository_id == Repository.id, Collaborator.user == me),
        "organization_member": exists(Membership, Membership.org == Repository.owner, Membership.user == me),
    }
    if type and (affiliation or visibility != "all"):
        text = "If you specify visibility or affiliation, you cannot specify type."
        raise Unprocessable("Validation Failed", errors=[text])
    wanted = {"owner": ["owner"], "member": ["collaborator", "organization_member"]}.get(type)
    names = wanted or [name.strip() for name in affiliation.split(",") if name.strip() in kinds] or list(kinds)
    where: list[Expression] = [visible_to_caller(call), any_of(*(kinds[name] for name in names))]
    if (only := visibility if visibility != "all" else type) in ("public", "private"):
        where.append(Repository.private == (only == "private"))
    return paginate(call, Repository, *where, by=order_of(sort, direction), show=lambda repo: show_repo(call, repo))


@api.get("/users/{username}/repos")
def list_user_repositories(call: Call, username: str, type: str = "owner", sort: str = "", direction: str = "") -> Any:
    """List the public repositories of a user."""
    user = find_user(call, username)
    where = [Repository.owner == user.login, ~Repository.private] if type in ("owner", "all") else [Repository.id < 0]
    return paginate(call, Repository, *where, by=order_of(sort, direction), show=lambda repo: show_repo(call, repo))


@api.get("/orgs/{org}/repos")
def list_org_repositories(call: Call, org: str, type: str = "all", sort: str = "created", direction: str = "") -> Any:
    """List the repositories of an organization that the caller may see."""
    owner = find_org(call, org)
    kinds: dict[str, list[Expression]] = {
        "public": [~Repository.private],
        "private": [Repository.private.is_true],
        "forks": [Repository.parent_id != None],  # noqa: E711 - a condition on the column
        "sources": [Repository.parent_id.is_null()],
    }
    where = [Repository.owner == owner.login, visible_to_caller(call), *kinds.get(type, [])]
    return paginate(call, Repository, *where, by=order_of(sort, direction), show=lambda repo: show_repo(call, repo))


@api.get("/repositories")
def list_public_repositories(call: Call, since: int = 0) -> Any:
    """List all public repositories in the order in which they were made."""
    rows = call.db.rows(Repository, ~Repository.private, Repository.id > since, order=Repository.id, limit=100)
    return [show_repo(call, row) for row in rows]


@api.post("/user/repos", status=201)
def create_own_repository(call: Call, body: Annotated[RepositoryBody, Body]) -> Any:
    """Make a repository of the caller's."""
    return show_full_repo(call, make_repository(call, acting_user(call), body))


@api.post("/orgs/{org}/repos", status=201)
def create_org_repository(call: Call, org: str, body: Annotated[RepositoryBody, Body]) -> Any:
    """Make a repository of an organization's."""
    owner = find_org(call, org)
    membership = membership_of(call, owner.login, call.actor)
    if membership is None or (membership.role != "admin" and not owner.members_can_create_repositories):
        raise Forbidden("You need admin access to the organization before adding a repository to it.")
    repo = make_repository(call, owner, body)
    if body.team_id is not None:
        team = call.db.find(Team, Team.id == body.team_id, Team.org == owner.login)
        if team is None:
            raise invalid("Repository", "team_id")
        call.db.add(TeamRepository(team_id=team.id, repository_id=repo.id, permission="push"))
    return show_full_repo(call, repo)


@api.patch("/repos/{owner}/{repo}")
def update_repository(call: Call, owner: str, repo: str, body: Annotated[RepositoryBody, Body]) -> Any:
    """Change the settings of a repository; a new name leaves a redirect."""
    row = find_repo(call, owner, repo)
    if row.archived and body.archived is not False:
        raise Forbidden("Repository was archived so is read-only.")
    columns = columns_of(body, row.settings)
    if body.default_branch is not UNSET and body.default_branch != row.default_branch:
        if find_ref(call, row, HEADS + body.default_branch) is None:
            missing = f"The branch {body.default_branch} was not found."
            text = f"{missing} Please push that ref first or create it via the Git Data API."
            raise invalid("Repository", "default_branch", "invalid", text)
        columns["default_branch"] = body.default_branch
    if body.name is not UNSET and body.name != row.name:
        columns |= _rename(call, row, row.owner, clean_name(body.name))
    changed = {name: value for name, value in columns.items() if getattr(row, name) != value}
    if changed:
        before = row
        row = call.db.change(row, updated_at=call.clock.iso(), **changed)
        if "default_branch" in changed:
            row = _show_files_of(call, before, row)
        if setting(row, "has_discussions"):
            ensure_categories(call, row)
        forget_shown(call)
    return show_full_repo(call, row)


def _show_files_of(call: Call, before: Repository, row: Repository) -> Repository:
    """Make the rows of files those of the new default branch."""
    old, new = (find_ref(call, row, HEADS + each.default_branch) for each in (before, row))
    return project_files(call, row, old.sha if old else None, new.sha if new else None)


def _rename(call: Call, row: Repository, owner: str, name: str) -> dict[str, Any]:
    """Return the columns of a repository under another name, and keep the former one as a redirect."""
    if f"{owner}/{name}".lower() != row.full_name.lower():
        check_name_is_free(call, owner, name)
        former = call.db.find(RepositoryName, RepositoryName.full_name == row.full_name)
        if former:
            call.db.change(former, repository_id=row.id)
        else:
            call.db.add(RepositoryName(full_name=row.full_name, repository_id=row.id))
    return {"owner": owner, "name": name, "full_name": f"{owner}/{name}"}


@api.delete("/repos/{owner}/{repo}", status=204)
def delete_repository(call: Call, owner: str, repo: str) -> None:
    """Delete a repository with everything in it."""
    row = find_repo(call, owner, repo)
    if not may(call, row, "admin"):
        raise Forbidden("Must have admin rights to Repository.")
    call.db.remove(row)


class TransferBody(Struct):
    """Where a repository goes."""

    new_owner: str
    new_name: str | None = None


@api.post("/repos/{owner}/{repo}/transfer", status=202)
def transfer_repository(call: Call, owner: str, repo: str, body: Annotated[TransferBody, Body]) -> Any:
    """Give a repository to another owner, at once."""
    row = find_repo(call, owner, repo)
    target = find_user(call, body.new_owner)
    if target.login == row.owner:
        raise invalid("Repository", "new_owner")
    columns = _rename(call, row, target.login, clean_name(body.new_name or row.name))
    row = call.db.change(row, updated_at=call.clock.iso(), **columns)
    forget_shown(call)
    return show_repo(call, row)


class ForkBody(Struct):
    """Where a fork goes."""

    organization: str | None = None
    name: str | None = None
    default_branch_only: bool = False


@api.post("/repos/{owner}/{repo}/forks", status=202)
def create_fork(call: Call, owner: str, repo: str, body: Annotated[ForkBody, Body]) -> Any:
    """Fork a repository; the fork shares its objects. A second fork into one account is the first."""
    source = find_repo(call, owner, repo)
    target = find_org(call, body.organization) if body.organization else acting_user(call)
    if target.type == "Organization" and membership_of(call, target.login, call.actor) is None:
        raise Forbidden("Resource not accessible by personal access token")
    known = call.db.find(Repository, Repository.parent_id == source.id, Repository.owner == target.login)
    if known:
        return show_full_repo(call, known)
    if not list_refs(call, source, HEADS):
        raise Forbidden("The repository exists, but it contains no Git content. Empty repositories cannot be forked.")
    name = clean_name(body.name or source.name)
    if target.login == source.owner and name == source.name:
        raise creation_failed("name already exists on this account")
    forked = show_full_repo(call, copy_repository(call, source, target, name, only_default=body.default_branch_only))
    announce(call, source, "fork", {"forkee": forked})
    return forked


def copy_repository(call: Call, source: Repository, target: User, name: str, *, only_default: bool) -> Repository:
    """Make a fork of a repository with its references and the rows of its files."""
    check_name_is_free(call, target.login, name)
    now = call.clock.iso()
    kept: dict[str, Any] = {
        each: getattr(source, each)
        for each in ("description", "private", "visibility", "default_branch", "license", "language", "size")
    }
    row = Repository(
        id=new_id(call),
        owner=target.login,
        name=name,
        full_name=f"{target.login}/{name}",
        network_id=source.network_id,
        parent_id=source.id,
        settings={"has_issues": False},
        created_at=now,
        updated_at=source.updated_at,
        pushed_at=source.pushed_at,
        **kept,
    )
    fork = call.db.add(row)
    refs = [ref for ref in list_refs(call, source) if not ref.ref.startswith("refs/pull/")]
    wanted = HEADS + source.default_branch
    call.db.add_all(
        [Ref(repository_id=fork.id, ref=ref.ref, sha=ref.sha) for ref in refs if not only_default or ref.ref == wanted]
    )
    files = call.db.rows(RepositoryFile, RepositoryFile.repository_id == source.id)
    call.db.add_all([replace(file, repository_id=fork.id) for file in files])
    add_default_labels(call, fork)
    return fork


@api.get("/repos/{owner}/{repo}/forks")
def list_forks(call: Call, owner: str, repo: str, sort: str = "newest") -> Any:
    """List the forks of a repository that the caller may see."""
    row = find_repo(call, owner, repo)
    where = (Repository.network_id == row.network_id, Repository.parent_id == row.id, visible_to_caller(call))
    by = Repository.created_at if sort == "oldest" else -Repository.created_at
    return paginate(call, Repository, *where, by=by, show=lambda fork: show_repo(call, fork))


class GenerateBody(Struct):
    """The repository to make from a template."""

    name: str
    owner: str | None = None
    description: str | None = None
    private: bool = False
    include_all_branches: bool = False


@api.post("/repos/{template_owner}/{template_repo}/generate", status=201)
def generate_repository(
    call: Call, template_owner: str, template_repo: str, body: Annotated[GenerateBody, Body]
) -> Any:
    """Make a repository with the files of a template repository and a history of its own."""
    template = find_repo(call, template_owner, template_repo)
    if not template.is_template:
        raise Unprocessable("Validation Failed", errors=["is not a template repository"])
    owner = find_user(call, body.owner) if body.owner else acting_user(call)
    if owner.type == "Organization":
        check_org_admin(call, owner)
    wanted = RepositoryBody(name=body.name, description=body.description, private=body.private)
    repo = make_repository(call, owner, wanted)
    files = call.db.rows(RepositoryFile, RepositoryFile.repository_id == template.id)
    texts = {file.path: file.content for file in files if file.content is not None}
    if texts:
        repo = commit_files(call, repo, repo.default_branch, texts, "Initial commit")
    return show_full_repo(call, repo)


@api.get("/repos/{owner}/{repo}/topics")
def list_topics(call: Call, owner: str, repo: str) -> Any:
    """List the topics of a repository."""
    return {"names": find_repo(call, owner, repo).topics}


@api.put("/repos/{owner}/{repo}/topics")
def replace_topics(call: Call, owner: str, repo: str, names: list[str]) -> Any:
    """Replace the topics of a repository."""
    row = find_repo(call, owner, repo)
    if len(names) > MAX_TOPICS:
        raise Unprocessable("Validation Failed", errors=[f"A repository cannot have more than {MAX_TOPICS} topics."])
    topics = list(dict.fromkeys(name.lower() for name in names))
    if not all(_TOPIC.fullmatch(name) for name in topics):
        what = "start with a lowercase letter or number, consist of 50 characters or less, and can include hyphens."
        raise Unprocessable("Validation Failed", errors=[f"Topics must {what}"])
    return {"names": call.db.change(row, topics=topics).topics}


@api.get("/repos/{owner}/{repo}/languages")
def list_languages(call: Call, owner: str, repo: str) -> Any:
    """List the languages of a repository with the bytes in each."""
    return languages_of(call, find_repo(call, owner, repo))


@api.get("/repos/{owner}/{repo}/contributors")
def list_contributors(call: Call, owner: str, repo: str) -> Any:
    """List the authors of the default branch's commits by their number."""
    row = find_repo(call, owner, repo)
    head = resolve_commit(call, row, "HEAD")
    if head is None:
        return None
    counts = Counter(commit.author for commit in walk_history(call, row.network_id, [head.sha]) if commit.author)
    shown = [
        {**user, "contributions": count} for login, count in counts.most_common() if (user := user_of(call, login))
    ]
    return slice_page(call, shown)


@api.get("/repos/{owner}/{repo}/teams")
def list_repository_teams(call: Call, owner: str, repo: str) -> Any:
    """List the teams that have a permission for a repository."""
    row = find_repo(call, owner, repo)
    shared = exists(TeamRepository, TeamRepository.team_id == Team.id, TeamRepository.repository_id == row.id)
    return paginate(call, Team, shared, by=Team.name, show=lambda team: show_team(call, team))


@api.get("/repos/{owner}/{repo}/tags")
def list_tags(call: Call, owner: str, repo: str) -> Any:
    """List the tags of a repository, the greatest name first."""
    row = find_repo(call, owner, repo)
    store, url = ObjectStore(call, row.network_id), repo_url(call, row)

    def show(ref: Ref) -> dict[str, Any]:
        name, sha = ref.ref.removeprefix(TAGS), peel(store, ref.sha)
        archives = {f"{kind}_url": f"{url}/{kind}/{ref.ref}" for kind in ("zipball", "tarball")}
        commit = {"sha": sha, "url": f"{url}/commits/{sha}"}
        return {"name": name, **archives, "commit": commit, "node_id": node_id("REF", row.id, ref.ref)}

    return slice_page(call, list_refs(call, row, TAGS)[::-1], show)


@api.get("/repos/{owner}/{repo}/assignees")
def list_assignees(call: Call, owner: str, repo: str) -> Any:
    """List the users whom issues of a repository can be assigned to."""
    row = find_repo(call, owner, repo)
    return slice_page(call, assignable_logins(call, row), lambda login: user_of(call, login))


@api.get("/repos/{owner}/{repo}/assignees/{assignee}", status=204)
def check_assignee(call: Call, owner: str, repo: str, assignee: str) -> None:
    """Answer 204 if issues can be assigned to a user, else 404."""
    if assignee not in assignable_logins(call, find_repo(call, owner, repo)):
        raise NotVisible


@api.get("/repos/{owner}/{repo}/subscribers")
def list_watchers(call: Call, owner: str, repo: str) -> Any:
    """List the users who watch a repository."""
    row = find_repo(call, owner, repo)
    where = (Subscription.repository_id == row.id, Subscription.subscribed)
    return paginate(call, Subscription, *where, by=Subscription.user, show=lambda each: user_of(call, each.user))
