# pyright: reportMissingImports=false
"""An agent of OpenAI's SDK uses the tools of a twin by the SDK's own MCP client; its model is scripted."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed; `pip install openai-agents` brings it")

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from tests.harness import GENERAL, Environment, Platform, texts

pytestmark = pytest.mark.filterwarnings("default")


class ScriptedModel(Model):
    """Makes the calls of a script one after the other, then says that it is done."""

    def __init__(self, *script: tuple[str, dict[str, Any]]) -> None:
        self._script = list(script)

    async def get_response(self, *unused: Any, **also_unused: Any) -> ModelResponse:
        if self._script:
            name, arguments = self._script.pop(0)
            call = ResponseFunctionToolCall(
                arguments=json.dumps(arguments), call_id=f"call_{name}", name=name, type="function_call"
            )
            return ModelResponse([call], Usage(), None)
        text = ResponseOutputText(annotations=[], text="Done.", type="output_text")
        message = ResponseOutputMessage(id="1", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse([message], Usage(), None)

    def stream_response(self, *unused: Any, **also_unused: Any) -> Any:
        raise NotImplementedError


def test_an_agent_of_openais_sdk_posts_to_the_twin(platform: Platform, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    set_tracing_disabled(True)
    environment: Environment = platform.environment()
    run = platform.start(environment)
    params: Any = {"url": f"{environment.url}/mcp", "headers": {"Authorization": f"Bearer {environment.token}"}}
    model = ScriptedModel(
        ("slack_list_channels", {}), ("slack_post_message", {"channel_id": GENERAL, "text": "Hi from a model"})
    )

    async def act() -> str:
        async with MCPServerStreamableHttp(params) as server:
            result = await Runner.run(Agent("helper", model=model, mcp_servers=[server]), "Say hi.")
            return str(result.final_output)

    assert asyncio.run(act()) == "Done."
    assert texts(platform.diff(run)) == ["Hi from a model"]
