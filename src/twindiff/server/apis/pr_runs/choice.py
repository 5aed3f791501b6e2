"""Selects the saved tests for a change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from twindiff.catalog import SavedTestRecord


def choose_tests(tests: Iterable[SavedTestRecord], changed: Sequence[str]) -> list[SavedTestRecord]:
    """Of the tests enabled for checks of changes, select those that the changed files match.
    A test with paths or tags is selected by a file that matches one of its path patterns, or has one of its tags as a
    part of its path; a test with neither, by every change.
    """
    return [test for test in tests if test.ci_enabled and _is_asked_for(test, changed)]


def _is_asked_for(test: SavedTestRecord, changed: Sequence[str]) -> bool:
    if not test.paths and not test.tags:
        return True
    return any(_matches(file, test.paths) or _words(file) & {*test.tags} for file in changed)


def _matches(file: str, patterns: Iterable[str]) -> bool:
    """Whether a file is one of those that patterns name, or lies in a folder that one names; `**/` is any folders."""
    plain = [each.removeprefix("./").strip("/") for each in patterns]
    forms = [form for each in plain for form in (each, each.replace("**/", ""))]
    return any(form in ("", ".") or fnmatchcase(file, form) or file.startswith(f"{form}/") for form in forms)


def _words(file: str) -> set[str]:
    """The parts of a file's path, and its name without suffix."""
    path = PurePosixPath(file)
    return {*path.parts, path.stem}
