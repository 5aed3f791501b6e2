# pyright: basic, reportMissingImports=false
# The package is not a development dependency; `make frameworks` checks this file with it installed.
"""Tests of suites as an OpenEnv environment, https://huggingface.co/docs/openenv.

`uvicorn twindiff.frameworks.openenv:app` serves it. Suites are OpenEnv's splits, tests its tasks. `$TWINDIFF_URL` is
the URL of a server that has them, `$TWINDIFF_POOL` a pool of `twindiff.pool` as `module:name`; without them, the twins
run in the same process, with the starter suite. A server keeps the episodes that were finished as a trial set with the
label `$TWINDIFF_LABEL`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any, Literal

try:
    from openenv.core.env_server import Action, Environment, Observation, State, create_app
except ModuleNotFoundError as error:
    raise ImportError(f"This needs OpenEnv ({error}): pip install 'twindiff[openenv]'.") from None
from openenv.core.env_server.types import EnvironmentMetadata
from pydantic import Field

from twindiff.client import Test
from twindiff.client.mcp_tools import McpTool
from twindiff.client.twin_tool import TOOL, TwinResponse, render_response
from twindiff.frameworks.episodes import (
    Episode,
    EpisodeLost,
    Json,
    UnknownTask,
    platform_at,
    reasons,
    reward,
    share,
    suite_of,
)
from twindiff.frameworks.trial_recording import recorder_for
from twindiff.suites.starter import STARTER

MAX_SESSIONS = 256


class TwinAction(Action):
    """A request to a twin, a call of a `tool` of the twins, or `finish` when the agent is done.

    `metadata` may have `content`, what the model said; a server keeps it in the transcript of the trial.
    """

    api: str = ""
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    path: str = ""
    query: Json | None = None
    body: Json | None = None
    form: Json | None = None
    files: Json | None = None
    headers: Json | None = None
    tool: str | None = None
    arguments: Json | None = None
    finish: bool = False


class TwinObservation(Observation):
    """The twin's response: its HTTP status, or 0 if no request was sent, and its text.

    The first one of `reset(tools="mcp")` has the `tools` that the twins offer by MCP.

    `reward` is 0.0 until the end, then 1.0 if the test passed; `score`, from 0 to 1, and `reasons` are also set then.
    """

    test: str
    prompt: str
    status: int = 0
    answer: str = ""
    tools: list[Json] = Field(default_factory=list)
    score: float | None = None
    reasons: list[str] = Field(default_factory=list)


class EpisodePosition(State):
    """The state of an episode; `point` is the current point of its environment."""

    split: str = ""
    test: str = ""
    environment_id: str = ""
    point: int = 0


class SuiteEnvironment(Environment[TwinAction, TwinObservation, EpisodePosition]):
    """Tests of suites, each with an environment of its own."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, base_url: str = "") -> None:
        super().__init__()
        self._base_url = base_url or os.environ.get("TWINDIFF_URL", "")
        self._platform = platform_at(self._base_url, os.environ.get("TWINDIFF_POOL", ""))
        self._episode: Episode | None = None
        self._state = EpisodePosition()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str = STARTER,
        index: int | None = None,
        **kwargs: Any,
    ) -> TwinObservation:
        """Start a test of a split: the one at `index`, by default the one that the seed selects.

        With `at`, a point of the current episode, continue from there in a fork instead: `reset(at=3)`.
        """
        before, at = self._episode, kwargs.get("at")
        if at is None:
            test = self.get_task_at(split, (seed or 0) % self.num_tasks(split) if index is None else index)
            self._episode = Episode.begin(self._platform, test)
        else:
            self._episode = self._running().fork(at)
            split = self._state.split
        if before is not None:
            with suppress(EpisodeLost):
                before.close()
        environment = self._episode.environment
        self._state = EpisodePosition(
            episode_id=episode_id or environment.id,
            split=split,
            test=self._episode.test.name,
            environment_id=environment.id,
            point=environment.seq(),
        )
        observation = self._observe(TwinResponse(0, ""))
        if kwargs.get("tools") == "mcp":
            observation.tools = [_describe(each) for each in self._episode.tools.by_name.values()]
        return observation

    def step(self, action: TwinAction, timeout_s: float | None = None, **kwargs: Any) -> TwinObservation:
        """Send a request to a twin; with `finish`, end the episode with its verdict.

        An episode of a pool whose process has ended is over, with the reward 0.0 and the error as its reason.
        """
        try:
            return self._act(action)
        except EpisodeLost as lost:
            over = {"done": True, "score": 0.0, "reasons": [str(lost)]}
            return self._observe(TwinResponse(0, str(lost))).model_copy(update=over)

    def _act(self, action: TwinAction) -> TwinObservation:
        episode = self._running()
        self._state.step_count += 1
        if action.finish:
            verdict = episode.verdict()
            self._record(action)
            last = {"done": True, "reward": reward(verdict), "score": share(verdict), "reasons": list(reasons(verdict))}
            return self._observe(TwinResponse(0, "")).model_copy(update=last)
        arguments = action.model_dump(exclude={"finish", "metadata"}, exclude_none=True)
        answered = episode.call(arguments)
        name = arguments.pop("tool", TOOL)
        called = {"name": name, "arguments": arguments.get("arguments", {}) if action.tool else arguments}
        episode.log(role="assistant", content=action.metadata.get("content", ""), tool_calls=[{"function": called}])
        episode.log(role="tool", name=name, content=render_response(answered))
        self._state.point = episode.environment.seq()
        return self._observe(answered)

    def _record(self, action: TwinAction) -> None:
        """Keep the trial in the server's trial set."""
        recorder = recorder_for(
            self._base_url, self._state.split, "openenv", label=os.environ.get("TWINDIFF_LABEL", "")
        )
        if recorder is not None:
            self._running().log(role="assistant", content=action.metadata.get("content", ""))
            recorder.record(self._running())

    @property
    def state(self) -> EpisodePosition:
        return self._state

    def list_splits(self) -> list[str]:
        """The names of the suites."""
        suite_of(self._platform)
        return [each.name for each in self._platform.suites()]

    def num_tasks(self, split: str) -> int:
        return len(suite_of(self._platform, split).tests)

    def list_tasks(self, split: str) -> list[Json]:
        return [_spec(index, each) for index, each in enumerate(suite_of(self._platform, split).tests)]

    def get_task(self, split: str, index: int) -> Json:
        return _spec(index, self.get_task_at(split, index))

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[Json]:
        return self.list_tasks(split)[start:stop]

    def get_task_at(self, split: str, index: int) -> Test:
        """A test by its index in a suite; raises IndexError or UnknownTask."""
        tests = suite_of(self._platform, split).tests
        if not 0 <= index < len(tests):
            raise IndexError(f"{split!r} has {len(tests)} tasks, from 0 on; there is no {index}.")
        return tests[index]

    def get_metadata(self) -> EnvironmentMetadata:
        return EnvironmentMetadata(
            name="twindiff",
            description="Tasks in stateful replicas of SaaS APIs, judged by what changed in them",
        )

    def close(self) -> None:
        if self._episode is not None:
            with suppress(EpisodeLost):
                self._episode.close()
            self._episode = None

    def _running(self) -> Episode:
        if self._episode is None:
            raise UnknownTask("No episode runs. Call reset() before this.")
        return self._episode

    def _observe(self, answered: TwinResponse) -> TwinObservation:
        test = self._running().test
        return TwinObservation(
            test=test.name, prompt=test.prompt, status=answered.status, answer=answered.text, reward=0.0
        )


def _describe(tool: McpTool) -> Json:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _spec(index: int, test: Test) -> Json:
    return {"id": test.id, "index": index, "name": test.name, "prompt": test.prompt}


app = create_app(
    SuiteEnvironment,
    TwinAction,
    TwinObservation,
    env_name="twindiff",
    max_concurrent_envs=MAX_SESSIONS,
    state_cls=EpisodePosition,
)
