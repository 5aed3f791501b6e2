# pyright: basic, reportMissingImports=false
# The package is not a development dependency; `make frameworks` checks this file with it installed.
"""What a rollout of verifiers and the processes of its tools know of a test and its environment."""

import verifiers.v1 as vf
from pydantic import Field

from twindiff.client.trial_runner import Task as TwinTask


class TwinState(vf.State):
    """The state of a rollout: access to its environment for tools, and its result for rewards."""

    urls: dict[str, str] = Field(default_factory=dict)
    token: str = ""
    environment_id: str = ""
    passed: bool = False
    score: float = 0.0
    reasons: list[str] = Field(default_factory=list)


class TestData(vf.TaskData):
    """The serialized data of a test."""

    __test__ = False

    test_id: str
    suite: str
    base_url: str = ""
    label: str = ""
    pool: str = ""


def task_of(state: TwinState, data: TestData) -> TwinTask:
    """The task of a Twindiff agent for a rollout."""
    url = next(iter(state.urls.values()), "")
    return TwinTask(data.test_id, data.prompt_text, url, state.urls, state.token, state.environment_id)
