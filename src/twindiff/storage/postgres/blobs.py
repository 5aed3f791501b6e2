"""Content-addressed blobs in the database, where every server process finds them."""

from __future__ import annotations

import io
from hashlib import sha256
from typing import BinaryIO

from twindiff.kit.errors import NotFound
from twindiff.storage.quota import StorageQuota

from .connections import PostgresPool


class DatabaseBlobs:
    """Blobs by SHA-256, each stored once."""

    def __init__(self, pool: PostgresPool, room: StorageQuota) -> None:
        self._pool = pool
        self._room = room

    def put(self, data: bytes) -> str:
        digest = sha256(data).hexdigest()
        if not self.has(digest):
            self._room.take(len(data))
            with self._pool.connection() as connection:
                query = "INSERT INTO twindiff.blobs VALUES (%s, %s) ON CONFLICT DO NOTHING"
                connection.execute(query, (digest, data), binary=True)
        return digest

    def get(self, digest: str) -> bytes:
        with self._pool.connection() as connection:
            query = "SELECT data FROM twindiff.blobs WHERE digest = %s"
            row = connection.execute(query, (digest,), binary=True).fetchone()
        if row is None:
            raise NotFound("blob", digest)
        return row[0]

    def has(self, digest: str) -> bool:
        with self._pool.connection() as connection:
            query = "SELECT 1 FROM twindiff.blobs WHERE digest = %s"
            return connection.execute(query, (digest,)).fetchone() is not None

    def open(self, digest: str) -> BinaryIO:
        return io.BytesIO(self.get(digest))
