"""The git database: blobs, trees, commits, references and tags with git's own SHA-1s.

https://docs.github.com/en/rest/git
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from typing import Annotated, Any, Literal

from twindiff.kit import Body, Call, Meta, Operations, Response, Struct, field

from ..core.access import find_repo
from ..core.node_ids import node_id
from ..git.commit_objects import SignatureBody, read_tag, signature_of, write_commit, write_tag
from ..git.histories import get_commit, is_ancestor
from ..git.objects import EMPTY_TREE, MAX_FILE_BYTES, TREE_MODE, ObjectStore, TreeEntry, store_of
from ..git.refs import HEADS, find_ref, is_empty, is_valid_ref, list_refs, resolve_commit
from ..git.trees import MODES, change_tree, check_path, walk_tree
from ..pushes.ref_updates import move_ref
from ..tables.repository_tables import Ref, Repository
from ..views.commit_views import show_git_commit, show_ref, show_tag_object
from ..views.repository_views import repo_url
from ..wire_style import Conflict, NotVisible, Unprocessable, invalid
from .contents import encode_lines

api = Operations()
MAX_TREE_ENTRIES = 100_000
TYPE_MODES = {"tree": TREE_MODE, "commit": "160000", "blob": "100644"}


def writable_repo(call: Call, owner: str, repo: str) -> Repository:
    """Return a repository that the caller may push to; raise Conflict if it is empty, as the git database is then."""
    row = find_repo(call, owner, repo)
    if is_empty(call, row):
        raise Conflict("Git Repository is empty.")
    return row


def readable_repo(call: Call, owner: str, repo: str) -> Repository:
    """Return a repository whose git database can be read; raise Conflict if it is empty."""
    row = find_repo(call, owner, repo)
    if is_empty(call, row):
        raise Conflict("Git Repository is empty.")
    return row


@api.get("/repos/{owner}/{repo}/git/blobs/{file_sha}")
def get_blob(call: Call, owner: str, repo: str, file_sha: str) -> Any:
    """Get a blob as Base64, or its bytes with the media type `raw`."""
    row = readable_repo(call, owner, repo)
    data = store_of(call, row).read(file_sha, "blob")
    if "raw" in str(call.memo.get("accept")):
        return Response(data, 200, "application/vnd.github.raw; charset=utf-8")
    named = {"sha": file_sha, "node_id": node_id("B", row.id, file_sha), "size": len(data)}
    url = f"{repo_url(call, row)}/git/blobs/{file_sha}"
    return {**named, "url": url, "content": encode_lines(data), "encoding": "base64"}


@api.post("/repos/{owner}/{repo}/git/blobs", status=201, body_limit=MAX_FILE_BYTES * 2)
def create_blob(call: Call, owner: str, repo: str, content: str, encoding: Literal["utf-8", "base64"] = "utf-8") -> Any:
    """Store a blob."""
    row = writable_repo(call, owner, repo)
    try:
        data = b64decode(content) if encoding == "base64" else content.encode("utf-8", "surrogatepass")
    except binascii.Error:
        raise Unprocessable("content is not valid Base64") from None
    if len(data) > MAX_FILE_BYTES:
        raise Unprocessable("Your input is too large. A blob has at most 100 MB.")
    sha = store_of(call, row).add("blob", data)
    return {"sha": sha, "url": f"{repo_url(call, row)}/git/blobs/{sha}"}


def show_tree(call: Call, repo: Repository, store: ObjectStore, sha: str, *, recursive: bool) -> dict[str, Any]:
    """Render a tree; with `recursive`, with everything below it."""
    url = f"{repo_url(call, repo)}/git"
    entries = list(walk_tree(store, sha, trees=True)) if recursive else list(store.tree(sha).items())
    shown = [_show_entry(store, url, path, entry) for path, entry in entries[:MAX_TREE_ENTRIES]]
    return {"sha": sha, "url": f"{url}/trees/{sha}", "tree": shown, "truncated": len(entries) > MAX_TREE_ENTRIES}


def _show_entry(store: ObjectStore, url: str, path: str, entry: TreeEntry) -> dict[str, Any]:
    shown: dict[str, Any] = {"path": path, "mode": entry.mode, "type": entry.type, "sha": entry.sha}
    if entry.type == "blob":
        shown["size"] = store.size_of(entry.sha)
    if entry.type != "commit":
        shown["url"] = f"{url}/{entry.type}s/{entry.sha}"
    return shown


@api.get("/repos/{owner}/{repo}/git/trees/{tree_sha:path}")
def get_tree(call: Call, owner: str, repo: str, tree_sha: str, recursive: str = "") -> Any:
    """Get a tree by its SHA-1, or by a commit or a branch; any value of `recursive` reads below it."""
    row = readable_repo(call, owner, repo)
    store = store_of(call, row)
    sha = tree_sha
    if store.type_of(tree_sha) != "tree":
        commit = resolve_commit(call, row, tree_sha)
        if commit is None:
            raise NotVisible
        sha = commit.tree_sha
    return show_tree(call, row, store, sha, recursive=bool(recursive))


class TreeEntryBody(Struct):
    """An entry of a tree to make: an object by its SHA-1, a text as content, or with a null SHA-1 a removal."""

    path: str | None = None
    mode: str | None = None
    type: str | None = None
    sha: str | None = None
    content: str | None = None


class TreeBody(Struct):
    """A tree to make, by itself or from a base."""

    tree: list[TreeEntryBody]
    base_tree: str | None = None


@api.post("/repos/{owner}/{repo}/git/trees", status=201, body_limit=20_000_000)
def create_tree(call: Call, owner: str, repo: str, body: Annotated[TreeBody, Body]) -> Any:
    """Make a tree; paths may have slashes, and a null SHA-1 removes a path of the base."""
    row = writable_repo(call, owner, repo)
    store = store_of(call, row)
    if not body.tree:
        raise Unprocessable("Invalid tree info")
    base = EMPTY_TREE
    if body.base_tree:
        commit = get_commit(call, row.network_id, body.base_tree)
        base = commit.tree_sha if commit else body.base_tree
        if store.type_of(base) != "tree":
            raise Unprocessable("base_tree is not a valid tree oid")
    changes = dict(_read_entry(store, entry) for entry in body.tree)
    return show_tree(call, row, store, change_tree(store, base, changes), recursive=False)


def _read_entry(store: ObjectStore, body: TreeEntryBody) -> tuple[str, TreeEntry | None]:
    """Return the path and the entry of a request; raise GitHub's 422 for one that cannot be."""
    if not body.path:
        raise Unprocessable("tree.path is missing")
    path = check_path(body.path, body.mode or TYPE_MODES["blob"])
    if body.sha is None and body.content is None:
        return path, None
    if body.sha and body.content is not None:
        raise Unprocessable("Must supply either tree.sha or tree.content, not both")
    mode = body.mode or TYPE_MODES.get(body.type or "blob", "")
    if mode not in MODES:
        raise Unprocessable(
            f"tree.mode {body.mode or body.type} is not supported. Supported: {', '.join(sorted(MODES))}"
        )
    sha = body.sha or store.add("blob", (body.content or "").encode("utf-8", "surrogatepass"))
    entry = TreeEntry(mode, sha)
    if entry.type != "commit" and store.type_of(sha) != entry.type:
        raise Unprocessable(f"tree.sha {sha} is not a valid {entry.type}")
    return path, entry


