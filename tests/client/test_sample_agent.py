"""The sample agent, with a scripted endpoint in the place of a model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.harness import GENERAL, RANDOM, Environment, texts
from twindiff.client import TrialLog, sample_agent
from twindiff.client.trial_runner import Task

Json = dict[str, Any]
LUNCH = "1699572000.000789"
REACT = {"channel": RANDOM, "timestamp": LUNCH, "name": "sandwich"}
USES = [
    {"api": "slack", "method": "POST", "path": "conversations.history", "body": {"channel": RANDOM}},
    {"api": "slack", "method": "POST", "path": "reactions.add", "body": REACT},
]


class Script:
    """An endpoint that gives one answer after the other and keeps what it was asked."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Any]] = []
        self.asked: list[tuple[str, dict[str, str], Json]] = []
        script = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                script.asked.append((self.path, headers, body))
                status, answer = script.answers.pop(0)
                content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "AGENT_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AGENT_MODEL", "a-model")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    script = Script()
    yield script
    script.close()


@pytest.fixture
def openai(script: Script, monkeypatch: pytest.MonkeyPatch) -> Script:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{script.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    return script


@pytest.fixture
def anthropic(script: Script, monkeypatch: pytest.MonkeyPatch) -> Script:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", script.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-mine")
    return script


