"""Saved tests: a named TestConfig, with the patterns that select it and its checks of twins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from twindiff.browser import config as configs
from twindiff.catalog import SavedTestRecord
from twindiff.catalog.stamps import new_uuid, stamp
from twindiff.server.apis.test_runs.runs import InvalidTestConfig, TestRunService, or_invalid
from twindiff.suites.suites import TestNotFound

MAX_SAVED_TESTS = 1000


class SavedTestStore:
    """The saved tests of a server."""

    def __init__(self, runs: TestRunService) -> None:
        self.runs = runs
        self._catalog = runs.service.catalog

    def add(self, name: str, config: Mapping[str, Any] | None, run_id: str | None, **fields: Any) -> SavedTestRecord:
        """Save a test from its TestConfig, its prompt, or a run; raises InvalidTestConfig, RunNotFound."""
        if run_id is not None:
            run = self.runs.ledger.find(run_id)
            config = config or run.test_config
            kept = {"prompt": run.prompt, "start_url": run.start_url, "repo_full_name": run.repo}
            fields = {**kept, **{name: value for name, value in fields.items() if value is not None}}
        if config is None and not fields.get("prompt"):
            raise InvalidTestConfig(
                "test_config: give the steps of the test, a prompt, or the run_id of a run that has them"
            )
        now = stamp()
        given: dict[str, Any] = {"tags": [], **{name: value for name, value in fields.items() if value is not None}}
        return self._catalog.add(
            SavedTestRecord(
                test_id=new_uuid(),
                name=name,
                test_config=self._config(config, given),
                created=now.micros,
                created_at=now.iso,
                updated_at=now.iso,
                run_id=run_id,
                **given,
            )
        )

    def _config(
        self, config: Mapping[str, Any] | None, given: Mapping[str, Any], twins: Sequence[str] = ()
    ) -> dict[str, Any]:
        if config is None:
            config = self.runs.plan_config(str(given.get("prompt")))
        self.runs.twins.check(given.get("checks"), given.get("twins", twins))
        if given.get("start_url"):
            or_invalid(lambda: configs.check_url(str(given["start_url"]), "start_url"))
        read = or_invalid(lambda: configs.read(config))
        if not (read.steps or read.twin_checks or given.get("checks") or (given.get("prompt") or read.prompt).strip()):
            raise InvalidTestConfig(
                "test_config.steps: there are none, so it would pass whatever the application does; "
                "give steps, a prompt or checks"
            )
        self.runs.twins.check_expected(read.twin_checks)
        return configs.to_json(read)

    def check_config(self, config: Mapping[str, Any] | None, **fields: Any) -> dict[str, Any]:
        """The TestConfig of a test that is not saved, as given or planned from its prompt; raises what `add` raises."""
        given = {name: value for name, value in fields.items() if value is not None}
        if config is None and not given.get("prompt"):
            raise InvalidTestConfig("steps: give the steps of the test, a test_config, or a prompt")
        return self._config(config, given)

    def find(self, test_id: str) -> SavedTestRecord:
        """Find a saved test by its id; raises TestNotFound."""
        test = self.runs.service.whole_catalog.find(SavedTestRecord, test_id.lower()[:64])
        if test is None:
            raise TestNotFound(f"There is no test '{test_id[:100]}'")
        return test

    def of_repository(self, names: Sequence[str]) -> list[SavedTestRecord]:
        """List the saved tests of a repository with any of these names, oldest first."""
        theirs = SavedTestRecord.repo_full_name.in_([*names])
        tests = self.runs.service.whole_catalog.records(SavedTestRecord, theirs)
        return sorted(tests, key=lambda test: test.created)[:MAX_SAVED_TESTS]

    def list(self, repo: str | None = None, tag: str | None = None) -> list[SavedTestRecord]:
        """List saved tests, oldest first, optionally of a repository or with a tag."""
        wanted = [SavedTestRecord.repo_full_name == repo] if repo else []
        tests = self._catalog.rows(SavedTestRecord, *wanted, order=SavedTestRecord.created, limit=MAX_SAVED_TESTS)
        return [each for each in tests if tag is None or tag in each.tags]

    def change(self, test_id: str, **fields: Any) -> SavedTestRecord:
        """Change the fields of a test that are not None; raises TestNotFound, InvalidTestConfig."""
        record = self.find(test_id)
        given = {name: value for name, value in fields.items() if value is not None}
        if "test_config" in given or "start_url" in given or "checks" in given:
            given["test_config"] = self._config(given.get("test_config", record.test_config), given, record.twins)
        return self._catalog.change(record, **given, updated_at=stamp().iso)

    def delete(self, test_id: str) -> SavedTestRecord:
        """Delete a test; its runs remain."""
        record = self.find(test_id)
        self._catalog.remove(record)
        return record
