"""File responses: the whole file, or the range of bytes that a client asks for (RFC 9110, section 14)."""

from __future__ import annotations

import re
from urllib.parse import quote

from .errors import ApiError
from .http import Response

_RANGE = re.compile(r"bytes=\s*(\d*)-(\d*)\s*")


class RangeNotSatisfiable(ApiError):
    """The file ends before the range that was asked for."""

    status = 416

    def __init__(self, size: int) -> None:
        super().__init__(headers=(("Content-Range", f"bytes */{size}"),))


def file_answer(
    data: bytes,
    content_type: str = "application/octet-stream",
    *,
    range: str = "",
    filename: str = "",
    headers: tuple[tuple[str, str], ...] = (),
) -> Response:
    """A response with a file (200), or with the part of it that the header `range` asks for (206).

    Several ranges and units other than bytes are ignored, as the RFC allows. With `filename`, browsers save the file
    under that name. Raises RangeNotSatisfiable (416) if the range begins after the end of the file.
    """
    described = [*headers, ("Accept-Ranges", "bytes")]
    if filename:
        described.append(("Content-Disposition", f"attachment; filename*=UTF-8''{quote(filename, safe='')}"))
    part = _part(range, len(data))
    if part is None:
        return Response(data, 200, content_type, tuple(described))
    described.append(("Content-Range", f"bytes {part.start}-{part.stop - 1}/{len(data)}"))
    return Response(data[part.start : part.stop], 206, content_type, tuple(described))


def _part(header: str, size: int) -> range | None:
    """The positions of the bytes that a Range header asks for; None if the header is absent or ignored."""
    asked = _RANGE.fullmatch(header)
    if asked is None or not any(asked.groups()) or max(map(len, asked.groups())) > 18:
        return None
    first, last = asked.groups()
    start = int(first) if first else max(0, size - int(last))
    stop = min(size, int(last) + 1) if first and last else size
    if first and last and int(last) < int(first):
        return None
    if start >= size:
        raise RangeNotSatisfiable(size)
    return range(start, stop)
