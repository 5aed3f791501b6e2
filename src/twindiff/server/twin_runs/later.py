"""Routes of the contract that nothing implements yet; they say so."""

from __future__ import annotations

from typing import Any

from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Operations

api = Operations()

PREFIXES = ("/validation",)


class NotImplementedYet(ApiError):
    """This route of Arga's API is not implemented by this server yet."""

    status = 501


def refuse(desk: Any) -> None:
    """Say that the route has no implementation."""
    raise NotImplementedYet


for _prefix in PREFIXES:
    for _path in (_prefix, f"{_prefix}/{{path:path}}"):
        for _declare in (api.get, api.post, api.put, api.patch, api.delete):
            _declare(_path)(refuse)
api.post("/validate/url/probe")(refuse)
