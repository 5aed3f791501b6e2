# pyright: reportMissingImports=false
"""Agents of frameworks use the tools of twins by the frameworks' own MCP clients; their models are scripted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="inspect-ai is not installed; `make frameworks` has it")

import inspect_ai
from inspect_ai import Task
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.tool import mcp_server_http

from tests.harness import GENERAL, Environment, Platform, texts

pytestmark = pytest.mark.filterwarnings("default")


def scripted(*calls: tuple[str, dict[str, Any]]) -> Any:
    """A model that makes these calls, and submits an answer then."""
    outputs = [ModelOutput.for_tool_call("mockllm", name, arguments) for name, arguments in calls]
    outputs.append(ModelOutput.for_tool_call("mockllm", "submit", {"answer": "Done."}))
    for each in outputs:
        each.usage = ModelUsage()  # else it is counted by a tokenizer, which has to be fetched
    return get_model("mockllm/model", custom_outputs=outputs)


def test_an_agent_of_inspect_posts_to_the_twin(platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    environment: Environment = platform.environment()
    run = platform.start(environment)
    headers = {"Authorization": f"Bearer {environment.token}"}
    server = mcp_server_http(name="slack", url=f"{environment.url}/mcp", headers=headers)
    model = scripted(
        ("slack_list_channels", {}), ("slack_post_message", {"channel_id": GENERAL, "text": "Hi from a model"})
    )
    task = Task(dataset=[Sample(input="Say hi.")], solver=react(tools=[server]))
    (log,) = inspect_ai.eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    assert texts(platform.diff(run)) == ["Hi from a model"]
