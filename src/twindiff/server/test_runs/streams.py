"""What happens in a run, while it happens: server-sent events, and frames of a socket."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import msgspec

from twindiff.catalog import TestRunEventRecord, TestRunRecord
from twindiff.kit.errors import InvalidParameter
from twindiff.kit.http import Answer
from twindiff.server.test_runs.ledger import ENDED, Ledger

SECONDS_OF_SILENCE = 15
"""After so long without news a comment keeps the connection open."""
HEADERS = (("Cache-Control", "no-store"), ("X-Accel-Buffering", "no"))
NAMES = {"step_started": "log", "refused": "log", "config": "log", "answer": "log", "message": "log"}
"""Types of events that streams have no name of their own for."""


async def news(ledger: Ledger, run: TestRunRecord, after: int) -> AsyncIterator[TestRunEventRecord | None]:
    """The events of a run after a number, until it has ended; None where there is none for a while."""
    heard = time.monotonic()
    while True:
        is_over, found = await ledger.do(partial(_since, ledger, run.run_id, after))
        for event in found:
            yield event
            after, heard = event.number, time.monotonic()
        if is_over:
            return
        if time.monotonic() - heard > SECONDS_OF_SILENCE:
            heard = time.monotonic()
            yield None
        await ledger.news(run.run_id)


def _since(ledger: Ledger, run_id: str, after: int) -> tuple[bool, list[TestRunEventRecord]]:
    """Whether a run has ended, and then all its events that were not told yet."""
    return ledger.find(run_id).status in ENDED, ledger.events(run_id, after)


def stream(ledger: Ledger, run: TestRunRecord, last_event_id: str | None) -> Answer:
    """The events of a run after the one that was heard last, until it ends; raises InvalidParameter."""
    given = last_event_id or "0"
    if not given.isdecimal() or len(given) > 9:
        raise InvalidParameter("Last-Event-ID", f"'{given[:50]}' is no number of an event")
    parts = _server_sent(ledger, run, int(given))
    return Answer(b"", content_type="text/event-stream; charset=utf-8", headers=HEADERS, parts=parts)


async def _server_sent(ledger: Ledger, run: TestRunRecord, after: int) -> AsyncIterator[bytes]:
    last = after
    async for event in news(ledger, run, after):
        if event is None:
            yield b": still running\n\n"
        else:
            last = event.number
            yield _written(last, NAMES.get(event.type, event.type), frame(event))
    ended = await ledger.do(lambda: ledger.find(run.run_id))
    yield _written(last, "done", {"run_id": ended.run_id, "status": ended.status})


def _written(number: int, name: str, data: dict[str, Any]) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, name.encode(), msgspec.json.encode(data))


def frame(event: TestRunEventRecord) -> dict[str, Any]:
    """An event as streams tell it."""
    return {
        "id": event.number,
        "type": event.type,
        "timestamp": f"{event.at}Z",
        "message": event.message,
        "run_id": event.run_id,
        **({"data": event.data} if event.data else {}),
    }
