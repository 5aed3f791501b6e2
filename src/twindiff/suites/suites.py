"""Suites and tests in the catalog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Literal, NamedTuple
from uuid import UUID

import msgspec

from twindiff.catalog import SuiteRecord, TemplateRecord, TestRecord
from twindiff.catalog.stamps import new_uuid, stamp
from twindiff.checks import CheckSpec, SpecError, known_to, parse, warnings
from twindiff.environments.actors import ActorMap, Actors
from twindiff.environments.clocks import ClockRequest
from twindiff.environments.registry import Registry
from twindiff.environments.templates import TemplateStore
from twindiff.kit.errors import ApiError
from twindiff.kit.store import Store
from twindiff.storage import StorageEngine
from twindiff.storage.whole_catalog import WholeCatalog
from twindiff.suites.lint import find_impossible_values
from twindiff.suites.unknown_values import MAX_UNKNOWN, TemplateValues, find_unknown_calls, find_unknown_rows

OWNER = "dev-user"

TestType = Literal["actionEval", "retriEval", "compositeEval"]


class SuiteNotFound(ApiError):
    """test suite not found"""

    status = 404


class TestNotFound(ApiError):
    """test not found"""

    __test__ = False
    status = 404


class InvalidTestId(ApiError):
    """invalid test id"""


class InvalidDsl(ApiError):
    """The checks of a test cannot be read."""


class InvalidTest(ApiError):
    """A test names what its twins and templates do not have."""


class SeveralOfATwin(ApiError):
    """A test starts from one template of each twin."""


class TestItem(msgspec.Struct, forbid_unknown_fields=True):
    """A test in a request; `environment_template` is a template's id, name or `service:name`.

    A test with several templates names them in `environment_templates`. Its agent is a user by id, one person in every
    twin by email address, or, by `users`, ids or addresses by twin.
    """

    __test__ = False

    name: str
    prompt: str
    type: TestType
    expected_output: dict[str, Any]
    environment_template: str = msgspec.field(name="environmentTemplate", default="")
    impersonate_user_id: str | None = msgspec.field(name="impersonateUserId", default=None)
    clock: ClockRequest | None = None
    environment_templates: list[str] = msgspec.field(name="environmentTemplates", default_factory=list[str])
    users: dict[str, str] | None = None
    impersonate_email: str | None = msgspec.field(name="impersonateEmail", default=None)

    @property
    def starts_from(self) -> tuple[str, ...]:
        """The templates that it names; the empty name stands for the default one."""
        return tuple(self.environment_templates) or (self.environment_template,)


class NewTest(NamedTuple):
    """A test ready to be stored; `seed_templates` are locations, `label` names the test in messages.

    `warnings` say what of it is ignored or never holds.
    """

    test_id: str
    item: TestItem
    seed_templates: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    label: str = ""

    @property
    def labelled_warnings(self) -> list[str]:
        """The warnings, each with the name of the test."""
        return [f"test {self.label}: {warning}" for warning in self.warnings]

    def with_warnings(self, more: Iterable[str]) -> NewTest:
        """Return the test with further warnings."""
        return self._replace(warnings=tuple(dict.fromkeys([*self.warnings, *more])))


class NewSuite(NamedTuple):
    """A suite ready to be stored."""

    suite_id: str
    name: str
    description: str
    visibility: str
    owner: str = OWNER


class Suites:
    """The suites of a catalog."""

    def __init__(
        self,
        engine: StorageEngine,
        catalog: Store,
        whole: WholeCatalog,
        templates: TemplateStore,
        registry: Registry,
        actors: Actors,
    ) -> None:
        self._registry = registry
        self._engine = engine
        self._catalog = catalog
        self._whole = whole
        self._templates = templates
        self._actors = actors
        self._values = TemplateValues(engine, registry, actors)

    def list(self, name: str = "", suite_id: str = "", visibility: str = "") -> list[SuiteRecord]:
        """Return suites, newest first; `name` is part of the name, in any case."""
        where = [SuiteRecord.name.contains(name, fold=True)] if name else []
        where += [SuiteRecord.suite_id == suite_id] if suite_id else []
        where += [SuiteRecord.visibility == visibility] if visibility else []
        return self._catalog.rows(SuiteRecord, *where, order=-SuiteRecord.created)

    def get(self, suite_id: str) -> SuiteRecord:
        try:
            key = str(UUID(suite_id))
        except ValueError:
            raise SuiteNotFound from None
        return self._catalog.get(SuiteRecord, key, missing=SuiteNotFound)

    def tests(self, suite_id: str) -> list[TestRecord]:
        """Return the tests of a suite in the order they were added."""
        return self._catalog.rows(
            TestRecord, TestRecord.suite_id == suite_id, order=(TestRecord.suite_id, TestRecord.created)
        )

    def test(self, test_id: str) -> TestRecord:
        try:
            key = str(UUID(test_id))
        except ValueError:
            raise InvalidTestId(f"invalid test id: '{test_id}' is not a UUID") from None
        return self._whole.get(TestRecord, key, missing=TestNotFound)

    def create(self, name: str, description: str, visibility: str, tests: Iterable[NewTest]) -> SuiteRecord:
        """Add a suite with all of its tests, or nothing."""
        with self._engine.transaction():
            suite = self._store_suite(NewSuite(new_uuid(), name, description, visibility))
            for test in tests:
                self._store_test(suite.suite_id, test)
            return suite

    def add_tests(self, suite_id: str, tests: Iterable[NewTest]) -> list[TestRecord]:
        """Add tests to a suite, all or none; raises SuiteNotFound."""
        suite = self.get(suite_id)
        with self._engine.transaction():
            return [self._store_test(suite.suite_id, test) for test in tests]

    def templates_of(self, items: Iterable[TestItem], default: str | None = None) -> dict[str, TemplateRecord]:
        """Return the templates that tests name, by name; the default one where they name none.

        Raises UnknownTemplate.
        """
        texts = {text for item in items for text in item.starts_from}
        return {text: self._template(text or default or "") for text in texts}

    def check_items(self, items: Iterable[TestItem], templates: Mapping[str, TemplateRecord]) -> list[NewTest]:
        """Validate tests; the results are ready to be stored, with warnings about their checks.

        Raises InvalidDsl, InvalidClock, SeveralOfATwin.
        """
        return [self._check_item(item, [templates[text] for text in item.starts_from]) for item in items]

    def _check_item(self, item: TestItem, templates: list[TemplateRecord]) -> NewTest:
        if item.clock:
            item.clock.to_clock_mode()
        twins = [template.service for template in templates]
        _refuse_repeated_twin(item.name, twins)
        known = all(twin in self._registry.schemas for twin in twins)
        try:
            spec = parse(item.expected_output)
            problems = warnings(spec, known_to(tuple(self._registry.schemas[twin] for twin in twins))) if known else []
        except SpecError as error:
            raise InvalidDsl(f"invalid DSL: {error}") from None
        locations = tuple(template.schema_name for template in templates)
        test = NewTest(new_uuid(), item, locations, tuple(problems), item.name)
        return self._check_values_in(test, spec, templates) if known else test

    def check_values(self, test: NewTest) -> NewTest:
        """Add warnings about templates, users, rows and operations that do not exist.

        Raises InvalidTest if a test of version 1 names a template, a user or an operation like that.
        """
        spec = parse(test.item.expected_output)
        try:
            templates = [self._templates.meant(name) for name in test.seed_templates]
        except ApiError as error:
            return _complain(test, spec, [str(error)])
        _refuse_repeated_twin(test.item.name, [template.service for template in templates])
        return self._check_values_in(test, spec, templates)

    def _check_values_in(self, test: NewTest, spec: CheckSpec, templates: list[TemplateRecord]) -> NewTest:
        item, known = test.item, self._values.known_to(templates)
        wrong, nobody = [*islice(find_unknown_calls(spec, known), MAX_UNKNOWN)], list[str]()
        try:
            who = (item.impersonate_user_id or "", item.impersonate_email or "", item.users or {})
            nobody = self._without_user(templates, self._actors.resolve(templates, *who))
        except ApiError as error:
            wrong.insert(0, str(error))
        unlikely = islice(
            chain(nobody, find_impossible_values(spec, known.tables), find_unknown_rows(spec, known)), MAX_UNKNOWN
        )
        return _complain(test, spec, wrong).with_warnings(unlikely)

    def _without_user(self, templates: list[TemplateRecord], acting: ActorMap) -> list[str]:
        """Name the twins with several users of which the agent is none, although it is a user of another twin."""
        lacking = [
            each for each in templates if each.service not in acting.users and len(self._actors.people(each).ids) > 1
        ]
        return [
            f"users: the agent is no user of '{each.name}'; name one for {each.service}, or give impersonate_email"
            for each in (lacking if acting.users else ())
        ]

    def _template(self, text: str) -> TemplateRecord:
        """Return a template by id, name or `service:name`."""
        return self._templates.meant(text)

    def replace(self, suite: NewSuite, tests: list[NewTest]) -> bool:
        """Store a suite under a known id, removing tests that it no longer has; returns whether anything changed."""
        present = self._catalog.find(SuiteRecord, SuiteRecord.suite_id == suite.suite_id)
        records = self.tests(suite.suite_id)
        is_same_suite = present is not None and _naming(present) == suite
        if is_same_suite and [_content_of(each) for each in records] == [_content(each) for each in tests]:
            return False
        with self._engine.transaction():
            for record in (*records, *([present] if present else [])):
                self._catalog.remove(record)
            self._store_suite(suite)
            for test in tests:
                self._store_test(suite.suite_id, test)
        return True

    def _store_suite(self, suite: NewSuite) -> SuiteRecord:
        now = stamp()
        return self._catalog.add(
            SuiteRecord(
                suite_id=suite.suite_id,
                name=suite.name,
                description=suite.description,
                visibility=suite.visibility,
                owner=suite.owner,
                created=now.micros,
                created_at=now.iso,
                updated_at=now.iso,
            )
        )

    def _store_test(self, suite_id: str, test: NewTest) -> TestRecord:
        now = stamp()
        item = test.item
        return self._catalog.add(
            TestRecord(
                test_id=test.test_id,
                suite_id=suite_id,
                name=item.name,
                prompt=item.prompt,
                type=item.type,
                seed_template=test.seed_templates[0],
                spec=msgspec.json.encode(item.expected_output).decode(),
                created=now.micros,
                created_at=now.iso,
                updated_at=now.iso,
                impersonate_user_id=item.impersonate_user_id,
                clock=msgspec.to_builtins(item.clock),
                seed_templates=[*test.seed_templates] if len(test.seed_templates) > 1 else None,
                users=item.users,
                impersonate_email=item.impersonate_email,
                warnings=[*test.warnings] or None,
            )
        )


def _naming(record: SuiteRecord) -> NewSuite:
    return NewSuite(record.suite_id, record.name, record.description, record.visibility, record.owner)


def _content(test: NewTest) -> tuple[object, ...]:
    item = test.item
    spec = msgspec.json.encode(item.expected_output).decode()
    what = (test.test_id, item.name, item.prompt, item.type, test.seed_templates, spec)
    return *what, item.impersonate_user_id, item.clock, item.users, item.impersonate_email, [*test.warnings] or None


def _content_of(record: TestRecord) -> tuple[object, ...]:
    r = record
    what = (r.test_id, r.name, r.prompt, r.type, templates_of(r), r.spec)
    return *what, r.impersonate_user_id, clock_of(r), r.users, r.impersonate_email, r.warnings


def _complain(test: NewTest, spec: CheckSpec, problems: Sequence[str]) -> NewTest:
    """Add problems to the warnings of a test; raises InvalidTest if its checks are of version 1."""
    if problems and spec.is_extended:
        raise InvalidTest(f"test {test.label}: {problems[0]}")
    return test.with_warnings(problems)


def _refuse_repeated_twin(name: str, twins: list[str]) -> None:
    for number, twin in enumerate(twins):
        if twin in twins[:number]:
            raise SeveralOfATwin(f"test {name}: two of its templates are of {twin}; it starts from one of each")


def templates_of(record: TestRecord) -> tuple[str, ...]:
    """Return the locations of the templates that a test starts from."""
    return tuple(record.seed_templates or [record.seed_template])


def clock_of(record: TestRecord) -> ClockRequest | None:
    """Return the clock setting of a test's environments, or None."""
    return msgspec.convert(record.clock, ClockRequest | None)
