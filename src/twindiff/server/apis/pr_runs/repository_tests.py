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
MAX_BYTES = 1_000_000
"""Maximum bytes of one file."""
_ENTRY = re.compile(r"100\d+ blob \w+ +(\d+)\t(.*)", re.DOTALL)
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
    checks: dict[str, Any] | None = None
    test_config: dict[str, Any] | None = None
    test_config_json: dict[str, Any] | None = None
    steps: list[Any] | None = None


class RepositoryTests(NamedTuple):
    """The valid tests of a repository, and the errors of the others by file."""

    tests: list[SavedTestRecord]
    invalid: dict[str, str]


def read_tests(revision: Revision, saved: SavedTestStore) -> RepositoryTests:
    """Read the tests in a repository at a commit."""
    read = RepositoryTests([], {})
    for path, size in _list_files(revision):
        try:
            if size > MAX_BYTES:
                raise InvalidTestFile(f"it has more than {MAX_BYTES:,} bytes")
            read.tests.append(_read_test(path, git(revision.repository, "show", f"{revision.commit}:{path}"), saved))
        except ApiError as error:
            read.invalid[path] = f"{path}: {error}"
    return read


def _list_files(revision: Revision) -> list[tuple[str, int]]:
    """Return the files of tests, each with its size in bytes; links and submodules are none."""
    listed = git(revision.repository, "ls-tree", "-z", "-l", revision.commit, f"{FOLDER}/").split("\0")
    entries = [_ENTRY.fullmatch(each) for each in listed]
    return [(each[2], int(each[1])) for each in entries if each and each[2].endswith(ENDINGS)][:MAX_FILES]


def _read_test(path: str, text: str, saved: SavedTestStore) -> SavedTestRecord:
    """Parse the test in a file; raises InvalidTestFile and InvalidTestConfig, which name the key."""
    given = _load(text)
    _check_keys(given, _field_names(TestFile, configs.TestConfig) | {*_OF_EXPORTS}, "")
    try:
        file = msgspec.convert(given, TestFile, strict=False)
    except msgspec.ValidationError as error:
        said, _, where = str(error).partition(" - at `$.")
        raise InvalidTestFile(f"{where.removesuffix('`')}: {said}" if where else said) from None
    bare = {name: value for name, value in given.items() if name in _field_names(configs.TestConfig)}
    config = file.test_config or file.test_config_json or (bare if file.steps is not None else None)
    if config is not None:
        _check_config(config, "test_config" if file.steps is None else "")
    now = stamp()
    return SavedTestRecord(
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
