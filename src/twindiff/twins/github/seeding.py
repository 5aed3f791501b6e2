"""Fills GitHub from a configuration: users, organizations, and repositories with files, issues and pull requests.

A repository may come from a git bundle instead of `files`, and whole ones from exports of GitHub's API.

{"repos": [{"owner": "acme", "name": "shop", "files": [{"path": "README.md", "content": "…"}],
 "issues": [{"title": "It does not start"}], "prs": [{"title": "Start", "head": "start"}]}]}
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import msgspec

from twindiff.kit import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding, SeedSection

from .apps.app_keys import read_public_key
from .core.stamps import new_id, slug_of
from .git.commit_objects import signature_of, write_commit
from .git.objects import EMPTY_TREE, TreeEntry, store_of
from .git.refs import HEADS, find_ref, resolve_commit
from .git.trees import change_tree, check_path
from .issues.comments import add_comment
from .issues.issue_changes import change_assignees, change_labels, change_state, resolve_labels
from .issues.issues import add_issue
from .pulls.merging import MergePullBody, perform_merge
from .pulls.pulls import PullBody, open_pull
from .pushes.pull_closing import close_pull
from .pushes.ref_updates import move_ref
from .repos.repository_bodies import RepositoryBody, make_repository
from .seed_bundles import fill_from_bundle
from .seed_exports import ExportWriter, SeedExport
from .tables.issue_tables import Issue
from .tables.repository_tables import Collaborator, Repository
from .tables.user_tables import AppKey, Membership, User
from .tables.work_tables import Notification


class SeedUser(SeedSection):
    """A user; without a login, the name gives one."""

    name: str | None = None
    login: str | None = None
    email: str | None = None
    timezone: str | None = None
    real_name: str | None = None


class SeedOrg(SeedSection):
    """An organization, of which all users are members; the first one owns it."""

    login: str
    name: str | None = None


class SeedText(SeedSection):
    """A file."""

    path: str
    content: str = ""


class SeedComment(SeedSection):
    """A comment of a user; `user` defaults to the agent."""

    body: str
    user: str | None = None


class SeedIssue(SeedSection):
    """An issue; a comment may be given as its text alone."""

    title: str
    body: str | None = None
    state: Literal["open", "closed"] = "open"
    user: str | None = None
    labels: list[str] = msgspec.field(default_factory=list[str])
    assignees: list[str] = msgspec.field(default_factory=list[str])
    comments: list[SeedComment | str] = msgspec.field(default_factory=list[SeedComment | str])


class SeedPull(SeedSection):
    """A pull request; its branch is made with the files."""

    title: str
    head: str
    body: str | None = None
    base: str | None = None
    state: Literal["open", "closed", "merged"] = "open"
    merged: bool = False
    draft: bool = False
    user: str | None = None
    labels: list[str] = msgspec.field(default_factory=list[str])
    files: list[SeedText] = msgspec.field(default_factory=list[SeedText])
    comments: list[SeedComment | str] = msgspec.field(default_factory=list[SeedComment | str])


class SeedRepository(SeedSection):
    """A repository with its labels, files, issues and pull requests."""

    name: str
    owner: str | None = None
    private: bool = False
    description: str | None = None
    default_branch: str | None = None
    bundle: str | None = None
    """A git bundle in base64; its branches, tags and commits are taken as they are."""
    labels: list[str] = msgspec.field(default_factory=list[str])
    files: list[SeedText] = msgspec.field(default_factory=list[SeedText])
    issues: list[SeedIssue] = msgspec.field(default_factory=list[SeedIssue])
    prs: list[SeedPull] = msgspec.field(default_factory=list[SeedPull])


class GitHubConfig(msgspec.Struct):
    """The configuration of GitHub. A user may be given by name alone."""

    users: list[SeedUser | str] = []
    orgs: list[SeedOrg] = []
    repos: list[SeedRepository] = []
    exports: list[SeedExport] = []
    app_keys: list[str] = []
    """PEMs of private or public RSA keys with which a program signs JSON Web Tokens of the environment's app."""


