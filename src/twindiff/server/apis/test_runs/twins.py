"""Twins of test runs: provisions them before a test, and evaluates their changes afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import msgspec

from twindiff.browser.config import TwinCheck
from twindiff.catalog import TwinRunRecord
from twindiff.checks import SpecError, known_to, parse, warnings
from twindiff.environments.clocks import ClockRequest
from twindiff.kit.errors import ApiError, InvalidParameter
from twindiff.kit.suggestions import did_you_mean
from twindiff.server.apis.twin_runs.runs import TwinRunRequest
from twindiff.server.apis.twin_runs.scenarios import ScenarioStore, WorldSource
from twindiff.server.service import Service
from twindiff.server.use_cases.rows import read_rows
from twindiff.server.use_cases.runs import diff_run, evaluate_run, start_run

if TYPE_CHECKING:
    from twindiff.server.apis.test_runs.runs import TestRunRequest

SCENARIO_FIELDS = ("understood", "not_understood", "warnings")
"""The facts about a scenario_prompt in a response."""
NAMES = {"channel_id": ("channels", "channel_name", "channel_id"), "teamId": ("teams", "name", "id")}
"""For columns with an id: the table to look up the name that a sentence uses instead, its name column and its id
column.
"""
UNCALLED = (
    "nothing called the twins of this run: give the application their addresses, "
    "for example by provisioning them first and naming them in provision_id"
)
"""The warning of checks on twins that no call reached."""
MAX_ROWS = 2000
"""Maximum rows of a diff that a run's record stores; the environment has all of them."""


