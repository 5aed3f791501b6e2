"""Addresses of a twin in what it stores and responds: one form in rows and events, and the reader's in a response.

Handlers write `Call.base_url`. It is OWN_ADDRESS whichever way the caller came, so the same calls leave the same rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec

from .http import Response
from .vendor_hosts import VendorHost, has_vendor_host

OWN_ADDRESS = "https://twin.invalid"
"""The stored form of a twin's base URL; nobody can own such a host (RFC 2606)."""
_MARK = b"://twin.invalid"
_OWN = re.compile(rb"\b(https|wss)://twin\.invalid(?![\w.-])((?:/[\w.~%!$&()*+,;=:@{}/-]*)?)")
_NO_TEXT = ("image/", "video/", "audio/", "application/octet-stream", "application/zip")


class OwnAddresses:
    """Puts the addresses by which readers reach a twin in place of OWN_ADDRESS.

    `hosts` are the vendor's hosts. `places` maps beginnings of operations' paths to the host that the vendor names for
    them: `{"": "api.box.com", "/api/2.0/files": "upload.box.com"}`. Raises ValueError for a host that is not declared.
    """

    def __init__(self, hosts: tuple[VendorHost, ...], places: Mapping[str, str]) -> None:
        self._hosts = hosts
        longest_first = sorted(places, key=len, reverse=True)
        self._places = [(each.encode(), self._prefix_of(places[each]), places[each].encode()) for each in longest_first]
        self.vendors = f"https://{places['']}" if "" in places else ""
        """The address of the vendor's API, for readers that did not come by any."""

    def _prefix_of(self, host: str) -> bytes:
        declared = next((each for each in self._hosts if each.matches(host, each.path)), None)
        if declared is None:
            raise ValueError(f"'{host}' has addresses but is not among the twin's hosts")
        return declared.prefix.encode()

    def name_in_response(self, response: Response, base_url: str) -> Response:
        """A response whose body and headers name the addresses below `base_url`, by which the caller came."""
        if _MARK in response.body and not response.content_type.startswith(_NO_TEXT):
            response = response._replace(body=self.name(response.body, base_url))
        if any("://twin.invalid" in value for _, value in response.headers):
            named = ((name, self.name(value.encode(), base_url).decode()) for name, value in response.headers)
            response = response._replace(headers=tuple(named))
        return response

    def name_in_json(self, value: dict[str, Any], base_url: str) -> dict[str, Any]:
        """A JSON value that names the addresses below `base_url`, or the vendor's if it is empty."""
        text = msgspec.json.encode(value)
        return cast(dict[str, Any], msgspec.json.decode(self.name(text, base_url))) if _MARK in text else value

    def name(self, text: bytes, base_url: str) -> bytes:
        """A text that names the addresses below `base_url`; those of a vendor's host name the host of each path."""
        base = base_url or self.vendors
        parts = urlsplit(base)
        is_vendors = not parts.path and has_vendor_host(self._hosts, parts.hostname or "")
        here = {b"https": base.encode(), b"wss": base.replace("http", "ws", 1).encode()}

        def put(match: re.Match[bytes]) -> bytes:
            scheme, path = match[1], match[2]
            if is_vendors:
                for begins, prefix, host in self._places:
                    if path.startswith(begins):
                        return scheme + b"://" + host + path.removeprefix(prefix)
            return here[scheme] + path

        return _OWN.sub(put, text)
