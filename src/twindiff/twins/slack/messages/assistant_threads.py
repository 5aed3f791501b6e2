"""Threads with an assistant: status, title and suggested prompts.

https://docs.slack.dev/ai/developing-ai-apps
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from twindiff.kit import Call, Operations

from ..core.access import visible_channel
from ..core.arguments import is_ts
from ..core.errors import InvalidThreadTs
from ..core.tables import AssistantThread, Channel
from .stream_errors import InvalidPrompts

api = Operations()

Prompts = Annotated[list[dict[str, Any]], InvalidPrompts]
Loading = Annotated[list[str], msgspec.Meta(max_length=10)]

_MAX_PROMPTS = 4


@api.method("assistant.threads.setStatus", scope="assistant:write")
def set_status(
    call: Call, channel_id: str, thread_ts: str, status: str, loading_messages: Loading | None = None
) -> dict[str, Any]:
    """Set the status of an assistant; an empty status or the assistant's next reply clears it.

    https://docs.slack.dev/reference/methods/assistant.threads.setStatus
    """
    _update_thread(call, channel_id, thread_ts, status=status, loading_messages=loading_messages or [])
    return {}


@api.method("assistant.threads.setTitle", scope="assistant:write")
def set_title(call: Call, channel_id: str, thread_ts: str, title: str) -> dict[str, Any]:
    """Set the title of a thread.

    https://docs.slack.dev/reference/methods/assistant.threads.setTitle
    """
    _update_thread(call, channel_id, thread_ts, title=title)
    return {}


@api.method("assistant.threads.setSuggestedPrompts", scope="assistant:write")
def set_suggested_prompts(
    call: Call, channel_id: str, prompts: Prompts, thread_ts: str = "", title: str = ""
) -> dict[str, Any]:
    """Set the suggested prompts of a thread.

    https://docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts
    """
    if len(prompts) > _MAX_PROMPTS or not all(_is_prompt(each) for each in prompts):
        raise InvalidPrompts
    _update_thread(call, channel_id, thread_ts, prompts=prompts, prompts_title=title)
    return {}


def _is_prompt(given: dict[str, Any]) -> bool:
    return all(isinstance(given.get(name), str) and given[name] for name in ("title", "message"))


def _update_thread(call: Call, channel_id: str, thread_ts: str, **wanted: Any) -> None:
    room = visible_channel(call, channel_id)
    if thread_ts and not is_ts(thread_ts):
        raise InvalidThreadTs
    thread = _thread(call, room, thread_ts)
    if thread is None:
        call.db.add(AssistantThread(channel_id=room.channel_id, thread_ts=thread_ts, **wanted))
    elif changed := {name: value for name, value in wanted.items() if getattr(thread, name) != value}:
        call.db.change(thread, **changed)


def _thread(call: Call, room: Channel, thread_ts: str) -> AssistantThread | None:
    here = (AssistantThread.channel_id == room.channel_id, AssistantThread.thread_ts == thread_ts)
    return call.db.find(AssistantThread, *here)


def clear_status(call: Call, room: Channel, thread_ts: str) -> None:
    """Clear the assistant's status in a thread after its reply."""
    thread = _thread(call, room, thread_ts)
    if thread and thread.status:
        call.db.change(thread, status="", loading_messages=[])
