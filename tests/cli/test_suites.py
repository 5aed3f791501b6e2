"""`twindiff suites`: what there is, and an agent that tries it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import QUIET, Run, finished, program
from tests.harness import Platform

AGENT = """
import asyncio
import itertools
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
import httpx

begun = itertools.count()

async def work(task):
    print("on my way\\n", end="")  # in one piece, for others print at the same time
    async with httpx.AsyncClient(base_url=task.url, trust_env=False) as slack:
        headers = {"Authorization": f"Bearer {task.token}"}
        for text in ("tulips", "roses") if "both" in task.prompt else ("tulips",):
            await slack.post("/chat.postMessage", headers=headers, json={"channel": "C1", "text": text})

async def interrupt(task):
    if next(begun) == int(os.environ.get("INTERRUPT_AFTER", "-1")):
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.Event().wait()
    await work(task)

def wait(task):
    print(f"{task.environment_id}\\n", end="", flush=True)
    time.sleep(600)

def linger(task):
    with ThreadPoolExecutor() as pool:
        pool.submit(time.sleep, 600).result()

def rest(task):
    pass

def stumble(task):
    raise ValueError("no\\nidea")

SHOP = "tulips"
"""
SEED = {
    "users": [{"user_id": "U1", "username": "rosa", "email": "rosa@example.com"}],
    "channels": [{"channel_id": "C1", "channel_name": "orders"}],
    "channel_members": [{"channel_id": "C1", "user_id": "U1"}],
}


def flowers(name: str, *texts: str) -> dict[str, Any]:
    checks = [{"diff_type": "added", "entity": "messages", "where": {"message_text": text}} for text in texts]
    prompt = "Order both." if len(texts) > 1 else "Order one."
    test = {"id": name, "name": name, "prompt": prompt, "type": "actionEval", "seed_template": "slack_stalls"}
    return {**test, "impersonate_user_id": "U1", "assertions": checks}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an agent, and with a suite that it half passes; it is the present one."""
    tests = [flowers("Tulips", "tulips"), flowers("Tulips and roses", "tulips", "roses"), flowers("A rose", "roses")]
    suite = {"name": "Flower stalls", "service": "slack", "description": "Orders", "tests": tests}
    for name, content in (("seeds/slack_stalls.json", SEED), ("suites/stalls.json", suite)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(json.dumps(content))
    (tmp_path / "stall_agent.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "stall_agent", raising=False)
    return tmp_path


@pytest.fixture
def server_with_it(folder: Path, twindiff: Run) -> Run:
    assert twindiff("import", "agent-diff", str(folder)).exit_code == 0
    return twindiff


def lines(said: str) -> list[str]:
    return [" ".join(line.split()) for line in said.splitlines()]


def test_suites_are_listed_with_how_many_tests_they_have(server_with_it: Run) -> None:
    suites = {each["name"]: each for each in json.loads(server_with_it("suites", "ls", "--json").stdout)}
    assert (suites["Flower stalls"]["tests"], suites["Flower stalls"]["description"]) == (3, "Orders")
    assert any(line.startswith("Flower stalls 3 ") for line in lines(server_with_it("suites", "ls").stdout))


def test_a_suite_is_shown_by_a_part_of_its_name(server_with_it: Run) -> None:
    header, first, *_ = lines(server_with_it("suites", "show", "stalls").stdout)
    assert (header, first) == ("test checks template prompt", "Tulips 1 slack_stalls Order one.")


def test_a_test_is_shown_with_its_prompt_and_checks(server_with_it: Run) -> None:
    shown = server_with_it("suites", "show", "stalls", "roses").stdout
    assert "prompt    Order both." in shown
    assert json.loads(shown[shown.index("{") :])["assertions"][1]["where"] == {"message_text": "roses"}


def test_a_test_whose_name_is_a_part_of_anothers_is_meant_by_its_whole_name(server_with_it: Run) -> None:
    assert json.loads(server_with_it("suites", "show", "stalls", "tulips", "--json").stdout)["name"] == "Tulips"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "Flower stals"], "Did you mean 'Flower stalls'?"),
        (["show", "stalls", "Tulipans"], "Did you mean 'Tulips'?"),
        (["show", "stalls", "rose"], "'rose' can be any of 2 tests: 'Tulips and roses', 'A rose'. Say which"),
        (["run", "stalls", "--agent", "stall_agent:work", "--tests", "x*"], "none of its 3 tests is like 'x*'"),
    ],
)
def test_what_is_not_there_is_one_line_with_what_is(arguments: list[str], said: str, server_with_it: Run) -> None:
    result = server_with_it("suites", *arguments)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert said in result.stderr


def test_an_agent_tries_the_tests_of_a_server(server_with_it: Run, platform: Platform) -> None:
    result = server_with_it("suites", "run", "stalls", "--agent", "stall_agent:work", "--parallel", "2")
    header, first, second, third, _, total = lines(result.stdout)
    assert (header, first) == ("test verdict score reason", "Tulips passed 100 %")
    assert second == "Tulips and roses passed 100 %"
    assert third.startswith("A rose failed 0 % Expected at least 1 row of messages to be added, got 0. In the nearest")
    assert total.startswith("2 of 3 tests passed; mean score 67 %; ")
    assert (result.exit_code, result.stderr) == (1, "on my way\n" * 3)


