"""Stores the episodes of a framework as trials of a server's trial set, with what the model said in each."""

from __future__ import annotations

import os
from collections import Counter
from functools import cache
from threading import Lock

from twindiff.client import Client
from twindiff.client.sync_client import Platform
from twindiff.frameworks.episodes import Episode, Json, platform_at, suite_of


class TrialRecorder:
    """Adds trials to one trial set, which is made with the first; `twindiff trials` shows it. Threads may share one."""

    def __init__(self, client: Client, suite: str, agent: str, description: Json) -> None:
        self._client = client
        self._suite, self._agent, self._description = suite, agent, description
        self._numbers = Counter[str]()
        self._lock = Lock()
        self.trial_set = ""
        """The id of the set; empty before the first trial."""

    def record(self, episode: Episode, error: str = "") -> None:
        """Add an episode that was judged, or that ended with an error, with its log and its tokens."""
        usage, test_id = episode.log.usage, episode.test.id
        with self._lock:
            self._numbers[test_id] += 1
            number = self._numbers[test_id]
            if not self.trial_set:
                suite = suite_of(self._client, self._suite)
                made = self._client.trial_sets.create(suite.id, self._agent, 0, self._description)
                self.trial_set = made.trial_set_id
        trial: Json = {"testId": test_id, "number": number, "runId": episode.run.id, "seconds": episode.seconds}
        trial |= {"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens, "cost": usage.cost}
        self._client.trial_sets.add(self.trial_set, [{**trial, "error": error, "messages": episode.log.entries}])


def recorder_for(base_url: str, suite: str, agent: str, *, model: str = "", label: str = "") -> TrialRecorder | None:
    """The recorder of this process for an agent on a suite; None without a server, which alone keeps trial sets."""
    return _recorder(os.getpid(), base_url, suite, agent, model, label) if base_url else None


@cache
def _recorder(_process: int, base_url: str, suite: str, agent: str, model: str, label: str) -> TrialRecorder | None:
    platform: Platform = platform_at(base_url)
    description = {"model": model, "label": label}
    return TrialRecorder(platform, suite, agent, description) if isinstance(platform, Client) else None
