"""Resolves abbreviated ids, and sorts ids in natural order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from twindiff.cli.problem import CommandError

SHOWN = 5
WHOLE = 32
"""Characters of the shortest complete id."""


def one_or_as_given(given: str, known: Sequence[str], what: str) -> str:
    """Complete an id prefix; without a match it is returned unchanged, so that the server can report the error."""
    matches = [each for each in known if given.strip() and each.lower().startswith(given.strip().lower())]
    if len(matches) > 1 and given not in matches:
        raise _several(given, matches, what)
    return matches[0] if len(matches) == 1 else given


def whole(listed: Callable[[], Sequence[dict[str, Any]]], given: str) -> str:
    """Complete the id prefix of one of the items that a client lists."""
    if len(given.strip()) >= WHOLE:
        return given
    ids = ("run_id", "sandbox_id", "id")
    known = [next(each[name] for name in ids if name in each) for each in listed()]
    return one_or_as_given(given, known, "run or test")


def _several(given: str, matches: Sequence[str], what: str) -> CommandError:
    several = ", ".join(matches[:SHOWN]) + (", …" if len(matches) > SHOWN else "")
    return CommandError(f"The ids of {len(matches)} {what}s begin with '{given}': {several}. Say more of it.")


def one_of(given: str, known: Sequence[str], what: str, lists_them: str, most: int = 1000) -> str:
    """Complete an id prefix; raises CommandError if no id or several match.

    A complete id is accepted as it is, since lists have only the newest `most`.
    """
    wanted = given.strip().lower()
    if not wanted:
        raise CommandError(f"'{given}' is no {what}'s id. `{lists_them}` lists them.", exit_code=2)
    if wanted in known:
        return wanted
    matches = [each for each in known if each.lower().startswith(wanted)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise _several(given, matches, what)
    if len(wanted) >= WHOLE:
        return given.strip()  # it may be older than the listed ones; the server decides
    looked = "" if len(known) < most else f"Only the newest {most:,} were looked at; an older one needs its whole id. "
    raise CommandError(f"No {what}'s id begins with '{given}'. {looked}`{lists_them}` lists them.")


def natural(value: Any) -> list[tuple[int, int, str]]:
    """Return a sort key that puts C2 before C10: runs of digits compare as numbers."""
    parts = re.findall(r"\d+|\D+", str(value))
    return [(0, int(part[:4000]), "") if part.isascii() and part.isdecimal() else (1, 0, part) for part in parts]
