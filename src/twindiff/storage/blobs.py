"""Bytes by their SHA-256: each kept once, whoever put it, in a file below the data directory or in memory."""

from __future__ import annotations

import errno
import io
import os
import re
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from twindiff.kit.blobs import Blobs
from twindiff.kit.errors import NotFound
from twindiff.storage import StorageFull

_DIGEST = re.compile(r"[0-9a-f]{64}")
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


def blobs_of(directory: str) -> Blobs:
    """The bytes of a data directory; `:memory:` keeps none after the process."""
    return MemoryBlobs() if directory == ":memory:" else FileBlobs(Path(directory) / "blobs")


class MemoryBlobs:
    """Bytes that go with the process."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def put(self, data: bytes) -> str:
        digest = sha256(data).hexdigest()
        self._kept.setdefault(digest, data)
        return digest

    def get(self, digest: str) -> bytes:
        if digest not in self._kept:
            raise NotFound("blob", digest)
        return self._kept[digest]

    def has(self, digest: str) -> bool:
        return digest in self._kept

    def open(self, digest: str) -> BinaryIO:
        return io.BytesIO(self.get(digest))


class FileBlobs:
    """Bytes in files named by their digest: `ab/cdef…`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, data: bytes) -> str:
        digest = sha256(data).hexdigest()
        path = self._path(digest)
        if not path.exists():
            _write_whole(path, data)
        return digest

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


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file that is there whole or not at all; raises StorageFull."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as draft:
        try:
            draft.write(data)
            draft.flush()
            os.fsync(draft.fileno())
        except OSError as error:
            Path(draft.name).unlink()
            if error.errno in _NO_SPACE:
                raise StorageFull from None
            raise
    Path(draft.name).replace(path)
