"""A server of several workers under tests that are written for any server: TWINDIFF_TEST_WORKERS=2."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from itertools import cycle
from typing import Any, NoReturn

import httpx
import pytest

from twindiff.server import Settings

WORKERS = os.environ.get("TWINDIFF_TEST_WORKERS", "")
"""The number of workers; empty where tests start a server in their own process."""

URLS = [each for each in os.environ.get("TWINDIFF_TEST_URLS", "").split(",") if each]
"""The addresses of a server that runs already, which tests take in turn; empty where they start one."""

_OPTIONS = {
    "api_key": "--api-key",
    "idle_seconds": "--idle-seconds",
    "transcripts": "--transcripts",
    "most_environments": "--most-environments",
    "data_dir": "--data-dir",
}


class DividedServer:
    """`twindiff serve --workers` as processes of their own; tests that look into a server in process are skipped."""

    def __init__(self, settings: Settings) -> None:
        command = [sys.executable, "-m", "twindiff.cli", "serve", "--port", "0", "--json", "--workers", WORKERS]
        self._process = subprocess.Popen(
            [*command, *_arguments(settings)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self._process.stdout
        said = self._process.stdout.readline()
        assert said, self._process.communicate()[1]
        self.url: str = json.loads(said)["url"]
        self.port = int(self.url.rpartition(":")[2])
        self.client = httpx.Client(base_url=self.url, trust_env=False, timeout=120)
        self.in_process = self.client

    def __getattr__(self, name: str) -> NoReturn:
        pytest.skip(f"looks into a server in process ({name})")

    def close(self) -> None:
        self.client.close()
        self._process.send_signal(signal.SIGTERM)
        self._process.communicate(timeout=120)


class RunningServer:
    """A server that runs already, behind several addresses."""

    def __init__(self, settings: Settings) -> None:
        if settings != Settings():
            pytest.skip("needs a server with settings of its own")
        self.url = URLS[0]
        self.port = int(self.url.rpartition(":")[2])
        self.client = httpx.Client(base_url=self.url, transport=_EachInTurn(), trust_env=False, timeout=120)
        self.in_process = self.client

    def __getattr__(self, name: str) -> NoReturn:
        pytest.skip(f"looks into a server in process ({name})")

    def close(self) -> None:
        self.client.close()


class _EachInTurn(httpx.HTTPTransport):
    """Sends each request to the next of the addresses."""

    def __init__(self) -> None:
        super().__init__()
        self._next = cycle(httpx.URL(each) for each in URLS)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if str(request.url).startswith(tuple(URLS)):  # else it is that of a port of an environment
            request.url = request.url.copy_with(port=next(self._next).port)
        return super().handle_request(request)


def _arguments(settings: Settings) -> list[str]:
    """The command line of settings; a test of others is skipped."""
    given: dict[str, Any] = {
        name: value for name, value in settings._asdict().items() if value != Settings()._asdict()[name]
    }
    if given.keys() - _OPTIONS.keys() - {"runs_once"}:
        pytest.skip(f"not among the options of the command line: {', '.join(given)}")
    runs = ["--runs", "once"] if given.pop("runs_once", False) else []
    given.setdefault("data_dir", settings.data_dir)
    return [*runs, *(part for name, value in given.items() for part in (_OPTIONS[name], str(value)))]
