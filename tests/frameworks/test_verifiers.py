# pyright: reportMissingImports=false
"""Tests of a suite in verifiers, by its own evaluation and a model that is scripted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("verifiers", reason="verifiers is not installed; `make frameworks` has it")

import verifiers.v1 as vf
from verifiers.v1.cli.eval.runner import run_eval
from verifiers.v1.configs.cli.eval import EvalConfig

from tests.frameworks.scripts import LOOK, MISTAKE, RANDOM, RENAME, SOLUTION, Json
from tests.harness import LiveServer
from twindiff.client import Client
from twindiff.frameworks.verifiers import SuiteConfig, SuiteTaskset
from twindiff.server import Settings

pytestmark = pytest.mark.filterwarnings("default")

ROOT = Path(__file__).parents[2]


@contextmanager
def serve_model(*scripts: list[Json]) -> Iterator[str]:
    """An endpoint whose model follows the first script in one conversation and the second in the next."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), endpoint(*scripts))
    Thread(target=server.serve_forever, args=(0.05,)).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


def endpoint(*scripts: list[Json]) -> type[BaseHTTPRequestHandler]:
    """Each conversation has the next script, which the ids of its calls name from then on."""
    unused = iter(range(len(scripts)))

    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answered = [each["tool_call_id"] for each in asked["messages"] if each["role"] == "tool"]
            which = int(answered[0].partition("-")[0]) if answered else next(unused)
            message: Json = {"role": "assistant", "content": "Done."}
            if len(answered) < len(scripts[which]):
                step = scripts[which][len(answered)]
                function = {"name": step.get("tool", "call_api"), "arguments": json.dumps(step.get("arguments", step))}
                call = {"id": f"{which}-{len(answered)}", "type": "function", "function": function}
                message = {"role": "assistant", "content": None, "tool_calls": [call]}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "scripted"}
            body = json.dumps({**answer, "choices": [choice], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Endpoint


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    server = LiveServer(Settings())
    yield server.url
    server.close()


def evaluate(model: str, folder: Path, rollouts: int, **taskset: Any) -> list[vf.Trace]:
    """The traces of verifiers' evaluation of one test, whose rollouts are done at once; the best is the first."""
    agent = {"harness": {"id": "chat_harness"}, "runtime": {"type": "subprocess"}}
    config = {
        "env": {"taskset": {"id": "starter_taskset", **taskset}, "agent": agent},
        "model": "scripted",
        "client": {"base_url": model, "api_key_var": "TWINDIFF_NO_KEY"},
        "num_rollouts": rollouts,
        "push": False,
        "rich": None,
    }
    with pytest.MonkeyPatch.context() as patch:
        # Where verifiers finds its plug-ins, and may write.
        for each in (ROOT, ROOT / "examples" / "frameworks", Path(__file__).parent):
            patch.syspath_prepend(str(each))
        patch.chdir(folder)
        episodes = asyncio.run(run_eval(EvalConfig.model_validate(config)))
    done = [trace for each in episodes for trace in each.traces]
    assert [error for trace in done for error in trace.errors] == []
    return sorted(done, key=lambda trace: -trace.reward)


@pytest.fixture(scope="module")
def traces(served: str, tmp_path_factory: pytest.TempPathFactory) -> list[vf.Trace]:
    """Two rollouts of one test, of which one solves it."""
    with serve_model([LOOK, SOLUTION], [LOOK, MISTAKE]) as model:
        folder = tmp_path_factory.mktemp("evaluation")
        return evaluate(model, folder, 2, tests=RENAME, base_url=served, label="first")


def test_the_evaluation_of_verifiers_ends_with_the_verdict(traces: list[vf.Trace], served: str):
    """https://docs.primeintellect.ai/verifiers"""
    assert (traces[0].reward, traces[0].metrics["share_of_checks"]) == (1.0, 1.0)
    with Client(served) as client:
        assert client.environments("ready") == []


def test_a_server_keeps_rollouts_as_trials_with_what_the_model_said(traces: list[vf.Trace], served: str):
    with Client(served) as client:
        (kept,) = client.trial_sets.find().trial_sets
        trials = client.trial_sets.trials(kept.trial_set_id).trials
    assert (kept.agent, kept.label, kept.trials, kept.passed) == ("verifiers:scripted", "first", len(traces), 1)
    assert [each["role"] for each in trials[0].messages][-3:] == ["assistant", "tool", "assistant"]
    assert trials[0].input_tokens


def test_a_wrong_result_has_no_reward_and_says_why(traces: list[vf.Trace]):
    solved, wrong = traces
    assert (wrong.reward, solved.info["reasons"]) == (0.0, [])
    assert "small-talk" in wrong.info["reasons"][0]


def test_a_taskset_has_the_tests_of_the_suite():
    tasks = list(SuiteTaskset(SuiteConfig()))
    assert len(tasks) == 12
    assert tasks[2].key == f"starter/{RENAME}"
    assert "Slack's Web API" in str(tasks[2].data.system_prompt)


def test_the_model_may_have_the_tools_that_the_twins_offer_by_mcp(served: str, tmp_path: Path):
    history = {"tool": "slack_get_channel_history", "arguments": {"channel_id": RANDOM}}
    asked = {"channel_id": RANDOM, "timestamp": "1699572000.000789", "reaction": "sandwich"}
    script: list[Json] = [history, {"tool": "slack_add_reaction", "arguments": asked}]
    with serve_model(script) as model:
        task = {"offers": "mcp"}
        (trace,) = evaluate(model, tmp_path, 1, tests="Slack: react to a message", base_url=served, task=task)
    assert (trace.reward, trace.info["reasons"]) == (1.0, [])
    said = [str(message.content) for message in trace.messages if message.role == "tool"]
    assert "sandwiches today?" in said[0]
