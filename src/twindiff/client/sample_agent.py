"""A sample agent: a model, one tool that calls the twins' APIs, and a loop.

`twindiff suites run starter --agent twindiff.client.sample_agent:work`, with these set before:

- `AGENT_MODEL`, the name of a model;
- for an OpenAI-compatible endpoint `OPENAI_API_KEY`, and `OPENAI_BASE_URL` unless it is OpenAI's own;
- or for an Anthropic-compatible one `ANTHROPIC_API_KEY`, and `ANTHROPIC_BASE_URL` unless it is Anthropic's own.

A local endpoint needs no key, only its base URL.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Protocol

import httpx
import msgspec

from .transport import is_secured
from .trial_runner import Task
from .twin_tool import DESCRIPTION, TOOL, instructions, parameters, render_response, send_call

Json = dict[str, Any]

MAX_TURNS = 40
MAX_TOKENS = 4096
SECONDS = 300.0


class ToolCall(NamedTuple):
    """A tool call that the model requests."""

    id: str
    arguments: Json


class Failure(Exception):
    """The agent cannot go on; the message says why."""


class ModelConversation(Protocol):
    """A conversation with a model."""

    def ask(self) -> list[ToolCall]:
        """Send the conversation to the model and return its tool calls; none means that it is done."""
        ...

    def tell(self, results: list[tuple[ToolCall, str]]) -> None:
        """Add the results of tool calls to the conversation."""
        ...


def work(task: Task) -> None:
    """Run the model on the task, and log what it says and uses.

    Raises Failure if the endpoint fails or the model is not done after MAX_TURNS.
    """
    headers, verify = {"Authorization": f"Bearer {task.token}"}, is_secured(*task.urls.values())
    with (
        httpx.Client(trust_env=False, verify=verify, timeout=SECONDS, headers=headers) as twins,
        httpx.Client(timeout=SECONDS) as http,
    ):
        model = _model(http, task)
        task.log(role="system", content=instructions(task.urls))
        task.log(role="user", content=task.prompt)
        for _ in range(MAX_TURNS):
            wanted = model.ask()
            if not wanted:
                return
            model.tell([(each, render_response(send_call(twins, task, each.arguments))) for each in wanted])
    raise Failure(f"The model was not done after {MAX_TURNS} turns")


def _model(http: httpx.Client, task: Task) -> ModelConversation:
    """The conversation with the model that the environment variables name; raises Failure if they are missing."""
    given = os.environ
    name = given.get("AGENT_MODEL")
    if not name:
        raise Failure("Set AGENT_MODEL to the name of a model")
    if "ANTHROPIC_API_KEY" in given or "ANTHROPIC_BASE_URL" in given:
        base = given.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com")
        headers = {"x-api-key": given.get("ANTHROPIC_API_KEY", ""), "anthropic-version": "2023-06-01"}
        return _Anthropic(http, f"{base.rstrip('/')}/v1/messages", headers, name, task)
    if "OPENAI_API_KEY" in given or "OPENAI_BASE_URL" in given:
        base = given.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
        headers = {"Authorization": f"Bearer {given.get('OPENAI_API_KEY', 'none')}"}
        return _OpenAi(http, f"{base.rstrip('/')}/chat/completions", headers, name, task)
    raise Failure("Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or the base URL of an endpoint of your own")


def _post(http: httpx.Client, url: str, headers: dict[str, str], body: Json) -> Json:
    """The JSON response of a model's endpoint; raises Failure."""
    try:
        answer = http.post(url, headers=headers, json=body)
        if not answer.is_success:
            raise Failure(f"{url} answered {answer.status_code}: {answer.text[:500]}")
        return answer.json()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise Failure(f"{url} gave no answer that can be read: {error}") from None


class _OpenAi:
    """https://platform.openai.com/docs/api-reference/chat"""

    def __init__(self, http: httpx.Client, url: str, headers: dict[str, str], model: str, task: Task) -> None:
        self._http, self._url, self._headers, self._log = http, url, headers, task.log
        function = {"name": TOOL, "description": DESCRIPTION, "parameters": parameters(task.urls)}
        self._messages: list[Json] = [
            {"role": "system", "content": instructions(task.urls)},
            {"role": "user", "content": task.prompt},
        ]
        self._body: Json = {"model": model, "tools": [{"type": "function", "function": function}]}

    def ask(self) -> list[ToolCall]:
        answer = _post(self._http, self._url, self._headers, {**self._body, "messages": self._messages})
        try:
            message: Json = answer["choices"][0]["message"]
            self._messages.append(message)
            used: Json = answer.get("usage") or {}
            self._log(**message, input_tokens=used.get("prompt_tokens"), output_tokens=used.get("completion_tokens"))
            return [_parse_tool_call(each) for each in message.get("tool_calls") or ()]
        except (KeyError, IndexError, TypeError) as error:
            raise Failure(f"{self._url} does not answer as OpenAI does: {error!r}") from None

    def tell(self, results: list[tuple[ToolCall, str]]) -> None:
        told: list[Json] = [{"role": "tool", "tool_call_id": each.id, "content": text} for each, text in results]
        self._messages += told
        for message in told:
            self._log(**message)


def _parse_tool_call(call: Json) -> ToolCall:
    """A tool call; malformed arguments become an empty object, which `send_call` answers with an error message."""
    try:
        return ToolCall(call["id"], msgspec.json.decode(call["function"]["arguments"], type=dict[str, Any]))
    except msgspec.DecodeError:
        return ToolCall(call["id"], {})


class _Anthropic:
    """https://docs.anthropic.com/en/api/messages"""

    def __init__(self, http: httpx.Client, url: str, headers: dict[str, str], model: str, task: Task) -> None:
        self._http, self._url, self._headers, self._log = http, url, headers, task.log
        tool = {"name": TOOL, "description": DESCRIPTION, "input_schema": parameters(task.urls)}
        self._messages: list[Json] = [{"role": "user", "content": task.prompt}]
        self._body: Json = {
            "model": model,
            "max_tokens": MAX_TOKENS,
            "system": instructions(task.urls),
            "tools": [tool],
        }

    def ask(self) -> list[ToolCall]:
        answer = _post(self._http, self._url, self._headers, {**self._body, "messages": self._messages})
        try:
            content: list[Json] = answer["content"]
            self._messages.append({"role": "assistant", "content": content})
            used: Json = answer.get("usage") or {}
            tokens = {"input_tokens": used.get("input_tokens"), "output_tokens": used.get("output_tokens")}
            self._log(role="assistant", content=content, **tokens)
            return [ToolCall(each["id"], each["input"]) for each in content if each["type"] == "tool_use"]
        except (KeyError, TypeError) as error:
            raise Failure(f"{self._url} does not answer as Anthropic does: {error!r}") from None

    def tell(self, results: list[tuple[ToolCall, str]]) -> None:
        content = [{"type": "tool_result", "tool_use_id": each.id, "content": text} for each, text in results]
        self._messages.append({"role": "user", "content": content})
        self._log(role="user", content=content)
