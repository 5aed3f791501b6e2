"""Which saved tests a change asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from twindiff.catalog import SavedTestRecord


def choose_tests(tests: Iterable[SavedTestRecord], changed: Sequence[str]) -> list[SavedTestRecord]:
    """Of the tests that take part in checks of changes, those that the changed files ask for.

    A test with paths or tags is asked for by a file that one of its patterns matches, or that has one of its tags as a
    part of its path; one with neither, by every change.
    """
    return [test for test in tests if test.ci_enabled and _is_asked_for(test, changed)]


def _is_asked_for(test: SavedTestRecord, changed: Sequence[str]) -> bool:
    if not test.paths and not test.tags:
        return True
    return any(_matches(file, test.paths) or _words(file) & {*test.tags} for file in changed)


def _matches(file: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(file, each) or file.startswith(each.rstrip("/") + "/") for each in patterns)


def _words(file: str) -> set[str]:
    """The folders of a file, and its name with and without what follows the dot."""
    path = PurePosixPath(file)
    return {*path.parts, path.stem}
