"""The bodies of requests that make or change a repository, and what they change.

https://docs.github.com/en/rest/repos/repos
"""

from __future__ import annotations

import re
from typing import Any, Literal

from twindiff.kit import UNSET, Call, Struct, UnsetType

from ..core.stamps import new_id
from ..discussions.categories import ensure_categories
from ..git.commit_objects import Signature, signature_of, write_commit
from ..git.objects import EMPTY_TREE, TreeEntry, store_of
from ..git.refs import HEADS
from ..git.trees import change_tree
from ..pushes.ref_updates import move_ref
from ..tables.issue_tables import Label
from ..tables.repository_tables import Repository
from ..tables.user_tables import User
from ..tables.work_tables import Subscription
from ..views.license_views import LICENSES
from ..views.repository_views import MERGE_SETTINGS, SETTINGS, setting
from ..wire_style import Unprocessable, invalid
from .licenses import IGNORES, license_text

MAX_NAME_LENGTH, MAX_DESCRIPTION_LENGTH, MAX_TOPICS = 100, 350, 20
_NAME = re.compile(r"[^\w.-]+", re.ASCII)
_COLUMNS = ("description", "homepage", "is_template", "archived")
DEFAULT_LABELS = (
    ("bug", "d73a4a", "Something isn't working"),
    ("documentation", "0075ca", "Improvements or additions to documentation"),
    ("duplicate", "cfd3d7", "This issue or pull request already exists"),
    ("enhancement", "a2eeef", "New feature or request"),
    ("good first issue", "7057ff", "Good for newcomers"),
    ("help wanted", "008672", "Extra attention is needed"),
    ("invalid", "e4e669", "This doesn't seem right"),
    ("question", "d876e3", "Further information is requested"),
    ("wontfix", "ffffff", "This will not be worked on"),
)


class RepositoryBody(Struct):
    """The settings of a request; what is absent stays as it is."""

    name: str | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    homepage: str | UnsetType | None = UNSET
    private: bool | UnsetType = UNSET
    visibility: Literal["public", "private", "internal"] | UnsetType = UNSET
    default_branch: str | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    is_template: bool | UnsetType = UNSET
    has_issues: bool | UnsetType = UNSET
    has_projects: bool | UnsetType = UNSET
    has_wiki: bool | UnsetType = UNSET
    has_downloads: bool | UnsetType = UNSET
    has_discussions: bool | UnsetType = UNSET
    allow_squash_merge: bool | UnsetType = UNSET
    allow_merge_commit: bool | UnsetType = UNSET
    allow_rebase_merge: bool | UnsetType = UNSET
    allow_auto_merge: bool | UnsetType = UNSET
    delete_branch_on_merge: bool | UnsetType = UNSET
    allow_update_branch: bool | UnsetType = UNSET
    use_squash_pr_title_as_default: bool | UnsetType = UNSET
    squash_merge_commit_title: Literal["PR_TITLE", "COMMIT_OR_PR_TITLE"] | UnsetType = UNSET
    squash_merge_commit_message: Literal["PR_BODY", "COMMIT_MESSAGES", "BLANK"] | UnsetType = UNSET
    merge_commit_title: Literal["PR_TITLE", "MERGE_MESSAGE"] | UnsetType = UNSET
    merge_commit_message: Literal["PR_BODY", "PR_TITLE", "BLANK"] | UnsetType = UNSET
    auto_init: bool = False
    gitignore_template: str | None = None
    license_template: str | None = None
    team_id: int | None = None


def clean_name(name: str) -> str:
    """Return a name as GitHub stores it, other characters as hyphens; raise 422 for one that cannot be."""
    clean = _NAME.sub("-", name.strip())
    if not clean or clean in (".", "..") or clean.endswith(".git"):
        raise creation_failed("name is reserved" if clean else "name can't be blank")
    if len(clean) > MAX_NAME_LENGTH:
        raise creation_failed(f"name is too long (maximum is {MAX_NAME_LENGTH} characters)")
    return clean


