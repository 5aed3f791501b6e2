"""Live events of a run: server-sent events, and WebSocket frames."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from twindiff.catalog import TestRunEventRecord, TestRunRecord
from twindiff.environments.runs import RunNotFound
from twindiff.kit.errors import InvalidParameter
from twindiff.kit.http import Response
from twindiff.server.apis.event_streams import KEEP_ALIVE, encode_event, stream_events
from twindiff.server.apis.test_runs.ledger import ENDED, Ledger
from twindiff.server.auth import agent_token, same

SECONDS_OF_SILENCE = 15
"""Seconds without events after which a comment keeps the connection alive."""
NAMES = {"step_started": "log", "refused": "log", "config": "log", "answer": "log", "message": "log"}
"""Names on the wire of event types that have none of their own."""


async def news(ledger: Ledger, run: TestRunRecord, after: int) -> AsyncIterator[TestRunEventRecord | None]:
    """Yield a run's events after a number, until it has ended; None after `SECONDS_OF_SILENCE` without any."""
    heard = time.monotonic()
    while True:
        is_over, events = await ledger.do(partial(_since, ledger, run.run_id, after))
        for event in events:
            yield event
            after, heard = event.number, time.monotonic()
        if is_over:
            return
        if time.monotonic() - heard > SECONDS_OF_SILENCE:
            heard = time.monotonic()
            yield None
        await ledger.news(run.run_id)


def _since(ledger: Ledger, run_id: str, after: int) -> tuple[bool, list[TestRunEventRecord]]:
    """Whether a run has ended, read before its new events, so that none is missed."""
    return ledger.find(run_id).status in ENDED, ledger.events(run_id, after)


def stream(ledger: Ledger, run: TestRunRecord, last_event_id: str | None) -> Response:
    """Stream the events of a run after the last received one, until it ends; raises InvalidParameter."""
    given = last_event_id or "0"
    if not given.isdecimal() or len(given) > 9:
        raise InvalidParameter("Last-Event-ID", f"'{given[:50]}' is no number of an event")
    return stream_events(_server_sent(ledger, run, int(given)))


async def _server_sent(ledger: Ledger, run: TestRunRecord, after: int) -> AsyncIterator[bytes]:
    last = after
    async for event in news(ledger, run, after):
        if event is None:
            yield KEEP_ALIVE
        else:
            last = event.number
            yield _write_event(last, NAMES.get(event.type, event.type), frame(event))
    ended = await ledger.do(lambda: ledger.find(run.run_id))
    yield _write_event(last, "done", {"run_id": ended.run_id, "status": ended.status})


def _write_event(number: int, name: str, data: dict[str, Any]) -> bytes:
    return encode_event(msgspec.json.encode(data).decode(), name, str(number))


def frame(event: TestRunEventRecord) -> dict[str, Any]:
    """Render an event for streams."""
    return {
        "id": event.number,
        "type": event.type,
        "timestamp": f"{event.at}Z",
        "message": event.message,
        "run_id": event.run_id,
        **({"status": event.data["status"]} if "status" in event.data else {}),
        **({"data": event.data} if event.data else {}),
    }


NOT_FOR_YOU = 1008


async def frames(api_key: str | None, ledger: Ledger, websocket: WebSocket) -> None:
    """Serve a WebSocket: a snapshot of the run, then a JSON object per event, until the run ends."""
    run_id = websocket.path_params["run_id"]
    try:
        run = await ledger.do(lambda: ledger.find(run_id))
    except RunNotFound:
        await websocket.close(NOT_FOR_YOU, "there is no such run")
        return
    if not _may_watch(api_key, run, websocket):
        await websocket.close(NOT_FOR_YOU, "bring the key of the server, or the token of the run")
        return
    await websocket.accept()
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        snapshot = {"type": "snapshot", "run_id": run.run_id, "status": run.status, "last_event_id": run.events}
        await websocket.send_json(snapshot)
        telling = asyncio.create_task(_tell(ledger, run, websocket))
        leaving = asyncio.create_task(_wait_until_left(websocket))
        await asyncio.wait([telling, leaving], return_when=asyncio.FIRST_COMPLETED)
        telling.cancel()
        leaving.cancel()
        await asyncio.gather(telling, leaving, return_exceptions=True)
        await websocket.close(1000)


def _may_watch(api_key: str | None, run: TestRunRecord, websocket: WebSocket) -> bool:
    if agent_token(websocket.headers):
        return False
    if api_key is None:
        return True
    bearer = websocket.headers.get("authorization", "").removeprefix("Bearer ")
    given = [websocket.headers.get("x-api-key", ""), bearer, websocket.query_params.get("token", "")]
    return any(same(each, api_key) or same(each, run.view_token) for each in given if each)


async def _tell(ledger: Ledger, run: TestRunRecord, websocket: WebSocket) -> None:
    async for event in news(ledger, run, run.events):
        if event:
            await websocket.send_json(frame(event))


async def _wait_until_left(websocket: WebSocket) -> None:
    """Wait until the client disconnects."""
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass
