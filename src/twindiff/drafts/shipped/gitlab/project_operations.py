"""Operations of GitLab beside collections: forks, files, commits, pipelines, approvals, searches.

https://docs.gitlab.com/api/projects/, /repository_files/, /commits/, /pipelines/, /merge_request_approvals/, /search/
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from hashlib import sha1, sha256
from typing import Any, cast

from twindiff.kit.errors import ApiError, InvalidParameter
from twindiff.kit.http import Response, ValueResponse
from twindiff.kit.twin import Operations

from ...drafting import Draft
from ..document_collections import DocumentCollection, DocumentRequest, Respond, Shown, declare_operation
from .commits import ProjectCommits
from .project_scopes import GitLabDocuments, ProjectScopes

_API = "/api/v4"
_PROJECT = f"{_API}/projects/{{project_id}}"
_REQUEST = f"{_PROJECT}/merge_requests/{{iid}}"
_STYLE = GitLabDocuments()
_Named = tuple[str, Respond, str]
"""An operation by its name, with its handler and summary."""
_STATES = ("pending", "running", "success", "failed", "canceled", "skipped")


class GitLabOperations:
    """The operations, over the tables of a draft and its collections by table."""

    def __init__(
        self,
        draft: Draft,
        scopes: ProjectScopes,
        collections: Mapping[str, DocumentCollection],
        commits: ProjectCommits,
    ) -> None:
        self._draft, self._scopes, self._of, self._commits = draft, scopes, collections, commits
        self.api = Operations()
        for name, respond, summary in (
            *self._list_other_operations(),
            *self._list_repository_operations(),
            *self._list_pipeline_operations(),
            *self._list_request_operations(),
        ):
            declare_operation(self.api, name, respond, summary)

    def _list_pipeline_operations(self) -> list[_Named]:
        pipeline, job = f"{_PROJECT}/pipelines/{{pipeline_id}}", f"{_PROJECT}/jobs/{{job_id}}"
        return [
            (f"POST {_PROJECT}/pipeline", self.create_pipeline, "Create a pipeline, which succeeds at once here."),
            (f"POST {pipeline}/retry", self.set_pipeline("running"), "Run a pipeline again."),
            (f"POST {pipeline}/cancel", self.set_pipeline("canceled"), "Cancel a pipeline."),
            (f"GET {pipeline}/jobs", self.list_jobs, "List the jobs of a pipeline."),
            (f"GET {pipeline}/variables", self.answer_pipeline([]), "List the variables of a pipeline."),
            (f"POST {job}/play", self.set_job("pending"), "Start a job."),
            (f"POST {job}/retry", self.set_job("pending"), "Run a job again."),
            (f"POST {job}/cancel", self.set_job("canceled"), "Cancel a job."),
            (f"GET {job}/trace", self.read_trace, "Return the log of a job."),
            (f"POST {_PROJECT}/statuses/{{sha}}", self.set_status, "Set a status of a commit."),
        ]  # fmt: skip

    def _list_repository_operations(self) -> list[_Named]:
        files = f"{_PROJECT}/repository/files/{{file_path:path}}"
        return [
            (f"POST {_PROJECT}/repository/commits", self.commit, "Create a commit that changes files."),
            (f"GET {_PROJECT}/repository/tree", self.list_tree, "List the files of a project."),
            (f"GET {_PROJECT}/repository/compare", self.compare, "Compare two branches, tags or commits."),
            (f"POST {files}", self.write_file(is_new=True), "Create a file."),
            (f"PUT {files}", self.write_file(is_new=False), "Change a file."),
            (f"DELETE {files}", self.delete_file, "Remove a file."),
            (f"GET {files}", self.read_file, "Return a file, or its content at a path that ends in `raw`."),
        ]  # fmt: skip

    def _list_request_operations(self) -> list[_Named]:
        return [
            (f"GET {_REQUEST}/changes", self.read_changes, "Return a merge request with its changes."),
            (f"GET {_REQUEST}/merge_ref", self.read_merge_ref, "Return the commit that a merge would make."),
            (f"GET {_REQUEST}/approvals", self.read_approvals, "Return who approved a merge request."),
            (f"POST {_REQUEST}/approve", self.approve(is_approved=True), "Approve a merge request."),
            (f"POST {_REQUEST}/unapprove", self.approve(is_approved=False), "Take an approval back."),
            (f"PUT {_REQUEST}/rebase", self.rebase, "Rebase a merge request."),
            (f"GET {_REQUEST}/participants", self.list_participants("merge_requests"), "List who takes part."),
            (f"GET {_PROJECT}/issues/{{iid}}/participants", self.list_participants("issues"), "List who takes part."),
            (f"GET {_PROJECT}/issues/{{iid}}/time_stats", self.read_time, "Return the time of an issue."),
        ]  # fmt: skip

    def _list_other_operations(self) -> list[_Named]:
        return [
            (f"POST {_PROJECT}/fork", self.fork, "Copy a project into another namespace."),
            (f"POST {_PROJECT}/star", self.star(1), "Star a project."),
            (f"POST {_PROJECT}/unstar", self.star(-1), "Take a star away."),
            (f"GET {_PROJECT}/languages", self.answer_project({}), "Return the languages of a project."),
            (f"GET {_PROJECT}/users", self.list_users, "List the users of a project."),
            (f"POST {_PROJECT}/access_requests", self.request_access, "Ask for access to a project."),
            (f"POST {_PROJECT}/share", self.share, "Share a project with a group."),
            (f"GET {_API}/groups/{{group_id}}/subgroups", self.list_subgroups, "List the groups of a group."),
            (f"GET {_API}/search", self.search, "Search projects, issues, merge requests or users."),
            (f"GET {_PROJECT}/search", self.search_project, "Search the issues or merge requests of a project."),
            (f"GET {_API}/version", lambda _request: _VERSION, "Return the version of GitLab."),
            (f"GET {_API}/metadata", lambda _request: {**_VERSION, "enterprise": True}, "Return what GitLab is."),
            (f"POST {_API}/markdown", self.render, "Return markdown as HTML."),
            (f"GET {_API}/personal_access_tokens/self", self.read_token, "Return the caller's token."),
            (f"POST {_API}/todos/{{id}}/mark_as_done", self.finish_todo, "Mark a todo as done."),
        ]  # fmt: skip

    # -- projects ------------------------------------------------------------------------------------------------------

    def _project(self, request: DocumentRequest) -> Any:
        return self._scopes.find_row(request.call, "projects", request.path["project_id"], "path_with_namespace")

    def _show(self, request: DocumentRequest, row: Any, operation: str) -> Any:
        return self._draft.show(request.call, row, operation)

    def _show_project(self, request: DocumentRequest, row: Any) -> Any:
        return self._show(request, row, f"GET {_API}/projects/{{project_id}}")

    def answer_project(self, value: Any) -> Respond:
        """Return a handler that answers what all projects have alike."""

        def respond(request: DocumentRequest) -> Any:
            self._project(request)
            return value

        return respond

    def fork(self, request: DocumentRequest) -> Any:
        """Copy a project; 409 if the namespace has one of that path."""
        source, given = self._project(request), request.read_object()
        caller = self._scopes.caller(request.call).get("username") or "agent"
        place = str(given.get("namespace_path") or given.get("namespace") or caller)
        name, path = str(given.get("name") or source.name), str(given.get("path") or source.path)
        whole = f"{place}/{path}"
        row: Any = self._draft.row("projects")
        if request.call.db.find(row, row.path_with_namespace == whole) is not None:
            raise AlreadyForked(f"Project namespace name has already been taken: {whole}")
        parent = {"id": source.id, "name": source.name, "path_with_namespace": source.path_with_namespace}
        fields = {
            "name": name,
            "path": path,
            "path_with_namespace": whole,
            "description": source.description,
            "visibility": source.visibility,
            "default_branch": source.default_branch,
            "forked_from_project": parent,
            "empty_repo": source.empty_repo,
        }
        made = self._draft.make(request.call, "projects", {k: v for k, v in fields.items() if v is not None})
        request.call.db.change(source, forks_count=(source.forks_count or 0) + 1)
        shown: Any = self._show_project(request, made)
        shown = shown.value if isinstance(shown, ValueResponse) else shown
        self._of["project_forks"].store(request.call, str(source.id), str(shown["id"]), shown)
        return ValueResponse(shown, 201)

    def star(self, change: int) -> Respond:
        """Return a handler that changes the stars of a project."""

        def respond(request: DocumentRequest) -> Any:
            row = self._project(request)
            changed = request.call.db.change(row, star_count=max((row.star_count or 0) + change, 0))
            return ValueResponse(_value_of(self._show_project(request, changed)), 201)

        return respond

    def list_users(self, request: DocumentRequest) -> Any:
        """List the users."""
        self._project(request)
        row: Any = self._draft.row("users")
        names = ("id", "username", "name", "state", "avatar_url", "web_url")
        return _STYLE.show_list(
            request, [{name: getattr(each, name) for name in names} for each in request.call.db.rows(row)]
        )

    def request_access(self, request: DocumentRequest) -> Any:
        """Ask for access to a project, once."""
        collection = self._of["project_access_requests"]
        caller = self._scopes.caller(request.call)
        if any(row.fields.get("id") == caller.get("id") for row in collection.rows(request)):
            raise InvalidParameter("user_id", "has already been taken")
        now = _STYLE.show_now(request.call)
        scope = collection.scope(request)
        fields = {**caller, "access_level": 30, "requested_at": now}
        collection.store(request.call, scope, str(caller.get("id")), fields)
        return ValueResponse(fields, 201)

    def share(self, request: DocumentRequest) -> Any:
        """Share a project with a group."""
        row, given = self._project(request), request.read_object()
        for name in ("group_id", "group_access"):
            if given.get(name) is None:
                raise InvalidParameter(name, "is missing")
        group: Any = self._scopes.find_row(request.call, "groups", str(given["group_id"]))
        about = {"id": request.call.db.next("group_link"), "project_id": row.id, "group_id": group.id}
        return ValueResponse(
            {**about, "group_access": given["group_access"], "expires_at": given.get("expires_at")}, 201
        )

    # -- pipelines -----------------------------------------------------------------------------------------------------

    def create_pipeline(self, request: DocumentRequest) -> Any:
        """Create a pipeline of a branch."""
        given = {**request.query, **request.read_object()}
        if not given.get("ref"):
            raise InvalidParameter("ref", "is missing")
        collection = self._of["project_pipelines"]
        sha = sha1(str(given["ref"]).encode(), usedforsecurity=False).hexdigest()
        about = {"ref": given["ref"], "sha": sha, "status": "pending", "source": "api", "before_sha": "0" * 40}
        tail = {"tag": False, "yaml_errors": None, "duration": None, "coverage": None, "started_at": None}
        row = collection.add(request, {**about, **tail, "iid": len(collection.rows(request)) + 1})
        web = f"https://gitlab.com/projects/{row.scope}/-/pipelines/{row.key}"
        row = collection.write(request.call, row, {**row.fields, "web_url": web})
        return ValueResponse(row.fields, 201)

    def _pipeline(self, request: DocumentRequest) -> Any:
        return self._of["project_pipelines"].find(request, request.path["pipeline_id"])

    def answer_pipeline(self, value: Any) -> Respond:
        """Return a handler that answers what all pipelines have alike."""

        def respond(request: DocumentRequest) -> Any:
            self._pipeline(request)
            return value

        return respond

    def set_pipeline(self, status: str) -> Respond:
        """Return a handler that sets the status of a pipeline."""

        def respond(request: DocumentRequest) -> Any:
            row = self._of["project_pipelines"].change(request, self._pipeline(request), {"status": status})
            return ValueResponse(row.fields, 201)

        return respond

    def list_jobs(self, request: DocumentRequest) -> Any:
        """List the jobs of a pipeline."""
        number = self._pipeline(request).fields["id"]
        jobs = [row.fields for row in self._of["project_jobs"].rows(request)]
        mine = [each for each in jobs if cast(Shown, each.get("pipeline") or {}).get("id") == number]
        return _STYLE.show_list(request, mine)

    def set_job(self, status: str) -> Respond:
        """Return a handler that sets the status of a job."""

        def respond(request: DocumentRequest) -> Any:
            jobs = self._of["project_jobs"]
            row = jobs.change(request, jobs.find(request, request.path["job_id"]), {"status": status})
            return ValueResponse(row.fields, 200 if status == "pending" else 201)

        return respond

    def read_trace(self, request: DocumentRequest) -> Any:
        """Return the log of a job, which is empty."""
        self._of["project_jobs"].find(request, request.path["job_id"])
        return Response(b"", content_type="text/plain")

    def set_status(self, request: DocumentRequest) -> Any:
        """Set the status of a commit by a name."""
        given = {**request.query, **request.read_object()}
        state = str(given.get("state") or given.get("status") or "")
        if state not in _STATES:
            raise InvalidParameter("state", "does not have a valid value" if state else "is missing")
        statuses = self._of["commit_statuses"]
        name = str(given.get("name") or given.get("context") or "default")
        about = {"sha": request.path["sha"], "ref": given.get("ref"), "status": state, "name": name}
        about |= {"target_url": given.get("target_url"), "description": given.get("description"), "coverage": None}
        about |= {"allow_failure": False, "started_at": None, "finished_at": None}
        author = {"author": self._scopes.caller(request.call)}
        known = next((row for row in statuses.rows(request) if row.fields.get("name") == name), None)
        row = statuses.change(request, known, about) if known else statuses.add(request, {**about, **author})
        return ValueResponse(row.fields, 201)

    # -- files ---------------------------------------------------------------------------------------------------------

    def _write(self, request: DocumentRequest, path: str, given: Shown, *, is_new: bool | None) -> None:
        """Store the content of a file. Raises InvalidParameter for one that is there, or is not."""
        files = self._of["repository_files"]
        known = next((row for row in files.rows(request) if row.key == path), None)
        if is_new is not None and (known is None) != is_new:
            said = "A file with this name already exists" if is_new else "A file with this name doesn't exist"
            raise FileRefused(said)
        text = str(given.get("content") or "")
        try:
            data = b64decode(text, validate=True) if given.get("encoding") == "base64" else text.encode()
        except ValueError:
            raise InvalidParameter("content", "is not base64") from None
        fields = {
            "file_name": path.rpartition("/")[2],
            "file_path": path,
            "size": len(data),
            "encoding": "base64",
            "content": b64encode(data).decode(),
            "content_sha256": sha256(data).hexdigest(),
            "ref": given.get("branch"),
            "blob_id": sha1(data, usedforsecurity=False).hexdigest(),
            "commit_id": given["commit_id"],
            "last_commit_id": given["commit_id"],
            "execute_filemode": bool(given.get("execute_filemode")),
        }
        files.store(request.call, files.scope(request), path, fields)

    def write_file(self, *, is_new: bool) -> Respond:
        """Return a handler that creates or changes a file."""

        def respond(request: DocumentRequest) -> Any:
            given = request.read_object()
            for name in ("branch", "commit_message", "content"):
                if given.get(name) is None:
                    raise InvalidParameter(name, "is missing")
            given["commit_id"] = self._commits.record_commit(request, given)["id"]
            self._write(request, request.path["file_path"], given, is_new=is_new)
            return ValueResponse(
                {"file_path": request.path["file_path"], "branch": given["branch"]}, 201 if is_new else 200
            )

        return respond

    def delete_file(self, request: DocumentRequest) -> Any:
        """Remove a file."""
        given = {**request.query, **(request.find_object() or {})}
        for name in ("branch", "commit_message"):
            if given.get(name) is None:
                raise InvalidParameter(name, "is missing")
        self._commits.record_commit(request, given)
        self._remove_file(request)
        return ValueResponse(None, 204)

    def _remove_file(self, request: DocumentRequest) -> None:
        files = self._of["repository_files"]
        row = next((each for each in files.rows(request) if each.key == request.path["file_path"]), None)
        if row is None:
            raise FileRefused("A file with this name doesn't exist")
        request.call.db.remove(row)

    def read_file(self, request: DocumentRequest) -> Any:
        """Return a file, or its content at a path that ends in `raw`."""
        files = self._of["repository_files"]
        path, _, last = request.path["file_path"].rpartition("/")
        if last != "raw" or not path:
            return files.respond_read(request)
        row = files.find(request, path)
        return Response(b64decode(str(row.fields.get("content") or "")), content_type="text/plain")

    def list_tree(self, request: DocumentRequest) -> Any:
        """List the files and folders of a folder."""
        above = request.query.get("path", "").strip("/")
        start = f"{above}/" if above else ""
        deep = request.query.get("recursive") in ("true", "1")
        listed: dict[str, Shown] = {}
        for row in self._of["repository_files"].rows(request):
            if not row.key.startswith(start):
                continue
            head, slash, _ = row.key[len(start) :].partition("/")
            path = start + head
            if slash:
                name = {"id": sha1(path.encode(), usedforsecurity=False).hexdigest(), "name": head, "type": "tree"}
                listed.setdefault(path, {**name, "path": path, "mode": "040000"})
            if not slash or deep:
                blob = {"id": row.fields.get("blob_id"), "name": row.key.rpartition("/")[2], "type": "blob"}
                listed[row.key] = {**blob, "path": row.key, "mode": "100644"}
        return _STYLE.show_list(request, [*listed.values()])

    def commit(self, request: DocumentRequest) -> Any:
        """Create a commit whose actions create, change, move and remove files; all are done, or none."""
        given = request.read_object()
        for name in ("branch", "commit_message"):
            if not given.get(name):
                raise InvalidParameter(name, "is missing")
        actions = request.read_objects("actions")
        shown = self._commits.record_commit(request, given)
        for each in actions:
            self._act(request, each, {"branch": given["branch"], "commit_id": shown["id"]})
        return ValueResponse(shown, 201)

    def _act(self, request: DocumentRequest, action: Shown, about: Shown) -> None:
        what, path = action.get("action"), str(action.get("file_path") or "")
        if not path or what not in ("create", "update", "delete", "move", "chmod"):
            raise InvalidParameter("actions", "must have an action and a file_path")
        inner = request._replace(path={**request.path, "file_path": path})
        given = {**action, **about}
        if what in ("create", "update"):
            self._write(request, path, given, is_new=what == "create")
        elif what == "delete":
            self._remove_file(inner)
        elif what == "move":
            before = request._replace(path={**request.path, "file_path": str(action.get("previous_path") or "")})
            row = self._of["repository_files"].find(before)
            content = {"content": row.fields["content"], "encoding": "base64"} if action.get("content") is None else {}
            self._write(request, path, {**given, **content}, is_new=True)
            request.call.db.remove(row)

    def compare(self, request: DocumentRequest) -> Any:
        """Compare two refs, which have the same files here."""
        self._project(request)
        for name in ("from", "to"):
            if not request.query.get(name):
                raise InvalidParameter(name, "is missing")
        return {"commit": None, "commits": [], "diffs": [], "compare_timeout": False, "compare_same_ref": True}

    # -- merge requests ------------------------------------------------------------------------------------------------

    def _find_numbered(self, request: DocumentRequest, table: str) -> Any:
        scope = self._scopes.find_numbered(table)(request.call, [request.path["project_id"], request.path["iid"]])
        row: Any = self._draft.row(table)
        return request.call.db.find(row, row.project_id == int(scope[0]), row.iid == int(scope[1]))

    def read_changes(self, request: DocumentRequest) -> Any:
        """Return a merge request with its changes."""
        row = self._find_numbered(request, "merge_requests")
        shown = _value_of(
            self._show(request, row, f"GET {_API}/projects/{{project_id}}/merge_requests/{{merge_request_iid}}")
        )
        diffs = [each.fields for each in self._of["merge_request_diffs"].rows(request)]
        return {**shown, "changes": diffs, "overflow": False}

    def read_merge_ref(self, request: DocumentRequest) -> Any:
        """Return the commit that a merge would make; 400 for a merge request that cannot be merged."""
        row = self._find_numbered(request, "merge_requests")
        if row.state != "opened" or row.has_conflicts:
            raise MergeRefRefused
        return {"commit_id": sha1(f"{row.id} {row.sha}".encode(), usedforsecurity=False).hexdigest()}

    def read_approvals(self, request: DocumentRequest) -> Any:
        """Return who approved a merge request."""
        row = self._find_numbered(request, "merge_requests")
        approvers = self._of["merge_request_approvers"].row
        rows = request.call.db.rows(approvers, approvers.scope == str(row.id), order=approvers.number)
        names = ("id", "iid", "project_id", "title", "description", "state", "created_at", "updated_at", "merge_status")
        shown: Shown = {name: getattr(row, name) for name in names}
        me = str(self._scopes.caller(request.call).get("id"))
        shown |= {"approvals_required": 0, "approvals_left": 0, "approved": bool(rows)}
        shown["approved_by"] = [{"user": each.fields} for each in rows]
        has_mine = any(each.key == me for each in rows)
        return {**shown, "user_has_approved": has_mine, "user_can_approve": not has_mine}

    def approve(self, *, is_approved: bool) -> Respond:
        """Return a handler that approves a merge request, or takes the caller's approval back."""

        def respond(request: DocumentRequest) -> Any:
            row = self._find_numbered(request, "merge_requests")
            approvers, caller = self._of["merge_request_approvers"], self._scopes.caller(request.call)
            scope, key = str(row.id), str(caller.get("id"))
            known = approvers.find_in(request.call, scope, key)
            if (known is not None) == is_approved:
                raise NotApprovable
            if known is not None:
                request.call.db.remove(known)
            else:
                approvers.store(request.call, scope, key, caller)
            return ValueResponse(self.read_approvals(request), 201)

        return respond

    def rebase(self, request: DocumentRequest) -> Any:
        """Accept a rebase, which changes nothing here."""
        self._find_numbered(request, "merge_requests")
        return ValueResponse({"rebase_in_progress": True}, 202)

    def list_participants(self, table: str) -> Respond:
        """Return a handler that lists the author and the assignees."""

        def respond(request: DocumentRequest) -> Any:
            row = self._find_numbered(request, table)
            people: list[Any] = [row.author, *(row.assignees or [])]
            by_id = {cast(Shown, each).get("id") for each in people if isinstance(each, dict)}
            users: Any = self._draft.row("users")
            names = ("id", "username", "name", "state", "avatar_url", "web_url")
            rows = [each for each in request.call.db.rows(users) if each.id in by_id]
            return [{name: getattr(each, name) for name in names} for each in rows]

        return respond

    def read_time(self, request: DocumentRequest) -> Any:
        """Return the estimated and the spent time of an issue."""
        usual = {"time_estimate": 0, "total_time_spent": 0, "human_time_estimate": None, "human_total_time_spent": None}
        return self._find_numbered(request, "issues").time_stats or usual

    # -- groups, searches and the like ---------------------------------------------------------------------------------

    def list_subgroups(self, request: DocumentRequest) -> Any:
        """List the groups of a group."""
        number = int(self._scopes.group(request.call, [request.path["group_id"]])[0])
        row: Any = self._draft.row("groups")
        rows = [each for each in request.call.db.rows(row) if getattr(each, "parent_id", None) == number]
        shown = [_value_of(self._show(request, each, f"GET {_API}/groups/{{group_id}}")) for each in rows]
        return _STYLE.show_list(request, shown)

    def _find(self, request: DocumentRequest, table: str, meets: Any) -> list[Shown]:
        paths = {
            "projects": f"GET {_API}/projects/{{project_id}}",
            "users": f"GET {_API}/users/{{user_id}}",
            "groups": f"GET {_API}/groups/{{group_id}}",
            "issues": f"GET {_API}/projects/{{project_id}}/issues/{{issue_iid}}",
            "merge_requests": f"GET {_API}/projects/{{project_id}}/merge_requests/{{merge_request_iid}}",
        }
        rows = [each for each in request.call.db.rows(self._draft.row(table)) if meets(each)]
        return [_value_of(self._show(request, each, paths[table])) for each in rows]

    def _search(self, request: DocumentRequest, tables: tuple[str, ...], project: int | None) -> Any:
        scope, term = request.query.get("scope", ""), request.query.get("search", "").lower()
        if scope not in tables:
            raise InvalidParameter("scope", "does not have a valid value" if scope else "is missing")
        if not term:
            raise InvalidParameter("search", "is missing")
        names = ("title", "description", "name", "path", "username")

        def meets(row: Any) -> bool:
            is_there = project is None or row.project_id == project
            return is_there and any(term in str(getattr(row, name, None) or "").lower() for name in names)

        return _STYLE.show_list(request, self._find(request, scope, meets))

    def search(self, request: DocumentRequest) -> Any:
        """Search everything."""
        return self._search(request, ("projects", "issues", "merge_requests", "users"), None)

    def search_project(self, request: DocumentRequest) -> Any:
        """Search a project."""
        return self._search(request, ("issues", "merge_requests"), int(self._project(request).id))

    def render(self, request: DocumentRequest) -> Any:
        """Return a text as a paragraph; markdown is not rendered."""
        text = str(request.read_object().get("text") or "")
        if not text:
            raise InvalidParameter("text", "is missing")
        escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return ValueResponse({"html": f'<p dir="auto">{escaped}</p>'}, 201)

    def read_token(self, request: DocumentRequest) -> Any:
        """Return the caller's token."""
        about = {"id": 1, "name": "agent", "revoked": False, "scopes": ["api"], "active": True, "expires_at": None}
        return {
            **about,
            "user_id": self._scopes.caller(request.call).get("id"),
            "created_at": "2026-01-01T00:00:00.000Z",
        }

    def finish_todo(self, request: DocumentRequest) -> Any:
        """Mark a todo as done."""
        todos = self._of["todos"]
        return ValueResponse(todos.change(request, todos.find(request), {"state": "done"}).fields, 201)


_VERSION = {"version": "17.11.0", "revision": "2fb6e4a1b3c"}


class AlreadyForked(ApiError):
    """Project namespace name has already been taken"""

    status = 409


class FileRefused(ApiError):
    """A file with this name doesn't exist"""

    status = 400


class MergeRefRefused(ApiError):
    """Merge request is not mergeable"""

    status = 400


class NotApprovable(ApiError):
    """401 Unauthorized"""

    status = 401


def _value_of(answer: Any) -> Any:
    return answer.value if isinstance(answer, ValueResponse) else answer
