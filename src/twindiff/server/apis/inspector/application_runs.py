"""The list of twin, sandbox, test and pull request runs, newest first, with their state and links to their pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from twindiff.catalog import EnvironmentRecord, TestRunRecord, TwinRunRecord
from twindiff.catalog.stamps import wall
from twindiff.kit.rows import not_
from twindiff.server.apis.inspector.page_context import number
from twindiff.server.apis.inspector.rendering import page
from twindiff.server.apis.test_runs.page_head import describe_span, shorten_repository
from twindiff.server.apis.test_runs.reports import first_line
from twindiff.server.apis.test_runs.run_secrets import find_run_secrets, mask_of
from twindiff.server.service import Service

LISTED = 100
"""Runs of one page of the list."""
SEARCHED = 1000
"""Newest runs of each table among which those of a filter are looked for."""
MAX_TITLE = 90
MAX_VERDICT = 160
KINDS = {"twin": "twins", "sandbox": "sandbox", "test": "test", "url": "page test", "pr": "pull request"}
"""Names of the kinds of runs on the page."""
STATES = ("open", "passed", "failed", "ended")


class ListedRun(NamedTuple):
    """A row of the list; `state` is one of `STATES`, and `links` are addresses by their text."""

    run_id: str
    kind: str
    title: str
    address: str
    status: str
    state: str
    verdict: str
    twins: list[str]
    created: int
    age: str
    links: dict[str, str]

    def has(self, words: str) -> bool:
        """Whether all words are in its id, title, verdict or twins."""
        text = " ".join([self.run_id, self.title, self.verdict, *self.twins]).lower()
        return all(word in text for word in words.lower().split())


async def application_runs(service: Service, request: Request) -> Response:
    """List a page of runs of applications from `offset`, filtered by kind, state and search text."""
    given = request.query_params
    kind, state, words = given.get("kind", ""), given.get("state", ""), given.get("q", "").strip()[:200]
    rows = [*_list_twin_runs(service, kind), *_list_test_runs(service, kind)]
    rows = [each for each in rows if state in ("", each.state) and each.has(words)]
    rows.sort(key=lambda each: -each.created)
    offset = number(given.get("offset"))
    return page(
        "application_runs.html",
        runs=rows[offset : offset + LISTED],
        total=len(rows),
        offset=offset,
        previous=max(offset - LISTED, 0) if offset else None,
        next=offset + LISTED if offset + LISTED < len(rows) else None,
        kind=kind,
        state=state,
        words=words,
        kinds=KINDS,
        states=STATES,
    )


def _list_test_runs(service: Service, kind: str) -> Iterable[ListedRun]:
    if kind == "twin":
        return
    runs = service.whole_catalog.newest(TestRunRecord, limit=SEARCHED)
    sandboxes = {run.run_id: _page_of(run) for run in runs if run.kind == "sandbox"}
    for run in runs:
        if kind in ("", run.kind):
            yield _list_sandbox(run) if run.kind == "sandbox" else _list_test(run, sandboxes)


def _page_of(run: TestRunRecord) -> str:
    return f"/test-runs/{run.run_id}/page?token={run.view_token}"


def _list_test(run: TestRunRecord, sandboxes: Mapping[str, str]) -> ListedRun:
    mask = mask_of(tuple(find_run_secrets(run)))
    outcome: dict[str, Any] = run.outcome
    state = {"completed": "passed", "failed": "failed", "cancelled": "ended"}.get(run.status, "open")
    counted = f"{outcome.get('passed') or 0} of {outcome['total']} passed" if outcome.get("total") else ""
    failure = first_line(str(outcome.get("failure_detail") or ""))
    name = str(run.asked.get("name") or run.prompt or run.start_url or "")
    place = " ".join(filter(None, [shorten_repository(run.repo), run.asked.get("branch")]))
    title = place if run.kind == "pr" else f"{_shorten(name, MAX_TITLE)} ({place})" if place else name
    sandbox = sandboxes.get(run.sandbox_id or "")
    return ListedRun(
        run.run_id,
        run.kind,
        _shorten(mask.text(title), MAX_TITLE),
        _page_of(run),
        run.status,
        state,
        _shorten(mask.text(": ".join(filter(None, [counted, failure]))), MAX_VERDICT),
        [*run.asked.get("twins", [])],
        run.created,
        describe_age(run.created),
        {"sandbox": sandbox} if sandbox else {},
    )


def _list_sandbox(run: TestRunRecord) -> ListedRun:
    mask = mask_of(tuple(find_run_secrets(run)))
    status = {"completed": "expired", "cancelled": "deleted"}.get(run.status, run.status)
    state = {"completed": "ended", "cancelled": "ended", "failed": "failed"}.get(run.status, "open")
    url = run.outcome.get("app_url") if run.status == "ready" else None
    return ListedRun(
        run.run_id,
        run.kind,
        _shorten(mask.text(f"{shorten_repository(run.repo)} {run.asked['branch']}"), MAX_TITLE),
        _page_of(run),
        status,
        state,
        _shorten(mask.text(first_line(str(run.outcome.get("failure_detail") or ""))), MAX_VERDICT),
        [*run.asked.get("twins", [])],
        run.created,
        describe_age(run.created),
        {"application": str(url)} if url else {},
    )


def _list_twin_runs(service: Service, kind: str) -> list[ListedRun]:
    if kind not in ("", "twin"):
        return []
    catalog = service.whole_catalog
    runs = catalog.newest(TwinRunRecord, not_(TwinRunRecord.of_scenario), limit=SEARCHED)
    theirs = EnvironmentRecord.environment_id.in_([run.environment_id for run in runs if run.environment_id])
    environments = {each.environment_id: each for each in catalog.newest(EnvironmentRecord, theirs, limit=SEARCHED)}
    return [_list_twin_run(run, environments.get(run.environment_id)) for run in runs]


def _list_twin_run(run: TwinRunRecord, environment: EnvironmentRecord | None) -> ListedRun:
    status = run.status
    if status == "ready" and (environment is None or environment.status != "ready" or environment.expires <= wall()):
        status = "expired"
    state = "open" if status in ("queued", "provisioning", "ready") else "failed" if status == "failed" else "ended"
    ends = f"ends in {describe_span(environment.expires - wall())}" if environment and status == "ready" else ""
    is_kept = environment is not None and environment.status != "deleted"
    return ListedRun(
        run.run_id,
        "twin",
        run.scenario_id or ", ".join(run.requested.values()),
        f"/twin-runs/{run.run_id}/dashboard?token={run.proxy_token}",
        status.replace("_", " "),
        state,
        _shorten(run.error or ends, MAX_VERDICT),
        [*run.requested.values()],
        run.created,
        describe_age(run.created),
        {"environment": f"/inspect/environments/{run.environment_id}"} if is_kept else {},
    )


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def describe_age(created: int) -> str:
    """How long ago an instant was, in microseconds since 1970."""
    return f"{describe_span(wall() - created)} ago"
