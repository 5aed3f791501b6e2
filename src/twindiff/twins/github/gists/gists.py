"""Gists and their comments.

https://docs.github.com/en/rest/gists
"""

from __future__ import annotations

from hashlib import sha1
from typing import Annotated, Any

from twindiff.kit import UNSET, Body, Call, Operations, Struct, UnsetType, any_of, field
from twindiff.kit.computed_values import Item
from twindiff.kit.http import json_answer
from twindiff.kit.rows import Expression, Items, exists

from ..core.access import acting_user, find_user
from ..core.listing import paginate, slice_page
from ..core.node_ids import node_id
from ..core.stamps import new_id, parse_instant, show_instant, times_of
from ..git.file_projection import LANGUAGES
from ..tables.work_tables import Gist, GistComment
from ..views.user_views import user_of
from ..wire_style import Forbidden, NotVisible, Unprocessable, invalid

api = Operations()
MAX_SHOWN_BYTES, MAX_FILES = 1_000_000, 300


class GistFileBody(Struct):
    """A file of a gist."""

    content: str | UnsetType = UNSET
    filename: str | UnsetType | None = UNSET


class GistBody(Struct):
    """A gist to make or to change; null removes a file."""

    description: str | UnsetType | None = UNSET
    files: dict[str, GistFileBody | None] = field(default_factory=dict[str, GistFileBody | None])
    public: bool | str = False


def _show_file(call: Call, gist: Gist, name: str, content: str, *, with_content: bool) -> dict[str, Any]:
    extension = name.rpartition(".")[2].lower()
    owner = user_of(call, gist.owner)
    url = f"https://gist.githubusercontent.com/{owner['login'] if owner else gist.owner}/{gist.id}/raw/{name}"
    kinds = {
        "md": "text/markdown",
        "json": "application/json",
        "js": "application/javascript",
        "py": "application/x-python",
    }
    language = {"md": "Markdown", "json": "JSON", "txt": "Text"}.get(extension) or LANGUAGES.get(extension, "Text")
    named = {"filename": name, "type": kinds.get(extension, "text/plain"), "language": language, "raw_url": url}
    shown: dict[str, Any] = {**named, "size": len(content.encode())}
    if not with_content:
        return shown
    return shown | {
        "truncated": len(content) > MAX_SHOWN_BYTES,
        "content": content[:MAX_SHOWN_BYTES],
        "encoding": "utf-8",
    }


def show_gist(call: Call, gist: Gist, *, in_list: bool = False) -> dict[str, Any]:
    """Render a gist; lists have it without contents and history."""
    url, page = f"{call.base_url}/gists/{gist.id}", f"https://gist.github.com/{gist.id}"
    files = {name: _show_file(call, gist, name, text, with_content=not in_list) for name, text in gist.files.items()}
    shown: dict[str, Any] = {
        "url": url,
        "forks_url": f"{url}/forks",
        "commits_url": f"{url}/commits",
        "id": gist.id,
        "node_id": node_id("G", gist.id),
        "git_pull_url": f"{page}.git",
        "git_push_url": f"{page}.git",
        "html_url": page,
        "files": files,
        "public": gist.public,
        **times_of(gist),
        "description": gist.description,
        "comments": call.db.count(GistComment, GistComment.gist_id == gist.id),
        "comments_enabled": True,
        "user": None,
        "comments_url": f"{url}/comments",
        "owner": user_of(call, gist.owner),
        "truncated": False,
    }
    if in_list:
        return shown
    forks = call.db.rows(Gist, Gist.fork_of == gist.id, order=Gist.created_at)
    shown["forks"] = [
        {"id": fork.id, "url": f"{call.base_url}/gists/{fork.id}", "user": user_of(call, fork.owner), **times_of(fork)}
        for fork in forks
    ]
    shown["history"] = [_show_version(call, gist, version) for version in gist.history[::-1]]
    return shown


def _show_version(call: Call, gist: Gist, version: dict[str, Any]) -> dict[str, Any]:
    url = f"{call.base_url}/gists/{gist.id}/{version['version']}"
    at = show_instant(version["committed_at"])
    named = {"user": user_of(call, gist.owner), "version": version["version"], "committed_at": at, "url": url}
    return {**named, "change_status": version["change_status"]}


def _version_of(call: Call, before: dict[str, str], after: dict[str, str]) -> dict[str, Any]:
    """Return the entry of a gist's history: its lines added and removed, counted by file."""
    added = sum(text.count("\n") + 1 for name, text in after.items() if before.get(name) != text)
    removed = sum(text.count("\n") + 1 for name, text in before.items() if after.get(name) != text)
    sha = sha1(f"{sorted(after.items())}{call.clock.micros}".encode()).hexdigest()
    change = {"total": added + removed, "additions": added, "deletions": removed}
    return {"version": sha, "committed_at": call.clock.iso(), "change_status": change}


