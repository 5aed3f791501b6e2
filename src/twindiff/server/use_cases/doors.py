"""The TLS door for the programs of one environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from twindiff.kit.errors import ApiError
from twindiff.server.service import Service


class DoorNeedsServer(ApiError):
    """Twins in this process have no TLS door; start a server with `twindiff serve`."""

    status = 501


class DoorEntry(NamedTuple):
    """What a program of an environment needs to come in by the door."""

    environment_id: str
    proxy_url: str
    host: str
    port: int
    user: str
    password: str
    certificate: str
    hosts: dict[str, list[str]]
    """The vendors' hosts, wildcards and prefixes of paths included, by twin."""
    variables: dict[str, str]
    """Environment variables with tokens and client secrets that the twins accept."""


async def open_door(service: Service, env_id: str, names: Sequence[str] = ()) -> DoorEntry:
    """Open the door and describe it for an environment, or for some of its twins.

    Raises what `Environments.get` raises, TwinNotFound and DoorNeedsServer.
    """
    environment = service.environments.get(env_id)
    twins = [service.twin_of(environment, name) for name in names] or [*environment.twins.values()]
    user = "+".join((environment.id, *(twin.name for twin in twins if names)))
    if not service.runtime.has_event_loop:
        raise DoorNeedsServer
    host, port, certificate = await service.runtime.run_on_loop(service.door.open())
    secret = environment.door_secret
    variables: dict[str, str] = {}
    for twin in twins:
        variables |= twin.variables.without_urls(secret)
    return DoorEntry(
        environment.id,
        f"http://{user}:{secret}@{f'[{host}]' if ':' in host else host}:{port}",
        host,
        port,
        user,
        secret,
        certificate,
        {twin.name: [each.name + each.path for each in twin.hosts] for twin in twins},
        variables,
    )
