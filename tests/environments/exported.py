"""Environments in this process, and the files that they travel in."""

import gzip
import json
from typing import Any

import httpx

from tests.harness import GENERAL
from twindiff.client import Environment
from twindiff.local import Twindiff

STEPS = {"mode": "steps", "start": "2026-01-31T09:30:00"}


def call(td: Twindiff, env: Environment, method: str, **parameters) -> Any:
    headers = {"Authorization": f"Bearer {env.token}"}
    with httpx.Client(transport=td.transport(env), headers=headers) as client:
        return client.post(f"https://slack.com/api/{method}", json=parameters).json()


def say(td: Twindiff, env: Environment, text: str) -> str:
    return call(td, env, "chat.postMessage", channel=GENERAL, text=text)["ts"]


def lines(file: bytes) -> list[dict]:
    return [json.loads(line) for line in gzip.decompress(file).splitlines()]


def packed(file: list[dict]) -> bytes:
    """A file of lines; an end that is there says how many there are."""
    if file and file[-1]["kind"] == "end":
        file[-1]["lines"] = len(file) - 1
    return gzip.compress(b"".join(json.dumps(line).encode() + b"\n" for line in file))


def lines_of_a_small_environment(td: Twindiff) -> list[dict]:
    with td.create("slack:slack_default", clock=STEPS) as env:
        say(td, env, "one")
        ts = say(td, env, "two")
        call(td, env, "chat.update", channel=GENERAL, ts=ts, text="three")
        env.checkpoint("begun", 1)
        return lines(env.export())
