"""Reads the objects of a pushed pack within bounds: neither an object nor all of them become larger than they may be.

https://git-scm.com/docs/gitformat-pack
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from hashlib import sha1
from typing import NamedTuple, cast

from dulwich.errors import ApplyDeltaError
from dulwich.pack import apply_delta  # pyright: ignore[reportUnknownVariableType] - compiled

from ..git.objects import MAX_FILE_BYTES, hash_object
from ..wire_style import Unprocessable

MAX_UNPACKED_BYTES = 400_000_000
"""Bytes of all objects of a pack, and of the deltas that make them."""
MAX_PIECE_BYTES = 65_536
"""Bytes of a pack that are inflated at once."""
MAX_SIZE_BYTES = 9
"""Bytes of a number that says a size or an offset."""
_SHA1_BYTES = 20
_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET_DELTA, _REF_DELTA = 6, 7
_apply_delta = cast(Callable[[bytes, bytes], list[bytes]], apply_delta)


class PushedObject(NamedTuple):
    """An object of a pushed pack."""

    sha: str
    type: str
    data: bytes


class _PackEntry(NamedTuple):
    """What a pack holds at an offset: an object, or a delta to the object at an offset or of a SHA-1."""

    offset: int
    kind: int
    base: int | str
    data: bytes


class PackReader:
    """Reads one pack; `find_object` returns an object by its SHA-1, or None, for deltas to objects outside the pack."""

    def __init__(self, pack: bytes, find_object: Callable[[str], PushedObject | None]) -> None:
        self._pack = pack
        self._end = len(pack) - _SHA1_BYTES
        self._find_object = find_object
        self._objects: list[PushedObject] = []
        self._by_place: dict[int | str, PushedObject] = {}
        self._waiting: dict[int | str, list[_PackEntry]] = {}
        """Deltas whose object has not been read yet, by its offset or SHA-1."""
        self._bytes_left = MAX_UNPACKED_BYTES

    def read(self) -> list[PushedObject]:
        """Return the objects with deltas applied; raises Unprocessable for a pack that is malformed or too large."""
        try:
            for entry in self._read_entries():
                self._resolve(entry)
        except (ApplyDeltaError, IndexError, ValueError, zlib.error):
            raise _refuse() from None
        if self._waiting:
            raise _refuse()
        return self._objects

    def _read_entries(self) -> Iterator[_PackEntry]:
        header, count = self._pack[:8], int.from_bytes(self._pack[8:12], "big")
        if header not in (b"PACK\0\0\0\2", b"PACK\0\0\0\3") or sha1(self._pack[:-20]).digest() != self._pack[-20:]:
            raise _refuse()
        at = 12
        for _ in range(count):
            entry, at = self._read_entry(at)
            yield entry
        if at != self._end:
            raise _refuse()

    def _read_entry(self, start: int) -> tuple[_PackEntry, int]:
        """Return what is at an offset, and the offset after it."""
        first, at = self._pack[start], start + 1
        kind, size = first >> 4 & 7, first & 15
        if first & 128:
            more, at = read_size(self._pack, at)
            size |= more << 4
        base: int | str = ""
        if kind == _OFFSET_DELTA:
            distance, at = self._read_distance(at)
            base = start - distance
        elif kind == _REF_DELTA:
            base, at = self._pack[at : at + _SHA1_BYTES].hex(), at + _SHA1_BYTES
        elif kind not in _KINDS:
            raise _refuse()
        data, at = self._inflate(at, size)
        return _PackEntry(start, kind, base, data), at

    def _read_distance(self, at: int) -> tuple[int, int]:
        """Return how far before a delta its object is, and the offset after that number."""
        distance = self._pack[at] & 127
        for length in range(MAX_SIZE_BYTES):
            if not self._pack[at + length] & 128:
                return distance, at + length + 1
            distance = (distance + 1) << 7 | self._pack[at + length + 1] & 127
        raise _refuse()

    def _inflate(self, at: int, size: int) -> tuple[bytes, int]:
        self._take(size)
        inflater, data = zlib.decompressobj(), bytearray()
        step = min(size + 64, MAX_PIECE_BYTES)
        while not inflater.eof:
            piece = self._pack[at : min(at + step, self._end)]
            if not piece:
                raise _refuse()
            data += inflater.decompress(piece, size + 1 - len(data))
            if len(data) > size:
                raise _refuse()
            at += len(piece) - len(inflater.unused_data) - len(inflater.unconsumed_tail)
        if len(data) != size:
            raise _refuse()
        return bytes(data), at

    def _take(self, size: int) -> None:
        """Count bytes before there is room for them; raises Unprocessable for too many."""
        if size > MAX_FILE_BYTES:
            raise Unprocessable("GH001: Large files detected. Files have at most 100 MB.")
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise Unprocessable(f"the objects of a push have at most {MAX_UNPACKED_BYTES // 1_000_000} MB together")

    def _resolve(self, entry: _PackEntry) -> None:
        """Add an object, and those that deltas make of it."""
        stack = [entry]
        while stack:
            each = stack.pop()
            made = self._make_object(each)
            if made is None:
                self._waiting.setdefault(each.base, []).append(each)
                continue
            self._objects.append(made)
            self._by_place[each.offset] = self._by_place[made.sha] = made
            stack += self._waiting.pop(each.offset, []) + self._waiting.pop(made.sha, [])

    def _make_object(self, entry: _PackEntry) -> PushedObject | None:
        """Return the object of an entry; None while that of its delta has not been read."""
        if entry.kind in _KINDS:
            return _name_object(_KINDS[entry.kind], entry.data)
        base = self._by_place.get(entry.base)
        if base is None and isinstance(entry.base, str):
            base = self._find_object(entry.base)
        if base is None:
            return None
        self._take(read_size(entry.data, read_size(entry.data, 0)[1])[0])
        return _name_object(base.type, b"".join(_apply_delta(base.data, entry.data)))


def _name_object(kind: str, data: bytes) -> PushedObject:
    return PushedObject(hash_object(kind, data), kind, data)


def read_size(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, low ones first, and the offset after it; raises IndexError, ValueError."""
    size = 0
    for length in range(MAX_SIZE_BYTES):
        size |= (data[at + length] & 127) << 7 * length
        if not data[at + length] & 128:
            return size, at + length + 1
    raise ValueError


def _refuse() -> Unprocessable:
    return Unprocessable("index-pack failed")
