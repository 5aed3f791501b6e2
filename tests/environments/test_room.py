"""A server holds so many bytes at most: who wants to write more is refused, and deletion makes room again."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import pytest

from tests.harness import AGENT, Environment, LiveServer, Platform
from twindiff.storage import StorageFull
from twindiff.storage.blobs import blobs_of
from twindiff.storage.cooperative import run_to_end
from twindiff.storage.quota import StorageQuota
from twindiff.storage.sqlite import SqliteEngine

MOST_BYTES = 2_000_000
LETTERS = "word " * 7_000
POSTS = 1_000
"""Posts that there is no room for."""
WANTED = {"templateService": "slack", "templateName": "slack_default", "impersonateUserId": AGENT}

Make = Callable[..., LiveServer]


@pytest.fixture
def limited(make_server: Make) -> LiveServer:
    return make_server(most_bytes=MOST_BYTES)


def post(env: Environment) -> int:
    """The status of one more long message."""
    return env.ask("chat.postMessage", json={"channel": "C01ABCD1234", "text": LETTERS}).status_code


def filled(platform: Platform) -> Environment:
    env = platform.environment()
    assert 507 in (post(env) for _ in range(POSTS))
    return env


def maintain(server: LiveServer) -> None:
    """What a server does twice a second."""
    engine = server.service.engine
    if isinstance(engine, SqliteEngine):
        server.on_loop(lambda: run_to_end(engine.maintain()))
    server.on_loop(engine.measure)


def test_a_full_server_says_so_and_keeps_what_it_has(limited: LiveServer):
    env = filled(Platform(limited.client))
    before = env.slack("conversations.history", channel="C01ABCD1234", limit=1000)
    answer = env.ask("chat.postMessage", json={"channel": "C01ABCD1234", "text": LETTERS})
    assert "holds the 2,000,000 bytes that it may; delete environments" in answer.text
    assert env.slack("conversations.history", channel="C01ABCD1234", limit=1000) == before


def test_a_full_server_makes_no_environments_and_no_forks(make_server: Make, tmp_path):
    server = make_server(data_dir=str(tmp_path))
    env = Platform(server.client).environment()
    server.close()
    platform = Platform(make_server(most_bytes=1, data_dir=str(tmp_path)).client)
    assert platform.refusal("POST", "initEnv", WANTED) == (507, "storage_full")
    assert platform.refusal("POST", f"env/{env.id}/fork", {}) == (507, "storage_full")


def test_deleting_an_environment_makes_room(limited: LiveServer):
    platform = Platform(limited.client)
    platform.delete(f"env/{filled(platform).id}")
    maintain(limited)
    assert post(platform.environment()) == 200


def test_what_is_refused_is_not_counted(limited: LiveServer):
    platform = Platform(limited.client)
    env = filled(platform)
    assert {post(env) for _ in range(60)} == {507}  # 2,100,000 bytes
    platform.delete(f"env/{env.id}")
    maintain(limited)
    assert post(platform.environment()) == 200


def test_a_server_knows_what_it_holds_after_a_restart(make_server: Make, tmp_path):
    server = make_server(most_bytes=MOST_BYTES, data_dir=str(tmp_path))
    env = filled(Platform(server.client))
    server.close()
    again = make_server(most_bytes=MOST_BYTES, data_dir=str(tmp_path))
    assert post(Environment(Platform(again.client), env.made)) == 507


@pytest.mark.parametrize("directory", ["memory", "folder"])
def test_bytes_of_files_take_room_once_and_give_it_back(directory: str, tmp_path):
    place = ":memory:" if directory == "memory" else str(tmp_path)
    room = StorageQuota(100)
    blobs = blobs_of(place, room)
    room.set_used(blobs.size)
    digest = blobs.put(b"x" * 60)
    assert blobs.put(b"x" * 60) == digest
    with pytest.raises(StorageFull):
        blobs.put(b"y" * 60)
    assert not blobs.has(sha256(b"y" * 60).hexdigest())
    assert blobs.size == 60
    blobs.remove(digest, float("inf"))
    room.set_used(blobs.size)
    assert blobs.size == 0
    assert blobs.put(b"y" * 60)
