"""Imports public Agent Diff files: seeds become templates, test suites become suites.

A folder holds `seeds/*.json` (`{table: [row]}`) and `suites/*.json` or `testsuites/*.json`, or just such files. Files
of twins that are not installed are skipped and listed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import msgspec

from twindiff.checks import KnownTables, SpecError, known_to, parse, warnings
from twindiff.environments.clocks import ClockRequest, InvalidClock
from twindiff.environments.registry import Registry
from twindiff.environments.templates import InvalidSeed, TemplateStore, full_rows
from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Twin
from twindiff.storage import StorageEngine, TemplatePayload
from twindiff.storage.cooperative import CooperativeStep, clear_in_chunks
from twindiff.suites.suites import OWNER, NewSuite, NewTest, Suites, TestItem

NAMESPACE = UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")


class InvalidFile(ApiError):
    """A file cannot be imported; nothing of the import was stored."""


class ImportSummary(msgspec.Struct):
    """What was imported, by name of template or suite; `warnings` name tables and columns that do not exist."""

    templates: list[str] = msgspec.field(default_factory=list[str])
    suites: list[str] = msgspec.field(default_factory=list[str])
    unchanged: list[str] = msgspec.field(default_factory=list[str])
    left_out: list[str] = msgspec.field(default_factory=list[str])
    warnings: list[str] | msgspec.UnsetType = msgspec.UNSET


class Seed(NamedTuple):
    """A validated seed file."""

    twin: Twin
    name: str
    start: TemplatePayload


class SuiteFile(NamedTuple):
    """A validated suite file."""

    suite: NewSuite
    tests: list[NewTest]


class Checked(NamedTuple):
    """Validated files, ready to be stored."""

    seeds: list[Seed]
    suites: list[SuiteFile]
    left_out: list[str]


class Rules(msgspec.Struct, kw_only=True):
    """Settings of checks besides their assertions; those of a suite apply to its tests that set none."""

    version: Any = None
    strict: Any = None
    closed_world: Any = None
    ignore_fields: dict[str, Any] | None = None


class PublicTest(Rules):
    """A test in a public suite file; its checks are under `assertions` or `expected_output`.

    `seed_templates`, `users` by twin, `impersonate_email` and `clock` are extensions of the public format.
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


class PublicSuite(Rules):
    """A public suite file; its clock applies to tests that set none."""

    name: str
    tests: list[PublicTest]
    service: str = ""
    description: str = ""
    owner: str = OWNER
    clock: ClockRequest | None = None


class Importer:
    """Validates every file first, then stores all of them."""

    def __init__(self, engine: StorageEngine, registry: Registry, templates: TemplateStore, suites: Suites) -> None:
        self._engine = engine
        self._registry = registry
        self._templates = templates
        self._suites = suites

    def check(self, files: Mapping[str, Any]) -> Checked:
        """Validate files, given by name with their JSON value, without storing; raises InvalidFile.

        Consumes the rows of seeds.
        """
        checked = Checked([], [], [])
        for name, content in files.items():
            twin = self._twin_of(name, content)
            if twin is None:
                checked.left_out.append(f"{name}: no installed twin serves it")
            elif "tests" in content:
                checked.suites.append(_suite(name, content, partial(self._tables_of_test, twin)))
            else:
                checked.seeds.append(self._seed(name, twin, content))
        return checked

    def _tables_of_test(self, suite_twin: str, templates: tuple[str, ...]) -> KnownTables:
        """Return the tables of a test: of the twins whose names its templates bear, or else of its suite's twin."""
        twins = [self._registry.find(template.partition("_")[0]) for template in templates]
        names = dict.fromkeys(twin.name if twin else suite_twin for twin in twins)
        return known_to(tuple(self._registry.schemas[name] for name in names))

    def store(self, checked: Checked) -> Generator[CooperativeStep, None, ImportSummary]:
        """Store validated files, in parts: all of them or, on failure, nothing that has a name."""
        said = [
            f"{suite.name}: {warning}" for suite, tests in checked.suites for each in tests for warning in each.warnings
        ]
        result = ImportSummary(left_out=checked.left_out, warnings=said or msgspec.UNSET)
        for seed in checked.seeds:
            yield from self._templates.keep(seed.twin, seed.start)
        with self._engine.transaction():
            self._name(checked.seeds, checked.suites, result)
        return result

    def _twin_of(self, name: str, content: Any) -> str | None:
        """Return the twin of a file: a suite names it, a seed's file name begins with it."""
        if not isinstance(content, dict):
            raise InvalidFile(f"{name}: a seed is {{table: [row]}}, a suite {{name, tests: […]}}; this is neither")
        given = str(content.get("service") or _stem(name).partition("_")[0])  # pyright: ignore[reportUnknownMemberType,reportUnknownArgumentType]
        twin = self._registry.find(given)
        return twin.name if twin else None

    def _seed(self, name: str, twin: str, content: dict[str, Any]) -> Seed:
        try:
            rows = full_rows(self._registry.get(twin), content)
        except InvalidSeed as error:
            raise InvalidFile(f"{name}: {error}") from None
        for given in content.values():
            clear_in_chunks(given)
        return Seed(self._registry.get(twin), _stem(name), self._templates.start(self._registry.get(twin), rows))

    def _name(self, seeds: list[Seed], suites: list[SuiteFile], result: ImportSummary) -> None:
        for seed in seeds:
            known = [record.template_id for record in self._templates.history(seed.twin.name, seed.name)]
            record = self._templates.name(seed.twin, seed.name, seed.start.template, origin="import")
            changed = record.template_id not in known
            (result.templates if changed else result.unchanged).append(seed.name)
        for suite, tests in suites:
            changed = self._suites.replace(suite, tests)
            (result.suites if changed else result.unchanged).append(suite.name)


