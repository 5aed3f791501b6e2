# pyright: basic, reportMissingImports=false
# The package is not a development dependency; `make frameworks` checks this file with it installed.
"""Tests of a suite as a task of Inspect, https://inspect.aisi.org.uk/tasks.html: `inspect eval twindiff/suite`.

Every sample has an environment of its own, which is created before the solver runs and deleted after scoring. No
sandbox is needed, since the agent only reaches the twins.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from contextlib import suppress
from typing import Any, Literal, cast

import anyio.to_thread

try:
    from inspect_ai import Task, task
except ModuleNotFoundError as error:
    raise ImportError(f"This needs Inspect ({error}): pip install 'twindiff[inspect]'.") from None
from inspect_ai.agent import AgentState, agent_bridge
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageSystem, ModelUsage, messages_to_openai
from inspect_ai.scorer import Score, Scorer, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver, use_tools
from inspect_ai.tool import Tool, ToolDef, ToolParams, tool
from inspect_ai.util import StoreModel, store_as

from twindiff.client import Environment, Run, Test
from twindiff.client.mcp_tools import McpTool, instruct_for_tools
from twindiff.client.trial_runner import Agent, let_work
from twindiff.client.twin_tool import instructions, render_response
from twindiff.frameworks.episodes import (
    Episode,
    EpisodeLost,
    Json,
    agent_at,
    chosen_tests,
    platform_at,
    reasons,
    reward,
    share,
)
from twindiff.frameworks.trial_recording import recorder_for

SECONDS = 600.0


class TwinStore(StoreModel):
    """A sample's environment in the sample's store; read it with `state.store_as(TwinStore)`."""

    base_url: str = ""
    pool: str = ""
    test_id: str = ""
    environment_id: str = ""
    service: str = ""
    token: str = ""
    run_id: str = ""
    suite: str = ""
    label: str = ""
    """The label of the server's trial set to which the sample belongs."""
    point: int | None = None
    """The point of the environment at the latest checkpoint."""


_live: dict[str, Episode] = {}
"""The episodes of this process by environment id."""
_of_sample: dict[str, list[Episode]] = {}
"""The episodes by sample; they cannot be in the state, which Inspect copies for every branch of a fork."""
_tests: dict[str, Test] = {}


def episode_of(twins: TwinStore) -> Episode:
    """The episode of a store, also if another process started it."""
    if twins.environment_id not in _live:
        platform = platform_at(twins.base_url, twins.pool)
        environment = Environment(platform, twins.environment_id, twins.service, twins.token)
        run = Run(platform, twins.run_id, once=False)
        _live[twins.environment_id] = Episode(_tests[twins.test_id], environment, run)
    return _live[twins.environment_id]


def _note(state: TaskState, episode: Episode) -> None:
    environment, twins = episode.environment, state.store_as(TwinStore)
    _live[environment.id] = episode
    _of_sample.setdefault(state.uuid, []).append(episode)
    twins.environment_id, twins.service, twins.token = environment.id, environment.service, environment.token
    twins.run_id = episode.run.id


@task
def suite(
    suite: str = "starter", tests: str = "", base_url: str = "", tools: str = "api", label: str = "", pool: str = ""
) -> Task:
    """The tests of a suite whose names contain `tests`; in this process, or on the server at `base_url`.

    `pool` is a pool of `twindiff.pool`, or a function that returns one, as `module:name`. A sample whose process ends
    has an error, others go on.

    The model has the tool `call_api`, or with `tools="mcp"` those that the twins offer by MCP. A server keeps the
    samples as a trial set with this label, with what the model said.
    """
    if tools not in ("api", "mcp"):
        raise ValueError(f"tools is 'api' or 'mcp', not {tools!r}.")
    chosen = chosen_tests(platform_at(base_url, pool), suite, tests)
    samples = [Sample(id=each.name, input=each.prompt, metadata={"test_id": each.id}) for each in chosen]
    return Task(
        dataset=MemoryDataset(samples, name=suite),
        setup=environment(chosen, base_url, suite, label, pool),
        solver=[brief(), use_tools(call_api()), generate()] if tools == "api" else [use_twin_tools(), generate()],
        scorer=verdict(),
        cleanup=clean_up,
        on_checkpoint=note_point,
        on_resume=return_to_point,
    )


@solver
def environment(
    tests: Sequence[Test], base_url: str = "", suite: str = "starter", label: str = "", pool: str = ""
) -> Solver:
    """Create the environment of a sample, whose metadata has the `test_id`; `label` is that of its trial set."""
    _tests.update({each.id: each for each in tests})

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        test = _tests[state.metadata["test_id"]]
        twins = state.store_as(TwinStore)
        twins.base_url, twins.test_id, twins.suite, twins.label, twins.pool = base_url, test.id, suite, label, pool
        _note(state, await anyio.to_thread.run_sync(Episode.begin, platform_at(base_url, pool), test))
        return state

    return solve


