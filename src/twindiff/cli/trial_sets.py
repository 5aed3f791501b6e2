"""Trial sets: what came of every trial of a suite, kept in a file, to go on from and to look at later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from twindiff.cli.problem import Problem
from twindiff.client import Suite, Test, Trial, Verdict


class Kept(msgspec.Struct, rename="camel"):
    """One line of a trial set; `trial` counts those of a test from 1."""

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


class TrialSet:
    """The trials of an agent at a suite, in a file of JSON lines that grows by one line with each."""

    def __init__(self, path: Path, suite: Suite, agent: str) -> None:
        """Open a file, or begin one; a Problem where it is of another suite or agent."""
        self._path, self._suite, self._agent = path, suite, agent
        self.kept = read(path) if path.exists() else []
        for each in self.kept:
            if (each.suite, each.agent) != (suite.name, agent):
                other = f"the suite '{each.suite}' and the agent '{each.agent}'"
                raise Problem(f"{path} has trials of {other}. Give another file, or delete it.", exit_code=2)
        self._write()

    def done(self, test: Test) -> list[Trial]:
        """The trials of a test that are in the file."""
        found = [each for each in self.kept if each.test_id == test.id]
        return [_trial(test, each) for each in found]

    def add(self, trial: Trial) -> None:
        """Append a trial, so that it is there whatever happens next."""
        line = Kept(
            suite=self._suite.name,
            agent=self._agent,
            test_id=trial.test.id,
            test=trial.test.name,
            trial=sum(each.test_id == trial.test.id for each in self.kept) + 1,
            passed=trial.passed,
            reason=trial.reason,
            seconds=round(trial.seconds, 3),
            environment_id=trial.environment_id,
            run_id=trial.run_id,
            verdict=trial.verdict,
        )
        self.kept.append(line)
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def finish(self) -> None:
        """Put the lines into the order of the suite, however they came."""
        order = {test.id: number for number, test in enumerate(self._suite.tests)}
        self.kept.sort(key=lambda each: (order.get(each.test_id, len(order)), each.trial))
        self._write()

    def _write(self) -> None:
        written = self._path.with_name(f"{self._path.name}.new")
        try:
            written.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in self.kept))
            written.replace(self._path)
        except OSError as error:
            raise Problem(f"{self._path}: {error.strerror or error}.", exit_code=2) from None


def _trial(test: Test, kept: Kept) -> Trial:
    error = "" if kept.verdict else kept.reason
    return Trial(test, kept.environment_id, kept.run_id, kept.verdict, error, kept.seconds)


def read(path: Path) -> list[Kept]:
    """The trials in a file; a last line that was cut short is left out. A Problem where it is no trial set."""
    try:
        lines = path.read_bytes().split(b"\n")
        return [*_decoded(lines[:-1])]
    except OSError as error:
        raise Problem(f"{path}: {error.strerror or error}.", exit_code=2) from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Problem(f"{path} is no trial set, which `suites run --save` writes: {error}.", exit_code=2) from None


def _decoded(lines: Sequence[bytes]) -> Iterator[Kept]:
    decode = msgspec.json.Decoder(Kept).decode
    return (decode(line) for line in lines if line)
