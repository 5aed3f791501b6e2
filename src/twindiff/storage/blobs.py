"""Bytes by their SHA-256: each kept once, whoever put it, in a file below the data directory or in memory."""

from __future__ import annotations

import errno
import io
import os
import re
import time
from contextlib import suppress
from hashlib import sha256
from math import inf
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import BinaryIO, NoReturn, Protocol

from twindiff.kit.blobs import Blobs
from twindiff.kit.errors import NotFound
from twindiff.storage import StorageFull
from twindiff.storage.quota import Room

_DIGEST = re.compile(r"[0-9a-f]{64}")
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EEXIST)


class KeptBlobs(Blobs, Protocol):
    """Bytes that are removed when nobody names them any more."""

    @property
    def size(self) -> int:
        """How many bytes there are; counted once, and kept up from then on."""
        ...

    def sync(self) -> None:
        """Have the disk keep what was put before, in any thread; raises OSError."""
        ...

    def put_before(self, instant: float) -> set[str]:
        """The digests of all that was last put before an instant, in seconds since 1970."""
        ...

    def remove(self, digest: str, instant: float) -> None:
        """Forget bytes, unless they have been put again since that instant."""
        ...


def blobs_of(directory: str, room: Room | None = None) -> KeptBlobs:
    """The bytes of a data directory, which take room; `:memory:` keeps none after the process."""
    room = room or Room()
    return MemoryBlobs(room) if directory == ":memory:" else FileBlobs(Path(directory) / "blobs", room)


class MemoryBlobs:
    """Bytes that go with the process."""

    def __init__(self, room: Room) -> None:
        self._kept: dict[str, tuple[bytes, float]] = {}
        self._room = room
        self._guard = Lock()

    @property
    def size(self) -> int:
        with self._guard:
            return sum(len(data) for data, _ in self._kept.values())

    def put(self, data: bytes) -> str:
        digest = sha256(data).hexdigest()
        with self._guard:
            if digest not in self._kept:
                self._room.take(len(data))
            self._kept[digest] = data, time.time()
        return digest

    def sync(self) -> None:
        """Nothing is to be kept."""

    def put_before(self, instant: float) -> set[str]:
        with self._guard:
            return {digest for digest, (_, put) in self._kept.items() if put < instant}

    def remove(self, digest: str, instant: float) -> None:
        with self._guard:
            if digest in self._kept and self._kept[digest][1] < instant:
                del self._kept[digest]

    def get(self, digest: str) -> bytes:
        if digest not in self._kept:
            raise NotFound("blob", digest)
        return self._kept[digest][0]

    def has(self, digest: str) -> bool:
        return digest in self._kept

    def open(self, digest: str) -> BinaryIO:
        return io.BytesIO(self.get(digest))


class FileBlobs:
    """Bytes in files named by their digest: `ab/cdef…`."""

    def __init__(self, folder: Path, room: Room) -> None:
        self._folder = folder
        self._room = room
        self._size: int | None = None
        self._unsynced: set[Path] = set()
        self._guard = Lock()

    @property
    def size(self) -> int:
        with self._guard:
            if self._size is None:
                self._size = sum(file.stat().st_size for file in self._files())
            return self._size

    def put(self, data: bytes) -> str:
        digest = sha256(data).hexdigest()
        path = self._path(digest)
        with self._guard:
            if not _is_there(path, len(data)):
                self._room.take(len(data))
                _write_whole(path, data)
                self._grow(len(data))
                self._unsynced.add(path)
        return digest

    def put_before(self, instant: float) -> set[str]:
        return {file.parent.name + file.name for file in self._files() if _modified_at(file) < instant}

    def _files(self) -> list[Path]:
        return [*self._folder.glob("??/" + "?" * 62)]

    def _grow(self, size: int) -> None:
        if self._size is not None:
            self._size += size

    def remove(self, digest: str, instant: float) -> None:
        path = self._path(digest)
        with self._guard:
            if _modified_at(path) < instant:
                self._grow(-path.stat().st_size)
                path.unlink(missing_ok=True)
                self._unsynced.discard(path)

    def sync(self) -> None:
        """Have the disk keep what was put before, in any thread; raises OSError."""
        while self._unsynced:
            with suppress(KeyError):  # it was removed meanwhile
                path = self._unsynced.pop()
                for each in (path, path.parent, self._folder):
                    _sync(each)

    def get(self, digest: str) -> bytes:
        with self.open(digest) as file:
            return file.read()

    def has(self, digest: str) -> bool:
        return _DIGEST.fullmatch(digest) is not None and self._path(digest).exists()

    def open(self, digest: str) -> BinaryIO:
        if not self.has(digest):
            raise NotFound("blob", digest)
        return self._path(digest).open("rb")

    def _path(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest[2:]


def _is_there(path: Path, size: int) -> bool:
    """Whether a file is there that no power cut has shortened; from now on it is as good as new."""
    try:
        if path.stat().st_size != size:
            return False
        os.utime(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        _refuse(error)
    return True


def _modified_at(path: Path) -> float:
    """When a file was written, in seconds since 1970; one that is not there never will be."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return inf


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file that is there whole or not at all, for every process; raises StorageFull."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as draft:
            try:
                draft.write(data)
                draft.flush()
                Path(draft.name).replace(path)
            except BaseException:  # whatever it is, half a file stays nowhere
                Path(draft.name).unlink()
                raise
    except OSError as error:
        _refuse(error)


def _refuse(error: OSError) -> NoReturn:
    """Say what keeps a file from being written, where that is the disk; raises StorageFull."""
    if error.errno in _NO_SPACE:
        raise StorageFull from None
    if error.errno in _NOT_WRITABLE:
        raise StorageFull(f"The folder of files cannot be written to ({error}); make it writable") from None
    raise error


def _sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