@solver
def brief() -> Solver:
    """Add a system message about the tool and the APIs."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        apis = episode_of(state.store_as(TwinStore)).task.urls
        state.messages.insert(0, ChatMessageSystem(content=instructions(apis)))
        return state

    return solve


@tool
def call_api() -> Tool:
    """The tool that sends a request to a twin."""

    async def execute(
        api: str,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"],
        path: str,
        query: Json | None = None,
        body: Json | None = None,
        form: Json | None = None,
        files: Json | None = None,
        headers: Json | None = None,
    ) -> str:
        """Send one HTTP request to an API, where you are signed in already, and get its status and body.

        Args:
            api: The API: slack, linear, box, calendar or stripe, whichever the task is about.
            method: The HTTP method.
            path: Relative to the API's base URL; for Slack a method's name, for Linear graphql.
            query: Query parameters.
            body: The JSON body.
            form: A form as the body, in place of JSON.
            files: Files to upload, texts by the name of their field {"file": {"name": "a.txt", "content": "text"}}.
            headers: Further headers, such as If-Match.
        """
        arguments = {"api": api, "method": method, "path": path, "query": query, "body": body}
        arguments |= {"form": form, "files": files, "headers": headers}
        return render_response(await anyio.to_thread.run_sync(episode_of(store_as(TwinStore)).call, arguments))

    return execute


@solver
def use_twin_tools() -> Solver:
    """Give the model the tools that the twins of its sample offer by MCP, and a system message about them."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        tools = await anyio.to_thread.run_sync(lambda: episode_of(state.store_as(TwinStore)).tools)
        state.messages.insert(0, ChatMessageSystem(content=instruct_for_tools(tools.apis)))
        state.tools.extend(_tool_of(each) for each in tools.by_name.values())
        return state

    return solve


def _tool_of(declared: McpTool) -> Tool:
    async def execute(**arguments: Any) -> str:
        given = {"tool": declared.name, "arguments": arguments}
        return render_response(await anyio.to_thread.run_sync(episode_of(store_as(TwinStore)).call, given))

    parameters = ToolParams.model_validate(declared.parameters)
    for name, each in parameters.properties.items():
        each.description = each.description or name  # Inspect wants one
    return ToolDef(execute, declared.name, declared.description or declared.name, parameters).as_tool()


@solver
def agent(work: Agent | str, seconds: float = SECONDS, bridge: bool = False) -> Solver:
    """Run a Twindiff agent on the sample: a function of a `twindiff.client.Task`, or its name as `module:name`.

    With `bridge`, the agent must be asynchronous, and its requests to the model "inspect" through a vendor's package go
    to Inspect's model: https://inspect.aisi.org.uk/agent-bridge.html.
    """
    agent = agent_at(work) if isinstance(work, str) else work

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        mine = episode_of(state.store_as(TwinStore)).task
        if not bridge:
            await anyio.to_thread.run_sync(let_work, agent, mine, seconds)
            return state
        async with agent_bridge(AgentState(messages=state.messages)) as bridged:
            with anyio.fail_after(seconds):
                await cast(Awaitable[None], agent(mine))
        state.messages, state.output = bridged.state.messages, bridged.state.output
        return state

    return solve


@solver
def in_a_fork() -> Solver:
    """Continue in a fork of the environment; use it as the first solver of a chain for Inspect's `fork`."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _note(state, await anyio.to_thread.run_sync(episode_of(state.store_as(TwinStore)).fork))
        return state

    return solve


@scorer(metrics={"passed": [accuracy(), stderr()], "score": [mean()]})
def verdict() -> Scorer:
    """Score by the test's checks: `passed`, and `score`, the share of passed checks from 0 to 1."""

    async def judge(state: TaskState, target: Target) -> Score:
        twins = state.store_as(TwinStore)
        episode = episode_of(twins)
        judged = await anyio.to_thread.run_sync(episode.verdict)
        messages = await messages_to_openai(state.messages)
        uses = [each.output.usage for each in transcript().events if isinstance(each, ModelEvent) and each.output.usage]
        await anyio.to_thread.run_sync(_record, twins, episode, str(state.model), messages, uses)
        value: dict[str, Any] = {"passed": reward(judged), "score": share(judged)}
        return Score(value=value, explanation="\n".join(reasons(judged)) or "All checks hold.")

    return judge


def _record(twins: TwinStore, episode: Episode, name: str, messages: Sequence[Any], uses: Sequence[ModelUsage]) -> None:
    """Keep a sample in the server's trial set, with its messages and what the model used."""
    recorder = recorder_for(twins.base_url, twins.suite, f"inspect:{name}", model=name, label=twins.label)
    if recorder is None:
        return
    for message in messages:
        episode.log(**message)
    for used in uses:
        episode.log(input_tokens=used.input_tokens, output_tokens=used.output_tokens, cost=used.total_cost)
    recorder.record(episode)


async def clean_up(state: TaskState) -> None:
    """Delete the sample's environments, except one with a checkpoint if the sample is not scored yet."""
    twins = state.store_as(TwinStore)
    episodes = {each.environment.id: each for each in _of_sample.pop(state.uuid, ())}
    if twins.environment_id in _live:  # started by an earlier process
        episodes[twins.environment_id] = _live[twins.environment_id]
    if twins.base_url and twins.point is not None and not state.scores:
        episodes.pop(twins.environment_id)
    for id, episode in episodes.items():
        _live.pop(id, None)
        with suppress(EpisodeLost):
            episode.close()


async def note_point(state: TaskState) -> None:
    """Before a checkpoint: store the current point of the environment."""
    twins = state.store_as(TwinStore)
    twins.point = episode_of(twins).environment.seq()


async def return_to_point(state: TaskState, attempt: str) -> str | None:
    """After a resume: rewind the environment to the checkpoint, unless the sample only has to be scored."""
    twins = state.store_as(TwinStore)
    if twins.point is None or attempt != "resume":
        return None
    episode_of(twins).environment.rewind(twins.point)
    return f"The twins are as they were at the checkpoint, at point {twins.point}."
