"""The requests of the platform API as data, which the synchronous and the asynchronous client share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Generic, Literal, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from . import responses

T = TypeVar("T")

Point = int | str
"""A point in an environment's history: a seq of its journal, or the name of a checkpoint; 0 is the initial state."""
Include = Literal["plain", "derived", "all"]
"""The scope of a diff: "plain" omits derived tables and updates of derived columns only, "derived" includes them, and
"all" also includes bookkeeping tables."""
Rows = Literal["full", "changed"]
"""Whether updates in a diff have whole rows, or only their key and the changed columns."""
Json = Mapping[str, Any]


class RequestSpec(NamedTuple, Generic[T]):
    """A request, with the type of its response; a `repeatable` one may arrive twice, so it is retried."""

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
"""Fields of initEnv without a parameter of `create`."""


def create(
    templates: Sequence[str],
    user: str | None,
    ttl_seconds: int | None,
    clock: Json | None,
    name: str | None,
    options: Json,
) -> RequestSpec[responses.Made]:
    """Create an environment from templates, `twin:name` each, for a user's id or email address.

    Raises TypeError for an unknown option, since the server would ignore it silently.
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
    """List environments, newest first."""
    return _spec("GET", "env", responses.EnvironmentInfos, {"status": status, "limit": limit})


def templates() -> RequestSpec[responses.TemplateList]:
    """List the newest template of every twin and name."""
    return _spec("GET", "templates", responses.TemplateList)


def suites(name: str) -> RequestSpec[responses.SuiteList]:
    """List the suites whose name contains `name`, newest first."""
    return _spec("GET", "testSuites", responses.SuiteList, {"name": name})


def suite(id: str) -> RequestSpec[responses.Suite]:
    """Read a suite with its tests."""
    return _spec("GET", f"testSuites/{quote(id, safe='')}", responses.Suite, {"expand": "tests"})


def import_files(files: Json) -> RequestSpec[responses.ImportResult]:
    """Import templates and suites from public files; importing the same files again changes nothing."""
    return _spec("POST", "import", responses.ImportResult, {"files": files}, repeatable=True)


def _environment(id: str, *more: str) -> str:
    return "/".join(["env", *(quote(part, safe="") for part in (id, *more))])


def show(id: str) -> RequestSpec[responses.EnvironmentInfo]:
    """Read an environment of any status."""
    return _spec("GET", _environment(id), responses.EnvironmentInfo)


def delete(id: str) -> RequestSpec[responses.Ended]:
    """Delete an environment; deleting it again is not an error."""
    return _spec("DELETE", _environment(id), responses.Ended)


def extend(id: str, ttl_seconds: int) -> RequestSpec[responses.Extended]:
    """Let an environment live for so many seconds from now on, if it would end sooner."""
    given = {"ttlSeconds": ttl_seconds}
    return _spec("POST", _environment(id, "extend"), responses.Extended, given, repeatable=True)


def export(id: str) -> RequestSpec[bytes]:
    """Export a whole environment."""
    return _spec("GET", _environment(id, "export"), bytes)


def import_environment(file: bytes, name: str | None, ttl_seconds: int | None) -> RequestSpec[responses.Made]:
    """Create an environment from an export."""
    given = {"name": name, "ttlSeconds": ttl_seconds}
    query = {name: str(value) for name, value in given.items() if value is not None}
    return RequestSpec(
        "POST", "env/import", responses.Made, query, file, repeatable=False, content_type="application/gzip"
    )


def checkpoint(id: str, name: str, at: Point | None) -> RequestSpec[responses.Checkpoint]:
    """Name a point; None is the current one."""
    return _spec("POST", _environment(id, "checkpoints"), responses.Checkpoint, {"name": name, "at": at})


def checkpoints(id: str) -> RequestSpec[responses.Checkpoints]:
    """List the named points."""
    return _spec("GET", _environment(id, "checkpoints"), responses.Checkpoints)


def delete_checkpoint(id: str, name: str) -> RequestSpec[responses.Checkpoint]:
    """Delete the name of a point."""
    return _spec("DELETE", _environment(id, "checkpoints", name), responses.Checkpoint)


def fork(id: str, at: Point | None, count: int, name: str | None) -> RequestSpec[responses.Forks]:
    """Fork an environment `count` times at a point; None is the current one."""
    return _spec("POST", _environment(id, "fork"), responses.Forks, {"at": at, "count": count, "name": name})


def rewind(id: str, to: Point) -> RequestSpec[responses.RewindResult]:
    """Rewind to a point."""
    return _spec("POST", _environment(id, "rewind"), responses.RewindResult, {"to": to})


Until = Literal["next", "idle"]
"""A time to advance the clock to: that of the next due job, or that of the last one."""


def clock(id: str) -> RequestSpec[responses.ClockState]:
    """Read the clock."""
    return _spec("GET", _environment(id, "clock"), responses.ClockState)


def advance(
    id: str, seconds: float | None, to: str | float | None, until: Until | None
) -> RequestSpec[responses.Advanced]:
    """Advance the clock by `seconds`, `to` an instant, or `until` the next or the last due job."""
    given = {"advance": seconds, "to": to, "until": until}
    return _spec("POST", _environment(id, "clock"), responses.Advanced, given)


def reset(id: str) -> RequestSpec[responses.RewindResult]:
    """Return to the initial state."""
    return _spec("POST", _environment(id, "reset"), responses.RewindResult)


def diff(id: str, since: Point, until: Point | None, include: Include, rows: Rows) -> RequestSpec[responses.Differing]:
    """Read the diff between two points; `until` None is the current one."""
    given = {"from": since, "to": until, "include": include, "rows": rows}
    return _spec("GET", _environment(id, "diff"), responses.Differing, given)


def journal(id: str, after: int, limit: int) -> RequestSpec[responses.Records]:
    """List journal records with a seq above `after`."""
    return _spec("GET", _environment(id, "journal"), responses.Records, {"after": after, "limit": limit})


def calls(id: str, after: int, limit: int, *, transcripts: bool) -> RequestSpec[responses.CallList]:
    """List calls to the twins with a number above `after`."""
    return _spec("GET", _environment(id, "calls"), responses.CallList, _page_of_calls(after, limit, transcripts))


def run_calls(run_id: str, after: int, limit: int, *, transcripts: bool) -> RequestSpec[responses.CallList]:
    """List calls to the twins in a run."""
    given = _page_of_calls(after, limit, transcripts)
    return _spec("GET", f"runs/{quote(run_id, safe='')}/calls", responses.CallList, given)


def _page_of_calls(after: int, limit: int, transcripts: bool) -> Json:
    return {"after": after, "limit": limit, "transcripts": "true" if transcripts else None}


def add_webhook(
    id: str, twin: str, url: str, events: Sequence[str], secret: str | None
) -> RequestSpec[responses.Webhook]:
    """Add a webhook for events of a twin; no events means all of them."""
    given = {"twin": twin, "url": url, "events": [*events], "secret": secret}
    return _spec("POST", _environment(id, "webhooks"), responses.Webhook, given)


def webhooks(id: str) -> RequestSpec[responses.WebhookList]:
    """List the webhooks."""
    return _spec("GET", _environment(id, "webhooks"), responses.WebhookList)


def remove_webhook(id: str, webhook_id: str) -> RequestSpec[responses.Webhook]:
    """Remove a webhook."""
    return _spec("DELETE", _environment(id, f"webhooks/{quote(webhook_id, safe='')}"), responses.Webhook)


def set_faults(id: str, faults: Sequence[Json]) -> RequestSpec[responses.Faults]:
    """Replace all faults; setting the same faults again resets their counts."""
    return _spec("PUT", _environment(id, "faults"), responses.Faults, {"faults": [*faults]})


def faults(id: str) -> RequestSpec[responses.Faults]:
    """List the faults."""
    return _spec("GET", _environment(id, "faults"), responses.Faults)


def deliveries(id: str, after: int, limit: int) -> RequestSpec[responses.Deliveries]:
    """List webhook deliveries with a number above `after`."""
    return _spec("GET", _environment(id, "deliveries"), responses.Deliveries, {"after": after, "limit": limit})


def redeliver(id: str, number: int) -> RequestSpec[responses.Delivery]:
    """Send a delivery again."""
    return _spec("POST", _environment(id, f"deliveries/{number}/redeliver"), responses.Delivery)


def open_port(id: str, twin: str) -> RequestSpec[responses.Opened]:
    """Open a loopback port for a twin; asking again returns the same port."""
    return _spec("POST", _environment(id, "ports"), responses.Opened, {"twin": twin}, repeatable=True)


def start_run(
    id: str, test_id: str | None, *, once: bool | None, from_start: bool = False
) -> RequestSpec[responses.Started]:
    """Start a run; with `once`, its first diff or verdict closes it; with `from_start`, it covers what was before."""
    given = {"envId": id, "testId": test_id, "once": once, "fromStart": from_start or None}
    return _spec("POST", "startRun", responses.Started, given)


def diff_run(run_id: str, include: Include, rows: Rows, *, once: bool) -> RequestSpec[responses.Differing]:
    """Read the diff of a run; this closes a run that was started with `once`, so it is not repeatable."""
    given = {"runId": run_id, "include": include, "rows": rows}
    return _spec("POST", "diffRun", responses.Differing, given, repeatable=not once)


def spec(checks: Json | Sequence[Json] | None) -> Json | None:
    """Convert checks to a spec: a list of assertions becomes `{"assertions": […]}`."""
    return checks if checks is None or isinstance(checks, Mapping) else {"assertions": checks}


def evaluate_run(run_id: str, checks: Json | None, include: Include, *, once: bool) -> RequestSpec[responses.Verdict]:
    """Evaluate a run; this closes a run that was started with `once`, so it is not repeatable."""
    given = {"runId": run_id, "expectedOutput": checks, "include": include}
    return _spec("POST", "evaluateRun", responses.Verdict, given, repeatable=not once)


def result(run_id: str, *, calls: bool = False) -> RequestSpec[responses.RunResult]:
    """Read the latest diff and verdict of a run."""
    given = {"calls": "true" if calls else None}
    return _spec("GET", f"results/{quote(run_id, safe='')}", responses.RunResult, given)
