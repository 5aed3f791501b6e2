"""Content-addressed blobs: each is stored once under its SHA-256, in a file of the data directory or in memory."""

from __future__ import annotations

import errno
import io
import os
import re
import time
from collections.abc import Callable
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
from twindiff.storage.quota import StorageQuota

_DIGEST = re.compile(r"[0-9a-f]{64}")
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
FOLDER = "blobs"
"""The folder of a data directory."""
Fetch = Callable[[str], bytes | None]
"""Returns a blob that another shard has, by its hexadecimal digest, or None."""
_NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EEXIST)


class KeptBlobs(Blobs, Protocol):
    """Blobs with the operations that garbage collection of unreferenced ones needs."""

    @property
    def size(self) -> int:
        """The total size in bytes; computed on first use and updated incrementally."""
        ...

    def sync(self) -> None:
        """Flush all blobs put so far to disk (fsync). Safe in any thread; raises OSError."""
        ...

    def put_before(self, instant: float) -> set[str]:
        """Return the digests of the blobs last put before `instant`, in seconds since 1970."""
        ...

    def remove(self, digest: str, instant: float) -> None:
        """Remove a blob unless it was put again at or after `instant`, in seconds since 1970; raises OSError."""
        ...


def blobs_of(directory: str, room: StorageQuota | None = None, fetch: Fetch = lambda _: None) -> KeptBlobs:
    """Open the blobs of a data directory, charged to the quota `room`; those of `:memory:` end with the process.

    A blob that is missing is taken from `fetch`, which returns None if it lacks the blob too.
    """
    room = room or StorageQuota()
    if directory == ":memory:":
        return MemoryBlobs(room)
    return FileBlobs(Path(directory) / FOLDER, room, fetch)


def blob_path(directory: Path, digest: str) -> Path:
    """Return the file of a blob in a data directory."""
    return directory / FOLDER / digest[:2] / digest[2:]


class MemoryBlobs:
    """Blobs in memory, which end with the process."""

    def __init__(self, room: StorageQuota) -> None:
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
        """Do nothing: memory is never durable."""

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
    """Blobs in files named by their digest: `ab/cdef…`. The modification time is when a blob was last put."""

    def __init__(self, folder: Path, room: StorageQuota, fetch: Fetch) -> None:
        self._folder = folder
        self._fetch = fetch
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
                size = path.stat().st_size
                path.unlink(missing_ok=True)
                self._grow(-size)
                self._unsynced.discard(path)

    def sync(self) -> None:
        """Flush all blobs put so far to disk (fsync). Safe in any thread; raises OSError."""
        while self._unsynced:
            with suppress(KeyError):  # `remove` has discarded it meanwhile
                path = self._unsynced.pop()
                for each in (path, path.parent, self._folder):
                    _sync(each)

    def get(self, digest: str) -> bytes:
        with self.open(digest) as file:
            return file.read()

    def has(self, digest: str) -> bool:
        if _DIGEST.fullmatch(digest) is None:
            return False
        return self._path(digest).exists() or self._take_from_others(digest)

    def _take_from_others(self, digest: str) -> bool:
        """Whether another shard had the blob, which is put here too."""
        data = self._fetch(digest)
        return data is not None and bool(self.put(data))

    def open(self, digest: str) -> BinaryIO:
        if not self.has(digest):
            raise NotFound("blob", digest)
        return self._path(digest).open("rb")

    def _path(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest[2:]


def _is_there(path: Path, size: int) -> bool:
    """Whether the file exists at full size (a power failure may truncate it); sets its modification time to now."""
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
    """Return the modification time in seconds since 1970, or infinity for a missing file."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return inf


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically, by a rename of a temporary one; raises StorageFull."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as draft:
            try:
                draft.write(data)
                draft.flush()
                Path(draft.name).replace(path)
            except BaseException:  # including KeyboardInterrupt: leave no partial file
                Path(draft.name).unlink()
                raise
    except OSError as error:
        _refuse(error)


def _refuse(error: OSError) -> NoReturn:
    """Raise StorageFull if the disk is full or not writable, else the error itself."""
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
