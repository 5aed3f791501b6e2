"""Refuses control-plane requests of our own deliveries, of other pages, and of agents, whatever their credentials."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from twindiff.browser.peers import BROWSER, MARK, WEBHOOK
from twindiff.kit.errors import ApiError


class OwnRequest(ApiError):
    """A Twindiff server sent this for somebody else, and answers no such request."""

    status = 403


class OtherPage(ApiError):
    """A page of another address asked the control plane; only the server's own pages may."""

    status = 403


HOOK_RECEIVER = "/validation/github/webhook"
"""The path at which the server receives webhooks, even its own: they are signed, and start runs only."""


def refuse_own_request(headers: Mapping[str, str], path: str, *, is_twin: bool) -> None:
    """Refuse requests of this server's webhooks to any path but their receiver, and of a page under test to anything
    but twins; raises OwnRequest.
    """
    sender = headers.get(MARK.lower())
    if sender == WEBHOOK and path == HOOK_RECEIVER:
        return
    if sender and not (sender == BROWSER and is_twin):
        raise OwnRequest(f"This request was sent for a {sender} by a Twindiff server, which it may not reach")


def refuse_other_page(headers: Mapping[str, str]) -> None:
    """Refuse a request whose `Origin` is not the server's own address, by name or IP; raises OtherPage."""
    origin, host = headers.get("origin", "").lower(), headers.get("host", "").lower()
    if origin and _plain(origin.rpartition("//")[2]) != _plain(host):
        raise OtherPage(f"A page of '{origin}' asked for this; only pages of http://{host} may use the control plane")


def is_loopback_url(url: str) -> bool:
    """Return whether a URL names this machine, so that a client that uses it can reach loopback ports."""
    name = urlsplit(url).hostname or ""
    return name in ("localhost", "127.0.0.1", "::1") or name.endswith(".localhost")


def _plain(host: str) -> str:
    """The host and port, with every name of this machine normalized to `127.0.0.1`."""
    name, colon, port = host.rpartition(":")
    if not colon or not port.isdecimal():
        name, port = host, ""
    return f"{'127.0.0.1' if name in ('localhost', '[::1]') else name}:{port}"
