"""What GitLab keeps below projects, groups, issues, merge requests, commits and users, as documents.

https://docs.gitlab.com/api/api_resources/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError, InvalidParameter, NotFound
from twindiff.kit.rows import Row

from ...drafting import Draft
from ..document_collections import ALL, CollectionStyle, DocumentCollection, DocumentRequest, Shown

MAX_PAGE = 100
Scope = Callable[[Call, Sequence[str]], Sequence[str]]
_READ = frozenset(["list", "read"])
_NO_UPDATE = ALL - {"update"}
_API = "/api/v4"
_NAME = re.compile(r"[A-Za-z0-9_]{1,255}")


class GitLabDocuments(CollectionStyle):
    """Lists are bare, pages are in headers, ids are numbers, and times ISO 8601."""

    dated = True

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        page, size = (_read_whole(request.query.get(name), usual) for name, usual in (("page", 1), ("per_page", 20)))
        size = min(max(size, 1), MAX_PAGE)
        start = (max(page, 1) - 1) * size
        return shown[start : start + size]

    def refuse_absent(self, name: str, absent: Sequence[str]) -> ApiError:
        return InvalidParameter(absent[0], "is missing")

    def refuse_taken(self, name: str, taken: str, value: Any) -> ApiError:
        return InvalidParameter(taken, f"({value}) has already been taken")

    def stamp(self, call: Call, *, is_new: bool) -> Shown:
        now = f"{call.clock.iso()[:23]}Z" if "." in call.clock.iso() else f"{call.clock.iso()[:19]}.000Z"
        if not self.dated:
            return {}
        return {"created_at": now, "updated_at": now} if is_new else {"updated_at": now}


class UndatedDocuments(GitLabDocuments):
    """As others, without times."""

    dated = False


_DATED, _PLAIN = GitLabDocuments(), UndatedDocuments()


def _read_whole(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 9 else otherwise


def _check_variable(_request: DocumentRequest, fields: Shown) -> None:
    if not _NAME.fullmatch(str(fields.get("key"))):
        raise InvalidParameter("key", "can contain only letters, digits and '_'.")


class ProjectScopes:
    """Finds what paths name above documents: projects by id or path, issues and the like by their number in them."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def find_row(self, call: Call, table: str, said: str, *others: str) -> Row:
        """Return the row of a table whose id, or one of `others`, a path names. Raises NotFound."""
        row: Any = self._draft.row(table)
        for name in ("id", *others):
            column = getattr(row, name)
            wanted: Any = said if name != "id" else int(said) if said.isdecimal() and len(said) < 16 else None
            row_named = call.db.find(row, column == wanted) if wanted is not None else None
            if row_named is not None:
                return row_named
        raise NotFound(table.removesuffix("s").replace("_", " "), said)

    def project(self, call: Call, given: Sequence[str]) -> Sequence[str]:
        """Return the id of a project, and what else the path has."""
        row: Any = self.find_row(call, "projects", given[0], "path_with_namespace")
        return [str(row.id), *given[1:]]

    def group(self, call: Call, given: Sequence[str]) -> Sequence[str]:
        """Return the id of a group, and what else the path has."""
        row: Any = self.find_row(call, "groups", given[0], "full_path")
        return [str(row.id), *given[1:]]

    def user(self, call: Call, given: Sequence[str]) -> Sequence[str]:
        """Return the id of a user."""
        row: Any = self.find_row(call, "users", given[0])
        return [str(row.id)]

    def find_numbered(self, table: str) -> Scope:
        """Return a function that finds an object by its number in a project."""

        def find(call: Call, given: Sequence[str]) -> Sequence[str]:
            scope = self.project(call, given)
            row: Any = self._draft.row(table)
            wanted = int(scope[1]) if scope[1].isdecimal() and len(scope[1]) < 16 else -1
            if call.db.find(row, row.project_id == int(scope[0]), row.iid == wanted) is None:
                raise NotFound(table.removesuffix("s").replace("_", " "), scope[1])
            return scope

        return find

    def caller(self, call: Call) -> Shown:
        """Return the caller as objects show who made them."""
        row: Any = self._draft.row("users")
        key = self._draft.find_user_key(call)
        user: Any = call.db.find(row, row.id == key) if key is not None else None
        names = ("id", "username", "name", "state", "avatar_url", "web_url")
        return {name: getattr(user, name, None) for name in names} if user else {}