class _GitHubWriter:
    """Writes the parts of a configuration and collects problems."""

    def __init__(self, call: Call, logins: dict[str, str]) -> None:
        self.call, self.logins = call, logins
        self.agent = next(iter(dict.fromkeys(logins.values())))
        self.problems: list[str] = []
        self.issues = self.pulls = 0

    def login(self, name: str | None, path: str) -> str:
        """Return the login of a person by login, name or address; note a problem for an unknown one."""
        if name is None:
            return self.agent
        if name not in self.logins:
            self.problems.append(f"{path}: '{name}' is not among the users; there are {', '.join(self.logins)}")
        return self.logins.get(name, self.agent)

    def repository(self, part: SeedRepository, path: str) -> None:
        """Make a repository with everything in it."""
        self.call.actor = self.agent
        owner = self.call.db.find(
            User, User.login == self.logins.get(part.owner or self.agent, part.owner or self.agent)
        )
        if owner is None:
            self.problems.append(f"{path}.owner: '{part.owner}' is neither among the users nor among the orgs")
            return
        about: dict[str, Any] = {"private": part.private, "description": part.description}
        body = RepositoryBody(name=part.name, auto_init=False, **about)
        repo = make_repository(self.call, owner, body, default_branch=part.default_branch or "main")
        if owner.type == "User" and owner.login != self.agent:
            self.call.db.add(Collaborator(repository_id=repo.id, user=self.agent, permission="admin"))
        repo = self.history(repo, part)
        resolve_labels(self.call, repo, part.labels)
        for number, issue in enumerate(part.issues):
            self.issue(repo, issue, f"{path}.issues[{number}]")
        for number, pull in enumerate(part.prs):
            self.pull(self.call.db.get(Repository, repo.id), pull, f"{path}.prs[{number}]")

    def history(self, repo: Repository, part: SeedRepository) -> Repository:
        """Take the history of a bundle, and commit files on the default branch; without either, a README."""
        if part.bundle is not None:
            repo = fill_from_bundle(self.call, repo, part.bundle, part.default_branch)
        files = part.files or ([] if part.bundle else [SeedText("README.md", f"# {part.name}\n")])
        text = "Initial commit" if part.bundle is None else "Add files"
        return self.commit(repo, repo.default_branch, files, text) if files else repo

    def export(self, export: SeedExport, _path: str) -> None:
        """Make a repository as GitHub's API described it, and the people in it."""
        about = export.repository
        owner = self.call.db.get(User, self.join(about.owner.login, about.owner.type))
        part = SeedRepository(about.name, owner.login, default_branch=about.default_branch, bundle=export.bundle)
        body = RepositoryBody(name=about.name, private=about.private, description=about.description, auto_init=False)
        self.call.actor = self.agent
        repo = make_repository(self.call, owner, body, default_branch=about.default_branch or "main")
        if owner.login != self.agent:
            self.call.db.add(Collaborator(repository_id=repo.id, user=self.agent, permission="admin"))
        repo = self.history(self.call.db.change(repo, topics=about.topics, homepage=about.homepage), part)
        issues, pulls = ExportWriter(self.call, repo, self.join).write(export)
        self.issues, self.pulls = self.issues + issues, self.pulls + pulls

    def join(self, login: str, type: str = "User") -> str:
        """Return the login of a user, who is made if there is none."""
        if self.call.db.find(User, User.login == login) is None:
            now = self.call.clock.iso()
            new = User(login=login, id=new_id(self.call), type=type, name=login, created_at=now, updated_at=now)
            self.call.db.add(new)
        return login

    def commit(self, repo: Repository, branch: str, files: Sequence[SeedText], message: str) -> Repository:
        """Commit files on a branch, which is made if there is none."""
        store, head = store_of(self.call, repo), resolve_commit(self.call, repo, branch)
        head = head or resolve_commit(self.call, repo, "HEAD")
        entries = {
            check_path(file.path.strip("/")): TreeEntry("100644", store.add("blob", file.content.encode()))
            for file in files
        }
        tree = change_tree(store, head.tree_sha if head else EMPTY_TREE, entries)
        parents = [head.sha] if head else []
        commit = write_commit(self.call, repo, tree, parents, message, signature_of(self.call, None))
        return move_ref(self.call, repo, HEADS + branch, commit.sha)

    def issue(self, repo: Repository, part: SeedIssue, path: str) -> Issue:
        """Make an issue with its comments."""
        self.call.actor = self.login(part.user, f"{path}.user")
        repo = self.call.db.get(Repository, repo.id)
        issue = add_issue(self.call, repo, title=part.title, body=part.body)
        self.issues += 1
        issue = change_labels(self.call, repo, issue, resolve_labels(self.call, repo, part.labels))
        issue = change_assignees(
            self.call, repo, issue, [self.login(each, f"{path}.assignees") for each in part.assignees]
        )
        issue = self.comment(repo, issue, part.comments, path)
        return change_state(self.call, repo, issue, "closed") if part.state == "closed" else issue

    def comment(self, repo: Repository, issue: Issue, comments: Sequence[SeedComment | str], path: str) -> Issue:
        """Comment on an issue or a pull request, as the authors of the comments."""
        actor = self.call.actor
        for number, given in enumerate(comments):
            comment = SeedComment(given) if isinstance(given, str) else given
            self.call.actor = self.login(comment.user, f"{path}.comments[{number}].user") if comment.user else actor
            add_comment(self.call, repo, issue, comment.body)
            issue = self.call.db.get(Issue, issue.id)
        self.call.actor = actor
        return issue

    def pull(self, repo: Repository, part: SeedPull, path: str) -> None:
        """Make a pull request, and merge or close it."""
        self.call.actor = self.login(part.user, f"{path}.user")
        base = part.base or repo.default_branch
        if find_ref(self.call, repo, HEADS + base) is None:
            self.problems.append(f"{path}.base: there is no branch '{base}'")
            return
        branch = part.head.rpartition(":")[2]
        files = part.files or [SeedText(f"{slug_of(branch)}.md", f"{part.title}\n")]
        if find_ref(self.call, repo, HEADS + branch) is None or part.files:
            repo = self.commit(repo, branch, files, part.title)
        body = PullBody(title=part.title, body=part.body, head=branch, base=base, draft=part.draft)
        pull = open_pull(self.call, repo, body)
        self.pulls += 1
        issue = self.call.db.get(Issue, pull.issue_id)
        issue = change_labels(self.call, repo, issue, resolve_labels(self.call, repo, part.labels))
        issue = self.comment(repo, issue, part.comments, path)
        repo = self.call.db.get(Repository, repo.id)
        if part.merged or part.state == "merged":
            perform_merge(self.call, repo, pull, issue, MergePullBody())
        elif part.state == "closed":
            close_pull(self.call, repo, pull, issue)