class RunTwins:
    """Provides test runs with twins, and evaluates checks of them."""

    def __init__(self, scenarios: ScenarioStore) -> None:
        self.runs = scenarios.runs
        self._scenarios = scenarios

    @property
    def _service(self) -> Service:
        return self.runs.service

    def check(self, checks: Mapping[str, Any] | None, twins: Sequence[str], provision_id: str | None = None) -> None:
        """Raise InvalidParameter for checks that cannot be parsed, or refer to tables or columns that no twin has."""
        if checks is None:
            return
        names = self.runs.alive(provision_id).twins if provision_id else twins
        schemas = self._service.registry.schemas
        try:
            spec = parse(dict(checks))
            if names and all(name in schemas for name in names):
                warnings(spec, known_to(tuple(schemas[name] for name in names)))
        except SpecError as error:
            raise InvalidParameter("checks", str(error)) from None

    def check_expected(self, expected: Sequence[TwinCheck]) -> None:
        """Raise InvalidParameter for expectations of twins, tables and columns that do not exist."""
        for each in expected:
            twin = self._service.registry.get(each.twin).name
            for column in each.named:
                if column not in NAMES:
                    near = did_you_mean(column, NAMES) or f" There are: {', '.join(NAMES)}."
                    raise InvalidParameter("test_config.twin_checks", f"no row is named for '{column}'.{near}")
            assertion = _assertion(each, dict.fromkeys(each.named, ""), is_alone=True)
            self._check_names({"version": "1", "assertions": [assertion]}, [twin])

    def absent(self, expected: Sequence[TwinCheck], wanted: TestRunRequest) -> list[str]:
        """The prompt's sentences about twins that the run lacks, each with the name of the twin."""
        if not expected:
            return []
        names = self.runs.alive(wanted.provision_id).twins if wanted.provision_id else wanted.twins
        has = {self._service.registry.get(str(name)).name for name in names}
        here = [each for each in expected if each.twin in has]
        if here:
            assertions = [_assertion(each, dict.fromkeys(each.named, ""), is_alone=len(has) == 1) for each in here]
            self._check_names({"version": "1", "assertions": assertions}, [*has])
        return [
            f"{each.sentence} (the run has no twin '{each.twin}'; name it under twins)"
            for each in expected
            if each.twin not in has
        ]

    def _check_names(self, checks: dict[str, Any], twins: Sequence[str]) -> None:
        """Raise InvalidParameter if checks of a TestConfig refer to a table or column that does not exist."""
        try:
            warnings(parse(checks), known_to(tuple(self._service.registry.schemas[name] for name in twins)))
        except SpecError as error:
            raise InvalidParameter("test_config.twin_checks", str(error)) from None

    async def checks(
        self, expected: Sequence[TwinCheck], given: Mapping[str, Any] | None, twin_run_id: str | None
    ) -> tuple[dict[str, Any] | None, list[str]]:
        """Combine given checks with those from sentences; also returns sentences that name rows which do not exist."""
        if not expected or twin_run_id is None:
            return (None if given is None else dict(given)), []
        unknown: list[str] = []
        assertions: list[dict[str, Any]] = []
        twins = self.runs.alive(twin_run_id).twins
        for each in expected:
            ids = {column: await self._id_of(twin_run_id, each, column) for column in each.named}
            unknown += [f"{each.sentence} ({_no_such(each, column)})" for column, id in ids.items() if id is None]
            assertions.append(_assertion(each, ids, is_alone=len(twins) == 1))
        return {**(given or {}), "assertions": [*(given or {}).get("assertions", []), *assertions]}, unknown

    async def _id_of(self, twin_run_id: str, expected: TwinCheck, column: str) -> str | None:
        """Look up the id of the single row that a sentence names; None if there is not exactly one."""
        if column not in NAMES:
            return None
        table, name_column, id_column = NAMES[column]
        environment_id = self.runs.alive(twin_run_id).environment_id
        where = {name_column: expected.named[column]}

        async def look() -> str | None:
            named = await read_rows(self._service, environment_id, f"{expected.twin}.{table}", where, 2, 0)
            return str(named.rows[0][id_column]) if named.total == 1 else None

        return await self._service.runtime.run_request(look)

    async def provide(self, wanted: TestRunRequest, expected: Sequence[TwinCheck] = ()) -> str | None:
        """Provide the twin run of a test run: an existing one, a new one for the named twins, or None."""
        if wanted.provision_id:
            return self.runs.alive(wanted.provision_id).run_id
        if not wanted.twins:
            if wanted.checks:
                advice = "name the sandbox_id or provision_id whose twins the application calls, or twins to be made"
                raise InvalidParameter("checks", f"they judge what twins change: {advice}")
            return None
        source = WorldSource(wanted.scenario_id, wanted.scenario_prompt)
        ports = self.runs.can_open_ports(len(wanted.twins))
        clock = ClockRequest(**cast(dict[str, Any], wanted.clock)).to_clock_mode()
        asked = TwinRunRequest(wanted.twins, wanted.ttl_minutes, ports=ports, clock=clock)
        run, _ = await self._scenarios.provide(asked, source)
        return run.run_id

    def scenario(self, twin_run_id: str | None, prompt: str | None, *, is_new: bool = True) -> dict[str, list[str]]:
        """How far the twin run reflects a scenario_prompt, as three lists of sentences or warnings.
        Keys: `scenario_understood`, `scenario_not_understood`, `scenario_warnings`.
        """
        run = self.find(twin_run_id)
        if prompt and (run is None or not is_new):
            why = "there are no twins to fill" if run is None else "the twins of a run that is there are filled already"
            said: dict[str, Any] = {"not_understood": [prompt], "warnings": [f"scenario_prompt is not used: {why}"]}
        else:
            said = (run.prompt_results if run else None) or {}
        return {f"scenario_{name}": said.get(name, []) for name in SCENARIO_FIELDS}

    def find(self, twin_run_id: str | None) -> TwinRunRecord | None:
        """Find the twin run of a test run, or None."""
        return self.runs.find(twin_run_id) if twin_run_id else None

    def is_ready(self, twin_run_id: str) -> bool:
        """Whether a twin run exists and has not ended."""
        try:
            self.runs.alive(twin_run_id)
        except ApiError:
            return False
        return True

    def why_ended(self, twin_run_id: str | None) -> str | None:
        """Why the twins of a run ended; None while they are ready."""
        run = self.find(twin_run_id)
        status = run and self.runs.status(run)
        if status in (None, "ready"):
            return None
        said = "expired" if status == "expired" else f"ended ({status})"
        return f"the twins of the run {said} before its end: provision them for longer, with ttl_minutes or extend"

    def addresses(self, twin_run_id: str | None, address: str) -> list[str]:
        """The base URLs of a run's twins, which its page may call."""
        run = self.find(twin_run_id)
        if run is None:
            return []
        below = [f"{address}/api/env/{run.environment_id}/services/{twin}" for twin in run.twins]
        return [*below, *self._service.ports.addresses(run.environment_id)]

    async def begin(self, twin_run_id: str | None) -> str | None:
        """Start to record the changes in twins; returns an id for `judge`, or None without twins."""
        if twin_run_id is None:
            return None

        async def start() -> str:
            run = self.runs.alive(twin_run_id)
            await self._service.loader.load(self._service.environments.get(run.environment_id))
            return (await start_run(self._service, run.environment_id, once=False)).run_id

        return await self._service.runtime.run_request(start)

    async def judge(self, watched: str | None, checks: Mapping[str, Any] | None) -> dict[str, Any]:
        """Evaluate the changes in twins since `begin`; returns `diff` and, with checks, `checks`."""
        if watched is None:
            return {}

        async def look() -> dict[str, Any]:
            outcome: dict[str, Any] = {}
            try:
                run = self._service.runs.get(watched)
                diff: dict[str, Any] = msgspec.json.decode((await diff_run(self._service, run)).text)
                if checks:
                    verdict = await evaluate_run(self._service, run, dict(checks))
                    status = "passed" if verdict.passed else "failed"
                    outcome["checks"] = {"runId": watched, "status": status, **msgspec.to_builtins(verdict)}
                    if self._service.calls.log.last(run.environment_id) == run.start_call:
                        outcome["checks"]["warnings"] = [UNCALLED, *verdict.warnings]
            except ApiError as error:  # the twins may have ended
                said = f"what the twins changed is not known: {error}"
                return {"checks": {"passed": not checks, "failures": [said]}, "diff": None}
            outcome["diff"] = {side: rows[:MAX_ROWS] for side, rows in diff.items()}
            return outcome

        return await self._service.runtime.run_request(look)


def _no_such(expected: TwinCheck, column: str) -> str:
    table = NAMES[column][0] if column in NAMES else column
    return f"the twin '{expected.twin}' has not one of {table} named '{expected.named[column]}' when the run begins"


def _assertion(expected: TwinCheck, ids: Mapping[str, str | None], *, is_alone: bool) -> dict[str, Any]:
    """The assertion for a sentence about rows added to a twin."""
    few, many = expected.min, expected.max
    count = few if few == many else {"min": few, **({} if many is None else {"max": many})}
    return {
        "diff_type": "added",
        "entity": expected.entity if is_alone else f"{expected.twin}.{expected.entity}",
        "where": {**expected.where, **{column: {"eq": id} for column, id in ids.items()}},
        "description": expected.sentence,
        **({} if (few, many) == (1, None) else {"expected_count": count}),
    }
