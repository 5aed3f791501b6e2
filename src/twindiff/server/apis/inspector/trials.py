"""Pages of trial sets: the results of an agent's trials at a suite, and the comparison of two sets."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from twindiff.catalog import TrialRecord
from twindiff.environments.stored_results import unpack_json
from twindiff.server.apis.inspector.access import PREFIX
from twindiff.server.apis.inspector.page_context import number
from twindiff.server.apis.inspector.rendering import page
from twindiff.server.service import Service
from twindiff.server.use_cases.trial_sets import compare_trial_sets, trial_set_figures
from twindiff.suites.trial_sets import Ended, status_of

LISTED = 200
TRIALS = 100
"""Maximum trials on a page."""
MESSAGES = 50
"""Maximum messages of a trial on a page."""
ENDS: dict[str, Ended | None] = {"all": None, "passed": "passed", "failed": "failed", "error": "error"}


async def trial_sets(service: Service, request: Request) -> Response:
    """List trial sets, newest first, of all suites or of one."""
    suite_id = request.query_params.get("suite", "")
    sets = service.trial_sets.list(limit=LISTED, suite_id=suite_id)
    return page("trial_sets.html", sets=sets, suite=service.suites.get(suite_id) if suite_id else None)


async def trial_set(service: Service, request: Request) -> Response:
    """One set: its statistics, the results of each test, and the sets it can be compared with."""
    figures = await trial_set_figures(service, request.path_params["id"])
    others = [
        each
        for each in service.trial_sets.list(limit=LISTED, suite_id=figures.record.suite_id)
        if each.trial_set_id != figures.record.trial_set_id
    ]
    return await service.runtime.run_in_thread(lambda: page("trial_set.html", set=figures, others=others))


async def trials(service: Service, request: Request) -> Response:
    """List trials of a set with the reasons of failures, for all tests or one."""
    given = request.query_params
    record, offset = service.trial_sets.get(request.path_params["id"]), number(given.get("offset"))
    test, ended = given.get("test", ""), given.get("ended", "all")
    records = service.trial_sets.trials(
        record.trial_set_id,
        test_id=test,
        ended=ENDS.get(ended),
        limit=TRIALS + 1,
        offset=offset,
    )
    more = offset + TRIALS if len(records) > TRIALS else None
    shown = [(each, status_of(each), _reasons(each), _messages(each)) for each in records[:TRIALS]]
    return page("trials.html", set=record, trials=shown, more=more, test=test, ended=ended, ends=[*ENDS])


class _Why(msgspec.Struct):
    text: str = ""


class _Verdict(msgspec.Struct):
    """The fields of a verdict that are used here."""

    explanations: list[_Why] = []
    failures: list[str] = []


def _reasons(trial: TrialRecord) -> list[str]:
    """The reasons why a trial failed, one for each failed assertion."""
    if trial.passed or not trial.verdict:
        return [trial.reason] if trial.reason else []
    verdict = msgspec.json.decode(unpack_json(trial.verdict), type=_Verdict)
    of_checks = [each.text for each in verdict.explanations if each.text] or verdict.failures
    if trial.error:
        judged = "all checks hold" if not of_checks else "not all checks hold"
        return [trial.error, f"Judged all the same: {judged}.", *of_checks]
    return of_checks if trial.reason in of_checks else [trial.reason, *of_checks]


def _messages(trial: TrialRecord) -> list[tuple[str, str]]:
    """What the agent logged, as roles and texts; a tool call is shown as JSON."""
    if not trial.messages:
        return []
    entries = msgspec.json.decode(unpack_json(trial.messages), type=list[dict[str, Any]])
    return [(str(each.get("role") or "entry"), _text_of(each)) for each in entries[:MESSAGES]]


def _text_of(entry: dict[str, Any]) -> str:
    content, rest = entry.get("content"), {name: entry[name] for name in entry if name not in ("role", "content")}
    said = content if isinstance(content, str) else msgspec.json.encode(content).decode() if content else ""
    return " ".join(part for part in (said, msgspec.json.encode(rest).decode() if rest else "") if part)


async def comparison(service: Service, request: Request) -> Response:
    """The comparison of two sets, test by test."""
    compared = await compare_trial_sets(service, request.path_params["id"], request.path_params["other"])
    return await service.runtime.run_in_thread(lambda: page("comparison.html", compared=compared))


async def compare(service: Service, request: Request) -> Response:
    """Redirect from the form on a set's page to the comparison."""
    given = (request.path_params["id"], request.query_params.get("with", ""))
    first, other = (service.trial_sets.get(each).trial_set_id for each in given)
    return RedirectResponse(f"{PREFIX}/trial-sets/{first}/compare/{other}", 303)