@api.get("/repos/{owner}/{repo}/git/commits/{commit_sha}")
def get_git_commit(call: Call, owner: str, repo: str, commit_sha: str) -> Any:
    """Get a commit object."""
    row = readable_repo(call, owner, repo)
    commit = get_commit(call, row.network_id, commit_sha)
    if commit is None:
        raise NotVisible
    return show_git_commit(call, row, commit)


class CommitBody(Struct):
    """A commit to make."""

    message: str
    tree: str
    parents: list[str] = field(default_factory=list[str])
    author: SignatureBody | None = None
    committer: SignatureBody | None = None
    signature: str | None = None


@api.post("/repos/{owner}/{repo}/git/commits", status=201)
def create_commit(call: Call, owner: str, repo: str, body: Annotated[CommitBody, Body]) -> Any:
    """Make a commit object; no branch moves."""
    row = writable_repo(call, owner, repo)
    store = store_of(call, row)
    if store.type_of(body.tree) != "tree":
        raise Unprocessable("Tree SHA does not exist")
    for parent in body.parents:
        if store.type_of(parent) != "commit":
            raise Unprocessable("Parent SHA does not exist or is not a commit object")
    author = signature_of(call, body.author)
    committer = signature_of(call, body.committer, author)
    return show_git_commit(call, row, write_commit(call, row, body.tree, body.parents, body.message, author, committer))


def matching_refs(call: Call, repo: Repository, text: str) -> list[Ref]:
    """Return the references whose names begin with `refs/` and a text."""
    return list_refs(call, repo, f"refs/{text}")


@api.get("/repos/{owner}/{repo}/git/ref/{ref:path}")
def get_ref(call: Call, owner: str, repo: str, ref: str) -> Any:
    """Get a reference such as `heads/main`."""
    row = readable_repo(call, owner, repo)
    known = find_ref(call, row, f"refs/{ref.removeprefix('refs/')}")
    if known is None:
        raise NotVisible
    return show_ref(call, row, store_of(call, row), known)


@api.get("/repos/{owner}/{repo}/git/refs/{ref:path}")
def get_ref_or_matching(call: Call, owner: str, repo: str, ref: str) -> Any:
    """Get a reference, or all whose names begin so, as older clients ask."""
    row = readable_repo(call, owner, repo)
    store, known = store_of(call, row), find_ref(call, row, f"refs/{ref}")
    if known:
        return show_ref(call, row, store, known)
    matches = matching_refs(call, row, ref)
    if not matches:
        raise NotVisible
    return [show_ref(call, row, store, each) for each in matches]


