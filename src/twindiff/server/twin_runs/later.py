"""Routes of the contract that come with the browser runner; until then they say so."""

from __future__ import annotations

from typing import Any

from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Operations

api = Operations()

PREFIXES = ("/runs", "/test-runs", "/tests", "/sandbox-runs", "/sandboxes", "/runner", "/demo-runner", "/validation")


class NotImplementedYet(ApiError):
    """Test runs, sandbox runs, pull request runs and saved tests are not implemented by this server yet."""

    status = 501


def refuse(desk: Any) -> None:
    """Say that the route has no implementation."""
    raise NotImplementedYet


for _prefix in PREFIXES:
    for _path in (_prefix, f"{_prefix}/{{path:path}}"):
        for _declare in (api.get, api.post, api.put, api.patch, api.delete):
            _declare(_path)(refuse)
for _path in ("/validate/url-run", "/validate/pr-run", "/validate/url/probe"):
    api.post(_path)(refuse)
api.get("/validate/{run_id}/results")(refuse)
api.get("/validate/{run_id}/artifacts/{name}")(refuse)
