"""Places in diffs: the hunk and the position of a line, and the line of a position.

https://docs.github.com/en/rest/pulls/comments#create-a-review-comment-for-a-pull-request
"""

from __future__ import annotations

import re
from typing import NamedTuple

_HEADER = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
MAX_HUNK_LINES = 40


class DiffPlace(NamedTuple):
    """A line of a diff: its position below the first header, its number, its side, and its hunk up to there."""

    position: int
    line: int
    side: str
    hunk: str


def list_places(patch: str) -> list[DiffPlace]:
    """Return all lines of a patch; unchanged ones are on the right."""
    places: list[DiffPlace] = []
    hunk: list[str] = []
    old = new = 0
    for position, text in enumerate(patch.split("\n")):
        header = _HEADER.match(text)
        if header:
            old, new, hunk = int(header[1]), int(header[2]), [text]
            continue
        hunk.append(text)
        shown = "\n".join([hunk[0], *hunk[1:][-MAX_HUNK_LINES:]])
        if text.startswith("-"):
            places.append(DiffPlace(position, old, "LEFT", shown))
            old += 1
        elif not text.startswith("\\"):
            places.append(DiffPlace(position, new, "RIGHT", shown))
            new += 1
            old += not text.startswith("+")
    return places


def find_place(patch: str, *, line: int | None, side: str, position: int | None) -> DiffPlace | None:
    """Return the place of a line on a side, or of a position; None if the diff has none."""
    for place in list_places(patch):
        if position is not None and place.position == position:
            return place
        if line is not None and (place.line, place.side) == (line, side):
            return place
    return None