def _list(call: Call, *where: Expression) -> Any:
    since = parse_instant(str(call.memo["query"].get("since", ""))) or ""
    by = (-Gist.updated_at, Gist.id)
    return paginate(
        call, Gist, *where, Gist.updated_at >= since, by=by, show=lambda gist: show_gist(call, gist, in_list=True)
    )


@api.get("/gists")
def list_own_gists(call: Call) -> Any:
    """List the caller's gists, the last changed first."""
    return _list(call, Gist.owner == call.actor)


@api.get("/gists/public")
def list_public_gists(call: Call) -> Any:
    """List all public gists."""
    return _list(call, Gist.public.is_true)


@api.get("/gists/starred")
def list_starred_gists(call: Call) -> Any:
    """List the gists that the caller starred."""
    return _list(call, exists(Items(Gist.stars), Item.value == call.actor))


@api.get("/users/{username}/gists")
def list_user_gists(call: Call, username: str) -> Any:
    """List the public gists of a user; the caller's own, all."""
    user = find_user(call, username)
    return _list(call, Gist.owner == user.login, any_of(Gist.public, Gist.owner == call.actor))


@api.post("/gists", status=201)
def create_gist(call: Call, body: Annotated[GistBody, Body]) -> Any:
    """Make a gist."""
    files = {name: file.content for name, file in body.files.items() if file and isinstance(file.content, str)}
    if not files or not all(text for text in files.values()):
        raise invalid("Gist", "files", "missing_field")
    if len(files) > MAX_FILES:
        raise invalid("Gist", "files", "custom", f"a gist has at most {MAX_FILES} files")
    now, number = call.clock.iso(), new_id(call)
    description = body.description if isinstance(body.description, str) else None
    gist_id = sha1(f"gist {number}".encode()).hexdigest()[:32]
    fields: dict[str, Any] = {"owner": acting_user(call).login, "public": body.public in (True, "true"), "files": files}
    times: dict[str, Any] = {"created_at": now, "updated_at": now}
    history = [_version_of(call, {}, files)]
    gist = call.db.add(Gist(id=gist_id, description=description, history=history, **fields, **times))
    return show_gist(call, gist)


def find_gist(call: Call, gist_id: str) -> Gist:
    """Return a gist; secret ones are for everybody who knows the id. Raise NotVisible."""
    gist = call.db.find(Gist, Gist.id == gist_id)
    if gist is None:
        raise NotVisible
    return gist


def _find_own(call: Call, gist_id: str) -> Gist:
    gist = find_gist(call, gist_id)
    if gist.owner != call.actor:
        raise NotVisible
    return gist


@api.get("/gists/{gist_id}")
def get_gist(call: Call, gist_id: str) -> Any:
    """Get a gist."""
    return show_gist(call, find_gist(call, gist_id))


@api.get("/gists/{gist_id}/{sha}")
def get_gist_version(call: Call, gist_id: str, sha: str) -> Any:
    """Get a version of a gist; the twin has the contents of the newest one alone."""
    gist = find_gist(call, gist_id)
    if not gist.history or gist.history[-1]["version"] != sha:
        raise NotVisible
    return show_gist(call, gist)


@api.post("/gists/{gist_id}")
@api.patch("/gists/{gist_id}")
def update_gist(call: Call, gist_id: str, body: Annotated[GistBody, Body]) -> Any:
    """Change a gist: its description, and files by name, which null removes."""
    gist = _find_own(call, gist_id)
    files: dict[str, str] = dict(gist.files)
    for name, file in body.files.items():
        kept = files.pop(name, None)
        if file is None:
            if kept is None:
                raise invalid("Gist", "files", "custom", f"{name} does not exist")
            continue
        text = file.content if isinstance(file.content, str) else kept
        if text is None:
            raise invalid("Gist", "files", "missing_field")
        files[file.filename if isinstance(file.filename, str) else name] = text
    if not files:
        raise Unprocessable(
            "Validation Failed", errors=[{"resource": "Gist", "code": "missing_field", "field": "files"}]
        )
    columns: dict[str, Any] = {"updated_at": call.clock.iso()}
    if body.description is not UNSET:
        columns["description"] = body.description
    if files != gist.files:
        columns |= {"files": files, "history": [*gist.history, _version_of(call, gist.files, files)]}
    return show_gist(call, call.db.change(gist, **columns))


@api.delete("/gists/{gist_id}", status=204)
def delete_gist(call: Call, gist_id: str) -> None:
    """Delete a gist."""
    call.db.remove(_find_own(call, gist_id))


@api.get("/gists/{gist_id}/commits")
def list_gist_commits(call: Call, gist_id: str) -> Any:
    """List the versions of a gist."""
    gist = find_gist(call, gist_id)
    return slice_page(call, gist.history[::-1], lambda version: _show_version(call, gist, version))


