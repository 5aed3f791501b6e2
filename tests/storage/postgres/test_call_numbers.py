"""Calls are numbered by whoever asks while others write them."""

from __future__ import annotations

import threading
from uuid import uuid4

import pytest

from tests.storage.postgres.cluster import Database
from twindiff.environments.call_log import CallLogEntry
from twindiff.server import Service, Settings

pytestmark = pytest.mark.postgres

CALLS = 300


def test_a_call_that_is_just_being_written_is_counted_once(database: Database) -> None:
    database.initialise_all()
    service = Service(Settings(storage=database.dsn, ready=0))
    log, environment_id, ended = service.calls.log, uuid4().hex, threading.Event()

    def write() -> None:
        while not ended.is_set():
            log.flush()

    writer = threading.Thread(target=write)
    writer.start()
    counted: list[int] = []
    try:
        for number in range(CALLS):
            log.add(environment_id, CallLogEntry(number, "slack", "auth.test", "U1", 200, 0.1, None, None))
            counted.append(log.last(environment_id))
    finally:
        ended.set()
        writer.join()
        service.close()
    assert counted == list(range(1, CALLS + 1))
