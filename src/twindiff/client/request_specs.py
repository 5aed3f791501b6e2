"""Every request that there is, as data: both clients send the same ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Generic, Literal, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from . import responses

T = TypeVar("T")

Point = int | str
"""A seq, or the name of a checkpoint; 0 is the state of the templates."""
Include = Literal["plain", "derived", "all"]
"""What a diff shows: what the vendor shows, what it derives from that too, or all that is stored."""
Rows = Literal["full", "changed"]
Json = Mapping[str, Any]


class RequestSpec(NamedTuple, Generic[T]):
    """One request; one that is `repeatable` does no harm when it arrives twice."""

    verb: str
    path: str
    answer: type[T]
    query: dict[str, str]
    body: bytes
    repeatable: bool
    content_type: str = "application/json"


def _spec(
    verb: str, path: str, answer: type[T], given: Json | None = None, *, repeatable: bool = False
) -> RequestSpec[T]:
    known = {name: value for name, value in (given or {}).items() if value is not None}
    if verb in ("POST", "PUT"):
        return RequestSpec(verb, path, answer, {}, msgspec.json.encode(known), repeatable or verb == "PUT")
    return RequestSpec(verb, path, answer, {name: str(value) for name, value in known.items()}, b"", True)


OPTIONS = ("testId", "templateId", "templateService", "templateName", "templateSchema", "auth", "tokens", "users")
"""Fields of initEnv that `create` has no parameters for."""


def create(
    templates: Sequence[str],
    user: str | None,
    ttl_seconds: int | None,
    clock: Json | None,
    name: str | None,
    options: Json,
) -> RequestSpec[responses.Made]:
    """An environment of one or several templates, `twin:name` each, for a user's id or email address.

    Raises TypeError for an option that initEnv does not have: it would pass over it, and a slip would mean nothing.
    """
    for option in options:
        if option not in OPTIONS:
            known = ("user", "ttl_seconds", "clock", "name", *OPTIONS)
            near = get_close_matches(option, known, n=1)
            advice = f"Did you mean '{near[0]}'?" if near else f"It takes {', '.join(known)}."
            raise TypeError(f"create() has no option '{option}'. {advice}")
    who = "impersonateEmail" if user and "@" in user else "impersonateUserId"
    given = {
        "templates": templates or None,
        who: user,
        "ttlSeconds": ttl_seconds,
        "clock": clock,
        "name": name,
        **options,
    }
    return _spec("POST", "initEnv", responses.Made, given)


def environments(status: str | None, limit: int) -> RequestSpec[responses.EnvironmentInfos]:
    """Environments, newest first."""
    return _spec("GET", "env", responses.EnvironmentInfos, {"status": status, "limit": limit})


def templates() -> RequestSpec[responses.TemplateList]:
    """The newest template of every twin and name."""
    return _spec("GET", "templates", responses.TemplateList)


def suites(name: str) -> RequestSpec[responses.SuiteList]:
    """Suites whose name has this in it, newest first."""
    return _spec("GET", "testSuites", responses.SuiteList, {"name": name})


def suite(id: str) -> RequestSpec[responses.Suite]:
    """A suite with its tests."""
    return _spec("GET", f"testSuites/{quote(id, safe='')}", responses.Suite, {"expand": "tests"})


def import_files(files: Json) -> RequestSpec[responses.ImportResult]:
    """Templates and suites from public files; the same ones again change nothing."""
    return _spec("POST", "import", responses.ImportResult, {"files": files}, repeatable=True)


def _environment(id: str, *more: str) -> str:
    return "/".join(["env", *(quote(part, safe="") for part in (id, *more))])


def show(id: str) -> RequestSpec[responses.EnvironmentInfo]:
    """One environment, whatever its status."""
    return _spec("GET", _environment(id), responses.EnvironmentInfo)


def delete(id: str) -> RequestSpec[responses.Ended]:
    """Delete an environment; doing so twice is no error."""
    return _spec("DELETE", _environment(id), responses.Ended)


def export(id: str) -> RequestSpec[bytes]:
    """All of an environment."""
    return _spec("GET", _environment(id, "export"), bytes)


def import_environment(file: bytes, name: str | None, ttl_seconds: int | None) -> RequestSpec[responses.Made]:
    """An environment of what another server exported."""
    given = {"name": name, "ttlSeconds": ttl_seconds}
    query = {name: str(value) for name, value in given.items() if value is not None}
    return RequestSpec(
        "POST", "env/import", responses.Made, query, file, repeatable=False, content_type="application/gzip"
    )


def checkpoint(id: str, name: str, at: Point | None) -> RequestSpec[responses.Checkpoint]:
    """Give a point a name."""
    return _spec("POST", _environment(id, "checkpoints"), responses.Checkpoint, {"name": name, "at": at})


def checkpoints(id: str) -> RequestSpec[responses.Checkpoints]:
    """The names that points have."""
    return _spec("GET", _environment(id, "checkpoints"), responses.Checkpoints)


def delete_checkpoint(id: str, name: str) -> RequestSpec[responses.Checkpoint]:
    """Forget a name."""
    return _spec("DELETE", _environment(id, "checkpoints", name), responses.Checkpoint)


def fork(id: str, at: Point | None, count: int, name: str | None) -> RequestSpec[responses.Forks]:
    """Environments that go on from a point."""
    return _spec("POST", _environment(id, "fork"), responses.Forks, {"at": at, "count": count, "name": name})


def rewind(id: str, to: Point) -> RequestSpec[responses.RewindResult]:
    """Return to a point."""
    return _spec("POST", _environment(id, "rewind"), responses.RewindResult, {"to": to})


Until = Literal["next", "idle"]
"""The next time that work falls due, or that after which none does."""


def clock(id: str) -> RequestSpec[responses.ClockState]:
    """How the clock stands."""
    return _spec("GET", _environment(id, "clock"), responses.ClockState)


def advance(
    id: str, seconds: float | None, to: str | float | None, until: Until | None
) -> RequestSpec[responses.Advanced]:
    """Set the clock forward; to an instant it may be asked twice."""
    given = {"advance": seconds, "to": to, "until": until}
    return _spec("POST", _environment(id, "clock"), responses.Advanced, given)


def reset(id: str) -> RequestSpec[responses.RewindResult]:
    """Return to the templates' state."""
    return _spec("POST", _environment(id, "reset"), responses.RewindResult)


