"""Calls are numbered by whoever asks while others write them."""

from __future__ import annotations

import threading
from uuid import uuid4

import pytest

from tests.storage.postgres.cluster import Database
from twindiff.environments.call_log import AGENT_REFUSED, CallLogEntry
from twindiff.server import Service, Settings

pytestmark = pytest.mark.postgres

CALLS = 300


def test_what_an_agent_was_refused_is_known_to_all_processes_at_once(database: Database) -> None:
    database.initialise_all(has_templates=True)
    first, second = (Service(Settings(storage=database.dsn, ready=0)) for _ in range(2))
    environment_id = uuid4().hex
    for number, error in enumerate([None, AGENT_REFUSED]):
        first.calls.log.add(environment_id, CallLogEntry(number, "", "POST /reset", "U1", 401, 0.1, error, None))
    assert second.calls.log.list_refused(environment_id, after=0) == ["POST /reset"]
    first.close()
    second.close()


def test_a_call_that_is_just_being_written_is_counted_once(database: Database) -> None:
    database.initialise_all(has_templates=True)
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