def write(call: Call, config: GitHubConfig, people: Sequence[Person]) -> dict[str, int]:
    """Fill GitHub and return the numbers of `users`, `orgs`, `repos`, `issues` and `prs`.

    Raises InvalidSeedConfig for unknown users, owners and branches, and for what GitHub refuses.
    """
    logins = _join_all(call, config, people)
    for org in config.orgs:
        _make_org(call, org, list(dict.fromkeys(logins.values())))
        logins.setdefault(org.login, org.login)
    writer = _GitHubWriter(call, logins)
    parts = [
        *((f"repos[{number}]", partial(writer.repository, each)) for number, each in enumerate(config.repos)),
        *((f"exports[{number}]", partial(writer.export, each)) for number, each in enumerate(config.exports)),
    ]
    for number, pem in enumerate(config.app_keys):
        try:
            call.db.add(AppKey(id=new_id(call), public_key=read_public_key(pem)))
        except ValueError as error:
            writer.problems.append(f"app_keys[{number}]: not the PEM of an RSA key: {error}")
    for path, write_part in parts:
        try:
            write_part(path)
        except ApiError as error:
            details = error.details.get("errors")
            writer.problems.append(f"{path}: {error}" + (f": {details}" if details else ""))
    if writer.problems:
        raise InvalidSeedConfig(writer.problems)
    for notification in call.db.rows(Notification):
        call.db.remove(notification)
    counts = {
        "users": len(set(logins.values())) - len(config.orgs),
        "orgs": len(config.orgs),
        "repos": len(config.repos) + len(config.exports),
    }
    return {**counts, "issues": writer.issues, "prs": writer.pulls}


def _join_all(call: Call, config: GitHubConfig, people: Sequence[Person]) -> dict[str, str]:
    """Make the users, and return their logins by login, name and address, the agent's first."""
    given = [SeedUser(each) if isinstance(each, str) else each for each in config.users]
    named = {each.email or each.name: each.login for each in given if each.login}
    logins: dict[str, str] = {}
    for person in people:
        login = named.get(person.email) or named.get(person.name) or slug_of(person.name)
        _join(call, login, person.name, person.email)
        logins |= dict.fromkeys((login, person.name, person.email), login)
    for each in given:
        if each.login and each.login not in logins:
            _join(call, each.login, each.real_name or each.name or each.login, each.email)
            logins |= {each.login: each.login}
        elif each.login and each.name:
            logins.setdefault(each.name, each.login)
    return logins


def _join(call: Call, login: str, name: str, email: str | None) -> None:
    """Make a user, unless the environment begins with one of this login."""
    if call.db.find(User, User.login == login) is not None:
        return
    now = call.clock.iso()
    call.db.add(User(login=login, id=new_id(call), name=name, email=email, created_at=now, updated_at=now))


def _make_org(call: Call, org: SeedOrg, members: list[str]) -> None:
    """Make an organization; its first member owns it."""
    now = call.clock.iso()
    row = User(login=org.login, id=new_id(call), type="Organization", name=org.name, created_at=now, updated_at=now)
    call.db.add(row)
    for number, login in enumerate(members):
        role = "member" if number else "admin"
        call.db.add(Membership(org=org.login, user=login, role=role, is_public=True))
    call.db.change(row, default_repository_permission="write")


seeding = Seeding(GitHubConfig, write)
