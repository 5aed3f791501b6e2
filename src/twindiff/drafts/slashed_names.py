"""Names with slashes in paths: `/projects/group%2Fcake/issues`, whose escapes a server has resolved already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from .resources import PathRole
from .tables import StoredResource

MAX_NAME_SEGMENTS = 20
MAX_READINGS = 1_000
"""Readings of one path that are tried; a path names at most a few objects, each with at most `MAX_NAME_SEGMENTS`."""
_SLASH = "\x1f"
"""What stands for a slash inside one segment."""


class _NamedPlace(NamedTuple):
    """Where a path names an object: the segments before its name, of which an empty one is any."""

    above: tuple[str, ...]
    has_number: bool
    """Whether the object's key is a number, which is no name."""


class SlashedNames:
    """Reads paths in which objects may be named by `aliases` with slashes; see `ResourceOverlay`."""

    def __init__(self, roles: Mapping[str, PathRole], stored: Mapping[str, StoredResource], tables: set[str]) -> None:
        members = [
            (path, stored[role.resource])
            for path, role in roles.items()
            if role.kind == "member" and role.resource in stored and stored[role.resource].table in tables
        ]
        places = {
            _NamedPlace(tuple("" if "{" in each else each for each in path.split("/")[:-1]), kept.key.kind == "integer")
            for path, kept in members
            if path.endswith("}")
        }
        self._places = sorted(places, key=lambda each: len(each.above))

    def read_paths(self, path: str) -> Iterator[str]:
        """Yield what a path may mean, the shortest names first; slashes in names are marked, see `restore_slashes`."""
        if not self._places:
            return iter([path])
        readings: Iterator[list[str]] = iter([path.split("/")])
        for place in self._places:
            readings = _read_at(readings, place)
        return ("/".join(each) for each in islice(readings, MAX_READINGS))


def _read_at(readings: Iterator[list[str]], place: _NamedPlace) -> Iterator[list[str]]:
    at = len(place.above)
    for segments in readings:
        is_there = len(segments) > at and all(a in ("", b) for a, b in zip(place.above, segments, strict=False))
        most = MAX_NAME_SEGMENTS if is_there and not (place.has_number and segments[at].isdecimal()) else 1
        for count in range(1, min(most, max(len(segments) - at, 1)) + 1):
            name = [_SLASH.join(segments[at : at + count])] if len(segments) > at else []
            yield [*segments[:at], *name, *segments[at + count :]]


def restore_slashes(value: str) -> str:
    """Return a segment of a path that was read with the slashes of its name."""
    return value.replace(_SLASH, "/")
