"""Several processes answer as one, and none of them can be killed to any effect."""

from __future__ import annotations

import os
import random
import select
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from string import ascii_letters

import httpx
import psycopg
import pytest

from tests.cli.conftest import install_sad_twin
from tests.door.conftest import open_door
from tests.harness import GENERAL, Environment, LiveServer, Platform, texts
from tests.storage.postgres.cluster import Database
from tests.storage.postgres.serving import Serving, Writers, journal, posted, serving

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def prepared(database: Database) -> Database:
    database.initialise_all()
    return database


@pytest.fixture(scope="module")
def server(prepared: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """Three processes that answer, where a twin is installed that does not load."""
    path = install_sad_twin(tmp_path_factory.mktemp("sad"), "1 / 0")
    with serving(prepared.dsn, workers=3, path=path) as running:
        yield running


def test_a_twin_that_does_not_load_is_named_by_one_of_three_processes(server: Serving) -> None:
    for _ in range(1000):
        server.platform.get("templates")  # it was written before the server was up, and is still to be read
        if server.words:
            break
    assert server.words.count("The twin 'sad' does not load: ZeroDivisionError") == 1


def test_the_key_cannot_be_read_from_the_environment_of_any_process(server: Serving) -> None:
    pids = [server.process.pid, *server.said["workers"], *server.said["drainers"]]
    shown = [Path(f"/proc/{pid}/environ").read_bytes() for pid in pids]
    assert len(shown) == 6
    assert not any(b"TWINDIFF_API_KEY=k" in each or b"postgresql://" in each for each in shown)


def test_every_process_answers_at_the_port_of_the_door(server: Serving, tmp_path: Path) -> None:
    environment = server.environment()
    entry = open_door(environment, tmp_path)
    assert server.said["proxyUrl"] == f"http://127.0.0.1:{entry.made['port']}"
    for _ in range(20):  # connections, which go to any of the three
        with entry.client() as client:
            assert client.get("https://slack.com/api/auth.test").json()["ok"]
            with pytest.raises(httpx.ProxyError, match="No twin answers"):
                client.get("https://example.com")
    logged = {(each["operation"], each["host"]) for each in entry.calls()}
    assert logged == {("auth.test", "slack.com"), ("CONNECT example.com:443", "example.com")}


def create_32(environment: Environment) -> list[str]:
    """Errors of 32 that want the same channel at once; an empty one for each that got it."""
    start = threading.Barrier(32)

    def create(_: int) -> str:
        headers = {"Authorization": f"Bearer {environment.token}"}
        with httpx.Client(trust_env=False, timeout=120) as client:
            start.wait()
            url = f"{environment.url}/conversations.create"
            answer = client.post(url, json={"name": "wanted"}, headers=headers).json()
        return answer.get("error", "")

    with ThreadPoolExecutor(32) as threads:
        return sorted(threads.map(create, range(32)))


def test_one_of_32_gets_the_name_from_three_processes(server: Serving) -> None:
    environment = server.environment()
    assert create_32(environment) == ["", *["name_taken"] * 31]


def test_one_of_32_gets_the_name_from_the_embedded_engine(make_server: Callable[..., LiveServer]) -> None:
    live = make_server()
    environment = Platform(live.client).environment()
    environment.url = live.url + environment.made["environmentUrl"]
    assert create_32(environment) == ["", *["name_taken"] * 31]


@pytest.mark.parametrize("writers", [1, 8, 32])
def test_a_diff_right_after_a_write_holds_it(server: Serving, writers: int) -> None:
    diffs_are_complete(server, writers, 64)


@pytest.mark.soak
@pytest.mark.parametrize("writers", [1, 8, 32])
def test_500_diffs_right_after_a_write_hold_it(server: Serving, writers: int) -> None:
    diffs_are_complete(server, writers, 500)


def diffs_are_complete(server: Serving, writers: int, diffs: int) -> None:
    """Each writer has an environment; every write is followed at once by a diff, through whatever process answers."""
    rounds = -(-diffs // writers)

    def work(_: int) -> int:
        environment = server.environment()
        run = server.platform.start(environment)
        complete = 0
        for number in range(rounds):
            environment.post(f"m{number}")
            complete += texts(server.platform.diff(run)) == [f"m{each}" for each in range(number + 1)]
        return complete

    with ThreadPoolExecutor(writers) as threads:
        assert sum(threads.map(work, range(writers))) == writers * rounds


def test_64_environments_at_once_are_all_made(server: Serving) -> None:
    def make(_: int) -> str:
        return server.environment().slack("auth.test")["user_id"]

    with ThreadPoolExecutor(64) as threads:
        assert len(list(threads.map(make, range(64)))) == 64


def test_writes_of_one_environment_that_wait_hold_no_other_up(server: Serving, prepared: Database) -> None:
    busy, free = server.environment(), server.environment()
    waiting = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)"
    with psycopg.connect(prepared.admin) as holder, ThreadPoolExecutor(48) as threads:
        holder.execute("SELECT pg_advisory_xact_lock(twindiff.lock_of(%s))", (busy.id,))
        posts = [threads.submit(busy.post, f"post {number}") for number in range(48)]
        while holder.execute(waiting).fetchone() != (True,):
            continue  # none of them has come to the lock yet
        for number in range(12):
            free.post(f"free {number}")
        assert not any(post.done() for post in posts)
        holder.commit()
        assert len({post.result() for post in posts}) == 48


def test_a_long_text_that_cannot_be_packed_is_kept_and_found(server: Serving) -> None:
    environment = server.environment()
    words = ["".join(random.choices(ascii_letters, k=12)) for _ in range(3_000)]
    text = " ".join(words)
    environment.post(text)
    (message,) = environment.slack("search.messages", query=words[1_500])["messages"]["matches"]
    assert message["text"] == text


def test_a_name_that_no_index_takes_is_refused_in_one_line(server: Serving) -> None:
    name = "".join(random.choices(ascii_letters, k=5_000))
    user = {"user_id": "U1", "username": name, "email": "u1@example.com"}
    asked = {"api": "slack", "seed_data": {"users": [user]}}
    answer = server.client.post("/v1/sandboxes", json=asked, headers={"Authorization": "Bearer k"})
    assert answer.status_code == 400, answer.text
    assert "'users' are found by are longer than 2,600 bytes" in answer.text


def test_what_one_process_deletes_is_gone_for_all(server: Serving) -> None:
    environment = server.environment()
    environment.post("hi")
    server.platform.delete(f"env/{environment.id}")
    for _ in range(12):
        # Each connection may meet another process.
        with httpx.Client(trust_env=False, headers={"Authorization": f"Bearer {environment.token}"}) as client:
            answer = client.post(f"{environment.url}/chat.postMessage", json={"channel": GENERAL, "text": "x"})
        assert (answer.status_code, answer.json()["error"]) == (410, "environment_deleted")


@pytest.mark.parametrize("posts", [0, 3])
def test_a_run_in_what_one_process_deletes_has_a_diff_in_none(server: Serving, posts: int) -> None:
    environment = server.environment()
    run = server.platform.start(environment)
    for _ in range(posts):
        environment.post("hi")

    def diffs() -> set[tuple[int, bool]]:
        """What fresh connections are answered, of which each may meet another process."""
        answers: set[tuple[int, bool]] = set()
        for _ in range(12):
            with httpx.Client(base_url=server.said["url"], trust_env=False, headers={"X-API-Key": "k"}) as client:
                answer = client.post("/api/platform/diffRun", json={"runId": run})
                client.post(f"{environment.url}/auth.test")  # after which its process knows the environment
            answers.add((answer.status_code, "has been deleted" in answer.text))
        return answers

    assert diffs() == {(200, False)}
    server.platform.delete(f"env/{environment.id}")
    assert diffs() == {(410, True)}


def test_calls_of_three_processes_make_one_log(server: Serving) -> None:
    environment = server.environment()

    def call(_: int) -> None:
        with httpx.Client(trust_env=False, headers={"Authorization": f"Bearer {environment.token}"}) as client:
            client.post(f"{environment.url}/auth.test")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(call, range(40)))
    # Each process writes its calls down twice a second.
    for _ in range(1000):
        numbers = [call["number"] for call in server.platform.get(f"env/{environment.id}/calls")["calls"]]
        if len(numbers) == 40:
            break
    assert numbers == list(range(1, 41))


