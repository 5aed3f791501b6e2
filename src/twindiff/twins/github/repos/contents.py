"""Contents: files and directories by path, and commits that write or delete one file.

https://docs.github.com/en/rest/repos/contents
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from typing import Annotated, Any
from urllib.parse import quote

from twindiff.kit import Body, Call, Operations, Response, Struct
from twindiff.kit.http import json_answer

from ..core.access import find_repo
from ..git.commit_objects import SignatureBody, signature_of, write_commit
from ..git.objects import (
    EMPTY_TREE,
    LINK_MODE,
    MAX_FILE_BYTES,
    SUBMODULE_MODE,
    TREE_MODE,
    ObjectStore,
    TreeEntry,
    store_of,
)
from ..git.refs import HEADS, find_ref, is_empty, resolve_commit
from ..git.trees import change_tree, check_path, find_entry
from ..pushes.ref_updates import move_ref
from ..tables.repository_tables import Commit, Repository
from ..views.commit_views import show_git_commit
from ..views.license_views import show_license
from ..views.repository_views import html_url, repo_url
from ..wire_style import Conflict, NotVisible, Unprocessable, invalid

api = Operations()
MAX_INLINE_BYTES = 1024 * 1024
"""Larger files are shown without their content, as the vendor does."""
LINE_LENGTH = 60


def encode_lines(data: bytes) -> str:
    """Return Base64 in lines of 60 letters, as the vendor writes it."""
    text = b64encode(data).decode()
    return "".join(text[at : at + LINE_LENGTH] + "\n" for at in range(0, len(text), LINE_LENGTH))


def show_entry(call: Call, repo: Repository, path: str, entry: TreeEntry, ref: str, size: int) -> dict[str, Any]:
    """Render an entry of a directory, or a file without its content."""
    url = f"{repo_url(call, repo)}/contents/{quote(path)}?ref={quote(ref)}"
    kind = "tree" if entry.mode == TREE_MODE else "blob"
    page = f"{html_url(call, repo)}/{kind}/{quote(ref)}/{quote(path)}"
    git_url = f"{repo_url(call, repo)}/git/{kind}s/{entry.sha}"
    if entry.mode == SUBMODULE_MODE:
        page = git_url = ""
    return {
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": entry.sha,
        "size": size,
        "url": url,
        "html_url": page or None,
        "git_url": git_url or None,
        "download_url": f"{call.base_url}/raw/{repo.full_name}/{quote(ref)}/{quote(path)}" if kind == "blob" else None,
        "type": {TREE_MODE: "dir", LINK_MODE: "symlink", SUBMODULE_MODE: "submodule"}.get(entry.mode, "file"),
        "_links": {"self": url, "git": git_url or None, "html": page or None},
    }


def show_file(call: Call, repo: Repository, store: ObjectStore, path: str, entry: TreeEntry, ref: str) -> Any:
    """Render a file with its content, a link with its target, or a submodule."""
    if entry.mode == SUBMODULE_MODE:
        return show_entry(call, repo, path, entry, ref, 0) | {"submodule_git_url": None}
    data = store.read(entry.sha, "blob")
    shown = show_entry(call, repo, path, entry, ref, len(data))
    if entry.mode == LINK_MODE:
        return shown | {"target": data.decode("utf-8", "replace")}
    fits = len(data) <= MAX_INLINE_BYTES
    content = {"content": encode_lines(data) if fits else "", "encoding": "base64" if fits else "none"}
    return {name: value for name, value in shown.items() if name != "_links"} | content | {"_links": shown["_links"]}


def tree_at(call: Call, repo: Repository, ref: str) -> Commit:
    """Return the commit that contents are read from; raise NotVisible for an unknown or missing one."""
    commit = resolve_commit(call, repo, ref)
    if commit is None:
        if is_empty(call, repo):
            raise NotVisible("This repository is empty.")
        raise NotVisible(f"No commit found for the ref {ref}")
    return commit


@api.get("/repos/{owner}/{repo}/contents")
def get_root(call: Call, owner: str, repo: str, ref: str = "") -> Any:
    """List the root directory."""
    return get_content(call, owner, repo, "", ref)


@api.get("/repos/{owner}/{repo}/contents/{path:path}")
def get_content(call: Call, owner: str, repo: str, path: str, ref: str = "") -> Any:
    """Get a file or list a directory; the media type `raw` gives a file's bytes, `object` a directory as an object."""
    row = find_repo(call, owner, repo)
    commit, store, path = tree_at(call, row, ref), store_of(call, row), path.strip("/")
    entry = find_entry(store, commit.tree_sha, path)
    if entry is None:
        raise NotVisible
    name, accept = ref or row.default_branch, str(call.memo.get("accept", ""))
    if entry.mode != TREE_MODE:
        if "raw" in accept and entry.type == "blob":
            return Response(store.read(entry.sha), 200, "application/vnd.github.raw; charset=utf-8")
        return show_file(call, row, store, path, entry, name)
    listed = [
        show_entry(call, row, f"{path}/{each}".lstrip("/"), below, name, _size(store, below))
        for each, below in store.tree(entry.sha).items()
    ]
    if "object" in accept:
        return show_entry(call, row, path, entry, name, 0) | {"entries": listed}
    return listed


def _size(store: ObjectStore, entry: TreeEntry) -> int:
    return store.size_of(entry.sha) if entry.type == "blob" else 0


