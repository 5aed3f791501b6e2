"""Two models through one agent: what the sets tell of them, what they cost, and trials that do not count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.test_suites import folder, lines, server_with_it

__all__ = ["folder", "server_with_it"]

AGENT = """
import os
import httpx

def work(task):
    model = os.environ["AGENT_MODEL"]
    task.log(role="user", content=task.prompt)
    if model == "gone" or (model == "shaky" and not os.path.exists("fixed")):
        raise ConnectionError("the model cannot be reached")
    for text in ("tulips", "roses") if model == "large" else ("tulips",):
        headers, body = {"Authorization": f"Bearer {task.token}"}, {"channel": "C1", "text": text}
        httpx.post(f"{task.url}/chat.postMessage", headers=headers, json=body, trust_env=False)
    call = {"name": "call_api", "arguments": {"text": text}}
    task.log(role="assistant", content=f"{model} is done", tool_calls=[call], input_tokens=1000, output_tokens=500)
"""


@pytest.fixture
def run(server_with_it: Run, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let a model try the flower stalls; gives the answer in JSON."""
    Path("model_agent.py").write_text(AGENT)
    monkeypatch.setenv("AGENT_MODEL", "")  # the command sets it in this process; this takes it away at the end
    monkeypatch.delenv("AGENT_MODEL")

    def tried(model: str, *more: str) -> dict[str, Any]:
        arguments = ("suites", "run", "stalls", "--agent", "model_agent:work", "--model", model, "--json", *more)
        return json.loads(server_with_it(*arguments).stdout)

    return tried


def test_two_models_through_one_agent_are_compared_with_their_cost(run: Any, server_with_it: Run) -> None:
    small = run("small", "--prices", "1/4", "--label", "cheap", "--param", "temperature=0")["trialSetId"]
    large = run("large", "--prices", "10/40")["trialSetId"]
    told = server_with_it("trials", "compare", small, large, COLUMNS="200")
    assert "cheap, model small, temperature=0, revision" not in told.stdout  # the folder is in no repository
    assert "before: cheap, model small, temperature=0, 3,000 input tokens, 1,500 output tokens, $0.0090" in told.stdout
    assert "after: model large, 3,000 input tokens, 1,500 output tokens, $0.0900" in told.stdout
    answer = json.loads(server_with_it("trials", "compare", small, large, "--json").stdout)
    assert (answer["before"]["cost"], answer["after"]["cost"]) == (pytest.approx(0.009), pytest.approx(0.09))
    server_with_it("trials", "compare", small, large, "--html", "compared.html")
    assert "model large, 3,000 input tokens" in Path("compared.html").read_text()
    page = server_with_it("trials", "ls", COLUMNS="200").stdout
    assert "cheap" in page
    assert "$0.0090" in page


def test_an_agent_that_raises_is_in_no_figure_and_its_number_is_shown(run: Any, server_with_it: Run) -> None:
    answer = run("gone")
    assert {(test["status"], test["percent"]) for test in answer["tests"]} == {("error", None)}
    shown = json.loads(server_with_it("trials", "show", answer["trialSetId"], "--json").stdout)
    assert (shown["errors"], shown["passed"], shown["uncountedTests"], shown["ofK"]) == (3, None, 3, [])
    said = server_with_it("trials", "show", answer["trialSetId"], "--html", "gone.html").stdout
    assert "3 of 3 trials ended with an error and do not count" in said
    assert "failed" not in said
    assert "ended with an error" in Path("gone.html").read_text()


def test_a_resumed_run_tries_trials_with_an_error_again(run: Any, server_with_it: Run) -> None:
    first = run("shaky")
    Path("fixed").touch()
    again = run("shaky", "--resume", first["trialSetId"])
    assert [test["status"] for test in again["tests"]] == ["passed", "failed", "failed"]
    shown = json.loads(server_with_it("trials", "show", first["trialSetId"], "--json").stdout)
    assert (shown["trials"], shown["errors"]) == (6, 3)
    assert [(test["passed"], test["errors"]) for test in shown["results"]] == [(1, 1), (0, 1), (0, 1)]


def test_a_set_is_not_gone_on_with_by_another_model(run: Any, server_with_it: Run) -> None:
    made = run("small")["trialSetId"]
    arguments = ("suites", "run", "stalls", "--agent", "model_agent:work", "--model", "large", "--resume", made)
    assert "has trials with the model 'small', not 'large'" in server_with_it(*arguments).stderr


def test_a_passed_trial_that_is_kept_has_its_story_with_what_the_model_said(run: Any, server_with_it: Run) -> None:
    made = run("small", "--keep", "all", "--tests", "tulips")["trialSetId"]
    said = server_with_it("trials", "show", made, "tulips", COLUMNS="200").stdout
    expected = [
        "passed",
        "Order one.",
        "user: Order one.",
        "small is done",
        "call_api",
        "chat.postMessage",
        "+ messages",
    ]
    assert [each for each in expected if each not in said] == []
    listed = json.loads(server_with_it("env", "ls", "--json").stdout)
    assert any(each["name"] == "Trial of Tulips" for each in listed)


@pytest.mark.parametrize(
    ("option", "said"), [("--prices=cheap", "--prices is IN/OUT"), ("--param=x", "--param is NAME")]
)
def test_an_option_that_cannot_be_read_is_one_line(option: str, said: str, run: Any, server_with_it: Run) -> None:
    result = server_with_it("suites", "run", "stalls", "--agent", "model_agent:work", option)
    assert (result.exit_code, said in result.stderr) == (2, True)


def test_the_score_of_doing_nothing_stands_beside_that_of_the_agent(folder: Path, twindiff: Run) -> None:
    suite = json.loads((folder / "suites/stalls.json").read_text())
    forbids = {"diff_type": "added", "entity": "channels", "expected_count": 0}
    suite["tests"][0]["assertions"] += [forbids, {**forbids, "entity": "users"}, {**forbids, "entity": "teams"}]
    (folder / "suites/stalls.json").write_text(json.dumps(suite))
    arguments = ("suites", "run", "stalls", "--agent", "stall_agent:rest", "--files", str(folder), "--tests", "tulips")
    header, first, *_ = lines(twindiff(*arguments).stdout)
    assert (header, first[:23]) == ("test verdict score no-op reason", "Tulips failed 75 % 75 %")
