# pyright: reportMissingImports=false
"""Tests of a suite in verifiers, by its own evaluation and a model that is scripted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("verifiers", reason="verifiers is not installed; `make frameworks` has it")

import verifiers.v1 as vf
from verifiers.v1.cli.eval.runner import run_eval
from verifiers.v1.configs.cli.eval import EvalConfig

from tests.frameworks.scripts import LOOK, MISTAKE, RENAME, SOLUTION, Json
from twindiff.frameworks.episodes import platform_at
from twindiff.frameworks.verifiers import SuiteConfig, SuiteTaskset

pytestmark = pytest.mark.filterwarnings("default")

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def plugins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where verifiers finds its plug-ins, and may write."""
    for folder in (ROOT, ROOT / "examples" / "frameworks", Path(__file__).parent):
        monkeypatch.syspath_prepend(str(folder))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def model() -> Iterator[Callable[..., str]]:
    """Start an endpoint whose model makes these calls, and says then that it is done."""
    servers: list[ThreadingHTTPServer] = []

    def start(*script: Json) -> str:
        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), endpoint(script)))
        Thread(target=servers[-1].serve_forever, args=(0.05,)).start()
        return f"http://127.0.0.1:{servers[-1].server_address[1]}/v1"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def endpoint(script: tuple[Json, ...]) -> type[BaseHTTPRequestHandler]:
    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            done = sum(each["role"] == "tool" for each in asked["messages"])
            message: Json = {"role": "assistant", "content": "Done."}
            if done < len(script):
                function = {"name": "call_api", "arguments": json.dumps(script[done])}
                call = {"id": f"call{done}", "type": "function", "function": function}
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


def evaluated(harness: Json, url: str, rollouts: int = 1) -> list[vf.Trace]:
    """The traces of verifiers' evaluation of one test."""
    agent = {"harness": harness, "runtime": {"type": "subprocess"}}
    config = EvalConfig.model_validate(
        {
            "env": {"taskset": {"id": "starter_taskset", "tests": RENAME}, "agent": agent},
            "model": "scripted",
            "client": {"base_url": url, "api_key_var": "TWINDIFF_NO_KEY"},
            "num_rollouts": rollouts,
            "push": False,
            "rich": None,
        }
    )
    episodes = asyncio.run(run_eval(config))
    assert [error for each in episodes for trace in each.traces for error in trace.errors] == []
    return [trace for each in episodes for trace in each.traces]


def test_the_evaluation_of_verifiers_ends_with_the_verdict(model: Callable[..., str]):
    """https://docs.primeintellect.ai/verifiers"""
    traces = evaluated({"id": "chat_harness"}, model(LOOK, SOLUTION), rollouts=2)
    assert [(each.reward, each.metrics["share_of_checks"]) for each in traces] == [(1.0, 1.0)] * 2
    assert platform_at().environments("ready") == []


def test_a_wrong_result_has_no_reward_and_says_why(model: Callable[..., str]):
    (trace,) = evaluated({"id": "chat_harness"}, model(MISTAKE))
    assert trace.reward == 0.0
    assert "small-talk" in trace.info["reasons"][0]


def test_an_agent_of_twindiff_does_a_rollout(model: Callable[..., str]):
    harness = {"id": "agent_harness", "agent": "examples.starter_solutions:work"}
    (trace,) = evaluated(harness, model())
    assert trace.reward == 1.0


def test_a_taskset_has_the_tests_of_the_suite():
    tasks = list(SuiteTaskset(SuiteConfig()))
    assert len(tasks) == 12
    assert tasks[2].key == f"starter/{RENAME}"
    assert "Slack's Web API" in str(tasks[2].data.system_prompt)
