"""Operations for suites and tests, and the import of public ones."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec

from twindiff.catalog import SuiteRecord, TestRecord
from twindiff.environments.clocks import ClockRequest
from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Operations
from twindiff.server.service import Service
from twindiff.suites.agent_diff import ImportSummary
from twindiff.suites.suites import NewTest, TestItem, clock_of

api = Operations()

Visibility = Literal["public", "private"]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
IMPORT_LIMIT = 64_000_000


class InvalidId(ApiError):
    """invalid id"""


class InvalidVisibility(ApiError):
    """invalid visibility"""


class SuiteBrief(msgspec.Struct):
    id: str
    name: str
    description: str


class SuiteList(msgspec.Struct, rename="camel"):
    test_suites: list[SuiteBrief]


class SuiteMade(msgspec.Struct, omit_defaults=True):
    """`warnings` say what of the tests is ignored or never holds."""

    id: str
    name: str
    description: str
    visibility: str
    warnings: list[str] = []


class TestBrief(msgspec.Struct):
    __test__ = False

    id: str
    prompt: str


class TestShown(msgspec.Struct, omit_defaults=True):
    __test__ = False

    id: str
    name: str
    prompt: str
    type: str
    seed_template: str
    expected_output: msgspec.Raw
    created_at: str
    updated_at: str
    clock: ClockRequest | None = None
    seed_templates: list[str] = []
    """Its templates, if it starts from several."""
    users: dict[str, str] | None = None
    warnings: list[str] = []
    """What of it is ignored or never holds: unknown keys, tables, columns, users, rows and operations."""


class TestList(msgspec.Struct, omit_defaults=True):
    """`warnings` say what of the tests is ignored or never holds."""

    __test__ = False

    tests: list[TestShown]
    warnings: list[str] = []


class SuiteTests(msgspec.Struct):
    """A suite without `expand`: its tests by id and prompt."""

    tests: list[TestBrief]


class SuiteShown(msgspec.Struct):
    """A suite with `expand=tests`."""

    id: str
    name: str
    description: str
    owner: str
    visibility: str
    created_at: str
    updated_at: str
    tests: list[TestShown]


@api.get("/testSuites")
def list_suites(
    service: Service, name: str = "", id: str = "", visibility: Annotated[Visibility, InvalidVisibility] | None = None
) -> SuiteList:
    """Suites, newest first; `name` matches any part of the name, regardless of case."""
    if id:
        id = _uuid(id)
    return SuiteList([_brief(suite) for suite in service.suites.list(name, id, visibility or "")])


def _uuid(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        raise InvalidId(f"invalid id: '{text}' is not a UUID") from None


def _brief(suite: SuiteRecord) -> SuiteBrief:
    return SuiteBrief(suite.suite_id, suite.name, suite.description)


@api.post("/testSuites", status=201)
async def create_suite(
    service: Service,
    name: Name,
    description: str,
    visibility: Visibility = "private",
    tests: list[TestItem] | None = None,
) -> SuiteMade:
    """Create a suite, with its tests or empty; stores nothing if a test is invalid."""
    checked = await _check_tests(service, tests or [])
    suite = service.suites.create(name, description, visibility, checked)
    return SuiteMade(suite.suite_id, suite.name, suite.description, suite.visibility, _warnings(checked))


async def _check_tests(service: Service, items: list[TestItem], default_template: str | None = None) -> list[NewTest]:
    templates = service.suites.templates_of(items, default_template)
    return await service.runtime.run_in_thread(lambda: service.suites.check_items(items, templates))


def _warnings(tests: list[NewTest]) -> list[str]:
    return [warning for test in tests for warning in test.labelled_warnings]


@api.get("/testSuites/{suiteId}")
def get_suite(service: Service, suite_id: str, expand: str = "") -> SuiteTests | SuiteShown:
    """A suite's tests by id and prompt, or with `expand=tests` the suite with its full tests."""
    suite = service.suites.get(suite_id)
    tests = service.suites.tests(suite.suite_id)
    if "tests" not in expand.split(","):
        return SuiteTests([TestBrief(test.test_id, test.prompt) for test in tests])
    return SuiteShown(
        id=suite.suite_id,
        name=suite.name,
        description=suite.description,
        owner=suite.owner,
        visibility=suite.visibility,
        created_at=suite.created_at,
        updated_at=suite.updated_at,
        tests=[_render_test(test) for test in tests],
    )


@api.post("/testSuites/{suiteId}/tests", status=201)
async def add_tests(
    service: Service, suite_id: str, tests: list[TestItem], default_environment_template: str | None = None
) -> TestList:
    """Add tests to a suite, all or none."""
    service.suites.get(suite_id)
    checked = await _check_tests(service, tests, default_environment_template)
    stored = service.suites.add_tests(suite_id, checked)
    return TestList([_render_test(test) for test in stored], _warnings(checked))


@api.get("/tests/{testId}")
def get_test(service: Service, test_id: str) -> TestShown:
    """One test with its checks."""
    return _render_test(service.suites.test(test_id))


def _render_test(test: TestRecord) -> TestShown:
    return TestShown(
        id=test.test_id,
        name=test.name,
        prompt=test.prompt,
        type=test.type,
        seed_template=test.seed_template,
        expected_output=msgspec.Raw(test.spec.encode()),
        created_at=test.created_at,
        updated_at=test.updated_at,
        clock=clock_of(test),
        seed_templates=test.seed_templates or [],
        users=test.users,
        warnings=test.warnings or [],
    )


@api.post("/import", body_limit=IMPORT_LIMIT)
async def import_files(service: Service, files: dict[str, Any]) -> ImportSummary:
    """Import public seed and suite files by name, each with its JSON content; stores nothing if one is invalid."""
    checked = await service.runtime.run_in_thread(lambda: service.importer.check(files))
    return await service.runtime.run_steps(service.importer.store(checked))
