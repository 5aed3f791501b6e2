"""A server of several processes over a PostgreSQL, and clients that keep writing whatever happens to it."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx

from tests.harness import GENERAL, Environment, Platform

ROOT = Path(__file__).parents[3]


def clusters() -> ModuleType:
    """The script that makes clusters."""
    spec = importlib.util.spec_from_file_location("twindiff_clusters", ROOT / "scripts" / "postgres.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class Serving:
    """`twindiff serve` over a database."""

    def __init__(self, dsn: str, *, workers: int, ready: int = 2, more: tuple[str, ...] = (), path: str = "") -> None:
        options = ["--port", "0", "--workers", str(workers), "--ready", str(ready), "--json"]
        options += ["--allow-webhooks-to", "localhost", "--proxy-port", "0", *more]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "twindiff.cli", "serve", *options],
            env={
                **os.environ,
                "TWINDIFF_STORAGE": dsn,
                "TWINDIFF_API_KEY": "k",
                **({"PYTHONPATH": path} if path else {}),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server did not start: {self.process.communicate()[1]}")
        self.said: dict[str, Any] = json.loads(line)
        self.client = httpx.Client(base_url=self.said["url"], trust_env=False, timeout=120)
        self.platform = Platform(self.client, "k")
        self._words: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def environment(self) -> Environment:
        """A new environment, whose `url` is absolute."""
        made = self.platform.environment()
        made.url = self.said["url"] + made.made["environmentUrl"]
        return made

    def _read(self) -> None:
        assert self.process.stderr is not None
        self._words += self.process.stderr

    @property
    def words(self) -> str:
        """What it has written to stderr."""
        return "".join(self._words)

    def children(self, kind: str) -> list[int]:
        """Process ids of those that answer (`api`), or of the drainers, as the first ones were told."""
        return self.said["workers" if kind == "api" else "drainers"]

    def kill(self) -> None:
        """Kill it with all its processes, so that none of them can end anything."""
        for pid in (self.process.pid, *self.children("api"), *self.children("drainer")):
            os.kill(pid, signal.SIGKILL)
        self.stop()

    def stop(self) -> int:
        self.client.close()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(120)
        self._reader.join()
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        return code


@contextmanager
def serving(dsn: str, *, workers: int, ready: int = 2, path: str = "") -> Iterator[Serving]:
    """A server that has to end as asked, with 0."""
    server = Serving(dsn, workers=workers, ready=ready, path=path)
    try:
        yield server
    finally:
        code = server.stop()
    assert code == 0, server.words


class Writers:
    """Clients that post for as long as they are let, each text once; `acknowledged` is what was answered well."""

    def __init__(self, environments: list[Environment]) -> None:
        self.acknowledged: dict[str, list[str]] = {environment.id: [] for environment in environments}
        self._stopping = threading.Event()
        self._count = threading.Semaphore(0)
        self._threads = [
            threading.Thread(target=self._write, args=(environment, n)) for n, environment in enumerate(environments)
        ]
        for thread in self._threads:
            thread.start()

    def _write(self, environment: Environment, writer: int) -> None:
        number = 0
        with httpx.Client(trust_env=False, timeout=120) as client:
            while not self._stopping.is_set():
                number += 1
                text = f"{writer}-{number}"
                if self._post(client, environment, text):
                    self.acknowledged[environment.id].append(text)
                    self._count.release()
                else:
                    self._stopping.wait(0.05)

    def _post(self, client: httpx.Client, environment: Environment, text: str) -> bool:
        headers = {"Authorization": f"Bearer {environment.token}"}
        body = {"channel": GENERAL, "text": text}
        try:
            answer = client.post(f"{environment.url}/chat.postMessage", json=body, headers=headers)
        except httpx.TransportError:
            return False  # the server was cut down; nobody knows whether it wrote
        assert answer.status_code in (200, 503), answer.text
        if answer.status_code == 503:
            assert answer.headers["retry-after"] == "1"
            return False
        assert answer.json()["ok"], answer.text
        return True

    def wait_for(self, more: int) -> None:
        """Until so many more writes are acknowledged."""
        for _ in range(more):
            assert self._count.acquire(timeout=120), "nothing is acknowledged any more"

    def stop(self) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()


def eventually(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """Ask again while the answer is that it cannot be served now."""
    for _ in range(200):
        try:
            answer = ask()
        except httpx.TransportError:
            continue
        if answer.status_code != 503:
            return answer
    raise AssertionError("it was never served again")


def journal(server: Serving, environment: Environment) -> list[Any]:
    """All journal records of an environment."""
    records: list[Any] = []
    while True:
        path = f"env/{environment.id}/journal?after={len(records)}&limit=1000"
        page = eventually(partial(server.platform.ask, "GET", path)).json()["records"]
        records += page
        if len(page) < 1000:
            return records


def posted(records: list[Any]) -> list[str]:
    """The texts of messages that records insert, in order."""
    return [
        change["after"]["message_text"]
        for record in records
        for change in record["changes"]
        if change["table"] == "messages" and change["before"] is None
    ]
