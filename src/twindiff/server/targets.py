"""Which twin a request addresses: by path, by host, or as the TLS door has found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from twindiff.server.mcp_address import MCP_PATH

PREFIX = "/api/env/"
WHOLE_ENVIRONMENT = f"{PREFIX}{{id}}{MCP_PATH}"


class RequestTarget(NamedTuple):
    """The environment, twin and path that a request addresses, and the base URL for links in its response.
    The twin is empty for MCP of the whole environment; the base URL then lacks the twin's name.
    """

    environment: str
    twin: str
    path: str
    base_url: str
    vendor_host: str = ""
    """The vendor's host that the client addressed through the TLS door."""
    is_vouched: bool = False
    """Whether the client gave credentials of the environment to the TLS door, so that the request needs no others."""


TARGET = "twindiff.target"
"""The key of a scope under which the TLS door passes the target on."""


def find_target(scope: Mapping[str, Any], host: str) -> RequestTarget | None:
    """The target that the TLS door has found, else the one that host and path name; None outside the data plane."""
    return scope.get(TARGET) or target_of(scope["scheme"], scope["path"], host)


def target_of(scheme: str, path: str, host: str) -> RequestTarget | None:
    """Parse the target from the host (`{twin}--{id}.localhost`) or the path; None outside the data plane."""
    name, _, domain = host.partition(".")
    if "--" in name and domain.partition(":")[0] == "localhost":
        twin, _, environment = name.rpartition("--")
        # Not every program resolves the host of a twin, so links in responses have the form with a path.
        return RequestTarget(environment, twin, path, f"{scheme}://{domain}{PREFIX}{environment}/services/{twin}")
    if path.startswith(PREFIX):
        if path.endswith(MCP_PATH) and path.count("/") == WHOLE_ENVIRONMENT.count("/"):
            environment = path[len(PREFIX) : -len(MCP_PATH)]
            base_url = f"{scheme}://{host or 'localhost'}{PREFIX}{environment}/services/"
            return RequestTarget(environment, "", MCP_PATH, base_url)
        environment, _, rest = path[len(PREFIX) :].partition("/services/")
        twin, slash, tail = rest.partition("/")
        base_url = f"{scheme}://{host or 'localhost'}{PREFIX}{environment}/services/{twin}"
        return RequestTarget(environment, twin, slash + tail, base_url)
    return None
