"""Which shard a request goes to, by the id that its path, its host, its body or its agent token names.

Shard 0 answers whatever names no other shard. New environments and runs go to the shard with the fewest. A run is done
in the shard of the twin run, sandbox or repository of a GitHub twin that it names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain
from typing import Any, cast
from urllib.parse import parse_qsl

import msgspec

from twindiff.catalog.shard_ids import SHARD_ID, ServedShard, shard_of
from twindiff.environments.environments import TOKEN_PREFIX, shard_of_token
from twindiff.server.origins import HOOK_RECEIVER
from twindiff.server.shards.placements import ENVIRONMENTS, RUNS, Kind, Placements

_LINE = re.compile(rb"([A-Z]+) (?:http://[^/ ]*)?([^ ?]*)\??([^ ]*)")
_HOST = re.compile(rb"\r\nhost:[ \t]*[^\r\n.]*--([^\r\n.]*)\.localhost", re.IGNORECASE)
_TOKEN = re.compile(rb"\r\n(?:authorization|x-api-key):[^\r\n]*?(" + TOKEN_PREFIX.encode() + rb"[^\s]*)", re.IGNORECASE)
_DATA_PLANE = re.compile(r"/api/env/([^/]*)")
_TWIN_ADDRESS = re.compile(r"(?:https?://[^/]*)?/api/env/([^/]*)|https?://[^/.]*--([^/.]*)\.localhost\b", re.IGNORECASE)

_CREATIONS = {
    "/api/platform/initEnv",
    "/api/platform/env/import",
    "/v1/sandboxes",
    "/twin-runs",
    "/validate/twins/provision",
}
_RUN_CREATIONS = {
    "/test-runs",
    "/runner/runs",
    "/demo-runner/runs",
    "/validate/url-run",
    "/sandbox-runs",
    "/sandboxes",
    "/validate/pr-run",
    "/validation/pr",
}
_BY_BODY = {
    "/api/platform/startRun",
    "/api/platform/diffRun",
    "/api/platform/evaluateRun",
    "/api/platform/templates/from-environment",
    "/api/platform/mcp",
    "/mcp",
    "/validation/github/install",
    "/validation/github/config",
    HOOK_RECEIVER,
}
_SAVED_TEST = re.compile(r"/(?:runner/)?tests/[^/]+/run")
_RERUN = re.compile(r"/(?:test-runs|(?:demo-)?runner/runs)/[^/]+/rerun")
_ANYWHERE = {"/api/platform/health", "/api/platform/ready"}
_ID_KEYS = ("runId", "envId", "environmentId", "run_id", "env_id", "environment_id", "provision_id", "sandbox_id")
_CREATING_TOOLS = ("create_environment", "create_twin_run", "provision_twins")
_RUN_CREATING_TOOLS = ("create_test_run", "run_test", "start_url_validation", "create_sandbox_run")


def shard_of_address(address: str) -> int | None:
    """Return the shard of the twin that an address leads to; None if it leads to none."""
    match = _TWIN_ADDRESS.match(address)
    return shard_of(match[1] or match[2] or "") if match else None


class ShardRouter:
    """Finds the shard of a request by its bytes."""

    def __init__(
        self,
        served: ServedShard,
        placements: Placements,
        find_repository: Callable[[str], int | None] = shard_of_address,
    ) -> None:
        self._find_repository = find_repository
        """Finds the shard of the environment whose GitHub twin hosts a repository, or None."""
        self.own = served.number
        self._count = served.total
        self._placements = placements

    def needs_body(self, head: bytes) -> bool:
        """Return whether the body may name the shard."""
        line = _LINE.match(head)
        return line is not None and line[1] in (b"POST", b"PATCH") and _is_by_body(line[2].decode("latin-1"))

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
            return self._place(ENVIRONMENTS)
        if path in _ANYWHERE:
            return self.own
        if _is_by_body(path):
            shard = self._read_body(line, body)
            if shard is not None:
                return shard
        id = SHARD_ID.search(path)
        return shard_of(id[0]) if id else 0

    def _read_body(self, line: re.Match[bytes], body: bytes) -> int | None:
        """Return the shard that a body or query names, or that of the run or environment that it creates."""
        message = {**_read_fields(line[3]), **_read_fields(body)}
        tool = _get_object(message, "params")
        shard = self._read_message([message, _get_object(tool, "arguments")])
        path, name = line[2].decode("latin-1"), tool.get("name")
        creates_run = line[1] == b"POST" and (path in _RUN_CREATIONS or _SAVED_TEST.fullmatch(path))
        if shard is None and (creates_run or name in _RUN_CREATING_TOOLS):
            return self._place(RUNS)
        return self._place(ENVIRONMENTS) if shard is None and name in _CREATING_TOOLS else shard

    def _read_message(self, all_fields: list[dict[str, Any]]) -> int | None:
        """Return the shard of the ids or repositories in the fields of a request, None if they name none."""
        ids = [fields[key] for fields in all_fields for key in _ID_KEYS if key in fields]
        named = [fields.get(key) for fields in all_fields for key in ("pr_url", "repo")]
        named += [_get_object(fields, "repository").get("full_name") for fields in all_fields]  # of a webhook
        shards = chain(
            (shard_of(id) for id in ids if isinstance(id, str)),
            (self._find_repository(each) for each in named if isinstance(each, str)),
        )
        return next((each for each in shards if each is not None), None)

    def _place(self, kind: Kind) -> int:
        """Return the shard of a new environment or run."""
        return self._placements.choose(kind, range(self._count))


def _is_by_body(path: str) -> bool:
    by_pattern = _SAVED_TEST.fullmatch(path) or _RERUN.fullmatch(path)
    return path in _BY_BODY or path in _RUN_CREATIONS or by_pattern is not None


def _get_object(fields: dict[str, Any], name: str) -> dict[str, Any]:
    value = fields.get(name)
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _read_fields(body: bytes) -> dict[str, Any]:
    """Return the fields of a JSON object or of a form; none of anything else."""
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return dict(parse_qsl(body.decode("latin-1")))
