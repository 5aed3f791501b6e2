"""Encodes any text as a value that an HTTP header can carry."""

from __future__ import annotations

import string
from collections.abc import Iterable
from urllib.parse import quote, urlsplit

_IN_URLS = string.punctuation
"""Characters of a URL that `quote` does not encode: the reserved ones, and `%` of existing escapes."""
_OF_URLS = frozenset({"location", "content-location"})


def is_header_text(text: str) -> bool:
    """Whether a header can carry a text unchanged: printable ASCII without blanks at either end."""
    return text.isascii() and text.isprintable() and text == text.strip()


def url_value(url: str) -> str:
    """Encode a URL for a header: the host in IDNA, the rest percent-encoded (RFC 3986)."""
    if is_header_text(url) and " " not in url:
        return url
    try:
        host = urlsplit(url).hostname or ""
        plain = host.encode("idna").decode()
    except ValueError:
        host = plain = ""
    if host and not host.isascii():
        url = url.replace(host, plain, 1)
    return quote(url, safe=_IN_URLS, errors="replace")


def disposition_value(how: str, filename: str) -> str:
    """The value of Content-Disposition for any file name; `how` is `attachment` or `inline` (RFC 6266, RFC 8187)."""
    if is_header_text(filename) and not set(filename) & {'"', "\\"}:
        return f'{how}; filename="{filename}"'
    return f"{how}; filename*=UTF-8''{quote(filename, safe='', errors='replace')}"


def encode_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    """Encode headers as bytes with lower-case names; forbidden characters are percent-encoded (a line break: `%0A`)."""
    return [(name.lower().encode("latin-1"), _encode(name.lower(), value)) for name, value in headers]


def _encode(name: str, value: str) -> bytes:
    if name in _OF_URLS:
        return url_value(value).encode("ascii")
    if value.isascii() and value.isprintable():
        return value.encode("ascii")
    try:
        carried = value.encode("latin-1")
    except UnicodeEncodeError:
        carried = b""
    if carried and not any((byte < 32 and byte != 9) or byte == 127 for byte in carried):
        return carried
    return quote(value, safe=_IN_URLS + " ", errors="replace").encode("ascii")
