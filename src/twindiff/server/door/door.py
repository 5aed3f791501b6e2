"""The door of a server: its listener, and the environment and twin that each request through it goes to."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from twindiff.catalog import EnvironmentRecord
from twindiff.catalog.shard_ids import own_shard, shard_of
from twindiff.environments.calls import Calls
from twindiff.environments.environments import (
    TOKEN_PREFIX,
    Environments,
    LoadedEnvironment,
    door_secret_of,
    shard_of_token,
)
from twindiff.environments.registry import Registry
from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Twin
from twindiff.server.auth import agent_token, refusal, same
from twindiff.server.door.errors import AmbiguousEnvironment, NoControlPlane, UnknownHost, WrongCredentials
from twindiff.server.door.hosts import Address, find_twin, has_host
from twindiff.server.listening_ports import ListeningPorts
from twindiff.server.targets import PREFIX, TARGET, RequestTarget, target_of

if TYPE_CHECKING:
    from twindiff.server.door.authority import CertificateAuthority
    from twindiff.server.door.connection import DoorConnection

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]

BACKLOG = 512
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - addresses that are compared, not listened on
MAX_TOKENS_PER_CONNECTION = 16
MAX_LISTED = 5
"""Twins or environments that a refusal names."""


class DoorPort(NamedTuple):
    """What a program needs to use the door: the address of the proxy, and the certificate to trust, in PEM."""

    host: str
    port: int
    certificate: str


class Caller:
    """The client of one connection: the environment that its credentials named, or else what its tokens named."""

    def __init__(self, environment_id: str = "", twins: Sequence[str] = ()) -> None:
        self.environment_id = environment_id
        """The environment whose credentials the client gave to the proxy; empty if it gave none."""
        self.twins = frozenset(twins)
        """The names of the twins that answer it; all of the environment if there are none."""
        self.by_token: dict[str, str] = {}

    def select(self, twins: Mapping[str, Twin]) -> list[Twin]:
        """The twins that answer this client."""
        return [twin for name, twin in twins.items() if not self.twins or name in self.twins]


class DoorSettings(Protocol):
    """The settings of a server that the door reads."""

    @property
    def api_key(self) -> str | None: ...
    @property
    def ca_folder(self) -> str: ...
    @property
    def allow_hosts(self) -> tuple[str, ...]: ...


class Door:
    """Listens on a loopback port, which is opened when somebody needs it or when the server was told a port."""

    def __init__(
        self,
        settings: DoorSettings,
        environments: Environments,
        registry: Registry,
        calls: Calls,
        run: Callable[[Callable[[], Any]], Awaitable[Any]],
        wait_for_twins: Callable[[], Awaitable[None]],
    ) -> None:
        self.settings = settings
        self._environments = environments
        self._registry = registry
        self._calls = calls
        self._run = run
        """Runs work that reads the catalog without blocking the event loop."""
        self._wait_for_twins = wait_for_twins
        self._app: App | None = None
        self._opening = asyncio.Lock()
        self._server: asyncio.Server | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listener: socket.socket | None = None
        self.make_connection: Callable[[Door], DoorConnection] | None = None
        """Makes the protocol of a connection; by default one that stays in this process."""
        self.own_ports = ListeningPorts()
        """Ports of the server, to which no connection is passed on."""
        self.connections: set[asyncio.BaseTransport] = set()
        self.authority: CertificateAuthority | None = None

    def serve(self, app: App, own_ports: ListeningPorts) -> None:
        """Set the application that answers, and the ports of the server, to which that of the door is added."""
        self._app, self.own_ports = app, own_ports

    def adopt(self, listener: socket.socket) -> None:
        """Use a listening socket instead of one of any free port."""
        self._listener = listener

    @property
    def has_listener(self) -> bool:
        """Whether a port was given, so that the door opens with the server."""
        return self._listener is not None

    async def open(self) -> DoorPort:
        """Open the door if it is not open yet; raises OSError."""
        async with self._opening:
            if self._server is None:
                await self._listen()
        assert self.authority, "the door is open"
        assert self._listener, "the door is open"
        host, port = self._listener.getsockname()[:2]
        return DoorPort(LOOPBACK if host in EVERYWHERE else host, port, self.authority.pem)

    async def _listen(self) -> None:
        from twindiff.server.door.authority import CertificateAuthority
        from twindiff.server.door.connection import DoorConnection

        folder = self.settings.ca_folder
        self.authority = CertificateAuthority.open(Path(folder) if folder else None)
        self._loop = asyncio.get_running_loop()
        self._listener = self._listener or socket.create_server((LOOPBACK, 0), backlog=BACKLOG)
        self.own_ports.add(self._listener.getsockname()[1], has_control_plane=False)
        make = self.make_connection or DoorConnection
        self._server = await self._loop.create_server(lambda: make(self), sock=self._listener)

    def close(self) -> None:
        """Stop accepting connections, and close the open ones; from any thread."""
        if self._server and self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._hang_up)
        elif self._listener:
            self._listener.close()

    def _hang_up(self) -> None:
        assert self._server, "it was opened"
        self._server.close()
        for transport in [*self.connections]:
            transport.close()

    async def admit(self, credentials: tuple[str, str] | None) -> Caller:
        """The caller with a proxy's user and password; raises WrongCredentials, and what `Environments.get` raises."""
        await self._wait_for_twins()
        if credentials is None:
            return Caller()
        (name, *twins), password = credentials[0].split("+"), credentials[1]
        environment = await self._run(lambda: self._environments.get(name))
        key = self.settings.api_key
        is_known = environment.opens_with(password) or same(password, environment.door_secret)
        is_open = key is None and not password.startswith(TOKEN_PREFIX)
        if not (is_known or is_open or (key is not None and same(password, key))):
            raise WrongCredentials(f"The password given to the proxy does not open environment '{environment.id}'")
        return Caller(environment.id, twins)

    def answers_for(self, caller: Caller, host: str) -> bool:
        """Whether a twin of the caller's environment, or any twin if that is not known yet, answers for a host."""
        environment = self._environments.live(caller.environment_id) if caller.environment_id else None
        return has_host(caller.select(environment.twins if environment else self._registry.twins), host)

    def refuse(self, caller: Caller, address: Address, request: str) -> UnknownHost:
        """Note a request to a host without a twin, and return its refusal."""
        environment = self._environments.live(caller.environment_id) if caller.environment_id else None
        if environment:
            self._calls.refuse_host(environment, address.host, request)
        twins = sorted(each.name for each in caller.select(environment.twins if environment else self._registry.twins))
        return UnknownHost(
            f"No twin answers for {address.host}; there {'are' if len(twins) > 1 else 'is'} {', '.join(twins)}. "
            "Let connections pass with `twindiff serve --allow-host`"
        )

    async def answer(self, caller: Caller, scope: Scope, receive: Any, send: Any) -> None:
        """Respond to one request of a connection, as an ASGI application."""
        assert self._app, "no application is set"
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"] if name in _READ}
        try:
            target = await self._find(caller, scope, headers)
        except ApiError as error:
            await _refuse(scope, receive, send, error)
            return
        scope = {**scope, TARGET: target}
        scope["headers"] = [each for each in scope["headers"] if each[0] != b"proxy-authorization"]
        await self._app(scope, receive, send)

    async def _find(self, caller: Caller, scope: Scope, headers: Mapping[str, str]) -> RequestTarget:
        """The target of a request; raises UnknownHost, AmbiguousEnvironment, NoControlPlane and others."""
        host, _, port = headers.get("host", "").lower().partition(":")
        path: str = scope["path"]
        direct = target_of(scope["scheme"], path, headers.get("host", "").lower())
        is_vouched = bool(caller.environment_id)
        if direct and (host in _HERE or host.endswith(".localhost")):
            if is_vouched and direct.environment != caller.environment_id:
                raise NoControlPlane(
                    f"The credentials given to the proxy do not open environment '{direct.environment}'"
                )
            return direct._replace(is_vouched=is_vouched)
        if host in _HERE:
            raise NoControlPlane(f"Through the proxy, {host} has nothing but twins, at {PREFIX}ID/services/TWIN")
        environment = await self._environment_of(caller, headers)
        match = find_twin(caller.select(environment.twins), host, path)
        if match is None:
            request = f"{scope.get('method', 'GET')} {scope['scheme']}://{host}{path}"
            raise self.refuse(Caller(environment.id, [*caller.twins]), Address(host, 443), request)
        base_url = f"{scope['scheme'].replace('ws', 'http')}://{host}{f':{port}' if port else ''}"
        path = match.host.prefix + path
        return RequestTarget(environment.id, match.twin, path, base_url, host, is_vouched)

    async def _environment_of(self, caller: Caller, headers: Mapping[str, str]) -> LoadedEnvironment:
        """The environment of a request; raises AmbiguousEnvironment and what `Environments.get` raises."""
        if caller.environment_id:
            known = self._environments.live(caller.environment_id)
            return known or await self._run(lambda: self._environments.get(caller.environment_id))
        token = headers.get("authorization", "") or headers.get("x-api-key", "")
        environment_id = caller.by_token.get(token)
        if environment_id is None:
            environment_id = await self._run(lambda: self._guess(headers))
            if len(caller.by_token) < MAX_TOKENS_PER_CONNECTION:
                caller.by_token[token] = environment_id
        return await self._run(lambda: self._environments.get(environment_id))

    def _guess(self, headers: Mapping[str, str]) -> str:
        """The id of the environment that a request's token opens, else that of the only environment."""
        given = agent_token(headers)
        if given:
            _refuse_other_shard(shard_of_token(given))
        of_agent = self._environments.of_agent(given) if given else None
        if of_agent:
            return of_agent.id
        ready = self._environments.list(limit=1000, status="ready")
        words = headers.get("authorization", "").split()
        token = words[-1] if words else ""
        named = [each.environment_id for each in ready if token and _has_token(each, token)]
        if len(named) == 1:
            _refuse_other_shard(shard_of(named[0]))
            return named[0]
        if len(ready) != 1:
            raise AmbiguousEnvironment(
                f"There are {len(ready) or 'no'} environments, and neither the proxy's user nor a token names one. "
                "Set the proxy to http://ENVIRONMENT:TOKEN@HOST:PORT"
            )
        _refuse_other_shard(shard_of(ready[0].environment_id))
        return ready[0].environment_id


def _refuse_other_shard(shard: int) -> None:
    """Refuse a request within TLS that belongs to another process; raises AmbiguousEnvironment."""
    if shard != own_shard():
        raise AmbiguousEnvironment(
            "This server has several workers, so the proxy's user has to name the environment. "
            "Set the proxy to http://ENVIRONMENT:TOKEN@HOST:PORT"
        )


def _has_token(record: EnvironmentRecord, token: str) -> bool:
    return token in cast(dict[str, Any], record.tokens).get("actors", {}) or token.endswith(
        door_secret_of(record.token_hash)
    )


_HERE = ("localhost", LOOPBACK)
_READ = (b"host", b"authorization", b"x-api-key")


async def _refuse(scope: Scope, receive: Any, send: Any, error: ApiError) -> None:
    """Respond to a request that reaches no twin."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": str(error)[:100]})
        return
    answer = refusal(error)
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer.body))]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})
