"""Results of runs as the catalog stores them: JSON text, compressed if it is long, so that it is written quickly."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode

LONG = 100_000
"""Bytes of JSON from which on a result is compressed."""
_PACKED = "zlib:"
_LEVEL = 1


def pack_json(text: bytes) -> str:
    """Return JSON in its stored form."""
    return text.decode() if len(text) < LONG else _PACKED + b64encode(zlib.compress(text, _LEVEL)).decode()


def unpack_json(text: str) -> bytes:
    """Return the JSON of a stored form."""
    if not text.startswith(_PACKED):
        return text.encode()
    return zlib.decompress(b64decode(text.removeprefix(_PACKED)))
