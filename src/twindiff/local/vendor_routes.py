"""Routes requests to vendors' hosts to the twins of connected environments, whichever library sends them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from twindiff.kit.twin import Twin
from twindiff.local.in_process import Headers, InProcessClient, InProcessResponse
from twindiff.server.door.hosts import find_twin
from twindiff.server.targets import RequestTarget


class ConnectedEnvironment(NamedTuple):
    """An environment of this process, to which requests for the hosts of its twins' vendors go."""

    inside: InProcessClient
    id: str
    token: str
    twins: tuple[Twin, ...]

    def find(self, host: str, path: str) -> RequestTarget | None:
        """The target of a request by its host and decoded path; None if no twin answers for them."""
        match = find_twin(self.twins, host, path)
        if match is None:
            return None
        return RequestTarget(self.id, match.twin, match.host.prefix + path, f"https://{host}", host)


class VendorRoutes:
    """The connected environments of this process, the newest last."""

    def __init__(self) -> None:
        self.environments: tuple[ConnectedEnvironment, ...] = ()

    def answers(self, url: str) -> bool:
        """Whether a request for a URL is for a vendor of a connected environment."""
        return bool(self.environments) and self._find(url, "") is not None

    def reply(self, verb: str, url: str, headers: Iterable[tuple[str, str]], body: bytes) -> InProcessResponse:
        """The response to a request; raises ConnectionRefusedError if it is for no vendor of a connected environment.

        If several environments have the vendor, the one whose agent token is in a header, else the newest, responds.
        """
        listed = [*headers]
        match = self._find(url, " ".join(value for _, value in listed))
        if match is None:
            raise ConnectionRefusedError(f"no connected environment has a twin for {url}")
        environment, target = match
        query = urlsplit(url).query.encode()
        return environment.inside.reply_to(target, verb, query, _encode(listed, target.vendor_host), body)

    def _find(self, url: str, said: str) -> tuple[ConnectedEnvironment, RequestTarget] | None:
        """The environment that a URL is for, with the target; `said` are the values of the request's headers."""
        parts = urlsplit(url)
        host, path = (parts.hostname or "").lower(), unquote(parts.path) or "/"
        newest_first = self.environments[::-1]
        for each in sorted(newest_first, key=lambda each: each.token not in said):
            if target := each.find(host, path):
                return each, target
        return None


def _encode(headers: Iterable[tuple[str, str]], host: str) -> Headers:
    kept = [(name.lower(), value) for name, value in headers if name.lower() not in _OF_A_CONNECTION]
    return [(b"host", host.encode()), *((name.encode(), value.encode("latin-1", "replace")) for name, value in kept)]


_OF_A_CONNECTION = {"host", "content-length", "transfer-encoding", "origin", "connection", "accept-encoding"}
