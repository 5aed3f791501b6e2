"""Results of runs as the catalog keeps them: JSON text, packed where it is long, so that it is quickly written."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode

LONG = 100_000
"""Bytes of JSON from which on a result is packed."""
_PACKED = "zlib:"
_LEVEL = 1


def pack_json(text: bytes) -> str:
    """JSON as it is kept."""
    return text.decode() if len(text) < LONG else _PACKED + b64encode(zlib.compress(text, _LEVEL)).decode()


def unpack_json(text: str) -> bytes:
    """The JSON that was kept."""
    if not text.startswith(_PACKED):
        return text.encode()
    return zlib.decompress(b64decode(text.removeprefix(_PACKED)))
