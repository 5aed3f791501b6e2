"""The dashboard of a run: the URLs of its twins, their environment variables, calls and changes."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Iterable
from hashlib import sha256
from html import escape
from typing import Any

import msgspec

from twindiff.catalog import CallRecord, TwinRunRecord
from twindiff.kit.clock import Clock
from twindiff.kit.http import Response
from twindiff.server.apis.errors import NotSignedIn
from twindiff.server.apis.event_streams import KEEP_ALIVE, encode_event, stream_events
from twindiff.server.apis.twin_runs.dependencies import TwinRunContext
from twindiff.server.apis.twin_runs.runs import BEGINNING, TwinRunService
from twindiff.server.auth import same
from twindiff.server.use_cases.points import diff_points
from twindiff.server.use_cases.ports import describe_changed_ports
from twindiff.storage.feed import either
from twindiff.storage.journal import JournalRecord

SHOWN = 50
"""Number of calls and of operations on the page, newest first."""
MAX_OPERATIONS = 1000
"""Number of operations up to which the page shows the diff; beyond it, only a link to the inspector."""
LETTERS = 300
"""Maximum characters of a row on the page."""
SECONDS_BETWEEN = 0.25
"""Minimum seconds between two updates."""
SECONDS_QUIET = 20
"""Seconds of silence before a keep-alive, or the end of the stream if the run has ended."""
_SCRIPT = """
let busy = false, late = false;
async function refresh() {
  if (busy) { late = true; return; }
  busy = true;
  const answer = await fetch(location.href).catch(() => null);
  const page = new DOMParser().parseFromString(answer ? await answer.text() : "", "text/html");
  const main = page.querySelector("main");
  if (main) document.querySelector("main").replaceWith(main);
  if (main && !page.querySelector("script")) news.close();
  busy = false;
  if (late) { late = false; refresh(); }
}
const news = new EventSource(location.pathname + "/news" + location.search);
news.onopen = refresh;
news.onmessage = refresh;
"""
_HASH = b64encode(sha256(_SCRIPT.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_HASH}'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_STYLE = """
:root{color-scheme:light dark;--ink:#1a1d24;--paper:#fff;--tint:#f4f5f9;--ok:#14693f;--bad:#a32b23}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaf0;--paper:#14161b;--tint:#1d2027;--ok:#5fcf95;--bad:#ff9a90}}
body{max-width:64rem;margin:2rem auto;padding:0 1rem;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}code,pre{font:13px/1.5 ui-monospace,monospace}
code{overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #8884;
vertical-align:top}pre{background:var(--tint);padding:.7rem;border-radius:.4rem;overflow:auto;user-select:all}
.ok{color:var(--ok)}.bad{color:var(--bad)}.wide{overflow-x:auto}
dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem}
"""


def news(desk: TwinRunContext, run: TwinRunRecord, token: str) -> Response:
    """Stream an event after each operation of a run; raises NotSignedIn, TooManyStreams."""
    _check(desk, run, token)
    desk.runs.streams.check()
    return stream_events(_stream_news(desk.runs, run))


async def _stream_news(runs: TwinRunService, run: TwinRunRecord) -> AsyncIterator[bytes]:
    """Yield throttled updates of a run, and keep-alives while nothing happens."""
    service = runs.service

    async def seq() -> int:
        return service.engine.seq(run.environment_id)

    async def lasts() -> bool:
        return runs.status(runs.find(run.run_id)) == "ready"

    with (
        runs.streams.take(),
        service.engine.feed.watch(run.environment_id) as commits,
        service.calls.log.feed.watch(run.environment_id) as calls,
    ):
        yield KEEP_ALIVE
        while True:
            try:
                await asyncio.wait_for(either(anext(commits), anext(calls)), SECONDS_QUIET)
                yield encode_event(str(await service.runtime.run_request(seq)))
                await asyncio.sleep(SECONDS_BETWEEN)
            except TimeoutError:
                if not await service.runtime.run_request(lasts):
                    yield encode_event("ended")
                    return
                yield KEEP_ALIVE


def _check(desk: TwinRunContext, run: TwinRunRecord, token: str) -> None:
    if desk.runs.service.settings.api_key and not same(token, run.proxy_token):
        raise NotSignedIn("Open this page with the run's proxy_token: ?token=…")


async def dashboard(desk: TwinRunContext, run: TwinRunRecord, token: str) -> Response:
    """Render the page; raises NotSignedIn if the server has a key and `token` is not the run's proxy token."""
    _check(desk, run, token)
    status = desk.runs.status(run)
    twins = await desk.runs.instances(run, desk.address)
    lasts = status == "ready"
    happened = (await _diff(desk, run), _changes(desk, run), _calls(desk, run)) if _is_kept(desk, run) else ()
    parts = [
        f"<h1>Twin run <code>{run.run_id[:8]}</code> <span class={'ok' if lasts else 'bad'}>{status}</span></h1>",
        _facts(desk, run),
        _changed_ports(desk, run) if lasts else "",
        *(_twin(twin) for twin in twins.values()),
        "" if lasts else _without_twins(desk, run, status),
        *happened,
    ]
    script = f"<script>{_SCRIPT}</script>" if lasts else ""
    script += '<meta http-equiv="refresh" content="1">' if status in BEGINNING else ""
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Twin run {run.run_id[:8]}</title>'
        '<link rel="icon" href="/inspect/static/icon.svg" type="image/svg+xml">'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}</style></head><body><main>{''.join(parts)}</main>{script}</body></html>"
    )
    headers = (("Content-Security-Policy", POLICY), ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"))
    return Response(page.encode(), content_type="text/html; charset=utf-8", headers=headers)


def _is_kept(desk: TwinRunContext, run: TwinRunRecord) -> bool:
    """Whether the run's data is still stored, as it is for a while after its end."""
    environments = desk.runs.service.environments
    return bool(run.environment_id) and environments.record(run.environment_id).status != "deleted"


def _without_twins(desk: TwinRunContext, run: TwinRunRecord, status: str) -> str:
    if status in BEGINNING:
        return "<p>The twins are being filled.</p>"
    error = desk.runs.error(run)
    return f"<p>The run failed: {escape(error)}</p>" if error else "<p>The run has ended; its twins are gone.</p>"


def _facts(desk: TwinRunContext, run: TwinRunRecord) -> str:
    facts = {
        "Access": "public" if run.is_public else "private: callers bring the proxy token",
        "Scenario": run.scenario_id or "starter worlds",
    }
    if run.environment_id:
        expires = desk.runs.service.environments.record(run.environment_id).expires
        facts |= {"Environment": run.environment_id, "Ends": f"{Clock(expires).iso()[:19]} UTC"}
    if desk.runs.status(run) == "ready":
        facts["Its time"] = f"{Clock(desk.runs.service.clocks.show(run.environment_id).now).iso()[:19]} UTC"
    return (
        "<dl>" + "".join(f"<dt>{escape(name)}<dd><code>{escape(text)}</code>" for name, text in facts.items()) + "</dl>"
    )


def _changed_ports(desk: TwinRunContext, run: TwinRunRecord) -> str:
    sentences = describe_changed_ports(desk.runs.service, run.environment_id)
    return "".join(f"<p class=bad>{escape(sentence)}</p>" for sentence in sentences)


def _twin(twin: dict[str, Any]) -> str:
    variables = "\n".join(f"{name}={value}" for name, value in twin["env_vars"].items())
    return (
        f"<h2>{escape(twin['label'])}</h2><p><code>{escape(twin['base_url'])}</code></p><pre>{escape(variables)}</pre>"
    )


async def _diff(desk: TwinRunContext, run: TwinRunRecord) -> str:
    """The net diff since the start of the run, with links to the inspector."""
    service, base = desk.runs.service, f"/inspect/environments/{run.environment_id}"
    links = f'<p><a href="{base}">Look into the environment</a> · <a href="{base}/difference">all that differs</a></p>'
    if service.engine.seq(run.environment_id) > MAX_OPERATIONS:
        return f"<h2>What differs</h2>{links}"
    _, text = await diff_points(service, run.environment_id, 0, None, "plain", "full")
    diff = msgspec.json.decode(text, type=dict[str, list[dict[str, Any]]])
    rows = [*(("+", row, row) for row in diff["inserts"]), *(("-", row, row) for row in diff["deletes"])]
    rows += [
        ("~", row, {name: [row["before"][name], row["after"][name]] for name in row["changed"]})
        for row in diff["updates"]
    ]
    shown = (
        (sign, f"{row.get('__twin__', run.twins[0])}.{row['__table__']}", _columns(said))
        for sign, row, said in rows[:SHOWN]
    )
    return "<h2>What differs</h2>" + _table(("", "table", "row"), shown, "Nothing does.") + links


def _columns(row: dict[str, Any]) -> str:
    """The columns of a row as truncated text; changed columns have their value before and after."""
    said = {name: value for name, value in row.items() if value is not None and not name.startswith("__")}
    text = ", ".join(
        f"{name}: {value if isinstance(value, str) else msgspec.json.encode(value).decode()}"
        for name, value in said.items()
    )
    return text if len(text) <= LETTERS else f"{text[:LETTERS]}…"


def _changes(desk: TwinRunContext, run: TwinRunRecord) -> str:
    engine = desk.runs.service.engine
    last = engine.seq(run.environment_id)
    records = engine.records(run.environment_id, max(0, last - SHOWN), last)
    rows = ((str(each.seq), each.twin, each.operation, each.actor, _tables(each)) for each in reversed(records))
    return "<h2>What was done</h2>" + _table(("#", "twin", "operation", "by", "rows"), rows, "Nothing has changed yet.")


def _tables(record: JournalRecord) -> str:
    signs = [f"{'+' if c.before is None else '-' if c.after is None else '~'} {c.table}" for c in record.changes]
    return ", ".join(f"{sign} {signs.count(sign)}" for sign in dict.fromkeys(signs))


def _calls(desk: TwinRunContext, run: TwinRunRecord) -> str:
    desk.runs.service.calls.log.flush()
    mine = CallRecord.environment_id == run.environment_id
    calls = desk.runs.service.catalog.rows(CallRecord, mine, order=-CallRecord.number, limit=SHOWN)
    rows = (
        (str(each.number), each.twin, each.operation, each.actor or "", f"{each.status} {each.error or ''}")
        for each in calls
    )
    return "<h2>What was asked</h2>" + _table(
        ("#", "twin", "operation", "by", "answer"), rows, "Nothing was asked yet."
    )


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]], empty: str) -> str:
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}" for cell in row) for row in rows)
    head = "".join(f"<th>{escape(each)}" for each in heads)
    return f'<div class="wide"><table><tr>{head}{body}</table></div>' if body else f"<p>{escape(empty)}</p>"