def creation_failed(message: str) -> Unprocessable:
    """Build the error of a repository that cannot be made."""
    error = {"resource": "Repository", "code": "custom", "field": "name", "message": message}
    return Unprocessable("Repository creation failed.", errors=[error])


def check_name_is_free(call: Call, owner: str, name: str) -> None:
    """Raise 422 if the owner has a repository of that name."""
    if call.db.find(Repository, Repository.full_name.equals(f"{owner}/{name}")):
        raise creation_failed("name already exists on this account")


def columns_of(body: RepositoryBody, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the columns that a body sets; `settings` are the present ones."""
    columns = {name: getattr(body, name) for name in _COLUMNS if getattr(body, name) is not UNSET}
    if isinstance(body.description, str) and len(body.description) > MAX_DESCRIPTION_LENGTH:
        text = f"description cannot be more than {MAX_DESCRIPTION_LENGTH} characters"
        raise invalid("Repository", "description", "custom", text)
    if body.visibility is not UNSET:
        columns |= {"visibility": body.visibility, "private": body.visibility != "public"}
    elif body.private is not UNSET:
        columns |= {"private": body.private, "visibility": "private" if body.private else "public"}
    names = (*SETTINGS, *MERGE_SETTINGS)
    chosen = {name: value for name in names if (value := getattr(body, name, UNSET)) is not UNSET}
    if chosen:
        columns["settings"] = {**settings, **chosen}
    return columns


def make_repository(call: Call, owner: User, body: RepositoryBody, **more: Any) -> Repository:
    """Create a repository with its labels and, if asked, a first commit."""
    if body.name is UNSET or not body.name:
        raise creation_failed("name can't be blank")
    name = clean_name(body.name)
    check_name_is_free(call, owner.login, name)
    if body.license_template and body.license_template.lower() not in LICENSES:
        raise invalid("Repository", "license_template")
    now, repo_id = call.clock.iso(), new_id(call)
    begins: dict[str, Any] = {"default_branch": owner.default_branch or "main"}
    fields: dict[str, Any] = {"network_id": repo_id, **begins, **columns_of(body, {}), **more}
    times: dict[str, Any] = {"created_at": now, "updated_at": now, "pushed_at": now}
    row = Repository(id=repo_id, owner=owner.login, name=name, full_name=f"{owner.login}/{name}", **fields, **times)
    repo = call.db.add(row)
    add_default_labels(call, repo)
    if setting(repo, "has_discussions"):
        ensure_categories(call, repo)
    call.db.add(Subscription(user=call.actor, repository_id=repo.id, created_at=now))
    if body.auto_init or body.gitignore_template or body.license_template:
        repo = _write_first_commit(call, repo, body)
    return repo


def add_default_labels(call: Call, repo: Repository) -> None:
    """Give a new repository the labels that all begin with."""
    call.db.add_all(
        [
            Label(id=new_id(call), repository_id=repo.id, name=name, color=color, description=text, default=True)
            for name, color, text in DEFAULT_LABELS
        ]
    )


def _write_first_commit(call: Call, repo: Repository, body: RepositoryBody) -> Repository:
    texts = {"README.md": f"# {repo.name}\n" + (repo.description + "\n" if repo.description else "")}
    if body.gitignore_template:
        if body.gitignore_template not in IGNORES:
            raise invalid("Repository", "gitignore_template")
        texts[".gitignore"] = IGNORES[body.gitignore_template]
    if body.license_template:
        texts["LICENSE"] = license_text(body.license_template)
        repo = call.db.change(repo, license=body.license_template.lower())
    return commit_files(call, repo, repo.default_branch, texts, "Initial commit")


def commit_files(
    call: Call, repo: Repository, branch: str, texts: dict[str, str], message: str, author: Signature | None = None
) -> Repository:
    """Write the first commit of a branch from texts by path, and return the repository's row."""
    store = store_of(call, repo)
    entries = {path: TreeEntry("100644", store.add("blob", text.encode())) for path, text in texts.items()}
    tree = change_tree(store, EMPTY_TREE, entries)
    commit = write_commit(call, repo, tree, [], message, author or signature_of(call, None))
    return move_ref(call, repo, HEADS + branch, commit.sha)
