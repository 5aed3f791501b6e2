"""A full disk is said where it matters, once, and until there is room again."""

from __future__ import annotations

import logging
from pathlib import Path

import apsw
import pytest

from tests.harness import GENERAL, LiveServer, Platform
from tests.server_mode import embedded_only
from tests.storage.faults import faulty_disk
from twindiff.server import Settings


def wait_until(platform: Platform, status: int) -> None:
    """Ask whether the server is ready until it says what it should."""
    for _ in range(100_000):
        if platform.client.get("/api/platform/ready").status_code == status:
            return
    raise AssertionError(f"it never answered {status}")


@embedded_only("its disk is the database's, whose refusals tests/storage/postgres has")
def test_judging_on_a_full_disk_is_507_and_the_server_is_not_ready_until_there_is_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    with faulty_disk(apsw.FullError) as fault:
        server = LiveServer(Settings(data_dir=str(tmp_path)))
        try:
            platform = Platform(server.client)
            environment = platform.environment()
            run = platform.start(environment)
            environment.post("hello")
            caplog.clear()
            with fault.counting(), caplog.at_level(logging.WARNING, "twindiff"):
                fault.arm(0, stays=True)
                assert platform.refusal("POST", "diffRun", {"runId": run}) == (507, "storage_full")
                added = {"diff_type": "added", "entity": "messages", "expected_count": 1}
                body = {"runId": run, "expectedOutput": {"version": "0.1", "assertions": [added]}}
                assert platform.ask("POST", "evaluateRun", body).status_code == 507
                assert environment.ask("chat.postMessage", json={"channel": GENERAL, "text": "x"}).status_code == 507
                wait_until(platform, 507)
                wait_until(platform, 507)
            fault.disarm()
            wait_until(platform, 200)
            assert len(platform.diff(run)["inserts"]) == 1
        finally:
            server.close()
    assert len([line for line in caplog.messages if "Maintenance failed" in line]) == 1
