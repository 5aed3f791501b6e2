"""Packs: the objects that a fetch needs, and those that a push brings.

https://git-scm.com/docs/gitformat-pack
"""

from __future__ import annotations

import io
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from hashlib import sha1, sha256
from struct import pack as pack_struct
from threading import Lock
from typing import Any, NamedTuple, cast

from dulwich.errors import ApplyDeltaError, ChecksumMismatch, ObjectFormatException
from dulwich.object_format import SHA1
from dulwich.objects import ShaFile
from dulwich.pack import PackData, PackInflater

from twindiff.kit import Call
from twindiff.kit.throttling import yield_processor

from ..git.commit_objects import read_tag, record_commit
from ..git.histories import get_commit, walk_history
from ..git.objects import EMPTY_TREE, MAX_FILE_BYTES, TREE_MODE, ObjectStore, hash_object, read_entries
from ..tables.repository_tables import Commit, GitObject, Repository
from ..wire_style import Unprocessable

TYPE_NUMBERS = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
MAX_COMMITS_WITH_CHANGES = 200
MIN_WHOLE_NETWORK = 2000
"""Objects from which on a first clone sends all of a network that has a single repository, without a walk."""


class PushedObject(NamedTuple):
    """An object of a pushed pack."""

    sha: str
    type: str
    data: bytes


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


class FetchPlan(NamedTuple):
    """The SHA-1s of the objects to send, and the commits at which a shallow history ends."""

    shas: list[str]
    shallow: list[str]


def plan_fetch(call: Call, repo: Repository, wants: list[str], haves: list[str], depth: int = 0) -> FetchPlan:
    """Return the objects that a client needs, which has all that `haves` reach; `depth` cuts histories off."""
    store = ObjectStore(call, repo.network_id)
    if not haves and not depth and _is_whole(call, repo):
        where = GitObject.network_id == repo.network_id
        return FetchPlan([sha for (sha,) in call.db.rows(GitObject, where, columns=(GitObject.sha,))], [])
    tags, tips = _peel_wants(store, wants)
    known = {commit.sha: commit for commit in walk_history(call, repo.network_id, haves)} if haves else {}
    commits, shallow = _select_commits(call, repo, tips, frozenset(known), depth)
    edges = {*haves, *(parent for each in commits for parent in each.parents)} & known.keys()
    seen: set[str] = {EMPTY_TREE}
    for sha in edges:
        _reach(store, known[sha].tree_sha, seen)
    wanted = [*tags, *(commit.sha for commit in commits)]
    for commit in commits:
        wanted += _reach(store, commit.tree_sha, seen)
    wanted += [sha for sha in tips if store.type_of(sha) not in ("commit", "tag", None)]
    return FetchPlan(list(dict.fromkeys(wanted)), shallow)


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
    call: Call, repo: Repository, tips: list[str], known: frozenset[str], depth: int
) -> tuple[list[Commit], list[str]]:
    """Return the commits to send, and those of them whose parents are cut off."""
    if not depth:
        return list(walk_history(call, repo.network_id, tips, known)), []
    level, commits, shallow = list(dict.fromkeys(tips)), dict[str, Commit](), list[str]()
    for number in range(depth):
        rows = [row for sha in level if sha not in commits and (row := get_commit(call, repo.network_id, sha))]
        commits.update((row.sha, row) for row in rows if row.sha not in known)
        if number == depth - 1:
            shallow = [row.sha for row in rows if row.parents]
        level = [parent for row in rows for parent in row.parents]
    return list(commits.values()), shallow


def _reach(store: ObjectStore, tree: str, seen: set[str]) -> list[str]:
    """Return a tree and all below it that have not been seen, and note them as seen."""
    if tree in seen:
        return []
    seen.add(tree)
    shas = [tree]
    for entry in store.tree(tree).values():
        if entry.mode == TREE_MODE:
            shas += _reach(store, entry.sha, seen)
        elif entry.type == "blob" and entry.sha not in seen:
            seen.add(entry.sha)
            shas.append(entry.sha)
    return shas


def read_pack(store: ObjectStore, data: bytes) -> list[PushedObject]:
    """Return the objects of a pushed pack, deltas applied; raise Unprocessable for a malformed one."""

    def resolve(sha: bytes) -> tuple[int, list[bytes]]:
        row = store.row(sha.hex() if len(sha) == 20 else sha.decode())
        if row is None:
            raise KeyError(sha)
        return TYPE_NUMBERS[row.type], [zlib.decompress(store.read_packed(row))]

    try:
        with closing(PackData.from_file(io.BytesIO(data), SHA1, len(data))) as pack:
            inflater: Any = PackInflater.for_pack_data(pack, resolve_ext_ref=cast(Any, resolve))
            objects = [cast(ShaFile, each) for each in inflater]
        pushed = [(each.type_name.decode(), each.as_raw_string()) for each in objects]
    except (ApplyDeltaError, ChecksumMismatch, ObjectFormatException, KeyError, ValueError, AssertionError, zlib.error):
        raise Unprocessable("index-pack failed") from None
    return [PushedObject(hash_object(kind, raw), kind, raw) for kind, raw in pushed]


def store_objects(call: Call, repo: Repository, objects: list[PushedObject]) -> None:
    """Store pushed objects and the rows of their commits; raise Unprocessable for those that GitHub refuses."""
    store = ObjectStore(call, repo.network_id)
    for each in objects:
        if len(each.data) > MAX_FILE_BYTES:
            raise Unprocessable("GH001: Large files detected. Files have at most 100 MB.")
        store.add(each.type, each.data)
    for each in objects:
        if each.type == "tree":
            _check_tree(store, each)
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
        if name.lower() in (".git", "..", ".", "") or "/" in name:
            raise Unprocessable(f"object {tree.sha}: hasDotgit: contains '{name}'")
        if entry.type != "commit" and not store.has(entry.sha):
            raise Unprocessable(f"missing necessary objects: {entry.sha}")


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
