"""Packs: the objects that a fetch needs, and those that a push brings.

https://git-scm.com/docs/gitformat-pack
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha1, sha256
from struct import pack as pack_struct
from threading import Lock
from typing import NamedTuple

from twindiff.kit import Call
from twindiff.kit.throttling import yield_processor

from ..git.commit_objects import read_tag, record_commit
from ..git.histories import get_commit, walk_history
from ..git.objects import EMPTY_TREE, TREE_MODE, ObjectStore, TreeEntry, read_entries
from ..git.trees import is_file_name, is_linked_modules
from ..tables.repository_tables import Commit, GitObject, Repository
from ..wire_style import Unprocessable
from .pack_reader import PackReader, PushedObject

TYPE_NUMBERS = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
_TAG_HEAD = re.compile(rb"object ([0-9a-f]{40})\ntype (?:commit|tree|blob|tag)\ntag [^\n]+\n")
MAX_COMMITS_WITH_CHANGES = 200
MIN_WHOLE_NETWORK = 2000
"""Objects from which on a first clone sends all of a network that has a single repository, without a walk."""


def pack_header(kind: str, size: int) -> bytes:
    """Return the header of an object in a pack."""
    first, rest = (TYPE_NUMBERS[kind] << 4) | (size & 15), size >> 4
    out = bytearray()
    while rest:
        out.append(first | 128)
        first, rest = rest & 127, rest >> 7
    out.append(first)
    return bytes(out)


class PackCache:
    """The packs of large clones, by the SHA-1s of their objects, which alone decide what is in them.

    Environments of a template and its forks clone the same objects; see `benchmarks/github.py`.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._packs: OrderedDict[bytes, bytes] = OrderedDict()
        self._lock = Lock()

    def find(self, key: bytes) -> bytes | None:
        """Return a pack, or None."""
        with self._lock:
            pack = self._packs.get(key)
            if pack is not None:
                self._packs.move_to_end(key)
            return pack

    def keep(self, key: bytes, pack: bytes) -> None:
        """Keep a pack, and drop those that were used least recently."""
        with self._lock:
            self._packs[key] = pack
            while sum(map(len, self._packs.values())) > self._max_bytes:
                self._packs.popitem(last=False)


MAX_CACHED_BYTES = 128_000_000
_packs = PackCache(MAX_CACHED_BYTES)


def build_pack(store: ObjectStore, shas: Sequence[str]) -> bytes:
    """Return a pack of objects without deltas; the stored bytes are copied."""
    if len(shas) < MIN_WHOLE_NETWORK:
        return _write_pack(store, (row for sha in shas if (row := store.row(sha))))
    key = sha256("".join(shas).encode()).digest()
    pack = _packs.find(key)
    if pack is None:
        rows = {row.sha: row for row in store.rows()}
        pack = _write_pack(store, (rows[sha] for sha in shas if sha in rows))
        _packs.keep(key, pack)
    return pack


def _write_pack(store: ObjectStore, rows: Iterable[GitObject]) -> bytes:
    parts: list[bytes] = []
    for row in rows:
        if len(parts) & 1023 == 0:
            yield_processor()
        parts.append(pack_header(row.type, row.size) + store.read_packed(row))
    body = b"PACK" + pack_struct(">II", 2, len(parts)) + b"".join(parts)
    return body + sha1(body).digest()


class FetchRequest(NamedTuple):
    """A fetch: the objects wanted, those at hand, the depth, and whether the client has said all."""

    wants: list[str]
    haves: list[str]
    shallow: frozenset[str]
    """The commits whose parents the client lacks, though it has them."""
    depth: int
    done: bool
    options: frozenset[str]


class FetchPlan(NamedTuple):
    """The SHA-1s of the objects to send, where a shallow history ends, and where one no longer does."""

    shas: list[str]
    shallow: list[str]
    unshallow: list[str]


def plan_fetch(call: Call, repo: Repository, request: FetchRequest, haves: list[str]) -> FetchPlan:
    """Return the objects that a client needs, which has all that `haves` reach; a depth cuts histories off."""
    store = ObjectStore(call, repo.network_id)
    if not haves and not request.depth and _is_whole(call, repo):
        where = GitObject.network_id == repo.network_id
        return FetchPlan([sha for (sha,) in call.db.rows(GitObject, where, columns=(GitObject.sha,))], [], [])
    tags, tips = _peel_wants(store, request.wants)
    walk = walk_history(call, repo.network_id, haves, ends=request.shallow) if haves else ()
    known = {commit.sha: commit for commit in walk}
    reached, shallow = _select_commits(call, repo, request, tips, frozenset(known))
    commits = [commit for sha, commit in reached.items() if sha not in known]
    edges = {*haves, *(parent for each in commits for parent in each.parents)} & known.keys()
    seen: set[str] = {EMPTY_TREE}
    for sha in edges:
        _reach(store, known[sha].tree_sha, seen)
    wanted = [*tags, *(commit.sha for commit in commits)]
    for commit in commits:
        wanted += _reach(store, commit.tree_sha, seen)
    wanted += [sha for sha in tips if store.type_of(sha) not in ("commit", "tag", None)]
    unshallow = sorted(request.shallow & reached.keys() - {*shallow}) if request.depth else []
    return FetchPlan(list(dict.fromkeys(wanted)), shallow, unshallow)


def _is_whole(call: Call, repo: Repository) -> bool:
    """Return whether a network is large and has no other repository."""
    if call.db.count(Repository, Repository.network_id == repo.network_id) > 1:
        return False
    return call.db.count(GitObject, GitObject.network_id == repo.network_id) >= MIN_WHOLE_NETWORK


