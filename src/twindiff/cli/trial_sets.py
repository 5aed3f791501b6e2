"""Trial sets: the results of every trial of a suite, in a file or on a server, for resuming and inspection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from twindiff.checks import SpecError, no_op_score
from twindiff.cli.problem import CommandError
from twindiff.client import Client, LoggedCall, RequestRefused, Suite, Test, Trial, Verdict
from twindiff.client.responses import KeptTrial, TrialSet
from twindiff.client.sync_client import Platform
from twindiff.client.trial_log import Prices, Usage
from twindiff.client.trial_runner import Status

MAX_CALLS = 300
"""Calls of a failed trial stored in a file."""
LETTERS_KEPT = 4_000
"""Characters of each body in a file; `explain -v` shows what the server keeps."""
PAGE = 1000


class TrialLabels(NamedTuple):
    """What tells the trial sets of an agent apart; empty where it is not known."""

    label: str = ""
    model: str = ""
    parameters: Mapping[str, str] | None = None
    revision: str = ""
    prices: Prices | None = None
    """The prices of the model, for trials whose agent reports tokens but no cost."""

    @property
    def description(self) -> dict[str, Any]:
        """The labels as a server takes them."""
        named = dict(self.parameters or {})
        return {"label": self.label, "model": self.model, "parameters": named, "revision": self.revision}


class Story(msgspec.Struct, rename="camel", omit_defaults=True):
    """What an agent did in a trial: its calls with requests and responses, and the diff."""

    calls: list[LoggedCall]
    diff: dict[str, Any] | None
    more_calls: bool = False


class StoredTrial(msgspec.Struct, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """One line of a trial set; `trial` counts those of a test from 1. Trials that failed or are kept have their story.

    A trial with an `error` has neither passed nor failed. `no_op` is the score of an agent that does nothing.
    """

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
    error: str = ""
    label: str = ""
    model: str = ""
    parameters: dict[str, Any] = {}
    revision: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    no_op: float | None = None
    created_at: str = ""
    prompt: str = ""
    messages: list[dict[str, Any]] = []
    """What the agent logged."""

    @property
    def status(self) -> Status:
        """How it ended; a trial without a verdict, which earlier releases called failed, does not count."""
        return "error" if self.error or self.verdict is None else "passed" if self.passed else "failed"

    @property
    def usage(self) -> Usage:
        return Usage(self.input_tokens, self.output_tokens, self.cost)


class TrialFile:
    """The trials of an agent at a suite, in a JSON lines file to which each trial appends a line."""

    def __init__(self, path: Path, suite: Suite, agent: str, labels: TrialLabels) -> None:
        """Open or create a file; raises CommandError if it belongs to another suite, agent or model."""
        self._path, self._suite, self._agent, self._labels = path, suite, agent, labels
        self.kept = read(path) if path.exists() else []
        for each in self.kept:
            if (each.suite, each.agent) != (suite.name, agent):
                other = f"the suite '{each.suite}' and the agent '{each.agent}'"
                raise CommandError(f"{path} has trials of {other}. Give another file, or delete it.", exit_code=2)
            refuse_other_labels(str(path), each, labels)
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
            error=trial.error,
            **self._labels.description,
            **trial.usage.with_cost(self._labels.prices)._asdict(),
            no_op=no_op_of(trial.test),
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
            prompt=trial.test.prompt,
            messages=[*trial.messages],
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

    def __init__(
        self, client: Client, suite: Suite, agent: str, planned: int, labels: TrialLabels, id: str = ""
    ) -> None:
        """Create a set, or resume the one with this id; raises CommandError if it belongs to another suite or agent."""
        self._sets, self._labels = client.trial_sets, labels
        known = self._sets.get(id) if id else None
        if known and (known.test_suite_id, known.agent) != (suite.id, agent):
            other = f"the suite '{known.suite}' and the agent '{known.agent}'"
            raise CommandError(f"Trial set {id} has trials of {other}.", exit_code=2)
        if known:
            refuse_other_labels(f"Trial set {id}", known, labels)
            self.id = known.trial_set_id
        else:
            self.id = self._sets.create(suite.id, agent, planned, labels.description).trial_set_id
        self.kept = (
            [kept for each in trials_of(client, self.id) if (kept := _stored_trial(known, each))] if known else []
        )

    def add(self, trial: Trial | StoredTrial, number: int) -> None:
        """Store a trial; the server takes the verdict of its run."""
        is_new = isinstance(trial, Trial)
        item: dict[str, Any] = {
            "testId": trial.test.id if is_new else trial.test_id,
            "number": number,
            "runId": trial.run_id,
            "error": trial.reason[:10_000] if trial.status == "error" else "",
            "seconds": trial.seconds,
            "isKept": trial.is_kept,
        }
        used = trial.usage.with_cost(self._labels.prices)
        item |= {"inputTokens": used.input_tokens, "outputTokens": used.output_tokens, "cost": used.cost}
        item["messages"] = [*trial.messages]
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
    no_op = {each.test_id: each.no_op_score for each in known.results}
    prompts = _prompts(client, known.test_suite_id)
    kept = [_stored_trial(known, each) for each in trials_of(client, known.trial_set_id)]
    for each in kept:
        each.no_op, each.prompt = no_op.get(each.test_id), prompts.get(each.test_id, "")
    return kept


def _prompts(client: Client, suite_id: str) -> dict[str, str]:
    """Return the prompts of a suite's tests by id; none if the suite is gone."""
    try:
        return {test.id: test.prompt for test in client.suite(suite_id).tests}
    except RequestRefused:
        return {}


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
        error=trial.error,
        messages=trial.messages,
        label=known.label,
        model=known.model,
        parameters=known.parameters,
        revision=known.revision,
        input_tokens=trial.input_tokens,
        output_tokens=trial.output_tokens,
        cost=trial.cost,
        created_at=trial.created_at,
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
    error = kept.reason if kept.status == "error" else ""
    ids = (kept.environment_id, kept.run_id)
    return Trial(test, *ids, kept.verdict, error, kept.seconds, kept.is_kept, kept.messages, kept.usage)


def no_op_of(test: Test) -> float | None:
    """Return the score of an agent that does nothing, in percent; None if the checks cannot be read."""
    try:
        return no_op_score(test.expected_output)
    except SpecError:
        return None


def refuse_other_labels(name: str, kept: StoredTrial | TrialSet, labels: TrialLabels) -> None:
    """Raise CommandError if a set to go on with is of another model, label or parameters."""
    for field in ("model", "label", "parameters"):
        given, there = labels.description[field], getattr(kept, field)
        if given and there != given:
            said = f"{name} has trials with the {field} '{there}', not '{given}'. Give another one, or leave it out."
            raise CommandError(said, exit_code=2)


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
