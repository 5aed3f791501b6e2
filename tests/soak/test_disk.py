"""A full disk is answered with 507, nothing is lost by it, and the server recovers when space returns.

It needs a file system of 16 MB, which only root can mount: `make soak-disk` as root.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.harness import GENERAL, Environment, Platform, texts
from tests.soak.test_kill import KilledServer, journal_of

MEGABYTES = 16
LONG = "x" * 3000
TRIES = 20_000


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own."""
    if os.geteuid() != 0:
        pytest.skip("mounting a file system of 16 MB needs root")
    command = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "twindiff", str(tmp_path)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"this machine does not let root mount one: {mounted.stderr.strip()}")
    yield tmp_path
    subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


@pytest.fixture
def server(disk: Path) -> Iterator[KilledServer]:
    server = KilledServer(disk / "data")
    yield server
    server.close()


@pytest.fixture
def platform(server: KilledServer) -> Iterator[Platform]:
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", trust_env=False, timeout=120) as client:
        yield Platform(client)


def post(env: Environment, text: str) -> bool:
    """Post a message; whether there was room for it."""
    answer = env.ask("chat.postMessage", json={"channel": GENERAL, "text": text})
    assert answer.status_code in (200, 507), answer.text
    assert answer.json()["ok"] is (answer.status_code == 200)
    return answer.status_code == 200


def fill(env: Environment) -> list[str]:
    """Post until the disk is full; what was acknowledged."""
    done: list[str] = []
    for number in range(TRIES):
        text = f"{number} {LONG}"
        if not post(env, text):
            return done
        done.append(text)
    raise AssertionError("the disk never filled")


def contents(env: Environment) -> list[str]:
    return texts(env.platform.get(f"env/{env.id}/diff")["diff"])


@pytest.mark.soak
def test_a_full_disk_is_answered_with_507_and_survived(server: KilledServer, platform: Platform, disk: Path):
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(6_000_000))
    env = platform.environment()
    run = platform.start(env)
    done = fill(env)
    for path in ("fork", "rewind", "checkpoints"):
        body = {"to": 0, "name": "full", "count": 50}
        assert platform.ask("POST", f"env/{env.id}/{path}", body).status_code in (200, 201, 507)
    wanted = {"templates": ["slack:slack_default"], "impersonateUserId": "U01AGENBOT9"}
    assert platform.ask("POST", "initEnv", wanted).status_code in (201, 507)
    assert texts(platform.get(f"env/{env.id}/diff", to=len(done))["diff"]) == done
    ballast.unlink()
    platform.post(f"env/{env.id}/rewind", {"to": len(done)})
    assert post(env, "room again")
    assert texts(platform.diff(run)) == [*done, "room again"]
    assert platform.refusal("POST", f"env/{env.id}/rewind", {"to": 10**6}) == (404, "unknown_point")
    (fork,) = platform.post(f"env/{env.id}/fork", {"at": 1})["environments"]
    assert texts(platform.get(f"env/{fork['environmentId']}/diff")["diff"]) == done[:1]


@pytest.mark.soak
def test_a_server_that_dies_on_a_full_disk_comes_back_whole(server: KilledServer, platform: Platform, disk: Path):
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(6_000_000))
    env = platform.environment()
    done = fill(env)
    server.kill()
    ballast.unlink()
    server.start()
    assert contents(env) == done
    assert [record["seq"] for record in journal_of(env)] == list(range(1, len(done) + 1))
    assert post(env, "room again")