@pytest.mark.parametrize("kind", ["api", "drainer"])
def test_a_process_that_is_killed_is_replaced_and_nothing_is_lost(
    server: Serving, prepared: Database, kind: str
) -> None:
    killed(server, prepared, kind)


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["api", "drainer"])
def test_a_process_can_be_killed_20_times(prepared: Database, kind: str) -> None:
    for _ in range(20):
        with serving(prepared.dsn, workers=2) as running:
            killed(running, prepared, kind)


def test_when_the_server_is_killed_its_processes_end(prepared: Database) -> None:
    running = Serving(prepared.dsn, workers=1)
    ends = [os.pidfd_open(pid) for pid in (*running.children("api"), *running.children("drainer"))]
    running.process.kill()
    for end in ends:
        assert select.select([end], [], [], 30)[0], "a process outlives the server"
        os.close(end)
    running.stop()


def killed(running: Serving, database: Database, kind: str) -> None:
    """Kill one that answers, or the one that drains, under load; every acknowledged write is in the journal once."""
    environments = [running.environment() for _ in range(4)]
    writers = Writers(environments)
    try:
        writers.wait_for(20)
        os.kill(running.children("api")[-1] if kind == "api" else database.drainer(), signal.SIGKILL)
        writers.wait_for(40)
    finally:
        writers.stop()
    nothing_is_lost(running, environments, writers)


def nothing_is_lost(running: Serving, environments: list[Environment], writers: Writers) -> None:
    for environment in environments:
        records = journal(running, environment)
        assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
        kept = posted(records)
        assert len(kept) == len(set(kept))
        assert set(writers.acknowledged[environment.id]) <= set(kept)