def _of(above: str, resolve: Scope, word: str, name: str, **more: Any) -> DocumentCollection:
    style = more.pop("style", _DATED)
    table = more.pop("table", f"{'group' if '/groups/' in above else 'project'}_{word.replace('/', '_')}")
    return DocumentCollection(
        table=table, path=f"{above}/{word}", style=style, name=name, resolve=resolve,
        updates_by=more.pop("updates_by", ("PUT",)), **more,
    )  # fmt: skip


_VARIABLE: dict[str, Any] = {
    "item": "/{key}", "key": "key", "given_key": "key", "required": ("key", "value"), "check": _check_variable,
    "style": _PLAIN,
    "defaults": {"variable_type": "env_var", "value": "", "hidden": False, "protected": False, "masked": False,
                 "raw": False, "environment_scope": "*", "description": None},
}  # fmt: skip


def make_collections(scopes: ProjectScopes) -> list[DocumentCollection]:
    """Return the collections of the API."""
    project, group = f"{_API}/projects/{{project_id}}", f"{_API}/groups/{{group_id}}"
    of_project, of_group = scopes.project, scopes.group

    def add_author(request: DocumentRequest, fields: Shown) -> None:
        fields.setdefault("author", scopes.caller(request.call))

    def in_project(request: DocumentRequest, fields: Shown) -> None:
        fields.setdefault("project_id", int(scopes.project(request.call, [request.path["project_id"]])[0]))

    def add_owner(request: DocumentRequest, fields: Shown) -> None:
        fields.setdefault("owner", scopes.caller(request.call))

    def add_user(request: DocumentRequest, fields: Shown) -> None:
        fields.setdefault("user", scopes.caller(request.call))

    def with_token(request: DocumentRequest, fields: Shown) -> None:
        if "token" not in fields:
            fields["token"] = f"glpat-{request.call.ids.new('', 20)}"

    def add_place(request: DocumentRequest, fields: Shown) -> None:
        in_project(request, fields)
        add_user(request, fields)

    def add_slug(_request: DocumentRequest, fields: Shown) -> None:
        fields.setdefault("slug", re.sub(r"\s+", "-", str(fields.get("title") or "")))

    awards: list[DocumentCollection] = []
    for word, table in (("issues", "issues"), ("merge_requests", "merge_requests")):
        path = f"{project}/{word}/{{iid}}"
        awards.append(
            _of(path, scopes.find_numbered(table), "award_emoji", "award emoji", table=f"{table}_award_emoji",
                required=("name",), check=add_user, serves=_NO_UPDATE)
        )  # fmt: skip
        awards.append(
            _of(path, scopes.find_numbered(table), "discussions", "discussion", table=f"{table}_discussions",
                required=("body",), serves=frozenset(["list", "create", "read"]), hidden=frozenset(["body"]),
                check=_start_discussion(scopes), style=_PLAIN)
        )  # fmt: skip
    return [
        *awards,
        _of(project, of_project, "variables", "variable", **_VARIABLE),
        _of(group, of_group, "variables", "variable", **_VARIABLE),
        _of(project, of_project, "pipelines", "pipeline", serves=frozenset(["list", "read", "delete"]), check=add_place,
            filters=("status", "ref", "sha", "source", "username")),
        _of(project, of_project, "jobs", "job", serves=_READ, style=_PLAIN, filters=("scope", "status")),
        _of(project, of_project, "pipeline_schedules", "pipeline schedule", required=("description", "ref", "cron"),
            defaults={"cron_timezone": "UTC", "active": True, "next_run_at": None, "variables": []}, check=add_owner),
        _of(project, of_project, "triggers", "trigger", required=("description",), check=with_token,
            defaults={"last_used": None}),
        _of(project, of_project, "deploy_keys", "deploy key", required=("title", "key"), defaults={"can_push": False}),
        _of(project, of_project, "deploy_tokens", "deploy token", required=("name", "scopes"), check=with_token,
            serves=_NO_UPDATE, defaults={"expires_at": None, "revoked": False, "expired": False}),
        _of(group, of_group, "deploy_tokens", "deploy token", required=("name", "scopes"), check=with_token,
            serves=_NO_UPDATE, defaults={"expires_at": None, "revoked": False, "expired": False}),
        _of(project, of_project, "access_tokens", "access token", required=("name", "scopes"), check=with_token,
            serves=_NO_UPDATE, defaults={"active": True, "revoked": False, "access_level": 40, "expires_at": None}),
        _of(group, of_group, "access_tokens", "access token", required=("name", "scopes"), check=with_token,
            serves=_NO_UPDATE, defaults={"active": True, "revoked": False, "access_level": 40, "expires_at": None}),
        _of(project, of_project, "protected_branches", "protected branch", required=("name",), item="/{name}",
            key="id", aliases=("name",), unique=("name",), style=_PLAIN, updates_by=("PATCH",),
            defaults={"push_access_levels": [{"access_level": 40, "access_level_description": "Maintainers"}],
                      "merge_access_levels": [{"access_level": 40, "access_level_description": "Maintainers"}],
                      "unprotect_access_levels": [], "allow_force_push": False, "code_owner_approval_required": False}),
        _of(project, of_project, "protected_tags", "protected tag", required=("name",), item="/{name}", key="name",
            given_key="name", style=_PLAIN, serves=_NO_UPDATE,
            defaults={"create_access_levels": [{"access_level": 40, "access_level_description": "Maintainers"}]}),
        _of(project, of_project, "snippets", "snippet", required=("title",), check=add_author,
            defaults={"description": None, "visibility": "private", "file_name": "", "files": []}),
        _of(project, of_project, "wikis", "wiki page", required=("title", "content"), item="/{slug}", key="slug",
            given_key="slug", check=add_slug, style=_PLAIN, defaults={"format": "markdown", "encoding": "UTF-8"}),
        _of(project, of_project, "environments", "environment", required=("name",), unique=("name",),
            filters=("name", "states"), defaults={"state": "available", "external_url": None, "tier": "other"}),
        _of(project, of_project, "deployments", "deployment", required=("environment", "sha", "ref", "tag", "status"),
            check=add_user, filters=("environment", "status")),
        _of(project, of_project, "boards", "board", required=("name",), style=_PLAIN,
            defaults={"lists": [], "labels": [], "assignee": None, "milestone": None, "weight": None}),
        _of(project, of_project, "badges", "badge", required=("link_url", "image_url"), style=_PLAIN,
            defaults={"kind": "project", "name": None}),
        _of(group, of_group, "badges", "badge", required=("link_url", "image_url"), style=_PLAIN,
            defaults={"kind": "group", "name": None}),
        _of(project, of_project, "remote_mirrors", "remote mirror", required=("url",),
            defaults={"enabled": False, "update_status": "none", "only_protected_branches": False}),
        _of(project, of_project, "packages", "package", serves=frozenset(["list", "read", "delete"])),
        _of(project, of_project, "approval_rules", "approval rule", required=("name", "approvals_required"),
            style=_PLAIN, defaults={"rule_type": "regular", "users": [], "groups": [], "eligible_approvers": []}),
        _of(project, of_project, "events", "event", serves=frozenset(["list"]), filters=("action", "target_type")),
        _of(project, of_project, "invitations", "invitation", required=("email", "access_level"), item="/{email}",
            key="email", given_key="email", style=_PLAIN, serves=ALL - {"read"}),
        _of(project, of_project, "access_requests", "access request", serves=frozenset(["list"]), style=_PLAIN),
        _of(project, of_project, "forks", "fork", serves=frozenset(["list"]), style=_PLAIN),
        _of(project, of_project, "freeze_periods", "freeze period",
            required=("freeze_start", "freeze_end"), defaults={"cron_timezone": "UTC"}),
        _of(project, of_project, "issues/{iid}/links", "issue link", table="issue_links",
            required=("target_project_id", "target_issue_iid"), serves=_NO_UPDATE, created=201, deleted=200),
        _of(f"{project}/merge_requests/{{iid}}", scopes.find_numbered("merge_requests"), "commits", "commit",
            table="merge_request_commits", serves=frozenset(["list"]), style=_PLAIN),
        DocumentCollection(table="merge_request_approvers", path=f"{project}/merge_requests/{{iid}}/approvers",
                           style=_PLAIN, serves=frozenset()),
        _of(f"{project}/merge_requests/{{iid}}", scopes.find_numbered("merge_requests"), "diffs", "diff",
            table="merge_request_diffs", serves=frozenset(["list"]), style=_PLAIN, key="new_path"),
        _of(f"{project}/merge_requests/{{iid}}", scopes.find_numbered("merge_requests"), "pipelines", "pipeline",
            table="merge_request_pipelines", serves=frozenset(["list"])),
        _of(project, of_project, "repository/commits/{sha}/comments", "comment", table="commit_comments",
            required=("note",), serves=frozenset(["list", "create"]), check=add_author,
            style=_Comments(), key="created_at",
            defaults={"line": None, "path": None, "line_type": None}),
        _of(project, of_project, "repository/commits/{sha}/statuses", "commit status", table="commit_statuses",
            serves=frozenset(["list"]), filters=("ref", "name", "stage")),
        _of(project, of_project, "repository/files", "file", table="repository_files", item="/{file_path:path}",
            key="file_path", given_key="file_path", style=_PLAIN, serves=frozenset()),
        _of(project, of_project, "releases/{tag}/assets/links", "release link", table="release_links",
            required=("name", "url"), style=_PLAIN, defaults={"link_type": "other"}, item="/{link_id}"),
        DocumentCollection(table="user_keys", path=f"{_API}/user/keys", style=_DATED, name="key",
                           required=("title", "key"), serves=_NO_UPDATE, defaults={"expires_at": None}),
        DocumentCollection(table="user_keys", path=f"{_API}/users/{{user_id}}/keys", style=_DATED, name="key",
                           required=("title", "key"), serves=_NO_UPDATE, item="/{key_id}", places_scope=False,
                           resolve=scopes.user),
        DocumentCollection(table="user_gpg_keys", path=f"{_API}/user/gpg_keys", style=_DATED, name="GPG key",
                           required=("key",), serves=_NO_UPDATE),
        DocumentCollection(table="user_emails", path=f"{_API}/user/emails", style=_PLAIN, name="email",
                           required=("email",), serves=_NO_UPDATE, defaults={"confirmed_at": None}),
        DocumentCollection(table="personal_access_tokens", path=f"{_API}/personal_access_tokens", style=_DATED,
                           name="personal access token", serves=frozenset(["list", "read", "delete"])),
        DocumentCollection(table="snippets", path=f"{_API}/snippets", style=_DATED, name="snippet", check=add_author,
                           required=("title",), updates_by=("PUT",),
                           defaults={"description": None, "visibility": "private", "file_name": "", "files": []}),
        DocumentCollection(table="runners", path=f"{_API}/runners", style=_PLAIN, name="runner", updates_by=("PUT",),
                           serves=ALL - {"create"}, filters=("type", "status", "paused")),
        _of(project, of_project, "runners", "runner", serves=frozenset(["list", "create", "delete"]),
            required=("runner_id",), given_key="runner_id", style=_PLAIN, table="project_runners"),
        DocumentCollection(table="todos", path=f"{_API}/todos", style=_DATED, name="todo", serves=frozenset(["list"]),
                           filters=("state", "action", "type")),
        DocumentCollection(table="topics", path=f"{_API}/topics", style=_PLAIN, name="topic", updates_by=("PUT",),
                           required=("name", "title"), unique=("name",), deleted=204,
                           defaults={"description": None, "total_projects_count": 0, "avatar_url": None}),
        DocumentCollection(table="broadcast_messages", path=f"{_API}/broadcast_messages", style=_PLAIN,
                           name="broadcast message", updates_by=("PUT",), required=("message",),
                           defaults={"active": True, "broadcast_type": "banner", "dismissable": False}),
        DocumentCollection(table="applications", path=f"{_API}/applications", style=_PLAIN, name="application",
                           required=("name", "redirect_uri", "scopes"), serves=frozenset(["list", "create", "delete"])),
        DocumentCollection(table="system_hooks", path=f"{_API}/hooks", style=_DATED, name="hook", required=("url",),
                           updates_by=("PUT",),
                           defaults={"push_events": True, "tag_push_events": False, "enable_ssl_verification": True}),
        DocumentCollection(table="events", path=f"{_API}/events", style=_DATED, serves=frozenset(["list"]),
                           filters=("action", "target_type")),
        DocumentCollection(table="namespaces", path=f"{_API}/namespaces", style=_PLAIN, name="namespace", serves=_READ,
                           aliases=("path", "full_path")),
        _of(group, of_group, "members", "member", required=("user_id", "access_level"), given_key="id",
            item="/{user_id}", style=_PLAIN, check=_fill_member(scopes), hidden=frozenset(["user_id"])),
        _of(group, of_group, "labels", "label", required=("name", "color"), unique=("name",), aliases=("name",),
            style=_PLAIN, defaults={"description": None, "text_color": "#FFFFFF", "subscribed": False},
            item="/{label_id}"),
        _of(group, of_group, "milestones", "milestone", required=("title",),
            defaults={"state": "active", "description": None, "due_date": None, "start_date": None},
            filters=("state", "title")),
        _of(group, of_group, "hooks", "hook", required=("url",),
            defaults={"push_events": True, "issues_events": False}),
        _of(group, of_group, "wikis", "wiki page", required=("title", "content"), item="/{slug}", key="slug",
            given_key="slug", check=add_slug, style=_PLAIN, defaults={"format": "markdown", "encoding": "UTF-8"}),
        _of(group, of_group, "boards", "board", required=("name",), style=_PLAIN, defaults={"lists": []}),
    ]  # fmt: skip


