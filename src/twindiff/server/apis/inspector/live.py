"""Live timelines: stream new entries to all viewers of an environment, rendered once for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from twindiff.environments.environments import EnvironmentNotFound
from twindiff.kit.errors import ApiError, NotServed
from twindiff.server.apis.event_streams import KEEP_ALIVE, StreamSlots, encode_event
from twindiff.server.apis.inspector.rendering import render
from twindiff.server.apis.inspector.timelines import TimelineCursor, cursor_at, timeline
from twindiff.server.service import Service
from twindiff.storage.backoff import MAX_TRIES, Backoff
from twindiff.storage.feed import either

SECONDS_TOGETHER = 0.1
"""Seconds within which new entries are rendered together."""
SECONDS_BETWEEN_UPDATES = 1.0
"""Seconds between two updates of an active environment."""
SECONDS_FLOODED = 3.0
"""Seconds between two updates after more calls than are rendered: it saves CPU for the agent, and no one reads that
fast.
"""
SECONDS_BETWEEN_LISTS = 5.0
"""Seconds between two updates of the lists of environments and runs."""
SECONDS_QUIET = 20
"""Seconds of silence before a keep-alive, or `ended` if the environment is gone."""
MAX_CALLS_DRAWN = 20
"""Maximum calls rendered at once; beyond that, a line with their number links to the others."""
MAX_WAITING_UPDATES = 50
"""Updates that a slow viewer may be behind; then its stream ends, and it reconnects at its cursor."""


class TimelineUpdate(NamedTuple):
    """New rows as HTML, the cursor after them, and the number of calls left out."""

    cursor: TimelineCursor
    html: str
    left_out: int

    def encode(self) -> bytes:
        """Encode the update as a server-sent event."""
        return encode_event(self.html, "rows", str(self.cursor))


CHANGED = encode_event("", "changed")
ENDED = encode_event("", "ended")
RETRY_AFTER_A_SECOND = b"retry: 1000\n\n"
Waiting = asyncio.Queue[bytes]


class LiveTimelines:
    """The streams of the inspector, by environment."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._readers: dict[str, set[Waiting]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._slots = StreamSlots()

    def admit(self) -> None:
        """Raise TooManyStreams if no further stream is allowed."""
        self._slots.check()

    async def stream(self, environment_id: str, cursor: TimelineCursor) -> AsyncGenerator[bytes]:
        """Stream the timeline after a cursor; ends with the environment."""
        waiting: Waiting = asyncio.Queue(MAX_WAITING_UPDATES)
        with self._slots.take(), self._hold_reader(environment_id, waiting):
            yield RETRY_AFTER_A_SECOND
            part = await self._part(environment_id, cursor)
            if part.html:
                yield part.encode()
            said = b""
            while said != ENDED and not waiting.full():
                yield (said := await waiting.get())

    async def overview(self) -> AsyncGenerator[bytes]:
        """Stream a `changed` event whenever environments or runs were added or changed."""
        with self._slots.take(), self._service.engine.feed.watch() as commits:
            seen = ""
            yield RETRY_AFTER_A_SECOND + CHANGED
            while True:
                try:
                    await asyncio.wait_for(anext(commits), SECONDS_BETWEEN_LISTS)
                    has_changed = True
                except TimeoutError:
                    has_changed, seen = seen != (newest := await self._newest()), newest
                yield CHANGED if has_changed else KEEP_ALIVE
                if has_changed:
                    await asyncio.sleep(SECONDS_BETWEEN_LISTS)

    async def _newest(self) -> str:
        """A fingerprint of the newest environment and run."""

        async def ask() -> str:
            environments = self._service.environments.list(limit=1)
            runs = self._service.runs.list(limit=1, status="")
            return " ".join(
                [*(each.environment_id for each in environments), *(f"{r.run_id} {r.status}" for r in runs)]
            )

        return await self._service.runtime.run_request(ask)

    async def _sign(self, environment_id: str) -> bytes:
        """The event for an environment without updates: a keep-alive, or `ended`."""

        async def ask() -> bytes:
            return KEEP_ALIVE if self._service.environments.record(environment_id).status == "ready" else ENDED

        try:
            return await self._service.runtime.run_request(ask)
        except NotServed:
            return KEEP_ALIVE
        except EnvironmentNotFound:
            return ENDED

    @contextmanager
    def _hold_reader(self, environment_id: str, waiting: Waiting) -> Generator[None]:
        """Send updates of an environment to a queue; the first reader starts watching, and the last one ends it."""
        readers = self._readers.setdefault(environment_id, set())
        readers.add(waiting)
        if environment_id not in self._tasks:
            self._tasks[environment_id] = asyncio.create_task(self._watch(environment_id))
        try:
            yield
        finally:
            readers.discard(waiting)
            if not readers:
                del self._readers[environment_id]
                self._tasks.pop(environment_id).cancel()

    async def _watch(self, environment_id: str) -> None:
        """Render updates whenever the feed of calls or commits has news."""
        log, engine = self._service.calls.log, self._service.engine
        backoff = Backoff(f"Showing environment {environment_id}")
        with engine.feed.watch(environment_id) as commits, log.feed.watch(environment_id) as calls:
            cursor = await self._present(environment_id)
            while True:
                try:
                    await asyncio.wait_for(either(commits.__anext__(), calls.__anext__()), SECONDS_QUIET)
                except TimeoutError:
                    self._tell(environment_id, await self._sign(environment_id))
                    continue
                await asyncio.sleep(SECONDS_TOGETHER)
                cursor, seconds = await self._look(environment_id, cursor, backoff)
                await asyncio.sleep(seconds - SECONDS_TOGETHER)

    async def _look(
        self, environment_id: str, cursor: TimelineCursor, backoff: Backoff
    ) -> tuple[TimelineCursor, float]:
        """Send the update after a cursor; returns the next cursor, and the seconds until the next update.

        Rows that cannot be shown are left out after `MAX_TRIES`.
        """
        try:
            part = await self._part(environment_id, cursor)
        except ApiError:  # the environment has ended, or the disk is full
            self._tell(environment_id, await self._sign(environment_id))
            return cursor, SECONDS_BETWEEN_UPDATES
        except Exception as error:  # noqa: BLE001 - an internal error must not end the stream
            seconds = backoff.fail(error)
            return (await self._present(environment_id) if backoff.failures >= MAX_TRIES else cursor), seconds
        backoff.reset()
        if part.html:
            self._tell(environment_id, part.encode())
        return part.cursor, SECONDS_FLOODED if part.left_out else SECONDS_BETWEEN_UPDATES

    async def _present(self, environment_id: str) -> TimelineCursor:
        async def ask() -> TimelineCursor:
            return TimelineCursor(
                self._service.calls.log.last(environment_id), self._service.engine.seq(environment_id)
            )

        return await self._service.runtime.run_request(ask)

    def _tell(self, environment_id: str, said: bytes) -> None:
        for waiting in self._readers.get(environment_id, ()):
            with suppress(asyncio.QueueFull):
                waiting.put_nowait(said)

    async def _part(self, environment_id: str, cursor: TimelineCursor) -> TimelineUpdate:
        async def read() -> TimelineUpdate:
            last = self._service.calls.log.last(environment_id)
            left_out = max(0, last - cursor.number - MAX_CALLS_DRAWN)
            start = cursor_at(self._service, environment_id, last - MAX_CALLS_DRAWN) if left_out else cursor
            shown = await timeline(self._service, environment_id, start, None)
            base = f"/inspect/environments/{environment_id}"
            html = render("events.html", events=shown.events, base=base, left_out=left_out, until=start.number)
            return TimelineUpdate(shown.cursor, html.strip(), left_out)

        return await self._service.runtime.run_request(read)
