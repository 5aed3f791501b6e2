"""Tests stored in a repository as `.arga/tests/*.yml`, read from the tested commit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple, cast

import msgspec

from twindiff.browser import config as configs
from twindiff.catalog import SavedTestRecord
from twindiff.catalog.stamps import stamp
from twindiff.environments.registry import did_you_mean
from twindiff.kit.errors import ApiError
from twindiff.server.apis.sandbox_runs.checkouts import Revision, git
from twindiff.server.apis.sandbox_runs.config_files import InvalidSandboxConfig, parse_yaml
from twindiff.server.apis.test_runs.saved import SavedTestStore

FOLDER = ".arga/tests"
ENDINGS = (".yml", ".yaml", ".json")
MAX_FILES = 500
MAX_INVALID = 50
"""Unreadable files that are reported."""
MAX_BYTES = 1_000_000
"""Maximum bytes of one file."""
_ENTRY = re.compile(r"(\d+) \w+ \w+ +(\d+|-)\t(.*)", re.DOTALL)
_NO_FILES = {"120000": "a link, which is not followed", "160000": "a submodule, which is not read"}
"""What has these modes in git and cannot have tests; all else in a tree with all its folders is a file."""
_LFS = "version https://git-lfs.github.com/spec/"
"""How a file begins whose content Git LFS stores elsewhere."""
_OF_EXPORTS = ("id", "run_id", "created_at", "updated_at", "repo_full_name")
"""Further keys of exported tests, which are ignored: the test belongs to the repository that contains it."""


class InvalidTestFile(ApiError):
    """A test of the repository cannot be read."""

    status = 422


class TestFile(msgspec.Struct):
    """The content of a file: the fields of a saved test, or a bare TestConfig with a name."""

    __test__ = False

    name: str = ""
    description: str | None = None
    prompt: str | None = None
    start_url: str | None = None
    ci_enabled: bool = True
    tags: list[str] = []
    paths: list[str] = []
    twins: list[str] = []
    fresh: bool = False
    """Whether it gets an application and twins of its own."""
    checks: dict[str, Any] | None = None
    test_config: dict[str, Any] | None = None
    test_config_json: dict[str, Any] | None = None
    steps: list[Any] | None = None


class RepositoryTests(NamedTuple):
    """The valid tests of a repository, and the errors of the others by file.

    Those whose ids are `fresh` get an application and twins of their own.
    """

    tests: list[SavedTestRecord]
    invalid: dict[str, str]
    fresh: set[str]


def read_tests(revision: Revision, saved: SavedTestStore) -> RepositoryTests:
    """Read the tests in a repository at a commit."""
    read = RepositoryTests([], {}, set())
    for path, mode, size in _list_entries(revision):
        try:
            _check_entry(mode, size)
            if len(read.tests) == MAX_FILES:
                raise InvalidTestFile(f"a repository may have {MAX_FILES} tests, and has more")
            file, test = _read_test(path, git(revision.repository, "show", f"{revision.commit}:{path}"), saved)
            read.tests.append(test)
            if file.fresh:
                read.fresh.add(test.test_id)
        except ApiError as error:
            read.invalid[path] = f"{path}: {error}"
            if len(read.invalid) == MAX_INVALID:
                break
    return read


def _list_entries(revision: Revision) -> list[tuple[str, str, str]]:
    """Return path, mode and size in bytes of each file of a test, and of what stands in the place of one."""
    listed = git(revision.repository, "ls-tree", "-r", "-z", "-l", revision.commit, FOLDER).split("\0")
    entries = [(each[3], each[1], each[2]) for each in map(_ENTRY.fullmatch, listed) if each]
    return [each for each in entries if each[0].lower().endswith(ENDINGS) or _hides_tests(each[0], each[1])]


def _hides_tests(path: str, mode: str) -> bool:
    """Whether something is a submodule, or a link in the place of a folder, in which somebody expects tests."""
    return mode in _NO_FILES and not PurePosixPath(path).suffix


def _check_entry(mode: str, size: str) -> None:
    if mode in _NO_FILES:
        raise InvalidTestFile(f"it is {_NO_FILES[mode]}; commit files in its place")
    if int(size) > MAX_BYTES:
        raise InvalidTestFile(f"it has more than {MAX_BYTES:,} bytes")


def _read_test(path: str, text: str, saved: SavedTestStore) -> tuple[TestFile, SavedTestRecord]:
    """Parse the test in a file; raises InvalidTestFile, InvalidTestConfig and UnknownTwin, which name the key."""
    given = _load(text)
    _check_keys(given, _field_names(TestFile, configs.TestConfig) | {*_OF_EXPORTS}, "")
    try:
        file = msgspec.convert(given, TestFile, strict=False)
    except msgspec.ValidationError as error:
        said, _, where = str(error).partition(" - at `$.")
        raise InvalidTestFile(f"{where.removesuffix('`')}: {said}" if where else said) from None
    _check_one_config(given)
    bare = {name: value for name, value in given.items() if name in _field_names(configs.TestConfig)}
    config = file.test_config or file.test_config_json or (bare if file.steps is not None else None)
    if config is not None:
        _check_config(config, "test_config" if file.steps is None else "")
    for twin in file.twins:
        saved.runs.service.registry.get(twin)
    now = stamp()
    return file, SavedTestRecord(
        test_id=path,
        name=file.name or PurePosixPath(path).stem,
        test_config=saved.check_config(
            config, prompt=file.prompt, start_url=file.start_url, checks=file.checks, twins=file.twins
        ),
        created=now.micros,
        created_at=now.iso,
        updated_at=now.iso,
        **{name: getattr(file, name) for name in ("description", "prompt", "start_url", "ci_enabled")},
        **{name: getattr(file, name) for name in ("tags", "paths", "twins", "checks")},
    )


def _load(text: str) -> dict[str, Any]:
    if text.startswith(_LFS):
        raise InvalidTestFile("it is a pointer of Git LFS, whose content is elsewhere; commit the file itself")
    try:
        given = parse_yaml(text, "it")
    except InvalidSandboxConfig as error:
        raise InvalidTestFile(str(error)) from None
    if not isinstance(given, dict):
        raise InvalidTestFile("it needs the fields of a test, such as `name` and `steps`")
    return {str(name): value for name, value in cast(dict[Any, Any], given).items()}


# Keys


def _field_names(*structs: type[msgspec.Struct]) -> set[str]:
    return {name for struct in structs for name in struct.__struct_fields__}


def _check_keys(given: Mapping[str, Any], known: set[str], where: str) -> None:
    """Raise InvalidTestFile for an unknown key."""
    for name in given:
        if name not in known:
            place = f"{where}.{name}" if where else name
            raise InvalidTestFile(f"{place}: there is no such key.{did_you_mean(name, sorted(known))}")


def _check_one_config(given: Mapping[str, Any]) -> None:
    """Raise InvalidTestFile for a file with different actions in two places, of which one would be ignored."""
    configs = {name: given[name] for name in ("test_config", "test_config_json") if given.get(name) is not None}
    if given.get("steps") is not None:
        configs["steps"] = given["steps"]
    if len(configs) > 1 and any(each != next(iter(configs.values())) for each in configs.values()):
        raise InvalidTestFile(f"{' and '.join(configs)}: give the actions in one of them")


def _check_config(config: Mapping[str, Any], where: str) -> None:
    """Raise InvalidTestFile for an unknown key of a TestConfig, its steps or their expectations."""
    if where:
        _check_keys(config, _field_names(configs.TestConfig), where)
    prefix = f"{where}." if where else ""
    for name, struct in (("steps", configs.BrowserStep), ("parameters", configs.TestParameter)):
        for number, each in _objects(config.get(name)):
            _check_keys(each, _field_names(struct), f"{prefix}{name}[{number}]")
            for _, expect in _objects([each.get("expect")]):
                _check_keys(expect, _field_names(configs.Expect), f"{prefix}{name}[{number}].expect")


def _objects(values: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, each in enumerate(cast("list[Any]", values) if isinstance(values, list) else ()):
        if isinstance(each, dict):
            yield number, cast("dict[str, Any]", each)
