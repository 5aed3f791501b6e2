"""A sample agent: a model, tools that call the twins' APIs, and a loop.

`twindiff suites run starter --agent twindiff.client.sample_agent:work`, with these set before:

- `AGENT_MODEL`, the name of a model;
- for an OpenAI-compatible endpoint `OPENAI_API_KEY`, and `OPENAI_BASE_URL` unless it is OpenAI's own;
- or for an Anthropic-compatible one `ANTHROPIC_API_KEY`, and `ANTHROPIC_BASE_URL` unless it is Anthropic's own.

A local endpoint needs no key, only its base URL. With `AGENT_TOOLS=mcp` the model has the tools that the twins offer by
MCP in place of the one that calls their APIs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import httpx
import msgspec

from .mcp_tools import McpTools, instruct_for_tools, send_over
from .transport import is_secured
from .trial_runner import Task
from .twin_tool import DESCRIPTION, TOOL, TwinResponse, instructions, parameters, render_response, send_call

Json = dict[str, Any]

MAX_TURNS = 40
MAX_TOKENS = 4096
SECONDS = 300.0


class ToolCall(NamedTuple):
    """A tool call that the model requests."""

    id: str
    name: str
    arguments: Json


class AgentTools(NamedTuple):
    """The tools of a model: its system prompt, the tools as OpenAI describes functions, and what calls one."""

    instructions: str
    functions: Sequence[Json]
    call: Callable[[str, Json], TwinResponse]


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
        tools = _open_tools(twins, task)
        model = _model(http, task, tools)
        task.log(role="system", content=tools.instructions)
        task.log(role="user", content=task.prompt)
        for _ in range(MAX_TURNS):
            wanted = model.ask()
            if not wanted:
                return
            model.tell([(each, render_response(tools.call(each.name, each.arguments))) for each in wanted])
    raise Failure(f"The model was not done after {MAX_TURNS} turns")


def _open_tools(twins: httpx.Client, task: Task) -> AgentTools:
    """The tools that AGENT_TOOLS names; raises Failure for an unknown name."""
    kind = os.environ.get("AGENT_TOOLS", "api")
    if kind == "api":
        function = {"name": TOOL, "description": DESCRIPTION, "parameters": parameters(task.urls)}

        def call(name: str, arguments: Json) -> TwinResponse:
            return send_call(twins, task, arguments)

        return AgentTools(instructions(task.urls), [function], call)
    if kind != "mcp":
        raise Failure(f"AGENT_TOOLS is api or mcp, not {kind!r}")
    tools = McpTools(task.urls, send_over(twins))
    names = ("name", "description", "parameters")
    functions = [{name: getattr(each, name) for name in names} for each in tools.by_name.values()]
    return AgentTools(instruct_for_tools(task.urls), functions, tools.call)


def _model(http: httpx.Client, task: Task, tools: AgentTools) -> ModelConversation:
    """The conversation with the model that the environment variables name; raises Failure if they are missing."""
    given = os.environ
    name = given.get("AGENT_MODEL")
    if not name:
        raise Failure("Set AGENT_MODEL to the name of a model")
    if "ANTHROPIC_API_KEY" in given or "ANTHROPIC_BASE_URL" in given:
        base = given.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com")
        headers = {"x-api-key": given.get("ANTHROPIC_API_KEY", ""), "anthropic-version": "2023-06-01"}
        return _Anthropic(http, f"{base.rstrip('/')}/v1/messages", headers, name, task, tools)
    if "OPENAI_API_KEY" in given or "OPENAI_BASE_URL" in given:
        base = given.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
        headers = {"Authorization": f"Bearer {given.get('OPENAI_API_KEY', 'none')}"}
        return _OpenAi(http, f"{base.rstrip('/')}/chat/completions", headers, name, task, tools)
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

    def __init__(
        self, http: httpx.Client, url: str, headers: dict[str, str], model: str, task: Task, tools: AgentTools
    ) -> None:
        self._http, self._url, self._headers, self._log = http, url, headers, task.log
        self._messages: list[Json] = [
            {"role": "system", "content": tools.instructions},
            {"role": "user", "content": task.prompt},
        ]
        functions = [{"type": "function", "function": each} for each in tools.functions]
        self._body: Json = {"model": model, "tools": functions}

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
        name, given = call["function"]["name"], call["function"]["arguments"]
        return ToolCall(call["id"], name, msgspec.json.decode(given, type=dict[str, Any]))
    except msgspec.DecodeError:
        return ToolCall(call["id"], call["function"]["name"], {})


class _Anthropic:
    """https://docs.anthropic.com/en/api/messages"""

    def __init__(
        self, http: httpx.Client, url: str, headers: dict[str, str], model: str, task: Task, tools: AgentTools
    ) -> None:
        self._http, self._url, self._headers, self._log = http, url, headers, task.log
        self._messages: list[Json] = [{"role": "user", "content": task.prompt}]
        self._body: Json = {
            "model": model,
            "max_tokens": MAX_TOKENS,
            "system": tools.instructions,
            "tools": [
                {"name": each["name"], "description": each["description"], "input_schema": each["parameters"]}
                for each in tools.functions
            ],
        }

    def ask(self) -> list[ToolCall]:
        answer = _post(self._http, self._url, self._headers, {**self._body, "messages": self._messages})
        try:
            content: list[Json] = answer["content"]
            self._messages.append({"role": "assistant", "content": content})
            used: Json = answer.get("usage") or {}
            tokens = {"input_tokens": used.get("input_tokens"), "output_tokens": used.get("output_tokens")}
            self._log(role="assistant", content=content, **tokens)
            return [ToolCall(each["id"], each["name"], each["input"]) for each in content if each["type"] == "tool_use"]
        except (KeyError, TypeError) as error:
            raise Failure(f"{self._url} does not answer as Anthropic does: {error!r}") from None

    def tell(self, results: list[tuple[ToolCall, str]]) -> None:
        content = [{"type": "tool_result", "tool_use_id": each.id, "content": text} for each, text in results]
        self._messages.append({"role": "user", "content": content})
        self._log(role="user", content=content)
