"""A server that is killed under load keeps every write that it acknowledged, once and whole."""

import http.client
import json
import socket
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import httpx
import pytest

from tests.harness import GENERAL, Environment, Platform

CHILD = Path(__file__).with_name("child.py")
THREADS = 6


class KilledServer:
    """A server that is started and killed again and again; the listening socket stays, so nobody waits for it."""

    def __init__(self, data_dir):
        self.data_dir = data_dir
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.start()

    def start(self):
        command = [sys.executable, str(CHILD), str(self.listener.fileno()), str(self.data_dir)]
        self.process = subprocess.Popen(command, pass_fds=[self.listener.fileno()])

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        self.kill()
        self.listener.close()


class Client(threading.Thread):
    """Posts and edits messages until the server is gone, and notes what was acknowledged."""

    def __init__(self, port, environment, name, acknowledged):
        super().__init__(name=name)
        self.environment = environment
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.acknowledged = acknowledged
        self.texts = {}

    def run(self):
        try:
            for number in range(100_000):
                ts = self.ask("chat.postMessage", text=f"{self.name} {number}")["ts"]
                self.texts[ts] = {f"{self.name} {number}"}
                if number % 3 == 0:
                    self.edit(ts, f"{self.name} {number} edited")
        except (OSError, http.client.HTTPException):
            self.connection.close()

    def edit(self, ts, text):
        """Until the edit is acknowledged the message may say either."""
        self.texts[ts].add(text)
        self.ask("chat.update", ts=ts, text=text)
        self.texts[ts] = {text}

    def ask(self, method, **parameters):
        headers = {"Authorization": "Bearer x", "Content-Type": "application/json"}
        path = f"{self.environment.made['environmentUrl']}/{method}"
        self.connection.request("POST", path, json.dumps({"channel": GENERAL, **parameters}), headers)
        answer = json.loads(self.connection.getresponse().read())
        assert answer["ok"], answer
        self.acknowledged.release()
        return answer


@pytest.fixture
def server(tmp_path):
    server = KilledServer(tmp_path)
    yield server
    server.close()


def load_and_kill(server, environments, number):
    """Let clients write until enough is acknowledged, kill the server in the middle, give what was acknowledged."""
    acknowledged = threading.Semaphore(0)
    clients = [
        Client(server.port, environments[n % len(environments)], f"round {number} client {n}", acknowledged)
        for n in range(THREADS)
    ]
    for client in clients:
        client.start()
    for _ in range(40 + number * 37 % 100):
        assert acknowledged.acquire(timeout=120)
    server.kill()
    for client in clients:
        client.join()
    return clients


def journal_of(environment):
    records = []
    while page := environment.platform.get(f"env/{environment.id}/journal", after=len(records), limit=1000)["records"]:
        records += page
    return records


def changes_to_messages(records):
    return [change for record in records for change in record["changes"] if change["table"] == "messages"]


def check(environment, run, clients):
    """Compare what the clients saw with the journal, the journal with the diff, the diff with the API."""
    records = journal_of(environment)
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    changes = changes_to_messages(records)
    inserted = Counter(change["key"][0] for change in changes if change["before"] is None)
    assert set(inserted.values()) == {1}
    said = {change["key"][0]: change["after"]["message_text"] for change in changes}
    for client in clients:
        for ts, texts in client.texts.items():
            assert said[ts] in texts
    for record in records:
        whole = {"chat.postMessage": {"channels", "messages"}, "chat.update": {"messages", "message_edits"}}
        assert whole[record["operation"]] <= {change["table"] for change in record["changes"]}
    inserts = environment.platform.diff(run)["inserts"]
    assert {row["message_id"]: row["message_text"] for row in inserts} == said
    assert history(environment) == said


def history(environment):
    """Every message that was posted here, page by page."""
    texts, cursor = {}, ""
    while True:
        page = environment.slack("conversations.history", channel=GENERAL, limit=999, cursor=cursor)
        texts |= {message["ts"]: message["text"] for message in page["messages"]}
        cursor = page.get("response_metadata", {}).get("next_cursor", "")
        if not cursor:
            return {ts: text for ts, text in texts.items() if text.startswith("round")}


def kill_again_and_again(server, rounds):
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", trust_env=False, timeout=120) as client:
        platform = Platform(client)
        environments = [platform.environment() for _ in range(3)]
        runs = [platform.start(environment) for environment in environments]
    clients = []
    for number in range(rounds):
        clients += load_and_kill(server, environments, number)
        server.start()
        with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", trust_env=False, timeout=120) as client:
            for environment, run in zip(environments, runs, strict=True):
                again = Environment(Platform(client), environment.made)
                check(again, run, [each for each in clients if each.environment is environment])


def test_nothing_acknowledged_is_lost_doubled_or_halved_by_three_kills(server):
    kill_again_and_again(server, 3)


@pytest.mark.soak
def test_nothing_acknowledged_is_lost_doubled_or_halved_by_fifty_kills(server):
    kill_again_and_again(server, 50)
