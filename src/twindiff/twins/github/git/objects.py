"""The object store: git's own objects with their SHA-1s, one store for a repository and all of its forks.

Bytes are stored as packs hold them (zlib's output), so that a clone copies them; large ones go to blobs.
"""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha1
from typing import NamedTuple

from dulwich.errors import ObjectFormatException
from dulwich.objects import Tree, parse_tree

from twindiff.kit import Call
from twindiff.kit.blobs import NoBlobs

from ..tables.repository_tables import GitObject, Repository
from ..wire_style import NotVisible, Unprocessable

MAX_INLINE_BYTES = 20_000
"""Larger packed objects are stored as blobs."""
MAX_FILE_BYTES = 100 * 1024 * 1024
MAX_WALKED_ENTRIES = 200_000
"""Entries that the walks of one operation may reach; GitHub lists at most 100,000 of a tree."""
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
TREE_MODE, LINK_MODE, SUBMODULE_MODE = "040000", "120000", "160000"


class TreeEntry(NamedTuple):
    """An entry of a tree: six digits of mode, and the SHA-1 of its object."""

    mode: str
    sha: str

    @property
    def type(self) -> str:
        """The type of its object: tree, commit or blob."""
        return {TREE_MODE: "tree", SUBMODULE_MODE: "commit"}.get(self.mode, "blob")


Entries = Mapping[str, TreeEntry]


def hash_object(kind: str, data: bytes) -> str:
    """Return the SHA-1 of an object."""
    return sha1(f"{kind} {len(data)}\0".encode() + data).hexdigest()


@lru_cache(maxsize=4096)
def read_entries(data: bytes) -> Entries:
    """Parse a tree object; raises Unprocessable for one that git could not have written."""
    try:
        parsed = parse_tree(data, 20, strict=False)
        return {
            name.decode("utf-8", "surrogateescape"): TreeEntry(f"{mode:06o}", sha.decode())
            for name, mode, sha in parsed
        }
    except (ObjectFormatException, ValueError, IndexError):
        raise Unprocessable("The tree object is malformed") from None


class ObjectStore:
    """The objects of a network of repositories, inside one operation."""

    def __init__(self, call: Call, network_id: int) -> None:
        self.call = call
        self.network_id = network_id
        self._walked_entries = 0

    def add(self, kind: str, data: bytes) -> str:
        """Store an object unless it is there, and return its SHA-1."""
        sha = hash_object(kind, data)
        if not self.has(sha):
            self._store(sha, kind, data)
        return sha

    def _store(self, sha: str, kind: str, data: bytes) -> None:
        packed = zlib.compress(data, 6)
        is_large = len(packed) > MAX_INLINE_BYTES and not isinstance(self.call.blobs, NoBlobs)
        self.call.db.add(
            GitObject(
                network_id=self.network_id,
                sha=sha,
                type=kind,
                size=len(data),
                content=None if is_large else b64encode(packed).decode(),
                digest=self.call.blobs.put(packed) if is_large else None,
            )
        )

    def row(self, sha: str) -> GitObject | None:
        """Return the row of an object, or None."""
        return self.call.db.find(GitObject, GitObject.network_id == self.network_id, GitObject.sha == sha)

    def rows(self) -> list[GitObject]:
        """Return the rows of all objects."""
        return self.call.db.rows(GitObject, GitObject.network_id == self.network_id)

    def has(self, sha: str) -> bool:
        """Return whether an object is stored; the empty tree always is."""
        return self.row(sha) is not None or sha == EMPTY_TREE

    def type_of(self, sha: str) -> str | None:
        """Return the type of an object, or None if there is none."""
        if sha == EMPTY_TREE:
            return "tree"
        row = self.row(sha)
        return row.type if row else None

    def read_packed(self, row: GitObject) -> bytes:
        """Return the compressed bytes of an object."""
        return b64decode(row.content) if row.content is not None else self.call.blobs.get(row.digest or "")

    def read(self, sha: str, kind: str = "") -> bytes:
        """Return the bytes of an object; raise NotVisible if there is none, or none of that type."""
        if sha == EMPTY_TREE and kind in ("", "tree"):
            return b""
        row = self.row(sha)
        if row is None or (kind and row.type != kind):
            raise NotVisible
        return zlib.decompress(self.read_packed(row))

    def size_of(self, sha: str) -> int:
        """Return the size of an object in bytes; 0 if there is none."""
        row = self.row(sha)
        return row.size if row else 0

    def tree(self, sha: str) -> Entries:
        """Return the entries of a tree by name."""
        return read_entries(self.read(sha, "tree"))

    def walk_into(self, sha: str) -> Entries:
        """Return the entries of a tree that a walk has reached, as often as it does so.

        Raises Unprocessable beyond `MAX_WALKED_ENTRIES`: few trees that contain each other several times are a
        folder of any size.
        """
        entries = self.tree(sha)
        self._walked_entries += len(entries) + 1
        if self._walked_entries > MAX_WALKED_ENTRIES:
            raise Unprocessable(f"not implemented: trees of more than {MAX_WALKED_ENTRIES} files and folders")
        return entries

    def add_tree(self, entries: Entries) -> str:
        """Store a tree and return its SHA-1."""
        tree = Tree()
        for name, entry in entries.items():
            tree.add(name.encode("utf-8", "surrogateescape"), int(entry.mode, 8), entry.sha.encode())  # pyright: ignore[reportArgumentType] - dulwich's ObjectID
        return self.add("tree", tree.as_raw_string())


def store_of(call: Call, repo: Repository) -> ObjectStore:
    """Return the object store of a repository."""
    return ObjectStore(call, repo.network_id)
