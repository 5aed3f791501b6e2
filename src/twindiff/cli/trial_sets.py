"""Trial sets: the results of every trial of a suite, in a file or on a server, for resuming and inspection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from twindiff.cli.problem import CommandError
from twindiff.client import Client, LoggedCall, RequestRefused, Suite, Test, Trial, Verdict
from twindiff.client.responses import KeptTrial, TrialSet
from twindiff.client.sync_client import Platform

MAX_CALLS = 300
"""Calls of a failed trial stored in a file."""
LETTERS_KEPT = 4_000
"""Characters of each body in a file; `explain -v` shows what the server keeps."""
PAGE = 1000


class Story(msgspec.Struct, rename="camel"):
    """What an agent did in a trial: its calls with requests and responses, and the diff."""

    calls: list[LoggedCall]
    diff: dict[str, Any] | None
    more_calls: bool = False


class StoredTrial(msgspec.Struct, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """One line of a trial set; `trial` counts those of a test from 1. Failed trials have their story."""

    suite: str
    agent: str
    test_id: str
    test: str
    trial: int
    passed: bool
    reason: str
    seconds: float
    environment_id: str
    run_id: str
    verdict: Verdict | None
    is_kept: bool = False
    story: Story | None = None
    trial_set: str = ""
    """The id of the server's set that also has it."""


class TrialFile:
    """The trials of an agent at a suite, in a JSON lines file to which each trial appends a line."""

    def __init__(self, path: Path, suite: Suite, agent: str) -> None:
        """Open or create a file; raises CommandError if it belongs to another suite or agent."""
        self._path, self._suite, self._agent = path, suite, agent
        self.kept = read(path) if path.exists() else []
        for each in self.kept:
            if (each.suite, each.agent) != (suite.name, agent):
                other = f"the suite '{each.suite}' and the agent '{each.agent}'"
                raise CommandError(f"{path} has trials of {other}. Give another file, or delete it.", exit_code=2)
        self.trial_set = next((each.trial_set for each in self.kept if each.trial_set), "")
        """The server's set that also has the trials."""
        self._write()

    def add(self, trial: Trial, number: int, story: Story | None) -> None:
        """Append a trial at once, so that no later failure loses it."""
        line = StoredTrial(
            suite=self._suite.name,
            agent=self._agent,
            test_id=trial.test.id,
            test=trial.test.name,
            trial=number,
            passed=trial.passed,
            reason=trial.reason,
            seconds=round(trial.seconds, 3),
            environment_id=trial.environment_id,
            run_id=trial.run_id,
            verdict=trial.verdict,
            is_kept=trial.is_kept,
            story=story,
            trial_set=self.trial_set,
        )
        self.kept.append(line)
        with self._path.open("ab") as file:
            file.write(_line(line))

    def finish(self) -> None:
        """Sort the lines in the order of the suite."""
        order = {test.id: number for number, test in enumerate(self._suite.tests)}
        self.kept.sort(key=lambda each: (order.get(each.test_id, len(order)), each.trial))
        self._write()

    def _write(self) -> None:
        write(self._path, self.kept)


class ServerSet:
    """The trials of an agent at a suite, stored on a server."""

    def __init__(self, client: Client, suite: Suite, agent: str, planned: int, id: str = "") -> None:
        """Create a set, or resume the one with this id; raises CommandError if it belongs to another suite or agent."""
        self._sets = client.trial_sets
        known = self._sets.get(id) if id else None
        if known and (known.test_suite_id, known.agent) != (suite.id, agent):
            other = f"the suite '{known.suite}' and the agent '{known.agent}'"
            raise CommandError(f"Trial set {id} has trials of {other}.", exit_code=2)
        self.id = known.trial_set_id if known else self._sets.create(suite.id, agent, planned).trial_set_id
        self.kept = (
            [kept for each in trials_of(client, self.id) if (kept := _stored_trial(known, each))] if known else []
        )

    def add(self, trial: Trial | StoredTrial, number: int) -> None:
        """Store a trial; the server takes the verdict of its run."""
        is_new = isinstance(trial, Trial)
        item = {
            "testId": trial.test.id if is_new else trial.test_id,
            "number": number,
            "runId": trial.run_id,
            "error": "" if trial.verdict else trial.reason[:10_000] or "There is no verdict",
            "seconds": trial.seconds,
            "isKept": trial.is_kept,
        }
        self._sets.add(self.id, [item])

    def add_missing(self, kept: Sequence[StoredTrial]) -> None:
        """Store the trials of a file that the set lacks; those whose runs are gone stay only in the file."""
        there = {(each.test_id, each.trial) for each in self.kept}
        for each in kept:
            if (each.test_id, each.trial) not in there:
                try:
                    self.add(each, each.trial)
                except RequestRefused:
                    continue


