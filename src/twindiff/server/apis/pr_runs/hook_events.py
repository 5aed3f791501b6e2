"""Webhooks of GitHub that start pull request runs: their signature, and what they ask for.

https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Any, NamedTuple, cast

import msgspec

from twindiff.kit.errors import ApiError

EVENTS = ("push", "pull_request")
ACTIONS = ("opened", "reopened", "synchronize", "ready_for_review")
"""The actions on a pull request that change what there is to test."""
SKIP = "[skip arga]"
"""What the message of a commit contains if the commit is not to be tested."""


class InvalidSignature(ApiError):
    """The webhook is not signed with the secret of the repository's checks."""

    status = 401


class HookRequest(NamedTuple):
    """What a webhook asks to be tested."""

    trigger_mode: str
    branch: str
    commit: str
    number: int | None = None
    base: str | None = None


class Hook(NamedTuple):
    """A webhook that has arrived."""

    event: str
    repo: str
    payload: dict[str, Any]


def read_hook(event: str, body: bytes) -> Hook:
    """Parse a webhook of any content; `repo` is empty if it names none."""
    try:
        payload = msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.DecodeError:
        payload = {}
    repository: Any = payload.get("repository")
    name = cast("dict[str, Any]", repository).get("full_name") if isinstance(repository, dict) else None
    return Hook(event, name if isinstance(name, str) else "", payload)


def check_signature(secret: str | None, body: bytes, signature: str) -> None:
    """Raise InvalidSignature unless `X-Hub-Signature-256` is that of the repository's secret, which must exist."""
    expected = f"sha256={hmac.new((secret or '').encode(), body, sha256).hexdigest()}"
    if not secret or not hmac.compare_digest(expected.encode(), signature.encode()):
        raise InvalidSignature


def read_request(hook: Hook) -> HookRequest | None:
    """What a signed webhook of GitHub asks for; None for one that changes nothing to test."""
    payload = hook.payload
    if hook.event == "pull_request" and payload["action"] in ACTIONS and not payload["pull_request"].get("draft"):
        pull = payload["pull_request"]
        head, base = pull["head"], pull["base"]
        return HookRequest("pr", head["ref"], head["sha"], pull["number"], base["ref"])
    if hook.event == "push" and payload["ref"].startswith("refs/heads/") and not payload["deleted"]:
        before = None if payload["created"] else payload["before"]
        return HookRequest("branch", payload["ref"].removeprefix("refs/heads/"), payload["after"], base=before)
    return None


def is_skipped(message: str) -> bool:
    """Whether the message of a commit asks for no check, by SKIP."""
    return SKIP in message.lower()
