"""Files that steps upload: those of the TestConfig, or made for a name."""

from __future__ import annotations

import mimetypes
import zlib
from collections.abc import Sequence
from typing import TypedDict

from twindiff.browser.config import UploadFile, check_file_name, content_of


class UploadedFile(TypedDict):
    """A file as Playwright takes it."""

    name: str
    mimeType: str
    buffer: bytes


def file_named(name: str, files: Sequence[UploadFile]) -> UploadedFile:
    """Return the file of a name, or else a small one made for it; raises ConfigError for an invalid name."""
    check_file_name(name, "upload")
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    known = next((each for each in files if each.name == name), None)
    content = content_of(known, "upload") if known else make_content(name, kind)
    return {"name": name, "mimeType": kind, "buffer": content}


def make_content(name: str, kind: str) -> bytes:
    """Return a small file of a media type: an image of one pixel, a page of a PDF, or a text with its name."""
    if kind == "image/png":
        return _PNG
    if kind == "application/pdf":
        return _PDF
    if kind == "application/json":
        return b"{}"
    if kind == "text/csv":
        return b"name,email\r\nAda,ada@example.com\r\n"
    return f"{name}, made for a test.\n".encode()


def _chunk(kind: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG file. https://www.w3.org/TR/png/#5Chunk-layout"""
    return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)


_PNG = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", b"\0\0\0\1\0\0\0\1\x08\x02\0\0\0")
    + _chunk(b"IDAT", zlib.compress(b"\0\x4a\x90\xd9"))
    + _chunk(b"IEND", b"")
)
_PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
)
