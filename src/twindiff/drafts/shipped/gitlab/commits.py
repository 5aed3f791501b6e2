"""Commits of GitLab's projects, the branches that have them, and the projects of groups.

https://docs.gitlab.com/api/commits/, /branches/, /groups/
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha1
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError, InvalidParameter, MissingOperation, NotFound
from twindiff.kit.http import ValueResponse
from twindiff.kit.rows import Expression
from twindiff.kit.twin import Operations

from ...drafting import Draft
from ..document_collections import DocumentRequest, Shown, declare_operation
from ..number_ids import read_number_id
from .project_scopes import API, GROUP, PROJECT, GitLabDocuments, ProjectScopes, show_page, sort_shown

MAX_COMMITS_WALKED = 10_000
_COMMITS, _BRANCHES = f"{PROJECT}/repository/commits", f"{PROJECT}/repository/branches"
_STYLE = GitLabDocuments()


class BranchRefused(ApiError):
    """You can only create or edit files when you are on a branch"""

    status = 400


class ProjectCommits:
    """The handlers, over the tables of a draft."""

    def __init__(self, draft: Draft, scopes: ProjectScopes) -> None:
        self._draft, self._scopes = draft, scopes

    @property
    def _commit(self) -> Any:
        return self._draft.row("commits")

    @property
    def _branch(self) -> Any:
        return self._draft.row("branches")

    def declare(self) -> Operations:
        """Return the operations with their paths."""
        api = Operations()
        declare_operation(api, f"GET {_COMMITS}", self.list_commits)
        declare_operation(api, f"GET {_COMMITS}/{{sha}}", self.read_commit)
        declare_operation(api, f"POST {_BRANCHES}", self.create_branch)
        declare_operation(api, f"POST {API}/projects", self.create_project)
        declare_operation(api, f"GET {GROUP}/projects", self.list_group_projects)
        return api

    def record_commit(self, request: DocumentRequest, given: Mapping[str, Any]) -> Shown:
        """Store a commit on a branch, which begins at `start_branch` if it is new; returns the commit as it is shown.

        Raises BranchRefused for a branch that does not exist in a project with branches.
        """
        call, project = request.call, self._project(request)
        name, message = str(given["branch"]), str(given["commit_message"])
        branch, others = self._find_branch(call, project.id, name), self._list_branches(call, project.id)
        start = given.get("start_branch")
        source = branch or (self._find_branch(call, project.id, str(start)) if start else None)
        if branch is None and source is None and (start or others):
            raise BranchRefused
        parent = cast(Shown, source.commit or {}).get("id") if source is not None else None
        now, caller = _STYLE.show_now(call), self._scopes.caller(call)
        sha = sha1(f"{project.id} {parent} {message} {now}".encode(), usedforsecurity=False).hexdigest()
        author = str(given.get("author_name") or caller.get("name"))
        email = str(given.get("author_email") or "agent@example.com")
        fields = {
            "id": sha, "short_id": sha[:8], "title": message.partition("\n")[0], "message": message, "created_at": now,
            "parent_ids": [parent] if parent else [], "author_name": author, "author_email": email,
            "authored_date": now, "committer_name": caller.get("name"), "committer_email": "agent@example.com",
            "committed_date": now, "project_id": project.id,
            "web_url": f"https://gitlab.com/{project.path_with_namespace}/-/commit/{sha}",
        }  # fmt: skip
        self._draft.make(call, "commits", fields)
        if branch is None:
            about = {"name": name, "default": name == project.default_branch, "commit": fields}
            self._draft.make(call, "branches", {"project_id": str(project.id), **about})
        else:
            self._draft.change(call, "branches", branch, {"commit": fields})
        self._draft.change(call, "projects", project, {"empty_repo": False})
        return {**fields, "stats": None, "status": None}

    def list_commits(self, request: DocumentRequest) -> Any:
        """List the commits of a branch, tag or commit; without one, those of the default branch, or all there are."""
        call, project, query = request.call, self._project(request), request.query
        for name in ("path", "first_parent", "follow", "trailers", "order"):
            if query.get(name):
                raise MissingOperation(f"This drafted twin does not have the parameter '{name}' of this list.")
        where: list[Expression] = []
        ref = query.get("ref_name") or ("" if query.get("all") in ("true", "1") else project.default_branch)
        head = self._find_head(call, project.id, str(ref)) if ref else None
        if query.get("ref_name") and head is None:
            raise NotFound("commit", query["ref_name"])
        if head is not None:
            where.append(self._commit.id.in_(self._walk(call, project.id, head)))
        rows = call.db.rows(self._commit, self._commit.project_id == project.id, *where)
        rows = sorted(rows, key=lambda each: each.creation_number, reverse=True)
        since, until, author = (str(query.get(name) or "") for name in ("since", "until", "author"))
        kept = [
            each for each in rows
            if (not since or str(each.created_at) >= since) and (not until or str(each.created_at) <= until)
            and (not author or author.lower() in f"{each.author_name} <{each.author_email}>".lower())
        ]  # fmt: skip
        return show_page(request, [self._show(call, each, f"GET {_COMMITS}/{{sha}}") for each in kept])

    def read_commit(self, request: DocumentRequest) -> Any:
        """Return a commit by its id, the beginning of it, or a branch or tag."""
        project = self._project(request)
        head = self._find_head(request.call, project.id, request.path["sha"])
        given = {"project_id": str(project.id), "sha": head or request.path["sha"]}
        return self._draft.serve(request.call, f"GET {_COMMITS}/{{sha}}", given)

    def create_branch(self, request: DocumentRequest) -> Any:
        """Create a branch at another, a tag or a commit."""
        call, project = request.call, self._project(request)
        given = {**request.query, **request.read_object()}
        for name in ("branch", "ref"):
            if given.get(name) in (None, ""):
                raise InvalidParameter(name, "is missing")
        if self._find_branch(call, project.id, str(given["branch"])):
            raise BranchRefused("Branch already exists")
        commit = self._commit_of(call, project.id, self._find_head(call, project.id, str(given["ref"])))
        others = [each.name for each in self._list_branches(call, project.id)]
        if commit is None and others and given["ref"] not in others:
            raise BranchRefused(f"Invalid reference name: {str(given['ref'])[:100]}")
        path = {"project_id": str(project.id)}
        fields = {"commit": commit} if commit else {}
        return self._draft.serve(call, f"POST {_BRANCHES}", path, _texts(given), fields=fields)

    def create_project(self, request: DocumentRequest) -> Any:
        """Create a project, in a group if `namespace_id` names one."""
        call, given = request.call, request.read_object()
        fields: Shown = {}
        number, me = given.get("namespace_id"), self._scopes.caller(call).get("id")
        if number is not None and str(number) != str(me):
            row: Any = self._draft.row("groups")
            group = call.db.find(row, row.id == read_number_id(number))
            if group is None:
                raise InvalidParameter("namespace", "is not valid")
            path = str(given.get("path") or given.get("name"))
            fields = {"path_with_namespace": f"{group.full_path}/{path}", "group_id": group.id}
            about = {"id": group.id, "name": group.name, "path": group.path, "kind": "group"}
            fields["namespace"] = {**about, "full_path": group.full_path, "parent_id": group.parent_id}
        return self._draft.serve(call, f"POST {API}/projects", {}, request.body, fields=fields)

    def list_group_projects(self, request: DocumentRequest) -> Any:
        """List the projects of a group, with those of the groups below it if `include_subgroups` is true."""
        query = request.query
        is_deep = query.get("include_subgroups") in ("true", "1")
        rows = self._scopes.list_projects_of(request.call, request.path["group_id"], is_deep=is_deep)
        shown: list[Shown] = [self._show(request.call, each, f"GET {PROJECT}") for each in rows]
        if term := str(query.get("search") or "").lower():
            shown = [each for each in shown if term in f"{each.get('name')} {each.get('path')}".lower()]
        for name in ("archived", "visibility"):
            if query.get(name):
                shown = [each for each in shown if str(each.get(name)).lower() == str(query[name]).lower()]
        return show_page(request, sort_shown(request, shown))

    def _project(self, request: DocumentRequest) -> Any:
        return self._scopes.find_row(request.call, "projects", request.path["project_id"], "path_with_namespace")

    def _show(self, call: Call, row: Any, operation: str) -> Shown:
        answer = self._draft.show(call, row, operation)
        return answer.value if isinstance(answer, ValueResponse) else answer

    def _list_branches(self, call: Call, project: int) -> list[Any]:
        return call.db.rows(self._branch, self._branch.project_id == str(project))

    def _find_branch(self, call: Call, project: int, name: str) -> Any:
        return next((each for each in self._list_branches(call, project) if each.name == name), None)

    def _find_head(self, call: Call, project: int, ref: str) -> str | None:
        """Return the id of the commit that a branch, a tag, an id or the beginning of one names; None without one."""
        branch = self._find_branch(call, project, ref)
        if branch is not None:
            return cast(Shown, branch.commit or {}).get("id")
        tag: Any = self._draft.row("tags")
        named = next((each for each in call.db.rows(tag, tag.project_id == str(project)) if each.name == ref), None)
        if named is not None:
            return self._find_head(call, project, str(named.target)) if str(named.target) != ref else None
        if not re.fullmatch(r"[0-9a-f]{7,64}", ref):
            return None
        commit = self._commit
        known = call.db.rows(commit, commit.id.starts(ref), commit.project_id == project, limit=1)
        return known[0].id if known else None

    def _commit_of(self, call: Call, project: int, sha: str | None) -> Shown | None:
        row = call.db.find(self._commit, self._commit.id == sha) if sha else None
        return None if row is None else self._show(call, row, f"GET {_COMMITS}/{{sha}}")

    def _walk(self, call: Call, project: int, head: str) -> list[str]:
        """Return the ids of a commit and of all before it."""
        rows = call.db.rows(self._commit, self._commit.project_id == project, limit=MAX_COMMITS_WALKED)
        parents = {each.id: cast(list[str], each.parent_ids or []) for each in rows}
        seen, ahead = dict[str, None](), [head]
        while ahead:
            sha = ahead.pop()
            if sha in parents and sha not in seen:
                seen[sha] = None
                ahead += parents[sha]
        return [*seen]


def _texts(given: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(given[name]) for name in ("branch", "ref")}