class _Comments(GitLabDocuments):
    """Comments on commits have no id; the time at which one was made is its key here."""

    def make_key(self, call: Call, collection: DocumentCollection) -> Any:
        return self.stamp(call, is_new=True)["created_at"]

    def stamp(self, call: Call, *, is_new: bool) -> Shown:
        return {"created_at": super().stamp(call, is_new=True)["created_at"]}


def _start_discussion(scopes: ProjectScopes) -> Callable[[DocumentRequest, Shown], None]:
    """Return a function that gives a new discussion its first note."""

    def start(request: DocumentRequest, fields: Shown) -> None:
        given = request.read_object()
        now = GitLabDocuments().stamp(request.call, is_new=True)
        note = {
            "id": request.call.db.next("discussion_note", at_least=1001),
            "type": "DiscussionNote",
            "body": given.get("body"),
            "attachment": None,
            "author": scopes.caller(request.call),
            **now,
            "system": False,
            "resolvable": True,
            "resolved": False,
        }
        fields |= {"individual_note": False, "notes": [note]}

    return start


def _fill_member(scopes: ProjectScopes) -> Callable[[DocumentRequest, Shown], None]:
    """Return a function that gives a member of a group the names of its user."""

    def fill(request: DocumentRequest, fields: Shown) -> None:
        number = fields.get("id") or request.read_object().get("user_id")
        row: Any = scopes.find_row(request.call, "users", str(number))
        names = ("id", "username", "name", "state", "avatar_url", "web_url")
        fields |= {name: getattr(row, name, None) for name in names}

    return fill


def rescope_projects(calls: Sequence[Any]) -> Callable[[Sequence[str]], Sequence[str]]:
    """Return a function that replaces the path of a project by its id, as recorded answers show it."""
    ids: dict[str, str] = {}
    for call in calls:
        answer: Any = call.answer
        for each in cast(list[Any], answer) if isinstance(answer, list) else [answer]:
            if isinstance(each, dict):
                shown = cast(Mapping[str, Any], each)
                path = shown.get("path_with_namespace") or shown.get("full_path")
                if path and shown.get("id"):
                    ids.setdefault(str(path), str(shown["id"]))
    return lambda given: [ids.get(each, each) for each in given]
