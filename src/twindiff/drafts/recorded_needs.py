"""Says which calls of a recorded session need what was there before the session began.

No twin can answer them right unless it is seeded with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast
from urllib.parse import unquote

from .documents import Schema
from .names import split_words
from .recordings import RecordedCall
from .resources import SEARCH_WORDS

OWN_IDS = frozenset(["id", "gid", "sid", "uuid", "guid", "vid", "sha"])
"""Names of fields that identify the object that has them."""
MIN_ID_CHARACTERS = 3
_READING = SEARCH_WORDS | {"get", "read", "describe", "login", "token", "soap", "continue", "batch_read"}
_ID = re.compile(r"\d{3,}|[\w:=-]*\d[\w:=-]*|[0-9a-fA-F-]{16,}")


class SessionNeeds(NamedTuple):
    """What a session needs of what was there before it began."""

    reasons: list[str]
    """Why each call needs a seed: it shows, or names, what no call before it made; empty if it needs none."""
    before: set[str]
    """The ids that were there before."""
    later: set[str]
    """The ids that only later answers show, of objects whose creation said none, such as that of contacts by a job."""


def find_needs(calls: Sequence[RecordedCall]) -> SessionNeeds:
    """Return which calls of a session need a seed."""
    made: set[str] = set()
    before: set[str] = set()
    later: set[str] = set()
    addresses: set[str] = set()
    needs: list[str] = []
    for call in calls:
        named, shown = _named_by(call), {*own_ids_in(call.answer)}
        old = sorted(named & before)
        reason = f"names {old[0]}, which was there before" if old else ""
        if call.status < 300 and is_reading(call):
            later |= {*_ids_by_address(call.answer, addresses)} - before - made
            made |= later
            unknown = sorted(shown - made - before)
            old_shown = sorted(shown & before)
            reason = reason or _describe([*unknown, *old_shown])
            before |= shown - made
        elif call.status < 300:
            unknown = sorted(_members_named(call) - made - before)
            if unknown and call.verb in ("PATCH", "DELETE"):
                reason = reason or f"names {unknown[0]}, which was there before"
            made |= (shown | named) - before
            said = {*_texts_in(call.answer)}
            addresses |= {each for each in _texts_in(call.body) if "@" in each and not (shown and each in said)}
        needs.append(reason)
    return SessionNeeds(needs, before, later)


def _ids_by_address(value: Any, addresses: set[str]) -> Iterator[str]:
    """Yield the ids of the objects in an answer that have one of some addresses."""
    if isinstance(value, dict):
        known = cast(Schema, value)
        if addresses & {each for each in known.values() if isinstance(each, str)}:
            yield from own_ids_in({name: each for name, each in known.items() if not isinstance(each, (dict, list))})
        for each in known.values():
            yield from _ids_by_address(each, addresses)
    elif isinstance(value, list):
        for each in cast(list[Any], value):
            yield from _ids_by_address(each, addresses)


def is_reading(call: RecordedCall) -> bool:
    """Return whether a call only reads: by GET, or by POST at a path that ends in a word for reading."""
    if call.verb in ("GET", "HEAD"):
        return True
    words = [word for part in call.path.rstrip("/").split("/")[-2:] for word in split_words(part)]
    return call.verb == "POST" and bool(_READING & {*words, "_".join(words[-2:])})


def _describe(ids: list[str]) -> str:
    return f"shows {ids[0]}, which was there before" if ids else ""


def _named_by(call: RecordedCall) -> set[str]:
    texts = {unquote(each) for each in call.path.split("/")} | {value for _, value in call.query}
    return {each for each in texts | {*_texts_in(call.body)} if len(each) >= MIN_ID_CHARACTERS}


def _members_named(call: RecordedCall) -> set[str]:
    """Return the last segment of a path that is an id by its form."""
    ids = [unquote(each) for each in call.path.split("/") if _ID.fullmatch(unquote(each))]
    return {each for each in ids[-1:] if len(each) >= MIN_ID_CHARACTERS and not re.fullmatch(r"v\d.*", each)}


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for each in cast(Schema, value).values():
            yield from _texts_in(each)
    elif isinstance(value, list):
        for each in cast(list[Any], value):
            yield from _texts_in(each)
    elif isinstance(value, (str, int)) and not isinstance(value, bool):
        yield str(value)


def own_ids_in(value: Any) -> Iterator[str]:
    """Yield the ids of the objects in an answer."""
    if isinstance(value, dict):
        for name, each in cast(Schema, value).items():
            is_own = str(name).lower() in OWN_IDS and isinstance(each, (str, int)) and not isinstance(each, bool)
            if is_own and len(str(each)) >= 1:
                yield str(each)
            yield from own_ids_in(each)
    elif isinstance(value, list):
        for each in cast(list[Any], value):
            yield from own_ids_in(each)
