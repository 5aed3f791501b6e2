"""The namespace for trial sets, `client.trial_sets`, synchronous and asynchronous."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

import msgspec

from . import responses
from .namespaces import AsyncNamespace, Awaited, Namespace, Sent
from .request_specs import Json, RequestSpec


def _path(id: str, *more: str) -> str:
    return "/".join(["trial-sets", *(quote(part, safe="") for part in (id, *more))])


def _post(path: str, given: Json, *, repeatable: bool) -> RequestSpec[responses.TrialSet]:
    return RequestSpec("POST", path, responses.TrialSet, {}, msgspec.json.encode(given), repeatable)


def create(
    suite_id: str, agent: str, planned: int = 0, description: Json | None = None
) -> RequestSpec[responses.TrialSet]:
    """Create a trial set for an agent and a suite; `planned` is the number of trials to come.

    `description` tells sets of an agent apart: the keys are label, model, parameters and revision.
    """
    given = {"testSuiteId": suite_id, "agent": agent, "planned": planned}
    given |= {"description": description} if description else {}
    return _post("trial-sets", given, repeatable=False)


def add(id: str, trials: Sequence[Json]) -> RequestSpec[responses.TrialSet]:
    """Add up to 100 trials; existing ones stay.

    The keys are testId, number, runId, error, seconds, isKept, inputTokens, outputTokens, cost and messages.
    """
    return _post(_path(id, "trials"), {"trials": trials}, repeatable=True)


def find(limit: int = 100) -> RequestSpec[responses.TrialSetList]:
    """List trial sets, newest first."""
    return RequestSpec("GET", "trial-sets", responses.TrialSetList, {"limit": str(limit)}, b"", True)


def get(id: str) -> RequestSpec[responses.TrialSet]:
    """Read a trial set with its statistics and the results of each test."""
    return RequestSpec("GET", _path(id), responses.TrialSet, {}, b"", True)


def trials(id: str, limit: int = 100, offset: int = 0) -> RequestSpec[responses.KeptTrials]:
    """List the trials of a set in the order of their tests, with their explanations."""
    return RequestSpec(
        "GET", _path(id, "trials"), responses.KeptTrials, {"limit": str(limit), "offset": str(offset)}, b"", True
    )


def compare(id: str, other: str) -> RequestSpec[responses.TrialSetComparison]:
    """Compare a set with another one, test by test."""
    return RequestSpec("GET", _path(id, "compare", other), responses.TrialSetComparison, {}, b"", True)


def delete(id: str) -> RequestSpec[responses.TrialSetEnded]:
    """Delete a trial set; its runs stay."""
    return RequestSpec("DELETE", _path(id), responses.TrialSetEnded, {}, b"", True)


class TrialSets(Namespace):
    """Results of agents' trials of suites."""

    create = Sent(create)
    add = Sent(add)
    find = Sent(find)
    get = Sent(get)
    trials = Sent(trials)
    compare = Sent(compare)
    delete = Sent(delete)


class AsyncTrialSets(AsyncNamespace):
    """Results of agents' trials of suites."""

    create = Awaited(create)
    add = Awaited(add)
    find = Awaited(find)
    get = Awaited(get)
    trials = Awaited(trials)
    compare = Awaited(compare)
    delete = Awaited(delete)
