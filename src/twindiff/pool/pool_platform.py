"""The platform API of a pool, so that whatever takes a server or a `Twindiff` takes a pool of processes too."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlencode

import httpx
import msgspec

from twindiff.client import Environment
from twindiff.client.request_specs import RequestSpec
from twindiff.client.sync_client import Platform
from twindiff.client.transport import path_of, read
from twindiff.frameworks.episodes import EpisodeLost

if TYPE_CHECKING:
    from twindiff.pool.episode_pool import EpisodePool

T = TypeVar("T")

SECONDS_FOR_ROOM = 60.0
_ID = re.compile(rb"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")
_ONE = re.compile(r"/api/platform/env/([^/]+)$")
_CREATION = "/api/platform/initEnv"
_RUN_CREATION = "/api/platform/startRun"
MAX_ENDED_RUNS = 10_000
"""Runs of deleted environments whose worker is known."""


class PoolPlatform(Platform):
    """Sends each request to the worker of the environment or run that it names; new environments to the emptiest.

    Requests that name none go to the first worker, or to another one while that is started again. Reads that name
    none, and creations, are repeated in another worker where theirs has ended; other requests raise EpisodeLost.
    Creations raise PoolExhausted if no worker has room for another environment, and PoolClosed.
    """

    base_url = "http://localhost"

    def __init__(self, pool: EpisodePool) -> None:
        self._pool = pool
        self._places: dict[str, tuple[int, int]] = {}
        """The worker and its generation by the ids of environments and runs."""
        self._runs: dict[str, list[str]] = {}
        """The runs of environments that have not been deleted."""
        self._ended: deque[str] = deque()
        """Runs of deleted environments, the oldest first."""

    def send(self, spec: RequestSpec[T]) -> T:
        """Send a request and return its decoded response."""
        url = path_of(spec) + (f"?{urlencode(spec.query)}" if spec.query else "")
        request = httpx.Request(
            spec.verb, self.base_url + url, headers={"content-type": spec.content_type}, content=spec.body
        )
        answer = self.handle_request(request)
        return read(spec, answer.status_code, answer.content)

    def transport(self) -> PoolPlatform:
        """Return what handles requests of httpx for twins, whose paths name an environment."""
        return self

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Handle a request in the worker that it belongs to."""
        body, path = request.read(), request.url.path
        is_creation = path == _CREATION
        if is_creation or (request.method == "GET" and not self._find_known(path, body)):
            for _ in range(self._pool.stats().workers):  # each may have ended without notice
                with suppress(EpisodeLost):
                    return self._handle_once(request, body, path, is_creation=is_creation)
        return self._handle_once(request, body, path, is_creation=is_creation)

    def _handle_once(self, request: httpx.Request, body: bytes, path: str, *, is_creation: bool) -> httpx.Response:
        worker, generation = self._pool.take_room(SECONDS_FOR_ROOM) if is_creation else self._find_place(path, body)
        parts = (request.method, request.url.raw_path, request.headers.raw, body)
        try:
            status, headers, content = self._pool.ask(worker, generation, "request", *parts)
        except BaseException:
            if is_creation:
                self._pool.take_back(worker, generation)
            raise
        answer = httpx.Response(status, headers=headers, content=content, request=request)
        self._note(path, request.method, body, (worker, generation), answer)
        return answer

    def url(self, environment: Environment, twin: str = "") -> str:
        """The base URL of a twin on a loopback port of the worker's machine."""
        worker, generation = self._find_place(environment.id, b"")
        given = (environment.id, environment.service, environment.token)
        return self._pool.ask(worker, generation, "open_url", given, twin)

    def port(self, environment: Environment, twin: str = "") -> str:
        return self.url(environment, twin)

    def _find_place(self, path: str, body: bytes) -> tuple[int, int]:
        return self._find_known(path, body) or self._pool.find_first()

    def _find_known(self, path: str, body: bytes) -> tuple[int, int] | None:
        """Return the worker and generation of the environment or run that a request names."""
        for each in (*_ID.findall(path.encode()), *_ID.findall(body)):
            if place := self._places.get(_plain(each.decode())):
                return place
        return None

    def _end_runs(self, environment: str) -> None:
        """Forget the oldest runs of deleted environments, which a worker forgets too."""
        self._ended.extend(self._runs.pop(environment, ()))
        while len(self._ended) > MAX_ENDED_RUNS:
            self._places.pop(self._ended.popleft(), None)

    def _note(self, path: str, verb: str, body: bytes, place: tuple[int, int], answer: httpx.Response) -> None:
        """Note the ids that a response has made, and the room that it has taken or given back."""
        if not answer.is_success or not path.startswith("/api/platform/"):
            if path == _CREATION:
                self._pool.take_back(*place)
            return
        if verb == "DELETE" and (one := _ONE.search(path)):
            if self._places.pop(_plain(one[1]), None):
                self._pool.release(*place, 1)
                self._end_runs(_plain(one[1]))
        elif verb == "POST":
            made = msgspec.json.decode(answer.content)
            forks = _list_forks(made)
            ids = [_plain(each) for each in (*_list_ids([made]), *_list_ids(forks))]
            self._places |= dict.fromkeys(ids, place)
            if path == _RUN_CREATION:
                environment = _plain(msgspec.json.decode(body, type=dict[str, Any])["envId"])
                self._runs.setdefault(environment, []).extend(ids)
            if forks:
                self._pool.take_room_in(*place, len(forks))


def _plain(id: str) -> str:
    return id.replace("-", "")


def _list_forks(made: Any) -> list[Any]:
    forks = cast(dict[str, Any], made).get("environments") if isinstance(made, dict) else None
    return cast(list[Any], forks) if isinstance(forks, list) else []


def _list_ids(made: Sequence[Any]) -> list[str]:
    known = [cast(dict[str, Any], each) for each in made if isinstance(each, dict)]
    return [each[key] for each in known for key in ("environmentId", "runId") if isinstance(each.get(key), str)]