def _stem(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".json")


def _suite(file: str, content: dict[str, Any], known_of: Callable[[tuple[str, ...]], KnownTables]) -> SuiteFile:
    try:
        suite = msgspec.convert(content, PublicSuite)
    except msgspec.ValidationError as error:
        raise InvalidFile(f"{file}: {error}") from None
    suite_id = str(uuid5(NAMESPACE, f"suite:{suite.owner}:{suite.name}"))
    new = NewSuite(suite_id, suite.name, suite.description, "public", suite.owner)
    tests = [_test(file, suite, test, known_of) for test in suite.tests]
    _refuse_repeated(file, [test.id for test in suite.tests])
    return SuiteFile(new, tests)


def _refuse_repeated(file: str, ids: list[str]) -> None:
    seen: set[str] = set()
    for id in ids:
        if id in seen:
            raise InvalidFile(f"{file}: two tests have the id '{id}'")
        seen.add(id)


def _templates(file: str, test: PublicTest) -> tuple[str, ...]:
    """Return the templates that a test names, one of each twin; raises InvalidFile."""
    named = tuple(test.seed_templates or ()) or (test.seed_template,)
    if not all(named) or (test.seed_templates and test.seed_template):
        raise InvalidFile(f"{file}: test {test.id}: it has a seed_template, or several seed_templates")
    return named


def _test(
    file: str, suite: PublicSuite, test: PublicTest, known_of: Callable[[tuple[str, ...]], KnownTables]
) -> NewTest:
    templates = _templates(file, test)
    if test.expected_output and test.assertions is not None:
        raise InvalidFile(f"{file}: test {test.id}: has both assertions and expected_output; keep one of them")
    spec: dict[str, Any] = {**(test.expected_output or {"assertions": test.assertions})}
    for rule in Rules.__struct_fields__:
        said = next((value for each in (test, suite) if (value := getattr(each, rule)) is not None), None)
        if said is not None:
            spec.setdefault(rule, said)
    clock = test.clock or suite.clock
    try:
        if clock:
            clock.to_clock_mode()
        warned = tuple(f"test {test.id}: {problem}" for problem in warnings(parse(spec), known_of(templates)))
        item = msgspec.convert(
            {
                "name": test.name,
                "prompt": test.prompt,
                "type": test.type,
                "expected_output": spec,
                "impersonateUserId": test.impersonate_user_id,
                "impersonateEmail": test.impersonate_email,
                "users": test.users,
                "clock": msgspec.to_builtins(clock),
            },
            TestItem,
        )
    except (SpecError, InvalidClock, msgspec.ValidationError) as error:
        raise InvalidFile(f"{file}: test {test.id}: {error}") from None
    test_id = str(uuid5(NAMESPACE, f"test:{suite.name}:{test.id}"))
    return NewTest(test_id, item, templates, warned)
