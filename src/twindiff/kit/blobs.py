"""Bytes that are too large for a row, known by the SHA-256 of what they are."""

from __future__ import annotations

from typing import BinaryIO, Protocol

from .errors import NotFound


class Blobs(Protocol):
    """The bytes of all environments: what is put twice is kept once."""

    def put(self, data: bytes) -> str:
        """Keep bytes and give their digest, as 64 hexadecimal letters."""
        ...

    def get(self, digest: str) -> bytes:
        """The bytes with this digest; raises NotFound."""
        ...

    def has(self, digest: str) -> bool:
        """Whether bytes with this digest are kept."""
        ...

    def open(self, digest: str) -> BinaryIO:
        """The bytes with this digest to be read piece by piece; raises NotFound."""
        ...


class NoBlobs:
    """What a call has that is made without a place for bytes."""

    def put(self, data: bytes) -> str:
        raise NotFound("place for bytes", len(data))

    def get(self, digest: str) -> bytes:
        raise NotFound("blob", digest)

    def has(self, digest: str) -> bool:
        return False

    def open(self, digest: str) -> BinaryIO:
        raise NotFound("blob", digest)
