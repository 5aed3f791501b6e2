"""The operation that opens the TLS door for programs of an environment."""

from __future__ import annotations

import msgspec

from twindiff.kit.twin import Operations
from twindiff.server.service import Service
from twindiff.server.use_cases import doors as use_cases

api = Operations()


class DoorShown(msgspec.Struct, rename="camel"):
    """`proxyUrl` is the proxy, with the environment's credentials; `certificate` is the authority to trust, in PEM.
    `hosts` are the vendor's hosts by twin; `variables` are environment variables with tokens that the twins accept.
    """

    environment_id: str
    proxy_url: str
    host: str
    port: int
    user: str
    password: str
    certificate: str
    hosts: dict[str, list[str]]
    variables: dict[str, str]


@api.post("/env/{envId}/door")
async def open_door(service: Service, env_id: str, twins: list[str] | None = None) -> DoorShown:
    """Open the TLS door, a proxy that answers for the vendors' own hosts, and say how programs get in.
    The door listens on this machine only. It is opened once for all environments, on the port of `twindiff serve
    --proxy-port` or on a free one. `twins` are the twins that answer, by default all of the environment.
    """
    entry = await use_cases.open_door(service, env_id, twins or ())
    return DoorShown(**entry._asdict())