@api.get("/repos/{owner}/{repo}/git/refs")
def list_all_refs(call: Call, owner: str, repo: str) -> Any:
    """List all references."""
    return list_matching_refs(call, owner, repo, "")


@api.get("/repos/{owner}/{repo}/git/matching-refs/{ref:path}")
def list_matching_refs(call: Call, owner: str, repo: str, ref: str) -> Any:
    """List the references whose names begin with a text."""
    row = readable_repo(call, owner, repo)
    store = store_of(call, row)
    return [show_ref(call, row, store, each) for each in matching_refs(call, row, ref)]


@api.get("/repos/{owner}/{repo}/git/matching-refs")
def list_refs_without_prefix(call: Call, owner: str, repo: str) -> Any:
    """List all references, as GitHub does without a text to begin with."""
    return list_matching_refs(call, owner, repo, "")


@api.post("/repos/{owner}/{repo}/git/refs", status=201)
def create_ref(call: Call, owner: str, repo: str, ref: str, sha: str) -> Any:
    """Make a reference to an object."""
    row = writable_repo(call, owner, repo)
    store = store_of(call, row)
    if not is_valid_ref(ref):
        raise Unprocessable(
            "Reference name must start with 'refs/' and contain at least two slashes"
            if not ref.startswith("refs/")
            else f"{ref} is not a valid ref name."
        )
    kind = store.type_of(sha)
    if kind is None or (ref.startswith(HEADS) and kind != "commit"):
        raise Unprocessable("Object does not exist")
    if find_ref(call, row, ref):
        raise Unprocessable("Reference already exists")
    if _collides(call, row, ref):
        raise Unprocessable("Reference cannot be created: another one has a part of its name")
    row = move_ref(call, row, ref, sha)
    return show_ref(call, row, store, call.db.get(Ref, row.id, ref))


def _collides(call: Call, repo: Repository, ref: str) -> bool:
    """Return whether a reference would stand below another one, or above others, which no file system allows."""
    parts = ref.split("/")
    above = any(find_ref(call, repo, "/".join(parts[:number])) for number in range(3, len(parts)))
    return above or bool(list_refs(call, repo, f"{ref}/"))


@api.patch("/repos/{owner}/{repo}/git/refs/{ref:path}")
def update_ref(
    call: Call, owner: str, repo: str, ref: str, sha: Annotated[str, Meta(min_length=1)], force: bool = False
) -> Any:
    """Move a reference; without `force`, only forward."""
    row = writable_repo(call, owner, repo)
    store, name = store_of(call, row), f"refs/{ref}"
    known = find_ref(call, row, name)
    if known is None:
        raise Unprocessable("Reference does not exist")
    kind = store.type_of(sha)
    if kind is None or (name.startswith(HEADS) and kind != "commit"):
        raise Unprocessable("Object does not exist")
    if not force and kind == "commit" and not is_ancestor(call, row.network_id, known.sha, sha):
        raise Unprocessable("Update is not a fast forward")
    row = move_ref(call, row, name, sha, forced=force)
    return show_ref(call, row, store, call.db.get(Ref, row.id, name))


@api.delete("/repos/{owner}/{repo}/git/refs/{ref:path}", status=204)
def delete_ref(call: Call, owner: str, repo: str, ref: str) -> None:
    """Delete a reference; the default branch stays."""
    row = writable_repo(call, owner, repo)
    name = f"refs/{ref}"
    if find_ref(call, row, name) is None:
        raise Unprocessable("Reference does not exist")
    if name == HEADS + row.default_branch:
        raise Unprocessable("Cannot delete the default branch")
    move_ref(call, row, name, None)


@api.get("/repos/{owner}/{repo}/git/tags/{tag_sha}")
def get_tag(call: Call, owner: str, repo: str, tag_sha: str) -> Any:
    """Get an annotated tag."""
    row = readable_repo(call, owner, repo)
    return show_tag_object(call, row, tag_sha, read_tag(store_of(call, row), tag_sha))


@api.post("/repos/{owner}/{repo}/git/tags", status=201)
def create_tag(
    call: Call,
    owner: str,
    repo: str,
    tag: Annotated[str, Meta(min_length=1)],
    message: str,
    object: str,
    type: Literal["commit", "tree", "blob"],
    tagger: SignatureBody | None = None,
) -> Any:
    """Make an annotated tag object; a reference to it is made apart."""
    row = writable_repo(call, owner, repo)
    store = store_of(call, row)
    if store.type_of(object) != type:
        raise Unprocessable("object is not a valid object of that type")
    if not is_valid_ref(f"refs/tags/{tag}"):
        raise invalid("Tag", "tag")
    sha = write_tag(store, tag, message, object, type, signature_of(call, tagger))
    return show_tag_object(call, row, sha, read_tag(store, sha))
