"""Operations that a client lets run in the background, which are done at once here.

https://developers.notion.com/reference/retrieve-an-async-task
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations, ValueResponse

from ..core.object_lookup import not_found
from ..tables.workspace_tables import AsyncTask

api = Operations(prefix="/v1")
POLL_SECONDS = 2


def answer_async(call: Call, body: dict[str, Any], operation: str, result: dict[str, Any]) -> Any:
    """Return an answer, or the task whose result it is if the request asks for one."""
    return add_task(call, operation, result) if body.get("allow_async") else result


def add_task(call: Call, operation: str, result: dict[str, Any]) -> ValueResponse:
    """Return the task that has a result, as it was before it was done."""
    task = AsyncTask(
        id=f"task_{call.ids.uuid().replace('-', '')}",
        operation=operation,
        result=result,
        created_time=call.clock.iso(),
    )
    call.db.add(task)
    return ValueResponse({**_render_task(call, task, "queued"), "poll_after_seconds": POLL_SECONDS}, 202)


@api.get("/async_tasks/{task_id}")
def get_async_task(call: Call, task_id: str) -> dict[str, Any]:
    """Get a task with its result."""
    task = call.db.find(AsyncTask, AsyncTask.id == task_id)
    if task is None:
        raise not_found(call, "async task", task_id, "")
    return {**_render_task(call, task, "succeeded"), "result": task.result}


def _render_task(call: Call, task: AsyncTask, status: str) -> dict[str, Any]:
    return {
        "object": "async_task",
        "id": task.id,
        "status": status,
        "status_url": f"{call.base_url}/v1/async_tasks/{task.id}",
        "created_time": f"{(task.created_time or '')[:23]}Z"
        if "." in (task.created_time or "")
        else f"{task.created_time}.000Z",
        "operation": {"surface": "rest", "name": task.operation},
    }
