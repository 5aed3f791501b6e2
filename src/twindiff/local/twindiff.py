"""`Twindiff`: the platform API in process, without a server."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode

from twindiff.client import Environment
from twindiff.client.request_specs import Json, RequestSpec
from twindiff.client.sync_client import Platform
from twindiff.client.transport import path_of, read
from twindiff.environments.actors import NOBODY
from twindiff.environments.registry import Registry
from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Twin
from twindiff.local.connected_libraries import intercept_requests
from twindiff.local.in_process import HERE, InProcessClient, LocalService, TwinMount
from twindiff.local.loopback_ports import Serving
from twindiff.local.transports import Transport, requests_adapter
from twindiff.local.vendor_routes import ConnectedEnvironment, VendorRoutes
from twindiff.server import Settings

if TYPE_CHECKING:
    from requests.adapters import HTTPAdapter

T = TypeVar("T")

A_DAY = 24 * 3600

_HEADERS = [(b"host", HERE), (b"content-type", b"application/json")]


class Twindiff(Platform):
    """Twins in this process: `with Twindiff() as td: env = td.create("slack:slack_default")`.

    All data is in memory unless `data_dir` names a folder; in memory, runs of the newest 1,000 deleted environments can
    be read, and nothing else remains of deleted ones. `twins` are all installed ones by default. Threads may share
    an instance; a lock serializes their requests.
    """

    base_url = "http://localhost"

    def __init__(self, data_dir: str = ":memory:", *, twins: Sequence[Twin] | None = None) -> None:
        self._service = LocalService(Settings(data_dir), None if twins is None else Registry(twins))
        self._inside = InProcessClient(self._service)
        self._serving = Serving(self._service.ports)

    def close(self) -> None:
        self._serving.close()
        with self._inside.lock:
            self._service.close()

    def send(self, spec: RequestSpec[T]) -> T:
        reply = self._inside.reply(spec.verb, path_of(spec), urlencode(spec.query).encode(), _HEADERS, spec.body)
        return read(spec, reply.status, reply.body)

    def create(
        self,
        *templates: str,
        user: str | None = None,
        ttl_seconds: int | None = A_DAY,
        clock: Json | None = None,
        name: str | None = None,
        **options: Any,
    ) -> Environment:
        """Create an environment; by default, for the first user of its templates and for a day."""
        user = user or (self._someone(templates) if templates else None)
        return super().create(*templates, user=user, ttl_seconds=ttl_seconds, clock=clock, name=name, **options)

    def _someone(self, templates: Sequence[str]) -> str:
        known = self._service.templates
        with self._inside.lock:
            try:
                records = [known.meant(each) for each in templates]
            except ApiError:
                return NOBODY  # the same error is raised when the environment is created
            return self._service.environments.actors.first(records) or NOBODY

    def url(self, environment: Environment, twin: str = "") -> str:
        """The base URL of a twin on a loopback port of its own, for SDKs that take only a URL."""
        return self._serving.open(environment.id, self._place(environment, twin).twin)

    def port(self, environment: Environment, twin: str = "") -> str:
        return self.url(environment, twin)

    def transport(self, environment: Environment | None = None, twin: str = "") -> Transport:
        """A transport for httpx clients: all requests go to the twin; without an environment, their paths name it."""
        return Transport(self._inside, self._place(environment, twin) if environment else None)

    def adapter(self, environment: Environment, twin: str = "") -> HTTPAdapter:
        """An adapter for sessions of requests: `session.mount("https://", td.adapter(env, "box"))`."""
        return requests_adapter(self._inside, self._place(environment, twin))

    def _place(self, environment: Environment, twin: str) -> TwinMount:
        """The mount of a twin; raises UnknownTwin or TwinNotFound."""
        with self._inside.lock:
            live = self._service.environments.get(environment.id)
            return TwinMount(environment.id, self._service.twin_of(live, twin or environment.service).name)

    def _find_connected(self, environment: Environment) -> ConnectedEnvironment:
        """An environment of this process as `connect` routes requests to it."""
        with self._inside.lock:
            twins = tuple(self._service.environments.get(environment.id).twins.values())
        return ConnectedEnvironment(self._inside, environment.id, environment.token, twins)


_routes = VendorRoutes()
_interception = ExitStack()
_changing = threading.Lock()


@contextmanager
def connect(environment: Environment) -> Generator[Environment]:
    """Send the requests of this process for vendors' own hosts to the twins of an environment, for a block.

    Covers httpx, requests, urllib3, urllib, httplib2 and aiohttp, hence the vendors' SDKs, in all threads. Requests for
    other hosts are sent as ever. If blocks are nested or run in several threads, a request goes to the environment
    whose token it has, else to the newest. Raises TypeError for an environment that `Twindiff` has not made.
    """
    platform = environment.client
    if not isinstance(platform, Twindiff):
        raise TypeError("connect takes an environment that Twindiff() has made in this process; a server has URLs")
    connected = platform._find_connected(environment)  # pyright: ignore[reportPrivateUsage] - of this module
    with _changing:
        if not _routes.environments:
            _interception.enter_context(intercept_requests(_routes))
        _routes.environments = (*_routes.environments, connected)
    try:
        yield environment
    finally:
        with _changing:
            _routes.environments = tuple(each for each in _routes.environments if each is not connected)
            if not _routes.environments:
                _interception.close()
