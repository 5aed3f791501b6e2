"""Imports public Agent Diff files: seeds become templates, test suites become suites.

A folder holds `seeds/*.json` (`{table: [row]}`) and `suites/*.json` or `testsuites/*.json`, or just such files. Files
of twins that are not installed are skipped and listed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import partial
from typing import Any, NamedTuple, cast
from uuid import UUID, uuid5

import msgspec

from twindiff.checks import KnownTables, SpecError, known_to, parse, warnings
from twindiff.environments.clocks import InvalidClock
from twindiff.environments.registry import Registry
from twindiff.environments.templates import InvalidSeed, TemplateStore, full_rows
from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Twin
from twindiff.storage import StorageEngine, TemplatePayload
from twindiff.storage.cooperative import CooperativeStep, clear_in_chunks
from twindiff.suites.public_format import (
    PublicSuite,
    PublicTest,
    Rules,
    find_unknown_keys,
    find_unknown_keys_of_tests,
)
from twindiff.suites.seed_references import find_dangling
from twindiff.suites.suites import InvalidTest, NewSuite, NewTest, Suites, TestItem

NAMESPACE = UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")


class InvalidFile(ApiError):
    """A file cannot be imported; nothing of the import was stored."""


class ImportSummary(msgspec.Struct):
    """What was imported, by name of template or suite.

    `warnings` say what is ignored or never holds: unknown keys, tables, columns, templates, users and rows.
    """

    templates: list[str] = msgspec.field(default_factory=list[str])
    suites: list[str] = msgspec.field(default_factory=list[str])
    unchanged: list[str] = msgspec.field(default_factory=list[str])
    left_out: list[str] = msgspec.field(default_factory=list[str])
    warnings: list[str] | msgspec.UnsetType = msgspec.UNSET


class Seed(NamedTuple):
    """A validated seed file; `warnings` name its references to rows that it lacks."""

    twin: Twin
    name: str
    start: TemplatePayload
    warnings: list[str]


class SuiteFile(NamedTuple):
    """A validated suite file; `warnings` are about the suite itself."""

    file: str
    suite: NewSuite
    tests: list[NewTest]
    warnings: list[str]


class Checked(NamedTuple):
    """Validated files, ready to be stored."""

    seeds: list[Seed]
    suites: list[SuiteFile]
    left_out: list[str]


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
            elif _is_suite(content):
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
        result = ImportSummary(left_out=checked.left_out)
        for seed in checked.seeds:
            yield from self._templates.keep(seed.twin, seed.start)
        with self._engine.transaction():
            said = self._name(checked.seeds, checked.suites, result)
        result.warnings = said or msgspec.UNSET
        return result

    def _twin_of(self, name: str, content: Any) -> str | None:
        """Return the twin of a file: a suite names it or its first template does, a seed's file name begins with it."""
        if not isinstance(content, dict):
            raise InvalidFile(f"{name}: a seed is {{table: [row]}}, a suite {{name, tests: […]}}; this is neither")
        fields = cast("dict[str, Any]", content)
        template = _find_first_template(fields) if _is_suite(fields) else ""
        twin = self._registry.find(str(fields.get("service") or (template or _stem(name)).partition("_")[0]))
        return twin.name if twin else None

    def _seed(self, name: str, twin: str, content: dict[str, Any]) -> Seed:
        try:
            rows = full_rows(self._registry.get(twin), content)
        except InvalidSeed as error:
            raise InvalidFile(f"{name}: {error}") from None
        for given in content.values():
            clear_in_chunks(given)
        warned = [f"{name}: {problem}" for problem in find_dangling(self._registry.schemas[twin], rows)]
        start = self._templates.start(self._registry.get(twin), rows)
        return Seed(self._registry.get(twin), _stem(name), start, warned)

    def _name(self, seeds: list[Seed], suites: list[SuiteFile], result: ImportSummary) -> list[str]:
        """Name templates and store suites; returns warnings. Raises InvalidFile if a test cannot be like this."""
        for seed in seeds:
            known = [record.template_id for record in self._templates.history(seed.twin.name, seed.name)]
            record = self._templates.name(seed.twin, seed.name, seed.start.template, origin="import")
            changed = record.template_id not in known
            (result.templates if changed else result.unchanged).append(seed.name)
        said = [warning for seed in seeds for warning in seed.warnings]
        for file, suite, tests, warned in suites:
            checked = [self._check_values(file, test) for test in tests]
            changed = self._suites.replace(suite, [test.with_warnings(warned) for test in checked])
            (result.suites if changed else result.unchanged).append(suite.name)
            of_tests = [warning for test in checked for warning in test.labelled_warnings]
            said += [f"{suite.name}: {text}" for text in (*warned, *of_tests)]
        return said

    def _check_values(self, file: str, test: NewTest) -> NewTest:
        """Add warnings about values that twins and templates lack; raises InvalidFile for a test of version 1."""
        try:
            return self._suites.check_values(test)
        except InvalidTest as error:
            raise InvalidFile(f"{file}: {error}") from None


