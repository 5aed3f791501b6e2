"""What each process of a pool does: it holds a Twindiff and the episodes that the pool begins in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx

from twindiff import __version__
from twindiff.client import Environment, Verdict
from twindiff.frameworks.episodes import Episode, Json, chosen_tests
from twindiff.local import Twindiff


class TestOffered(NamedTuple):
    """A test that a pool can begin: its id, its name and its prompt."""

    __test__ = False

    id: str
    name: str
    prompt: str


class WorkerSettings(NamedTuple):
    """What a worker loads: files as `Client.import_files` takes them, the suite, and a part of its tests' names."""

    files: Mapping[str, Any]
    suite: str
    tests: str
    version: str = __version__
    """The release of the pool, without which a worker does not start."""


class OtherRelease(RuntimeError):
    """A worker has another release of Twindiff than its pool."""


class EpisodeWorker:
    """Episodes of one process, by number. The methods are called by name, one at a time, from the pool."""

    def __init__(self, settings: WorkerSettings) -> None:
        if settings.version != __version__:
            raise OtherRelease(f"it has Twindiff {__version__}, the pool {settings.version}. Install one for both.")
        self._platform = Twindiff()
        if settings.files:
            self._platform.import_files(dict(settings.files))
        self._tests = chosen_tests(self._platform, settings.suite, settings.tests)
        self._episodes: dict[int, Episode] = {}
        self._begun = 0

    def list_tests(self) -> list[TestOffered]:
        """Return the tests that can be begun."""
        return [TestOffered(each.id, each.name, each.prompt) for each in self._tests]

    def begin(self, test_id: str, clock: Json | None) -> int:
        """Begin an episode of a test; returns its number."""
        test = next(each for each in self._tests if each.id == test_id)
        return self._keep(Episode.begin(self._platform, test, clock=clock))

    def _keep(self, episode: Episode) -> int:
        self._begun += 1
        self._episodes[self._begun] = episode
        return self._begun

    def call(self, number: int, arguments: Json) -> tuple[int, str]:
        """Send a request to a twin of an episode; returns the status and the text of the response."""
        answer = self._episodes[number].call(arguments)
        return answer.status, answer.text

    def verdict(self, number: int) -> Verdict:
        """Evaluate the checks of an episode's test."""
        return self._episodes[number].verdict()

    def fork(self, number: int, count: int) -> list[int]:
        """Fork an episode so many times; returns the numbers of the forks."""
        return [self._keep(each) for each in self._episodes[number].forks(count)]

    def close(self, number: int) -> None:
        """End an episode; no effect for one that has ended."""
        episode = self._episodes.pop(number, None)
        if episode:
            episode.close()

    def request(
        self, verb: str, url: bytes, headers: list[tuple[bytes, bytes]], body: bytes
    ) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        """Handle a request by its path and query; returns status, headers and body of the response."""
        request = httpx.Request(verb, self._platform.base_url + url.decode(), headers=headers, content=body)
        answer = self._platform.transport().handle_request(request)
        return answer.status_code, answer.headers.raw, answer.content

    def open_url(self, environment: tuple[str, str, str], twin: str) -> str:
        """Return the URL of a twin on a loopback port; `environment` is its id, service and token."""
        return self._platform.url(Environment(self._platform, *environment), twin)

    def shut_down(self) -> None:
        """End all episodes and the Twindiff of this process."""
        self._episodes.clear()
        self._platform.close()
