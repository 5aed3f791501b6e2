"""One process of all tells subscribers; when it dies another goes on, and nothing is lost."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress

import httpx
import pytest

from tests.receiver import PATIENCE_SECONDS, Receiver
from tests.storage.postgres.cluster import Database
from tests.storage.postgres.serving import Serving, serving
from tests.webhooks.conftest import Webhooks
from tests.webhooks.kills import assert_all_in_order, texts, texts_told
from twindiff.storage.postgres.leader_election import Leadership


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


@pytest.fixture
def prepared(database: Database) -> Database:
    database.initialise_all(has_templates=True)
    return database


class Killed(Serving):
    """A server whose processes are all killed at once."""

    @property
    def url(self) -> str:
        return self.said["url"]

    def kill(self) -> None:
        for pid in (self.process.pid, *self.children("api"), *self.children("drainer")):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.stop()


def test_deliveries_survive_kill_9(prepared: Database, receiver: Receiver) -> None:
    told = texts_told(lambda: Killed(prepared.dsn, workers=2), receiver, "k", rounds=2)
    assert_all_in_order(told, rounds=2)


def test_another_process_goes_on_when_the_one_that_tells_is_killed(prepared: Database, receiver: Receiver) -> None:
    with serving(prepared.dsn, workers=2) as server:
        env = server.environment()
        Webhooks(env).add(receiver.url, "message.channels")
        for pid in server.children("api"):
            os.kill(pid, signal.SIGKILL)
            text = f"after {pid}"
            while not said(env, text):
                pass
            receiver.wait(1)
        said_of = len(server.children("api"))
        with receiver.news:
            assert receiver.news.wait_for(lambda: len(set(texts(receiver))) == said_of, PATIENCE_SECONDS)


def said(env, text: str) -> bool:
    """Whether a message was acknowledged; a process may die over it."""
    try:
        return env.slack("chat.postMessage", channel="C01ABCD1234", text=text)["ok"]
    except httpx.HTTPError:
        return False


def test_one_process_leads_until_it_is_cut_off(prepared: Database) -> None:
    one, other = Leadership(prepared.dsn), Leadership(prepared.dsn)
    assert (one.acquire(), other.acquire(), one.acquire()) == (True, False, True)
    leaders = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2"
    prepared.psql(f"SELECT pg_terminate_backend(pid, 10000) FROM ({leaders}) AS leaders")  # waits until it has ended
    assert other.acquire() or other.acquire()
    assert not one.acquire()
    other.close()
    assert one.acquire()
    one.close()
