"""Storage for bytes that are too large for a row, addressed by their SHA-256."""

from __future__ import annotations

from typing import BinaryIO, Protocol

from .errors import NotFound


class Blobs(Protocol):
    """The blobs of all environments; equal bytes are stored once."""

    def put(self, data: bytes) -> str:
        """Store bytes and return their digest: 64 hexadecimal digits."""
        ...

    def get(self, digest: str) -> bytes:
        """The bytes with this digest; raises NotFound."""
        ...

    def has(self, digest: str) -> bool:
        """Whether bytes with this digest are stored."""
        ...

    def open(self, digest: str) -> BinaryIO:
        """A file object for reading the bytes with this digest in pieces; raises NotFound."""
        ...


class NoBlobs:
    """The blobs of a call without storage: every access raises NotFound."""

    def put(self, data: bytes) -> str:
        raise NotFound("place for bytes", len(data))

    def get(self, digest: str) -> bytes:
        raise NotFound("blob", digest)

    def has(self, digest: str) -> bool:
        return False

    def open(self, digest: str) -> BinaryIO:
        raise NotFound("blob", digest)
