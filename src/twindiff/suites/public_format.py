"""The public format of suite files, with our extensions; unknown keys are found, never ignored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from twindiff.checks.vocabulary import EXTENDED
from twindiff.environments.clocks import ClockRequest
from twindiff.kit.suggestions import nearest
from twindiff.suites.suites import OWNER

NOTE = "_"
"""Keys that begin with it are notes of the author, without meaning."""


class Rules(msgspec.Struct, kw_only=True):
    """Settings of checks besides their assertions; those of a suite apply to its tests that set none."""

    version: Any = None
    strict: Any = None
    closed_world: Any = None
    ignore_fields: dict[str, Any] | None = None


class PublicTest(Rules):
    """A test in a public suite file; its checks are under `assertions` or `expected_output`.

    `seed_templates`, `users` by twin, `impersonate_email`, `clock` and `solution`, which `suites audit` runs, are
    extensions of the public format. `metadata` is for the reader.
    """

    id: str
    name: str
    prompt: str
    type: str
    seed_template: str = ""
    seed_templates: list[str] | None = None
    impersonate_user_id: str | None = None
    impersonate_email: str | None = None
    users: dict[str, str] | None = None
    assertions: list[Any] | None = None
    expected_output: dict[str, Any] | None = None
    clock: ClockRequest | None = None
    metadata: dict[str, Any] | None = None
    solution: str | None = None

    def is_extended(self, suite: PublicSuite) -> bool:
        """Return whether its checks are of version 1 of the language."""
        written = (self.expected_output or {}).get("version")
        return next((each for each in (written, self.version, suite.version) if each is not None), None) == EXTENDED


class PublicSuite(Rules):
    """A public suite file; its clock applies to tests that set none."""

    name: str
    tests: list[PublicTest]
    service: str = ""
    description: str = ""
    owner: str = OWNER
    clock: ClockRequest | None = None
    id: str | None = None
    metadata: dict[str, Any] | None = None


def find_unknown_keys(given: Mapping[str, Any], format: type[msgspec.Struct]) -> Iterator[str]:
    """Yield a sentence for each key of a suite or test that the format lacks, with the nearest one."""
    known = [field.encode_name for field in msgspec.structs.fields(format)]
    for key in given:
        if key not in known and not key.startswith(NOTE):
            near = nearest(key, known)
            advice = f"Did you mean '{near}'?" if near else f"Known: {', '.join(known)}."
            yield f"unknown key '{key}'. {advice}"


def find_unknown_keys_of_tests(content: Mapping[str, Any]) -> list[list[str]]:
    """Return the unknown keys of each test of a suite."""
    tests: Any = content.get("tests")
    listed = cast("list[object]", tests) if isinstance(tests, list) else []
    return [
        [*find_unknown_keys(cast("dict[str, Any]", test), PublicTest)] if isinstance(test, dict) else []
        for test in listed
    ]