def _is_suite(content: Mapping[str, Any]) -> bool:
    """Return whether a file is a suite, even if its `tests` are misspelt: a seed has lists and no texts."""
    return "tests" in content or any(isinstance(value, str) for value in content.values())


def _find_first_template(suite: Mapping[str, Any]) -> str:
    """Return the first template that the first test of a suite names, or else the suite; empty if neither does."""
    tests: Any = suite.get("tests")
    first = cast("list[Any]", tests)[:1] if isinstance(tests, list) else []
    for each in [*first, suite]:
        if isinstance(each, Mapping):
            fields = cast("Mapping[str, Any]", each)
            given: Any = fields.get("seed_templates") or [fields.get("seed_template")]
            if isinstance(given, list) and isinstance(given[0], str):
                return given[0]
    return ""


def _stem(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".json")


def _suite(file: str, content: dict[str, Any], known_of: Callable[[tuple[str, ...]], KnownTables]) -> SuiteFile:
    unknown, by_test = [*find_unknown_keys(content, PublicSuite)], find_unknown_keys_of_tests(content)
    try:
        suite = msgspec.convert(content, PublicSuite)
    except msgspec.ValidationError as error:
        more = [*unknown, *(problem for problems in by_test for problem in problems)]
        raise InvalidFile(" ".join([f"{file}: {error}", *more])) from None
    if unknown and any(test.is_extended(suite) for test in suite.tests):
        raise InvalidFile(f"{file}: {unknown[0]}")
    _check_defaults(file, suite)
    suite_id = str(uuid5(NAMESPACE, f"suite:{suite.owner}:{suite.name}"))
    new = NewSuite(suite_id, suite.name, suite.description, "public", suite.owner)
    tests = [_test(file, suite, test, known_of, problems) for test, problems in zip(suite.tests, by_test, strict=True)]
    _refuse_repeated(file, [test.id for test in suite.tests])
    return SuiteFile(file, new, tests, unknown)


def _check_defaults(file: str, suite: PublicSuite) -> None:
    """Validate the rules and the clock of a suite, also those that each test replaces; raises InvalidFile."""
    rules = {name: value for name in Rules.__struct_fields__ if (value := getattr(suite, name)) is not None}
    if isinstance(rules.get("closed_world"), dict):  # its exceptions may refer to assertions of a test
        del rules["closed_world"]
    try:
        parse({"assertions": [{"diff_type": "added", "entity": "any"}], **rules})
        if suite.clock:
            suite.clock.to_clock_mode()
    except (SpecError, InvalidClock) as error:
        raise InvalidFile(f"{file}: {error}") from None


def _refuse_repeated(file: str, ids: list[str]) -> None:
    seen: set[str] = set()
    for id in ids:
        if id in seen:
            raise InvalidFile(f"{file}: two tests have the id '{id}'")
        seen.add(id)


def _templates(file: str, test: PublicTest, unknown: list[str]) -> tuple[str, ...]:
    """Return the templates that a test names, one of each twin; raises InvalidFile."""
    named = tuple(test.seed_templates or ()) or (test.seed_template,)
    if not all(named) or (test.seed_templates and test.seed_template):
        said = f"{file}: test {test.id}: it has a seed_template, or several seed_templates"
        raise InvalidFile(". ".join([said, *unknown]))
    return named


def _test(
    file: str,
    suite: PublicSuite,
    test: PublicTest,
    known_of: Callable[[tuple[str, ...]], KnownTables],
    unknown: list[str],
) -> NewTest:
    if unknown and test.is_extended(suite):
        raise InvalidFile(f"{file}: test {test.id}: {unknown[0]}")
    templates = _templates(file, test, unknown)
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
        problems = [*unknown, *warnings(parse(spec), known_of(templates))]
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
        raise InvalidFile(" ".join([f"{file}: test {test.id}: {error}", *unknown])) from None
    test_id = str(uuid5(NAMESPACE, f"test:{suite.name}:{test.id}"))
    return NewTest(test_id, item, templates, tuple(problems), test.id)
