"""Which shard a request goes to, by the id that its path, its host, its body or its agent token names.

Shard 0 answers whatever names no other shard. New environments and twin runs are spread over all shards. A test run
is done in the shard of the twin run or sandbox that it names.
"""

from __future__ import annotations

import re
from typing import Any, cast
from urllib.parse import parse_qsl

import msgspec

from twindiff.catalog.shard_ids import SHARD_ID, ServedShard, shard_of
from twindiff.environments.environments import TOKEN_PREFIX, shard_of_token

_LINE = re.compile(rb"([A-Z]+) (?:http://[^/ ]*)?([^ ?]*)")
_HOST = re.compile(rb"\r\nhost:[ \t]*[^\r\n.]*--([^\r\n.]*)\.localhost", re.IGNORECASE)
_TOKEN = re.compile(rb"\r\n(?:authorization|x-api-key):[^\r\n]*?(" + TOKEN_PREFIX.encode() + rb"[^\s]*)", re.IGNORECASE)
_DATA_PLANE = re.compile(r"/api/env/([^/]*)")

_CREATIONS = {
    "/api/platform/initEnv",
    "/api/platform/env/import",
    "/v1/sandboxes",
    "/twin-runs",
    "/validate/twins/provision",
}
_BY_BODY = {
    "/api/platform/startRun",
    "/api/platform/diffRun",
    "/api/platform/evaluateRun",
    "/api/platform/templates/from-environment",
    "/api/platform/mcp",
    "/mcp",
    "/test-runs",
    "/runner/runs",
    "/demo-runner/runs",
    "/validate/url-run",
}
_SAVED_TEST = re.compile(r"/(?:runner/)?tests/[^/]+/run")
_ANYWHERE = {"/api/platform/health", "/api/platform/ready"}
_ID_KEYS = ("runId", "envId", "environmentId", "run_id", "env_id", "environment_id", "provision_id", "sandbox_id")
_CREATING_TOOLS = ("create_environment", "create_twin_run", "provision_twins")


class ShardRouter:
    """Finds the shard of a request by its bytes."""

    def __init__(self, served: ServedShard) -> None:
        self.own = served.number
        self._count = served.total
        self._next = served.number

    def needs_body(self, head: bytes) -> bool:
        """Return whether the body may name the shard."""
        line = _LINE.match(head)
        return line is not None and line[1] == b"POST" and _is_by_body(line[2].decode("latin-1"))

    def find_shard(self, head: bytes, body: bytes) -> int:
        """Return the shard of a request; this shard refuses ids whose shard does not exist."""
        shard = self._read_shard(head, body)
        return shard if shard < self._count else self.own

    def find_environment(self, environment_id: str) -> int:
        """Return the shard of an environment; this shard refuses ids whose shard does not exist."""
        shard = shard_of(environment_id)
        return shard if shard < self._count else self.own

    def _read_shard(self, head: bytes, body: bytes) -> int:
        line, host = _LINE.match(head), _HOST.search(head)
        if line is None:
            return self.own
        path = line[2].decode("latin-1")
        if host:
            return shard_of(host[1].decode("latin-1"))
        if target := _DATA_PLANE.match(path):
            return shard_of(target[1])
        if token := _TOKEN.search(head):
            return shard_of_token(token[1].decode("latin-1"))
        if line[1] == b"POST" and path in _CREATIONS:
            return self._spread()
        if path in _ANYWHERE:
            return self.own
        if _is_by_body(path):
            return self._read_body(body)
        id = SHARD_ID.search(path)
        return shard_of(id[0]) if id else 0

    def _read_body(self, body: bytes) -> int:
        message = _read_fields(body)
        call = message.get("params")
        tool = cast(dict[str, Any], call) if isinstance(call, dict) else {}
        if tool.get("name") in _CREATING_TOOLS:
            return self._spread()
        arguments = tool.get("arguments")
        given = [message, cast(dict[str, Any], arguments) if isinstance(arguments, dict) else {}]
        ids = [values[key] for values in given for key in _ID_KEYS if key in values]
        return next((shard_of(id) for id in ids if isinstance(id, str)), 0)

    def _spread(self) -> int:
        self._next = (self._next + 1) % self._count
        return self._next


def _is_by_body(path: str) -> bool:
    return path in _BY_BODY or _SAVED_TEST.fullmatch(path) is not None


def _read_fields(body: bytes) -> dict[str, Any]:
    """Return the fields of a JSON object or of a form; none of anything else."""
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return dict(parse_qsl(body.decode("latin-1")))
