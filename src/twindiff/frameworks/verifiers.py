# pyright: basic, reportMissingImports=false
# The package is not a development dependency; `make frameworks` checks this file with it installed.
"""Tests of a suite as a taskset of verifiers, through its v1 interface: https://docs.primeintellect.ai/verifiers.

verifiers finds a taskset by the name of a module, so write a module with the lines
`from twindiff.frameworks.verifiers import SuiteTaskset` and `__all__ = ["SuiteTaskset"]`.
"""

import asyncio
from collections.abc import Iterable
from typing import Any, Literal

import httpx
import verifiers.v1 as vf

from twindiff.client.mcp_tools import instruct_for_tools
from twindiff.client.transport import is_secured
from twindiff.client.trial_runner import Task as TwinTask
from twindiff.client.trial_runner import let_work
from twindiff.client.twin_tool import instructions, render_response, send_call
from twindiff.frameworks.episodes import (
    SECONDS_OF_A_CALL,
    Episode,
    Json,
    agent_at,
    apis_of,
    chosen_tests,
    platform_at,
    reasons,
    share,
)
from twindiff.frameworks.trial_recording import recorder_for
from twindiff.frameworks.verifiers_mcp_tools import TwinMcpTools
from twindiff.frameworks.verifiers_rollouts import TestData, TwinState, task_of

SECONDS = 600.0


class TwinTools(vf.Toolset[vf.ToolsetConfig, TwinState]):
    """The tool. verifiers runs it in a process of its own and evaluates its annotations there."""

    TOOL_PREFIX = None

    async def setup_task(self, task: TestData) -> None:
        self._data = task

    @vf.tool
    async def call_api(
        self,
        api: str,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"],
        path: str,
        query: Json | None = None,
        body: Json | None = None,
        form: Json | None = None,
        files: Json | None = None,
        headers: Json | None = None,
    ) -> str:
        """Send one HTTP request to an API and get its status and body."""
        arguments = {"api": api, "method": method, "path": path, "query": query, "body": body}
        arguments |= {"form": form, "files": files, "headers": headers}
        task = task_of(self.state, self._data)
        return await asyncio.to_thread(_call_twin, task, arguments)


def _call_twin(task: TwinTask, arguments: Json) -> str:
    headers = {"Authorization": f"Bearer {task.token}"}
    verify = is_secured(*task.urls.values())
    with httpx.Client(headers=headers, trust_env=False, verify=verify, timeout=SECONDS_OF_A_CALL) as http:
        return render_response(send_call(http, task, arguments))


class SuiteTaskConfig(vf.TaskConfig):
    """The configuration of the tools' process.

    The model has the tool `call_api`, or with `offers="mcp"` those that the twins offer by MCP.
    """

    tools: vf.ToolsetConfig = vf.ToolsetConfig()
    offers: Literal["api", "mcp"] = "api"


_live: dict[str, Episode] = {}
"""The episodes of this process by trace id, since several rollouts share one task."""


class SuiteTask(vf.Task[TestData, TwinState, SuiteTaskConfig]):
    """A test; each rollout has an environment of its own, which is deleted after its evaluation."""

    @property
    def key(self) -> str:
        return f"{self.data.suite}/{self.data.name}"

    @classmethod
    def toolsets(cls, config: SuiteTaskConfig) -> list[vf.Toolset[Any, Any]]:
        return [(TwinMcpTools if config.offers == "mcp" else TwinTools)(config.tools)]

    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        _live[trace.id] = await asyncio.to_thread(self._begin_episode)
        task, state = _live[trace.id].task, trace.state
        state.urls, state.token, state.environment_id = task.urls, task.token, task.environment_id

    def _begin_episode(self) -> Episode:
        platform = platform_at(self.data.base_url, self.data.pool)
        test = next(each for each in chosen_tests(platform, self.data.suite) if each.name == self.data.name)
        return Episode.begin(platform, test)

    async def finalize(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        with _live.pop(trace.id) as episode:
            verdict = await asyncio.to_thread(episode.verdict)
            await asyncio.to_thread(self._record, episode, trace)
        trace.state.passed, trace.state.score = verdict.passed, share(verdict)
        trace.state.reasons = list(reasons(verdict))
        trace.info["reasons"] = trace.state.reasons

    def _record(self, episode: Episode, trace: vf.Trace) -> None:
        """Keep a rollout in the server's trial set, with its messages and tokens."""
        data, name = self.data, next((each.model for each in trace.calls if each.model), "")
        recorder = recorder_for(data.base_url, data.suite, f"verifiers:{name}", model=name, label=data.label)
        if recorder is None:
            return
        for message in trace.messages:
            episode.log(**message.model_dump(exclude_none=True))
        episode.log(input_tokens=trace.num_input_tokens, output_tokens=trace.num_output_tokens)
        recorder.record(episode)

    @vf.reward
    async def passed(self, trace: vf.Trace) -> float:
        return float(trace.state.passed)

    @vf.metric
    async def share_of_checks(self, trace: vf.Trace) -> float:
        return trace.state.score


class SuiteConfig(vf.TasksetConfig):
    """The tests of `suite` whose names contain `tests`; in this process, or on the server at `base_url`.

    A server keeps the rollouts as a trial set with this `label`. `pool` is a pool of `twindiff.pool` as `module:name`;
    its processes are on this machine, since the tools call them by loopback ports.
    """

    suite: str = "starter"
    tests: str = ""
    base_url: str = ""
    label: str = ""
    pool: str = ""
    task: SuiteTaskConfig = SuiteTaskConfig()


class SuiteTaskset(vf.Taskset[SuiteTask, SuiteConfig]):
    """The tests of a suite."""

    def load(self) -> Iterable[SuiteTask]:
        given, platform = self.config, platform_at(self.config.base_url, self.config.pool)
        instruct = instruct_for_tools if given.task.offers == "mcp" else instructions
        for each in chosen_tests(platform, given.suite, given.tests):
            data = TestData(
                name=each.name,
                prompt=each.prompt,
                system_prompt=instruct(apis_of(platform, each)),
                test_id=each.id,
                suite=given.suite,
                base_url=given.base_url,
                label=given.label,
                pool=given.pool,
            )
            yield SuiteTask(data, given.task)


class AgentHarnessConfig(vf.HarnessConfig):
    """The agent, as `module:name`, and its time limit in seconds."""

    agent: str = ""
    seconds: float = SECONDS


class AgentHarness(vf.Harness[AgentHarnessConfig]):
    """Runs a Twindiff agent, a function of a `twindiff.client.Task`, in this process."""

    EXECUTES_CODE = False
    NEEDS_CONTAINER = False
    SUPPORTS_MCP = True
    APPENDS_SYSTEM_PROMPT = True

    async def launch(self, ctx: vf.ModelContext, trace: vf.Trace, *_: Any, **__: Any) -> vf.ProgramResult:
        task = task_of(trace.state, trace.task.data)
        await asyncio.to_thread(let_work, agent_at(self.config.agent), task, self.config.seconds)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


if __name__ == "__main__":
    TwinTools.run()
