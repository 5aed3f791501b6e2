# pyright: reportMissingImports=false
"""A loop of chat and tools for verifiers, in this process: its own is a program whose packages have to be fetched."""

import json
from typing import Any

import httpx
import verifiers.v1 as vf

__all__ = ["ChatHarness"]

HEADERS = {"Accept": "application/json, text/event-stream"}


class ChatHarness(vf.Harness[vf.HarnessConfig]):
    """What the model asks for is done until it asks for nothing."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_MCP = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        messages: list[Any] = [{"role": "system", "content": data.system_prompt}]
        messages.append({"role": "user", "content": data.prompt_text})
        (tools,) = mcp_urls.values()
        async with httpx.AsyncClient(trust_env=False, timeout=60) as http:
            while True:
                body = {"model": ctx.model, "messages": messages}
                headers = {"Authorization": f"Bearer {secret}"}
                answer = await http.post(f"{endpoint}/chat/completions", json=body, headers=headers)
                answer.raise_for_status()
                message = answer.json()["choices"][0]["message"]
                messages.append(message)
                if not message.get("tool_calls"):
                    return vf.ProgramResult(0, message["content"], "")
                for call in message["tool_calls"]:
                    text = await used(http, tools, call["function"])
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})


async def used(http: httpx.AsyncClient, url: str, function: Any) -> str:
    """What a tool says, asked as MCP asks it."""
    params = {"name": function["name"], "arguments": json.loads(function["arguments"])}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = await http.post(url, json=asked, headers=HEADERS)
    answer.raise_for_status()
    return answer.json()["result"]["content"][0]["text"]
