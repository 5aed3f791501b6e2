"""An environment travels from the embedded engine into server mode and back, and is the same all the way."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.harness import GENERAL, Environment, LiveServer, Platform, succeeded
from tests.storage.postgres.cluster import Database, draining
from twindiff.server import Settings

pytestmark = pytest.mark.postgres

PHOTO = bytes(range(256)) * 8_000


@pytest.fixture(scope="module")
def served(database: Database) -> Iterator[Platform]:
    """Server mode in this process."""
    database.initialise_all()
    with draining(database.dsn):
        live = LiveServer(Settings(storage=database.dsn))
        yield Platform(live.client)
        live.close()


@pytest.fixture
def embedded(make_server: Callable[..., LiveServer]) -> Platform:
    return Platform(make_server().client)


def exported(env: Environment) -> bytes:
    answer = env.platform.ask("GET", f"env/{env.id}/export")
    assert answer.is_success, answer.text
    return answer.content


def imported(platform: Platform, file: bytes) -> Environment:
    return Environment(platform, succeeded(platform.ask("POST", "env/import", content=file)))


def told(file: bytes) -> list[Any]:
    """What a file says, without the name of the environment and of its templates."""
    head, *rest = [json.loads(line) for line in gzip.decompress(file).splitlines()]
    twins = {twin: {**each, "template": ""} for twin, each in head["twins"].items()}
    return [{**head, "environment": "", "twins": twins}, *rest]


def lived(env: Environment) -> None:
    """Have an environment live a little, with a file, a checkpoint and two rewinds."""
    for text in ("one \0", "two", "three"):
        env.post(text, blocks=[{"type": "divider"}])
    env.platform.post(f"env/{env.id}/checkpoints", {"name": "three"})
    env.platform.post(f"env/{env.id}/rewind", {"to": 1})
    ticket = env.slack("files.getUploadURLExternal", filename="p.bin", length=len(PHOTO))
    assert httpx.post(ticket["upload_url"], content=PHOTO, trust_env=False).is_success
    env.slack("files.completeUploadExternal", files=[{"id": ticket["file_id"]}], channel_id=GENERAL)
    env.platform.post(f"env/{env.id}/rewind", {"to": 3})
    env.post("four")


@pytest.mark.parametrize("mode", ["real", "offset", "steps"])
def test_there_and_back_it_is_the_same(embedded: Platform, served: Platform, mode: str) -> None:
    first = embedded.environment(clock={"mode": mode})
    lived(first)
    file = exported(first)
    there = imported(served, file)
    assert told(exported(there)) == told(file)
    there.post("five")
    later = exported(there)
    back = imported(embedded, later)
    assert told(exported(back)) == told(later)
    for start, end in [(0, 9), (3, 5), (9, 2)]:
        paths = f"from={start}&to={end}&include=all"
        diffs = [each.platform.get(f"env/{each.id}/diff?{paths}")["diff"] for each in (there, back)]
        assert diffs[0] == diffs[1]
    back.post("six")


def test_what_was_lived_in_server_mode_travels(embedded: Platform, served: Platform) -> None:
    first = served.environment(clock={"mode": "steps"})
    lived(first)
    arrived, again = imported(embedded, exported(first)), imported(served, exported(first))
    assert arrived.post("five") == again.post("five") == first.post("five")
    rows = [each.platform.get(f"env/{each.id}/diff", include="all")["diff"] for each in (first, arrived, again)]
    assert rows[0] == rows[1] == rows[2]
    for each in (first, arrived, again):
        each.platform.post(f"env/{each.id}/rewind", {"to": "three"})
    assert arrived.post("six") == again.post("six") == first.post("six")