@api.get("/repos/{owner}/{repo}/readme")
def get_readme(call: Call, owner: str, repo: str, ref: str = "") -> Any:
    """Get the readme of the root directory."""
    row = find_repo(call, owner, repo)
    commit, store = tree_at(call, row, ref), store_of(call, row)
    names = sorted(name for name in store.tree(commit.tree_sha) if name.lower().partition(".")[0] == "readme")
    if not names:
        raise NotVisible
    return get_content(call, owner, repo, names[0], ref)


@api.get("/repos/{owner}/{repo}/license")
def get_repository_license(call: Call, owner: str, repo: str) -> Any:
    """Get the license file of the root directory."""
    shown = get_content(call, owner, repo, "LICENSE")
    return shown | {"license": show_license(call, find_repo(call, owner, repo).license)}


@api.get("/raw/{owner}/{repo}/{rest:path}")
def get_raw(call: Call, owner: str, repo: str, rest: str) -> Response:
    """Download a file's bytes, as raw.githubusercontent.com does; the branch may have slashes."""
    row, parts = find_repo(call, owner, repo), rest.split("/")
    for number in range(1, len(parts)):
        commit = resolve_commit(call, row, "/".join(parts[:number]).removeprefix("refs/heads/"))
        entry = find_entry(store_of(call, row), commit.tree_sha, "/".join(parts[number:])) if commit else None
        if entry and entry.type == "blob":
            return Response(store_of(call, row).read(entry.sha), 200, "text/plain; charset=utf-8")
    raise NotVisible


class ContentBody(Struct):
    """A file to write or to delete, and the commit that does so."""

    message: str
    content: str | None = None
    sha: str | None = None
    branch: str | None = None
    author: SignatureBody | None = None
    committer: SignatureBody | None = None


def _decode(content: str) -> bytes:
    try:
        return b64decode("".join(content.split()), validate=True)
    except (binascii.Error, ValueError):
        raise Unprocessable("content is not valid Base64") from None


class _FileWrite:
    """A write of one file on a branch: where it stands and what it replaces."""

    def __init__(self, call: Call, owner: str, repo: str, path: str, body: ContentBody) -> None:
        self.call, self.body, self.path = call, body, check_path(path)
        self.repo = find_repo(call, owner, repo)
        self.store = store_of(call, self.repo)
        self.branch = (body.branch or self.repo.default_branch).removeprefix(HEADS)
        self.ref = find_ref(call, self.repo, HEADS + self.branch)
        if self.ref is None and not is_empty(call, self.repo):
            raise NotVisible(f"Branch {self.branch} not found")
        self.head = resolve_commit(call, self.repo, self.ref.sha) if self.ref else None
        self.tree = self.head.tree_sha if self.head else EMPTY_TREE
        self.entry = find_entry(self.store, self.tree, path) if self.head else None

    def check_sha(self) -> None:
        """Raise an error unless the request names the version that it replaces."""
        if self.entry and self.entry.mode == TREE_MODE:
            raise invalid("Commit", "path", "custom", f"{self.path} is a directory")
        if self.entry and not self.body.sha:
            raise Unprocessable('Invalid request.\n\n"sha" wasn\'t supplied.')
        if self.body.sha and (self.entry is None or self.body.sha != self.entry.sha):
            raise Conflict(f"{self.path} does not match {self.body.sha}")

    def commit(self, entry: TreeEntry | None) -> Commit:
        """Commit the file, or its removal, and move the branch."""
        author = signature_of(self.call, self.body.author, None)
        committer = signature_of(self.call, self.body.committer, author if self.body.author is None else None)
        if self.body.author is None and self.body.committer is not None:
            author = committer
        tree = change_tree(self.store, self.tree, {self.path: entry})
        parents = [self.head.sha] if self.head else []
        row = write_commit(self.call, self.repo, tree, parents, self.body.message, author, committer)
        done = "delete" if entry is None else "update" if self.entry else "create"
        try:
            self.repo = move_ref(self.call, self.repo, HEADS + self.branch, row.sha)
        except Unprocessable as refusal:  # of the branch's protection
            raise Conflict(f"Could not {done} file: {refusal}") from None
        return row

    def show_commit(self, commit: Commit) -> dict[str, Any]:
        """Render the commit that was made."""
        return show_git_commit(self.call, self.repo, commit)


@api.put("/repos/{owner}/{repo}/contents/{path:path}", body_limit=MAX_FILE_BYTES * 2)
def put_content(call: Call, owner: str, repo: str, path: str, body: Annotated[ContentBody, Body]) -> Response:
    """Write a file in a commit of its own: 201 for a new one, 200 for another version."""
    if body.content is None:
        raise Unprocessable('Invalid request.\n\n"content" wasn\'t supplied.')
    write = _FileWrite(call, owner, repo, path, body)
    write.check_sha()
    data = _decode(body.content)
    if len(data) > MAX_FILE_BYTES:
        raise Unprocessable("Sorry, the file is too large to be processed.")
    mode = write.entry.mode if write.entry else "100644"
    entry = TreeEntry(mode, write.store.add("blob", data))
    commit = write.commit(entry)
    shown = show_entry(call, write.repo, path, entry, write.branch, len(data))
    answer = {"content": shown, "commit": write.show_commit(commit)}
    return json_answer(answer, 200 if write.entry else 201)


@api.delete("/repos/{owner}/{repo}/contents/{path:path}")
def delete_content(call: Call, owner: str, repo: str, path: str, body: Annotated[ContentBody, Body]) -> Any:
    """Delete a file in a commit of its own."""
    write = _FileWrite(call, owner, repo, path, body)
    if write.entry is None:
        raise NotVisible
    write.check_sha()
    return {"content": None, "commit": write.show_commit(write.commit(None))}