def _peel_wants(store: ObjectStore, wants: list[str]) -> tuple[list[str], list[str]]:
    """Return the annotated tags among what is wanted, and what they name."""
    tags: list[str] = []
    tips: list[str] = []
    for want in wants:
        sha = want
        while store.type_of(sha) == "tag":
            tags.append(sha)
            sha = read_tag(store, sha).target
        tips.append(sha)
    return tags, tips


def _select_commits(
    call: Call, repo: Repository, request: FetchRequest, tips: list[str], known: frozenset[str]
) -> tuple[dict[str, Commit], list[str]]:
    """Return the commits within the depth, or those that are not known, and those of them whose parents are cut off."""
    if request.depth and "deepen-relative" not in request.options:
        return _select_levels(call, repo, tips, request.depth)
    unknown = {row.sha: row for row in walk_history(call, repo.network_id, tips, known)}
    if not request.depth:
        return unknown, []
    below, shallow = _select_levels(call, repo, sorted(request.shallow), request.depth + 1)
    return {**unknown, **below}, shallow


def _select_levels(call: Call, repo: Repository, level: list[str], depth: int) -> tuple[dict[str, Commit], list[str]]:
    """Return the commits at most so many steps from the first ones, and those of them whose parents are cut off."""
    reached: dict[str, Commit] = {}
    for _ in range(depth):
        wanted = (sha for sha in dict.fromkeys(level) if sha not in reached)
        rows = [row for sha in wanted if (row := get_commit(call, repo.network_id, sha))]
        if not rows:
            return reached, []
        reached.update((row.sha, row) for row in rows)
        level = [parent for row in rows for parent in row.parents]
    cut = {sha for sha in level if sha not in reached}
    return reached, [row.sha for row in reached.values() if cut.intersection(row.parents)]


def _reach(store: ObjectStore, top: str, seen: set[str]) -> list[str]:
    """Return a tree and all below it that have not been seen, and note them as seen."""
    shas: list[str] = []
    stack = [TreeEntry(TREE_MODE, top)]
    while stack:
        entry = stack.pop()
        if entry.sha in seen or entry.type == "commit":
            continue
        seen.add(entry.sha)
        shas.append(entry.sha)
        if entry.mode == TREE_MODE:
            stack += store.tree(entry.sha).values()
    return shas


def read_pack(store: ObjectStore, data: bytes) -> list[PushedObject]:
    """Return the objects of a pushed pack, deltas applied; raise Unprocessable for a malformed or too large one."""

    def find_object(sha: str) -> PushedObject | None:
        row = store.row(sha)
        return PushedObject(sha, row.type, store.read(sha)) if row else None

    return PackReader(data, find_object).read()


def store_objects(call: Call, repo: Repository, objects: list[PushedObject]) -> None:
    """Store pushed objects and the rows of their commits; raise Unprocessable for those that GitHub refuses."""
    store = ObjectStore(call, repo.network_id)
    for each in objects:
        store.add(each.type, each.data)
    for each in objects:
        if each.type == "tree":
            _check_tree(store, each)
        elif each.type == "tag":
            _check_tag(store, each)
    commits = {each.sha: each for each in objects if each.type == "commit"}
    with_changes = len(commits) <= MAX_COMMITS_WITH_CHANGES
    for each in _oldest_first(commits):
        row = record_commit(call, repo, each.sha, each.data, with_changes=with_changes)
        missing = [sha for sha in (row.tree_sha, *row.parents) if not store.has(sha)]
        if missing:
            raise Unprocessable(f"missing necessary objects: {missing[0]}")


def _check_tree(store: ObjectStore, tree: PushedObject) -> None:
    """Raise Unprocessable for a tree with a name that could leave a working tree, or an object that is missing."""
    for name, entry in read_entries(tree.data).items():
        _check_entry(tree, name, entry)
        if entry.type != "commit" and not store.has(entry.sha):
            raise Unprocessable(f"missing necessary objects: {entry.sha}")


def _check_entry(tree: PushedObject, name: str, entry: TreeEntry) -> None:
    try:
        is_fit = is_file_name(name)
    except UnicodeEncodeError:
        raise Unprocessable(f"object {tree.sha}: not implemented: names of files that are not UTF-8") from None
    if not is_fit:
        raise Unprocessable(f"object {tree.sha}: hasDotgit: contains '{name}'")
    if is_linked_modules(name, entry.mode):
        raise Unprocessable(f"object {tree.sha}: gitmodulesSymlink: .gitmodules is a symbolic link")


def _check_tag(store: ObjectStore, tag: PushedObject) -> None:
    """Raise Unprocessable for a malformed tag, or one of an object that is missing."""
    head = _TAG_HEAD.match(tag.data)
    if head is None:
        raise Unprocessable(f"object {tag.sha}: the tag object is malformed")
    if not store.has(head[1].decode()):
        raise Unprocessable(f"missing necessary objects: {head[1].decode()}")


def _oldest_first(commits: dict[str, PushedObject]) -> Iterator[PushedObject]:
    """Yield commits so that parents come before their children."""
    done: set[str] = set()
    for start in commits:
        stack = [start]
        while stack:
            sha = stack[-1]
            head = commits[sha].data.partition(b"\n\n")[0].decode("utf-8", "replace")
            parents = [line[7:47] for line in head.splitlines() if line.startswith("parent ")]
            waiting = [parent for parent in parents if parent in commits and parent not in done]
            if sha in done or not waiting:
                stack.pop()
                if sha not in done:
                    done.add(sha)
                    yield commits[sha]
            else:
                stack += waiting