def as_openai(number: int, use: Any, name: str = "call_api") -> Json:
    function = {"name": name, "arguments": use if isinstance(use, str) else json.dumps(use)}
    calls = [{"id": f"call-{number}", "type": "function", "function": function}]
    return {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": calls}}]}


def as_anthropic(number: int, use: Json) -> Json:
    text = {"type": "text", "text": "On it."}
    return {"content": [text, {"type": "tool_use", "id": f"use-{number}", "name": "call_api", "input": use}]}


OPENAI_END = {"choices": [{"message": {"role": "assistant", "content": "Done."}}]}
ANTHROPIC_END = {"content": [{"type": "text", "text": "Done."}]}


def task_of(environment: Environment, prompt: str = "Say that you would like sandwiches.") -> Task:
    return Task("", prompt, environment.url, {"slack": environment.url}, environment.token, environment.id)


def reactions(environment: Environment) -> list[str]:
    return [row["reaction_type"] for row in environment.platform.diff(environment.made["runId"])["inserts"]]


@pytest.fixture
def mine(environment: Callable[..., Environment]) -> Environment:
    made = environment()
    made.made["runId"] = made.platform.start(made)
    return made


def test_a_model_that_speaks_as_openai_does_works_through_the_tool(openai: Script, mine: Environment) -> None:
    openai.answers = [*((200, as_openai(n, use)) for n, use in enumerate(USES)), (200, OPENAI_END)]
    sample_agent.work(task_of(mine))
    assert reactions(mine) == ["sandwich"]
    path, headers, body = openai.asked[-1]
    assert (path, headers["authorization"], body["model"]) == ("/v1/chat/completions", "Bearer sk-mine", "a-model")
    told = [each for each in body["messages"] if each["role"] == "tool"]
    assert [each["tool_call_id"] for each in told] == ["call-0", "call-1"]
    assert "Soup or sandwiches" in told[0]["content"]


POSTED = {"channel_id": GENERAL, "text": "Sandwiches, please"}


def test_a_model_has_the_tools_of_the_twins_if_these_are_asked_for(
    openai: Script, mine: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_TOOLS", "mcp")
    uses = [("slack_post_message", POSTED), ("slack_post_mesage", {}), ("slack_post_message", {"text": "x"})]
    openai.answers = [*((200, as_openai(n, given, name)) for n, (name, given) in enumerate(uses)), (200, OPENAI_END)]
    sample_agent.work(task_of(mine))
    assert texts(mine.platform.diff(mine.made["runId"])) == ["Sandwiches, please"]
    body = openai.asked[-1][2]
    assert "slack_post_message" in {each["function"]["name"] for each in body["tools"]}
    told = [each["content"][:23] for each in body["messages"] if each["role"] == "tool"]
    assert told == ['200\n{"ok":true,"channel', "There is no tool 'slack", '400\n{"ok":false,"error"']


def test_an_unknown_kind_of_tools_is_refused(openai: Script, mine: Environment, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AGENT_TOOLS", "mpc")
    with pytest.raises(sample_agent.Failure, match="AGENT_TOOLS is api or mcp, not 'mpc'"):
        sample_agent.work(task_of(mine))


def test_what_the_model_says_and_uses_is_in_the_log_of_the_trial(openai: Script, mine: Environment) -> None:
    answers = [*(as_openai(number, use) for number, use in enumerate(USES)), OPENAI_END]
    usage = {"usage": {"prompt_tokens": 100, "completion_tokens": 20}}
    openai.answers = [(200, {**answer, **usage}) for answer in answers]
    task = task_of(mine)._replace(log=TrialLog())
    sample_agent.work(task)
    roles = [entry["role"] for entry in task.log.entries]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert (task.log.usage, task.log.entries[-1]["content"]) == ((300, 60, None), "Done.")


def test_a_model_that_speaks_as_anthropic_does_works_through_the_tool(anthropic: Script, mine: Environment) -> None:
    anthropic.answers = [*((200, as_anthropic(n, use)) for n, use in enumerate(USES)), (200, ANTHROPIC_END)]
    sample_agent.work(task_of(mine))
    assert reactions(mine) == ["sandwich"]
    path, headers, body = anthropic.asked[-1]
    assert (path, headers["x-api-key"], body["model"]) == ("/v1/messages", "sk-mine", "a-model")
    (told,) = body["messages"][2]["content"]
    assert (told["type"], told["tool_use_id"]) == ("tool_result", "use-0")
    assert "Soup or sandwiches" in told["content"]


@pytest.mark.parametrize(
    ("use", "told"),
    [
        ({"api": "gitlab", "method": "GET", "path": "x"}, "There is no such API. There are: slack."),
        ("no json", "There is no such API. There are: slack."),
        ("[]", "There is no such API. There are: slack."),
        ({"api": "slack", "method": "POST", "path": "chat.postMessage"}, "missing required field: channel"),
        ({"api": "slack", "method": "GET", "path": "a\nb"}, "The request could not be sent: "),
    ],
)
def test_the_model_is_told_what_is_wrong_with_a_request(
    use: Any, told: str, openai: Script, environment: Callable[..., Environment]
) -> None:
    openai.answers = [(200, as_openai(0, use)), (200, OPENAI_END)]
    sample_agent.work(task_of(environment()))
    assert told in openai.asked[-1][2]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((401, {"error": "who are you"}), "answered 401"),
        ((200, b"hello"), "gave no answer that can be read"),
        ((200, {"choices": []}), "does not answer as OpenAI does"),
        ((200, {"choices": [{"message": {"tool_calls": [{"id": "1"}]}}]}), "does not answer as OpenAI does"),
    ],
)
def test_an_endpoint_that_gives_no_answer_is_said(
    answer: tuple[int, Any], said: str, openai: Script, environment: Callable[..., Environment]
) -> None:
    openai.answers = [answer]
    with pytest.raises(sample_agent.Failure, match=said):
        sample_agent.work(task_of(environment()))


def test_an_endpoint_that_is_not_there_is_said(
    openai: Script, environment: Callable[..., Environment], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
    with pytest.raises(sample_agent.Failure, match="gave no answer that can be read"):
        sample_agent.work(task_of(environment()))


def test_a_model_that_never_ends_is_stopped(openai: Script, environment: Callable[..., Environment]) -> None:
    use = {"api": "slack", "method": "POST", "path": "auth.test"}
    openai.answers = [(200, as_openai(n, use)) for n in range(sample_agent.MAX_TURNS)]
    with pytest.raises(sample_agent.Failure, match="not done after 40 turns"):
        sample_agent.work(task_of(environment()))


def test_what_is_not_set_is_said(script: Script, environment: Callable[..., Environment], monkeypatch) -> None:
    with pytest.raises(sample_agent.Failure, match="Set OPENAI_API_KEY or ANTHROPIC_API_KEY"):
        sample_agent.work(task_of(environment()))
    monkeypatch.delenv("AGENT_MODEL")
    with pytest.raises(sample_agent.Failure, match="Set AGENT_MODEL"):
        sample_agent.work(task_of(environment()))


def test_a_twin_gets_the_token_of_the_environment_and_not_the_models_key(anthropic: Script) -> None:
    task = Task("", "Look.", anthropic.url, {"slack": anthropic.url}, "tda_mine", "")
    anthropic.answers = [(200, as_anthropic(0, USES[0])), (200, {"ok": True}), (200, ANTHROPIC_END)]
    sample_agent.work(task)
    path, headers, body = anthropic.asked[1]
    assert (path, body) == ("/conversations.history", {"channel": RANDOM})
    assert headers["authorization"] == "Bearer tda_mine"
    assert "sk-mine" not in headers.values()
