"""Where `suites run` stores its trials: in a trial set of the server, in a file, or in both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import typer

from twindiff.cli.problem import CommandError
from twindiff.cli.trial_sets import ServerSet, Story, TrialFile, TrialLabels, story_of, trials_by_test
from twindiff.client import Client, RequestRefused, Suite, Test, Trial, Unreachable
from twindiff.client.sync_client import Platform


class TrialDestination(NamedTuple):
    """Where to store trials: a file, and the id of a server's set to resume; and the labels that they get."""

    save: Path | None
    resume: str
    labels: TrialLabels = TrialLabels()


class TrialStore:
    """Stores trials as they end, and knows those of earlier runs of the same command."""

    def __init__(self, platform: Platform, suite: Suite, agent: str, planned: int, wanted: TrialDestination) -> None:
        """Resume or create file and set; raises CommandError if one belongs to another suite or agent."""
        self._platform = platform
        self._labels = wanted.labels
        self._file = TrialFile(wanted.save, suite, agent, wanted.labels) if wanted.save else None
        self._set: ServerSet | None = None
        if isinstance(platform, Client):
            self._set = self._open_set(platform, suite, agent, planned, wanted.resume)
        kept = self._file.kept if self._file else self._set.kept if self._set else []
        self._done = trials_by_test(kept, suite.tests)
        self._numbers: dict[str, int] = defaultdict(int)
        for test_id, trials in self._done.items():
            self._numbers[test_id] = max(number for number, _ in trials)

    @property
    def trial_set(self) -> str:
        """The id of the server's set; empty without a server."""
        return self._set.id if self._set else ""

    @property
    def goes_on(self) -> str:
        """How to resume after an interruption."""
        if self._file:
            return " The same command goes on from there."
        return f" With --resume {self.trial_set} the same command goes on from there." if self._set else ""

    def done(self, test: Test) -> list[Trial]:
        """Return the trials of a test that exist already and count; those that ended with an error are tried again."""
        return [trial for _, trial in self._done.get(test.id, []) if trial.status != "error"]

    def add(self, trial: Trial) -> None:
        """Store a finished trial, with its story if it failed."""
        self._numbers[trial.test.id] = number = self._numbers[trial.test.id] + 1
        if self._set:
            try:
                self._set.add(trial, number)
            except (RequestRefused, Unreachable) as error:
                typer.echo(f"Trial {number} of '{trial.test.name}' is not in the trial set: {error}.", err=True)
        if self._file:
            self._file.add(trial, number, self._story(trial))

    def _story(self, trial: Trial) -> Story | None:
        """Return what happened in a trial that failed or is kept."""
        if trial.passed and not trial.is_kept:
            return None
        return story_of(self._platform, trial.run_id)

    def finish(self) -> None:
        """Sort the file in the order of the suite."""
        if self._file:
            self._file.finish()

    def _open_set(self, client: Client, suite: Suite, agent: str, planned: int, resume: str) -> ServerSet:
        """Return the server's set: the given one, the one that the file names, or a new one."""
        if self._file is None:
            return ServerSet(client, suite, agent, planned, self._labels, resume)
        if resume:
            raise CommandError("--save goes on with what its file has; give --resume alone.", exit_code=2)
        trial_set = self._again(client, suite, agent, planned)
        trial_set.add_missing(self._file.kept)
        self._file.trial_set = trial_set.id
        return trial_set

    def _again(self, client: Client, suite: Suite, agent: str, planned: int) -> ServerSet:
        known = self._file.trial_set if self._file else ""
        try:
            return ServerSet(client, suite, agent, planned, self._labels, known)
        except RequestRefused as refused:
            if refused.code != "trial_set_not_found":
                raise
            return ServerSet(client, suite, agent, planned, self._labels)


def group_by_test(trials: Sequence[Trial]) -> dict[str, list[Trial]]:
    """Group trials by test id."""
    by_test: dict[str, list[Trial]] = {}
    for each in trials:
        by_test.setdefault(each.test.id, []).append(each)
    return by_test
