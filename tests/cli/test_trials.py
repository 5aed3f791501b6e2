"""Trials that are kept: their environments, and what came of them in a file to go on from, show and compare."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.cli.conftest import Run, finished
from tests.cli.test_suites import folder, lines, server_with_it
from tests.harness import Platform
from twindiff.cli.interrupts import interrupts_held

__all__ = ["folder", "server_with_it"]

SUITE = ("suites", "run", "stalls", "--agent", "stall_agent:work")


def kept(file: Path) -> list[dict[str, Any]]:
    """The lines of a trial set without what no two runs have in common: ids, also those of rows, and times."""
    trials = [json.loads(line) for line in file.read_text().splitlines()]
    for each in trials:
        del each["verdict"]["explanations"]
    alike = ("suite", "agent", "test", "trial", "passed", "reason", "verdict")
    return [{name: each[name] for name in alike} for each in trials]


def environments(platform: Platform) -> set[str]:
    return {each["environmentId"] for each in platform.get("env", limit=500)["environments"]}


def test_environments_of_failed_trials_can_be_kept(server_with_it: Run, platform: Platform) -> None:
    result = server_with_it(*SUITE, "--keep", "failed")
    header, first, _, third, *_ = lines(result.stdout)
    assert header == "test verdict score reason environment"
    assert first == "Tulips passed 100 %"
    environment = third.rpartition(" ")[2]
    assert platform.get(f"env/{environment}")["status"] == "ready"
    platform.delete(f"env/{environment}")


def test_all_environments_can_be_kept(server_with_it: Run, platform: Platform) -> None:
    before = environments(platform)
    answer = json.loads(server_with_it(*SUITE, "--keep", "all", "--json").stdout)
    made = {each["trials"][0]["environmentId"] for each in answer["tests"]}
    assert (len(made), environments(platform) - before) == (3, made)
    for environment in made:
        platform.delete(f"env/{environment}")


def test_nothing_can_be_kept_in_a_process_that_ends(folder: Path, twindiff: Run) -> None:
    result = twindiff(*SUITE, "--files", str(folder), "--keep", "all")
    assert (result.exit_code, "--keep needs a server" in result.stderr) == (2, True)


@pytest.fixture(scope="module")
def written() -> dict[str, bytes]:
    """The trial sets of runs that several tests look at, by name."""
    return {}


@pytest.mark.parametrize("lines_left", range(7))
def test_a_run_that_goes_on_from_a_file_gives_the_file_of_one_that_was_not_stopped(
    lines_left: int, folder: Path, twindiff: Run, written: dict[str, bytes]
) -> None:
    arguments = (*SUITE, "--files", str(folder), "--repeat", "2", "--parallel", "2", "--save", "set.jsonl")
    file = folder / "set.jsonl"
    if "whole" not in written:
        twindiff(*arguments)
        written["whole"] = file.read_bytes()
    file.write_bytes(written["whole"])
    whole, each_line = kept(file), written["whole"].splitlines(keepends=True)
    file.write_bytes(b"".join(each_line[:lines_left]) + b'{"suite": "Flower sta')
    result = twindiff(*arguments)
    assert result.stderr.count("on my way") == 6 - lines_left
    assert (kept(file), len(whole)) == (whole, 6)
    assert [(each["test"], each["trial"]) for each in whole[:3]] == [
        ("Tulips", 1),
        ("Tulips", 2),
        ("Tulips and roses", 1),
    ]


@pytest.mark.parametrize(
    ("parallel", "repeat", "interrupted"), [("1", "1", ("0", "1", "1")), ("4", "4", ("0", "3", "4"))]
)
def test_a_run_that_is_interrupted_at_every_task_ends_with_the_same_file(
    parallel: str,
    repeat: str,
    interrupted: tuple[str, ...],
    folder: Path,
    server_with_it: Run,
    server: str,
    platform: Platform,
) -> None:
    before = environments(platform)
    agent = ("--agent", "stall_agent:interrupt", "--parallel", parallel, "--repeat", repeat)
    arguments = ("suites", "run", "stalls", *agent, "--base-url", server, "--save")
    for after in interrupted:
        assert finished(*arguments, "set.jsonl", INTERRUPT_AFTER=after).returncode == 130
    assert [server_with_it(*arguments, name).exit_code for name in ("set.jsonl", "whole.jsonl")] == [1, 1]
    assert kept(folder / "set.jsonl") == kept(folder / "whole.jsonl")
    assert {platform.get(f"env/{each}")["status"] for each in environments(platform) - before} == {"deleted"}
    made = {json.loads(line)["trialSet"] for line in (folder / "set.jsonl").read_text().splitlines()}
    assert [platform.get(f"trial-sets/{each}")["trials"] for each in made] == [3 * int(repeat)]


def test_a_ctrl_c_waits_for_what_it_may_not_interrupt() -> None:
    done: list[str] = []

    def keep() -> None:
        with interrupts_held():
            signal.raise_signal(signal.SIGINT)
            done.append("kept")

    with pytest.raises(KeyboardInterrupt):
        keep()
    assert done == ["kept"]


def test_a_second_ctrl_c_does_not_wait() -> None:
    def keep() -> None:
        with interrupts_held():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            pytest.fail("it waited")

    with pytest.raises(KeyboardInterrupt):
        keep()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_process_does_not_wait_for_what_an_agent_has_begun_and_left(folder: Path) -> None:
    arguments = (*SUITE[:3], "--agent", "stall_agent:linger", "--files", str(folder), "--seconds", "0.1")
    ended = finished(*arguments, "--tests", "tulips", "--json")
    reasons = {each["trials"][0]["reason"] for each in json.loads(ended.stdout)["tests"]}
    assert (ended.returncode, reasons) == (1, {"The agent was not done after 0.1 s"})


def test_a_file_of_another_agent_is_left_alone(folder: Path, twindiff: Run) -> None:
    twindiff(*SUITE, "--files", str(folder), "--save", "set.jsonl")
    before = (folder / "set.jsonl").read_bytes()
    other = twindiff(
        "suites", "run", "stalls", "--agent", "stall_agent:stumble", "--files", str(folder), "--save", "set.jsonl"
    )
    assert (other.exit_code, "the agent 'stall_agent:work'. Give another file" in other.stderr) == (2, True)
    assert (folder / "set.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file or directory"),
        (b"[]\n", "is no trial set"),
        (b"\xff\n", "is no trial set"),
        (b"", "has no trials yet"),
    ],
)
def test_a_file_that_is_no_trial_set_is_refused(
    content: bytes | None, said: str, tmp_path: Path, twindiff: Run
) -> None:
    file = tmp_path / "set.jsonl"
    if content is not None:
        file.write_bytes(content)
    result = twindiff("trials", "show", str(file))
    assert (result.exit_code, result.stdout, said in result.stderr) == (2, "", True)


@pytest.fixture
def sets(folder: Path, twindiff: Run, written: dict[str, bytes]) -> Path:
    """The folder, with the trials of three agents: one that works, one that raises, and one that does nothing."""
    for agent in ("work", "stumble", "rest"):
        file = folder / f"{agent}.jsonl"
        if agent not in written:
            arguments = ("suites", "run", "stalls", "--agent", f"stall_agent:{agent}", "--files", str(folder))
            twindiff(*arguments, "--repeat", "2", "--save", file.name)
            written[agent] = file.read_bytes()
        file.write_bytes(written[agent])
    return folder


def test_a_trial_set_is_shown_with_how_sure_its_share_is(sets: Path, twindiff: Run) -> None:
    header, first, *_, total = lines(twindiff("trials", "show", "work.jsonl").stdout)
    assert header == "test passed score seconds reason run"
    assert first.startswith("Tulips 2/2 100 %")
    assert total == "67 % of 3 tests passed (95 %: 21 % to 94 %); pass@2 67 %, pass^2 67 %"
    figures = json.loads(twindiff("trials", "show", "work.jsonl", "--json").stdout)
    assert (figures["tests"], figures["trials"], figures["k"]) == (3, 6, 2)


def test_a_trial_set_is_written_as_junit_xml(sets: Path, twindiff: Run) -> None:
    twindiff("trials", "show", "stumble.jsonl", "--junit", "junit.xml")
    suite = ET.fromstring((sets / "junit.xml").read_text())
    assert (suite.attrib["tests"], suite.attrib["failures"], suite.attrib["errors"]) == ("6", "0", "6")
    case = suite[0]
    assert (case.attrib["name"], case[0].tag) == ("Tulips (1)", "error")
    assert case[0].attrib["message"] == "The agent raised ValueError: no\nidea"


def test_two_trial_sets_are_compared(sets: Path, twindiff: Run) -> None:
    *rows, _, total = lines(twindiff("trials", "compare", "work.jsonl", "rest.jsonl").stdout)
    assert rows == ["test before after", "Tulips 100 % 0 %", "Tulips and roses 100 % 0 %"]
    assert total == "0 tests better, 2 worse; -66.7 points on the whole; p = 0.500 (95 %: -100 to +30)"


def test_the_trial_sets_of_a_folder_are_listed(sets: Path, twindiff: Run) -> None:
    header, *rows = lines(twindiff("trials", "ls", ".").stdout)
    assert header == "file suite agent tests trials passed"
    assert rows == [
        "rest.jsonl Flower stalls stall_agent:rest 3 6 0 %",
        "stumble.jsonl Flower stalls stall_agent:stumble 3 6 -",
        "work.jsonl Flower stalls stall_agent:work 3 6 67 %",
    ]
    assert "There are no trial sets in" in twindiff("trials", "ls", str(sets / "seeds")).stdout


def test_a_failed_trial_s_story_is_told_from_its_file_alone(sets: Path, twindiff: Run) -> None:
    told = twindiff("trials", "show", "work.jsonl", "a rose").stdout
    said = ["failed", "Expected at least 1 row of messages to be added", "slack chat.postMessage", "→ POST", "tulips"]
    assert [each for each in said if each not in told] == []
    assert "+ messages" in told.partition("What changed")[2]
    story = json.loads(twindiff("trials", "show", "work.jsonl", "a rose", "--trial", "2", "--json").stdout)
    asked = story["story"]["calls"][0]["transcript"]["request"]
    assert (story["trial"], json.loads(asked["body"]["text"])["channel"]) == (2, "C1")


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("tulipans", "The trial set has no test 'tulipans'."),
        ("rose", "'rose' can be any of 2 tests: Tulips and roses, A rose."),
    ],
)
def test_a_test_that_a_set_does_not_have_is_one_line(test: str, said: str, sets: Path, twindiff: Run) -> None:
    result = twindiff("trials", "show", "work.jsonl", test)
    assert (result.exit_code, result.stderr.count("\n"), said in result.stderr) == (1, 1, True)


class Stored:
    """A trial set on the server, and the command that looks at it."""

    def __init__(self, run: Run, *more: str) -> None:
        self.run = run
        self.answer = json.loads(run(*SUITE, "--repeat", "2", "--json", *more).stdout)
        self.id: str = self.answer["trialSetId"]


def test_a_server_keeps_the_trials_of_a_run_and_their_stories(server_with_it: Run, tmp_path: Path) -> None:
    stored = Stored(server_with_it)
    header, first, *_, total = lines(server_with_it("trials", "show", stored.id[:8]).stdout)
    assert (header, first[:10]) == ("test passed score seconds reason run", "Tulips 2/2")
    assert total == "67 % of 3 tests passed (95 %: 21 % to 94 %); pass@2 67 %, pass^2 67 %"
    told = server_with_it("trials", "show", stored.id, "a rose").stdout
    assert ("→ POST" in told, "+ messages" in told) == (True, True)
    server_with_it("trials", "show", stored.id, "--jsonl", "written.jsonl")
    assert [each["trial"] for each in kept(tmp_path / "written.jsonl")] == [1, 2] * 3
    assert "tulips" in server_with_it("trials", "show", "written.jsonl", "a rose").stdout


def test_an_interrupted_trial_set_of_a_server_is_gone_on_with(server_with_it: Run, platform: Platform) -> None:
    first = server_with_it(*SUITE, "--tests", "tulips", "--json")
    id = json.loads(first.stdout)["trialSetId"]
    again = server_with_it(*SUITE, "--resume", id[:10], "--repeat", "2", "--json")
    assert (again.stderr.count("on my way"), json.loads(again.stdout)["trialSetId"]) == (4, id)
    trials = platform.get(f"trial-sets/{id}/trials")["trials"]
    assert [(each["test"], each["number"]) for each in trials] == [
        (test, number) for test in ("Tulips", "Tulips and roses", "A rose") for number in (1, 2)
    ]


def test_a_file_and_the_server_s_set_are_gone_on_with_together(server_with_it: Run, platform: Platform) -> None:
    arguments = (*SUITE, "--save", "both.jsonl", "--json")
    first = json.loads(server_with_it(*arguments, "--tests", "tulips").stdout)["trialSetId"]
    assert json.loads(server_with_it(*arguments).stdout)["trialSetId"] == first
    assert platform.get(f"trial-sets/{first}")["trials"] == 3
    platform.delete(f"trial-sets/{first}")
    anew = json.loads(server_with_it(*arguments).stdout)["trialSetId"]
    assert (anew != first, platform.get(f"trial-sets/{anew}")["trials"]) == (True, 3)


def test_sets_of_a_server_are_listed_compared_and_deleted(server_with_it: Run, server: str) -> None:
    one, other = Stored(server_with_it), Stored(server_with_it)
    listed = server_with_it("trials", "ls")
    assert [line.split()[0] for line in lines(listed.stdout)[1:3]] == [other.id, one.id]
    assert listed.stderr == f"(at {server})\n"
    compared = lines(server_with_it("trials", "compare", one.id, other.id[:12]).stdout)
    assert compared[0] == "No test went differently."
    gone = server_with_it("trials", "rm", one.id[:12], other.id)
    assert gone.stdout == f"Deleted {one.id} at {server}.\nDeleted {other.id} at {server}.\n"
    refused = server_with_it("trials", "show", other.id)
    assert (refused.exit_code, refused.stderr) == (1, f"trial set not found: '{other.id}'.\n")


def test_an_id_that_several_sets_or_none_begin_with_is_one_line(server_with_it: Run) -> None:
    Stored(server_with_it)
    for given, said in (("zz", "No trial set's id begins with 'zz'."), (" ", "' ' is no trial set's id.")):
        refused = server_with_it("trials", "show", given)
        assert (refused.stderr.count("\n"), said in refused.stderr) == (1, True)


def test_two_runs_of_a_deterministic_agent_tell_the_same_story(folder: Path, twindiff: Run) -> None:
    suite = json.loads((folder / "suites" / "stalls.json").read_text())
    suite["clock"] = {"mode": "steps", "start": "2026-01-01T09:00:00"}
    (folder / "suites" / "stalls.json").write_text(json.dumps(suite))
    told: list[list[Any]] = []
    for file in (folder / "one.jsonl", folder / "two.jsonl"):
        twindiff(*SUITE, "--files", str(folder), "--save", str(file))
        trials = [json.loads(line) for line in file.read_text().splitlines()]
        stories = [each["story"] for each in trials if each.get("story")]
        for call in (call for story in stories for call in story["calls"]):
            del call["at"], call["milliseconds"]
        told.append([stories, [(each["test"], each["verdict"]) for each in trials]])
    assert told[0] == told[1]
    assert told[0][0][0]["calls"][0]["transcript"]["answer"]["body"]["text"]