def diff(id: str, since: Point, until: Point | None, include: Include, rows: Rows) -> RequestSpec[responses.Differing]:
    """What differs between two points; with `until` None, between one and the present."""
    given = {"from": since, "to": until, "include": include, "rows": rows}
    return _spec("GET", _environment(id, "diff"), responses.Differing, given)


def journal(id: str, after: int, limit: int) -> RequestSpec[responses.Records]:
    """What each operation wrote."""
    return _spec("GET", _environment(id, "journal"), responses.Records, {"after": after, "limit": limit})


def calls(id: str, after: int, limit: int, *, transcripts: bool) -> RequestSpec[responses.CallList]:
    """What reached the twins."""
    return _spec("GET", _environment(id, "calls"), responses.CallList, _page_of_calls(after, limit, transcripts))


def run_calls(run_id: str, after: int, limit: int, *, transcripts: bool) -> RequestSpec[responses.CallList]:
    """What reached the twins in a run."""
    given = _page_of_calls(after, limit, transcripts)
    return _spec("GET", f"runs/{quote(run_id, safe='')}/calls", responses.CallList, given)


def _page_of_calls(after: int, limit: int, transcripts: bool) -> Json:
    return {"after": after, "limit": limit, "transcripts": "true" if transcripts else None}


def add_webhook(
    id: str, twin: str, url: str, events: Sequence[str], secret: str | None
) -> RequestSpec[responses.Webhook]:
    """Tell an address of events."""
    given = {"twin": twin, "url": url, "events": [*events], "secret": secret}
    return _spec("POST", _environment(id, "webhooks"), responses.Webhook, given)


def webhooks(id: str) -> RequestSpec[responses.WebhookList]:
    """Who is told."""
    return _spec("GET", _environment(id, "webhooks"), responses.WebhookList)


def remove_webhook(id: str, webhook_id: str) -> RequestSpec[responses.Webhook]:
    """Tell an address no more."""
    return _spec("DELETE", _environment(id, f"webhooks/{quote(webhook_id, safe='')}"), responses.Webhook)


def set_faults(id: str, faults: Sequence[Json]) -> RequestSpec[responses.Faults]:
    """The same faults again begin to count anew."""
    return _spec("PUT", _environment(id, "faults"), responses.Faults, {"faults": [*faults]})


def faults(id: str) -> RequestSpec[responses.Faults]:
    """What goes wrong on purpose."""
    return _spec("GET", _environment(id, "faults"), responses.Faults)


def deliveries(id: str, after: int, limit: int) -> RequestSpec[responses.Deliveries]:
    """What became of telling."""
    return _spec("GET", _environment(id, "deliveries"), responses.Deliveries, {"after": after, "limit": limit})


def redeliver(id: str, number: int) -> RequestSpec[responses.Delivery]:
    """Tell once more."""
    return _spec("POST", _environment(id, f"deliveries/{number}/redeliver"), responses.Delivery)


def open_port(id: str, twin: str) -> RequestSpec[responses.Opened]:
    """The same port when asked again."""
    return _spec("POST", _environment(id, "ports"), responses.Opened, {"twin": twin}, repeatable=True)


def start_run(id: str, test_id: str | None, *, once: bool | None) -> RequestSpec[responses.Started]:
    """Begin a run."""
    return _spec("POST", "startRun", responses.Started, {"envId": id, "testId": test_id, "once": once})


def diff_run(run_id: str, include: Include, rows: Rows, *, once: bool) -> RequestSpec[responses.Differing]:
    """A run that is judged once is closed by it; any other stays as it was."""
    given = {"runId": run_id, "include": include, "rows": rows}
    return _spec("POST", "diffRun", responses.Differing, given, repeatable=not once)


def spec(checks: Json | Sequence[Json] | None) -> Json | None:
    """A spec, also of a plain list of assertions."""
    return checks if checks is None or isinstance(checks, Mapping) else {"assertions": checks}


def evaluate_run(run_id: str, checks: Json | None, include: Include, *, once: bool) -> RequestSpec[responses.Verdict]:
    """Likewise."""
    given = {"runId": run_id, "expectedOutput": checks, "include": include}
    return _spec("POST", "evaluateRun", responses.Verdict, given, repeatable=not once)


def result(run_id: str, *, calls: bool = False) -> RequestSpec[responses.RunResult]:
    """A run's latest diff and verdict."""
    given = {"calls": "true" if calls else None}
    return _spec("GET", f"results/{quote(run_id, safe='')}", responses.RunResult, given)