def trials_of(client: Client, id: str) -> Iterator[KeptTrial]:
    """Yield the trials of a server's set."""
    offset = 0
    while part := client.trial_sets.trials(id, limit=PAGE, offset=offset).trials:
        yield from part
        offset += len(part)
        if len(part) < PAGE:
            return


def kept_by_server(client: Client, id: str) -> list[StoredTrial]:
    """Return the trials of a server's set in the form of a file's lines."""
    known = client.trial_sets.get(id)
    return [_stored_trial(known, each) for each in trials_of(client, known.trial_set_id)]


def _stored_trial(known: TrialSet, trial: KeptTrial) -> StoredTrial:
    verdict = None
    if trial.score is not None:
        verdict = Verdict(trial.passed, trial.score, trial.failures, trial.explanations)
    return StoredTrial(
        suite=known.suite,
        agent=known.agent,
        test_id=trial.test_id,
        test=trial.test,
        trial=trial.number,
        passed=trial.passed,
        reason=trial.reason,
        seconds=trial.seconds,
        environment_id=trial.environment_id,
        run_id=trial.run_id,
        verdict=verdict,
        is_kept=trial.is_kept,
        trial_set=known.trial_set_id,
    )


def trials_by_test(kept: Sequence[StoredTrial], tests: Sequence[Test]) -> dict[str, list[tuple[int, Trial]]]:
    """Return stored trials with their numbers, by test id."""
    known = {test.id: test for test in tests}
    by_test: dict[str, list[tuple[int, Trial]]] = defaultdict(list)
    for each in kept:
        if test := known.get(each.test_id):
            by_test[each.test_id].append((each.trial, _trial(test, each)))
    return by_test


def _trial(test: Test, kept: StoredTrial) -> Trial:
    error = "" if kept.verdict else kept.reason
    return Trial(test, kept.environment_id, kept.run_id, kept.verdict, error, kept.seconds, kept.is_kept)


def story_of(platform: Platform, run_id: str) -> Story | None:
    """Return what an agent did in a run, truncated to the size that a file stores; None if it is gone."""
    if not run_id:
        return None
    try:
        result = platform.result(run_id, calls=True)
    except RequestRefused:
        return None
    calls = [_shorten(call) for call in result.calls[:MAX_CALLS]]
    diff = None if result.diff is None else {**result.diff}
    return Story(calls, diff, len(result.calls) > MAX_CALLS)


def _shorten(call: LoggedCall) -> LoggedCall:
    """Truncate the bodies of a call to the size that a file stores."""
    said = call.transcript
    for body in (said.request.body, said.answer.body) if said else ():
        if body.text and len(body.text) > LETTERS_KEPT:
            body.text, body.is_cut = body.text[:LETTERS_KEPT], True
    return call


def read(path: Path) -> list[StoredTrial]:
    """Read the trials of a file, without a truncated last line. Raises CommandError if it is not a trial set."""
    try:
        lines = path.read_bytes().split(b"\n")
        return [*_decode_lines(lines[:-1])]
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}.", exit_code=2) from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} is no trial set, which `suites run --save` writes: {error}.", exit_code=2) from None


def _decode_lines(lines: Sequence[bytes]) -> Iterator[StoredTrial]:
    decode = msgspec.json.Decoder(StoredTrial).decode
    return (decode(line) for line in lines if line)


def write(path: Path, kept: Sequence[StoredTrial]) -> None:
    """Write trials to a file atomically; raises CommandError if that fails."""
    written = path.with_name(f"{path.name}.new")
    try:
        with written.open("wb") as file:
            file.writelines(map(_line, kept))
        written.replace(path)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}.", exit_code=2) from None


def _line(kept: StoredTrial) -> bytes:
    return msgspec.json.encode(kept) + b"\n"