@api.post("/gists/{gist_id}/forks", status=201)
def fork_gist(call: Call, gist_id: str) -> Any:
    """Fork a gist of somebody else."""
    source = find_gist(call, gist_id)
    if source.owner == call.actor:
        raise Unprocessable("You cannot fork your own gist.")
    now, number = call.clock.iso(), new_id(call)
    fork_id = sha1(f"gist {number}".encode()).hexdigest()[:32]
    kept: dict[str, Any] = {name: getattr(source, name) for name in ("description", "public", "files", "history")}
    times: dict[str, Any] = {"created_at": now, "updated_at": now}
    fork = call.db.add(Gist(id=fork_id, owner=call.actor, fork_of=source.id, **kept, **times))
    return show_gist(call, fork, in_list=True)


@api.get("/gists/{gist_id}/forks")
def list_gist_forks(call: Call, gist_id: str) -> Any:
    """List the forks of a gist."""
    return _list(call, Gist.fork_of == find_gist(call, gist_id).id)


def _set_star(call: Call, gist_id: str, *, starred: bool) -> None:
    gist = find_gist(call, gist_id)
    others = [login for login in gist.stars if login != call.actor]
    call.db.change(gist, stars=[*others, call.actor] if starred else others)


@api.get("/gists/{gist_id}/star", status=204)
def check_gist_star(call: Call, gist_id: str) -> Any:
    """Answer 204 if the caller starred a gist, else 404 with an empty object, as the vendor does."""
    if call.actor not in find_gist(call, gist_id).stars:
        return json_answer({}, 404)
    return None


@api.put("/gists/{gist_id}/star", status=204)
def star_gist(call: Call, gist_id: str) -> None:
    """Star a gist."""
    _set_star(call, gist_id, starred=True)


@api.delete("/gists/{gist_id}/star", status=204)
def unstar_gist(call: Call, gist_id: str) -> None:
    """Remove the caller's star of a gist."""
    _set_star(call, gist_id, starred=False)


def show_gist_comment(call: Call, comment: GistComment) -> dict[str, Any]:
    """Render a comment on a gist."""
    gist = call.db.get(Gist, comment.gist_id)
    url = f"{call.base_url}/gists/{gist.id}/comments/{comment.id}"
    association = "OWNER" if gist.owner == comment.user else "NONE"
    named = {"id": comment.id, "node_id": node_id("GC", comment.id), "url": url, "body": comment.body}
    return {**named, "user": user_of(call, comment.user), **times_of(comment), "author_association": association}


@api.get("/gists/{gist_id}/comments")
def list_gist_comments(call: Call, gist_id: str) -> Any:
    """List the comments on a gist."""
    where, by = GistComment.gist_id == find_gist(call, gist_id).id, GistComment.id
    return paginate(call, GistComment, where, by=by, show=lambda each: show_gist_comment(call, each))


@api.post("/gists/{gist_id}/comments", status=201)
def create_gist_comment(call: Call, gist_id: str, body: str) -> Any:
    """Comment on a gist."""
    gist, now = find_gist(call, gist_id), call.clock.iso()
    if not body.strip():
        raise invalid("GistComment", "body", "missing_field")
    fields: dict[str, Any] = {"user": call.actor, "body": body, "created_at": now, "updated_at": now}
    return show_gist_comment(call, call.db.add(GistComment(id=new_id(call), gist_id=gist.id, **fields)))


def _find_comment(call: Call, gist_id: str, comment_id: int, *, own: bool = False) -> GistComment:
    comment = call.db.find(GistComment, GistComment.id == comment_id, GistComment.gist_id == gist_id)
    if comment is None:
        raise NotVisible
    if own and comment.user != call.actor:
        raise Forbidden("Must have admin rights to Gist.")
    return comment


@api.get("/gists/{gist_id}/comments/{comment_id}")
def get_gist_comment(call: Call, gist_id: str, comment_id: int) -> Any:
    """Get a comment on a gist."""
    return show_gist_comment(call, _find_comment(call, gist_id, comment_id))


@api.patch("/gists/{gist_id}/comments/{comment_id}")
def update_gist_comment(call: Call, gist_id: str, comment_id: int, body: str) -> Any:
    """Change a comment on a gist."""
    comment = _find_comment(call, gist_id, comment_id, own=True)
    return show_gist_comment(call, call.db.change(comment, body=body, updated_at=call.clock.iso()))


@api.delete("/gists/{gist_id}/comments/{comment_id}", status=204)
def delete_gist_comment(call: Call, gist_id: str, comment_id: int) -> None:
    """Delete a comment on a gist."""
    call.db.remove(_find_comment(call, gist_id, comment_id, own=True))