def test_a_large_suite_is_tried_to_its_end_and_tells_how_far_it_is(folder: Path, twindiff: Run) -> None:
    tests = [flowers(f"Tulips {number}", "tulips") for number in range(250)]
    large = {"name": "A large stall", "service": "slack", "description": "Orders", "tests": tests}
    (folder / "suites/large.json").write_text(json.dumps(large))
    arguments = ("suites", "run", "A large stall", "--agent", "stall_agent:rest", "--files", str(folder))
    result = twindiff(*arguments, "--parallel", "4", "--save", "set.jsonl")
    assert lines(result.stdout)[-1].startswith("0 of 250 tests passed; mean score 0 %; ")
    assert result.stderr.splitlines() == [f"{n} of 250 trials judged, 0 passed" for n in (100, 200)]
    saved = [json.loads(line) for line in (folder / "set.jsonl").read_text().splitlines()]
    assert [each["test"] for each in saved] == [test["name"] for test in tests]


def test_ctrl_c_leaves_no_environment_behind(server_with_it: Run, server: str, platform: Platform) -> None:
    command = program("suites", "run", "stalls", "--agent", "stall_agent:wait", "--tests", "tulips", "--parallel", "2")
    env = {**QUIET, "AGENT_DIFF_BASE_URL": server}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        made = [process.stderr.readline().strip() for _ in range(2)]
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=300)
    assert [platform.get(f"env/{each}")["status"] for each in made] == ["deleted", "deleted"]
    line = "Stopped when 0 of 2 trials were judged; the environments of the rest are deleted. With --resume "
    assert (process.returncode, said[0], said[1].startswith(line)) == (130, "", True)
    assert said[1].endswith(" the same command goes on from there.\n")


def test_a_folder_of_files_is_tried_without_any_server(folder: Path) -> None:
    done = finished(
        *("suites", "run", "stalls", "--agent", "stall_agent:work", "--files", ".", "--tests", "tulips"),
        AGENT_DIFF_BASE_URL="http://127.0.0.1:1",
    )
    assert (done.returncode, lines(done.stdout)[1]) == (0, "Tulips passed 100 %"), done.stderr


def test_the_answer_in_json_is_all_that_is_printed(server_with_it: Run) -> None:
    arguments = ["run", "stalls", "--agent", "stall_agent:work", "--tests", "a rose", "--repeat", "2", "--json"]
    answer = json.loads(server_with_it("suites", *arguments).stdout)
    (test,) = answer["tests"]
    assert (answer["passed"], test["name"], test["percent"]) == (False, "A rose", 0.0)
    assert [trial["score"]["total"] for trial in test["trials"]] == [1, 1]
    assert len({trial["environmentId"] for trial in test["trials"]}) == 2


def test_what_an_agents_module_prints_at_import_is_no_part_of_the_json(folder: Path, server_with_it: Run) -> None:
    (folder / "loud_agent.py").write_text(f"print('hello')\n{AGENT}")
    arguments = ["run", "stalls", "--agent", "loud_agent:work", "--tests", "tulips", "--json"]
    result = server_with_it("suites", *arguments)
    assert json.loads(result.stdout)["passed"]
    assert result.stderr.startswith("hello\n")


def test_tests_tried_again_and_again_say_how_often_they_passed(server_with_it: Run) -> None:
    arguments = ["run", "stalls", "--agent", "stall_agent:work", "--tests", "tulips", "--repeat", "3"]
    assert lines(server_with_it("suites", *arguments).stdout)[1] == "Tulips passed 3/3 100 %"


def test_an_agent_that_raises_ends_its_trial_with_an_error_and_is_judged_all_the_same(server_with_it: Run) -> None:
    result = server_with_it("suites", "run", "stalls", "--agent", "stall_agent:stumble", "--tests", "A rose")
    assert lines(result.stdout)[1] == (
        "A rose error - The agent raised ValueError: no\\nidea (of what it did, 0 of 1 checks hold)"
    )
    assert "0 of 1 tests passed, 1 trial ended with an error;" in result.stdout
    assert (result.exit_code, result.stderr) == (1, "")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("stall_agent", "An agent is given as module:function, such as my_agent:work, not 'stall_agent'."),
        ("stall_agent:wrk", "The module 'stall_agent' has no function 'wrk'. Did you mean 'work'?"),
        ("stall_agent:SHOP", "stall_agent:SHOP is no function, it is of the type str."),
        ("stall_agnt:work", "The agent's module 'stall_agnt' cannot be imported: ModuleNotFoundError"),
        ("stall_agnt:work", "Modules are found in "),
        ("broken_agent:work", "The agent's module 'broken_agent' cannot be imported: ZeroDivisionError"),
    ],
)
def test_an_agent_that_cannot_be_found_is_wrong_usage(given: str, said: str, folder: Path, twindiff: Run) -> None:
    (folder / "broken_agent.py").write_text("1 / 0")
    result = twindiff("suites", "run", "stalls", "--agent", given)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert said in result.stderr


def test_a_folder_that_is_none_is_wrong_usage(folder: Path, twindiff: Run) -> None:
    result = twindiff("suites", "run", "stalls", "--agent", "stall_agent:work", "--files", "nowhere")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_files_that_cannot_be_imported_are_wrong_usage(folder: Path, twindiff: Run) -> None:
    (folder / "suites" / "stalls.json").write_text(
        '{"name": "half a letter: \\ud800", "service": "slack", "tests": []}'
    )
    result = twindiff("suites", "run", "stalls", "--agent", "stall_agent:work", "--files", ".")
    assert (result.exit_code, result.stderr) == (2, "A text in the files is no Unicode: surrogates not allowed.\n")
