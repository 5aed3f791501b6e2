"""The dashboard of a run: the URLs of its twins, their environment variables, calls and changes."""

from __future__ import annotations

import asyncio
import re
import shlex
from base64 import b64encode
from collections.abc import AsyncIterator, Iterable, Sequence
from hashlib import sha256
from html import escape
from typing import Any, NamedTuple

import msgspec

from twindiff.browser.masking import TextMask, mask_recognized
from twindiff.catalog import CallRecord, TwinRunRecord
from twindiff.catalog.stamps import wall
from twindiff.environments.registry import did_you_mean
from twindiff.kit.clock import Clock
from twindiff.kit.errors import InvalidParameter
from twindiff.kit.header_values import disposition_value
from twindiff.kit.http import Response
from twindiff.kit.rows import Expression, not_
from twindiff.server.apis.errors import NotSignedIn
from twindiff.server.apis.event_streams import KEEP_ALIVE, encode_event, stream_events
from twindiff.server.apis.test_runs.page_head import describe_span
from twindiff.server.apis.test_runs.page_rows import ROWS_STYLE, render_diff
from twindiff.server.apis.test_runs.run_secrets import mask_variables
from twindiff.server.apis.twin_runs.dependencies import TwinRunContext
from twindiff.server.apis.twin_runs.runs import BEGINNING, TwinRunService
from twindiff.server.auth import same
from twindiff.server.service import Service
from twindiff.server.use_cases.points import diff_points
from twindiff.server.use_cases.ports import describe_changed_ports
from twindiff.storage.feed import either
from twindiff.storage.journal import JournalRecord

SHOWN = 30
"""Number of calls and of changed rows on the page."""
MAX_OPERATIONS = 1000
"""Number of operations up to which the page shows the diff; beyond it, only a link to the inspector."""
CALLS = {"": "all", "writes": "that changed rows", "refused": "that were refused"}
"""Names of the kinds of calls that the page can show."""
_PROMPT_RESULTS = {"understood": "Understood", "not_understood": "Not understood", "warnings": "Warnings"}
"""Titles of what is known of the prompt of a run."""
_PLAIN = re.compile(r"[\w./:@%+,=-]*")
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
  if (main) {
    const shown = document.querySelector("main");
    const open = [...shown.querySelectorAll("details[open][id]")].map(each => each.id);
    for (const id of open) main.querySelector("#" + id)?.setAttribute("open", "");
    if (!shown.querySelector("input:focus, select:focus")) shown.replaceWith(main);
  }
  if (main && !page.querySelector("script")) news.close();
  busy = false;
  if (late) { late = false; refresh(); }
}
const news = new EventSource(location.pathname + "/news" + location.search);
news.onopen = refresh;
news.onmessage = refresh;
document.addEventListener("click", async event => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const answer = await fetch(button.dataset.copy);
  await navigator.clipboard.writeText(await answer.text());
  button.textContent = "Copied";
});
"""
_HASH = b64encode(sha256(_SCRIPT.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_HASH}'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_STYLE = """
:root{color-scheme:light dark;--ink:#1a1d24;--paper:#fff;--tint:#f4f5f9;--ok:#14693f;--bad:#a32b23;--line:#8884}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaf0;--paper:#14161b;--tint:#1d2027;--ok:#5fcf95;--bad:#ff9a90}}
body{max-width:64rem;margin:1rem auto 2rem;padding:0 1rem;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}code,pre{font:13px/1.5 ui-monospace,monospace}
code{overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #8884;
vertical-align:top}pre{background:var(--tint);padding:.7rem;border-radius:.4rem;overflow:auto;user-select:all}
.ok{color:var(--ok)}.bad{color:var(--bad)}.wide{overflow-x:auto}
nav{font-size:.9rem}summary{cursor:pointer}label{white-space:nowrap}
.deeds{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:center;margin:.6rem 0}.deeds details{display:inline}
button,input,select{font:inherit;max-width:100%}
dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem}dd{margin:0;overflow-wrap:anywhere}
@media(max-width:40rem){.wide tr{display:flex;flex-wrap:wrap;gap:0 .7rem;border-bottom:1px solid #8884;padding:.3rem 0}
.wide td{border:0;padding:0;overflow-wrap:anywhere}.wide tr:first-child{display:none}}
"""


def news(desk: TwinRunContext, run: TwinRunRecord, token: str) -> Response:
    """Stream an event after each operation of a run; raises NotSignedIn, TooManyStreams."""
    check_token(desk, run, token)
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


def check_token(desk: TwinRunContext, run: TwinRunRecord, token: str) -> None:
    """Raise NotSignedIn if the server has a key and `token` is not the run's proxy token."""
    if desk.runs.service.settings.api_key and not same(token, run.proxy_token):
        raise NotSignedIn("Open this page with the run's proxy_token: ?token=…")


class CallFilter(NamedTuple):
    """Which calls the page shows: of one twin, of one kind in `CALLS`, and with `words` in their operation."""

    twin: str = ""
    calls: str = ""
    words: str = ""

    @property
    def is_used(self) -> bool:
        """Whether it leaves out any call."""
        return any(self)

    def conditions(self) -> list[Expression]:
        """The filter as conditions of a query."""
        conditions: list[Expression] = [CallRecord.twin == self.twin] if self.twin else []
        if self.calls == "writes":
            conditions.append(not_(CallRecord.seq.is_null()))
        if self.calls == "refused":
            conditions.append(not_(CallRecord.error.is_null()))
        if self.words:
            conditions.append(CallRecord.operation.contains(self.words, fold=True))
        return conditions


async def dashboard(desk: TwinRunContext, run: TwinRunRecord, token: str, chosen: CallFilter) -> Response:
    """Render the page; raises NotSignedIn if the server has a key and `token` is not the run's proxy token."""
    check_token(desk, run, token)
    status = desk.runs.status(run)
    twins = await desk.runs.instances(run, desk.address)
    lasts = status == "ready"
    happened = (_calls(desk, run, chosen), await _diff(desk, run)) if _is_kept(desk, run) else ()
    named = escape(", ".join(str(each) for each in run.requested.values()))
    parts = [
        f"<h1>{named} <code>{run.run_id[:8]}</code> <span class={'ok' if lasts else 'bad'}>{status}</span></h1>",
        _facts(desk, run),
        _actions(run) if lasts else "",
        _changed_ports(desk, run) if lasts else "",
        *(_twin(run, twin) for twin in twins.values() if lasts),
        "" if lasts else _without_twins(desk, run, status),
        *happened,
    ]
    script = f"<script>{_SCRIPT}</script>" if lasts else ""
    script += '<meta http-equiv="refresh" content="1">' if status in BEGINNING else ""
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Twin run {run.run_id[:8]}</title>'
        '<link rel="icon" href="/inspect/static/icon.svg" type="image/svg+xml">'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}{ROWS_STYLE}</style></head><body>"
        '<nav><a href="/inspect/application-runs">All runs</a></nav>'
        f"<main>{''.join(parts)}</main>{script}</body></html>"
    )
    headers = (("Content-Security-Policy", POLICY), ("Referrer-Policy", "same-origin"), ("Cache-Control", "no-store"))
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
        "Scenario": escape(run.scenario_id or "starter worlds"),
    }
    is_ready = desk.runs.status(run) == "ready"
    if run.environment_id:
        place = f"/inspect/environments/{run.environment_id}"
        facts["Environment"] = f'<a href="{place}">{run.environment_id}</a>'
        expires = desk.runs.service.environments.record(run.environment_id).expires
        span = f"in {describe_span(expires - wall())}, at " if is_ready else ""
        facts["Ends" if is_ready else "Ended"] = f"{span}{Clock(expires).iso()[:16].replace('T', ' ')} UTC"
    if is_ready:
        facts["Its time"] = f"{Clock(desk.runs.service.clocks.show(run.environment_id).now).iso()[:19]} UTC"
    results: dict[str, Any] = run.prompt_results or {}
    for name, title in _PROMPT_RESULTS.items():
        if results.get(name):
            facts[title] = "<br>".join(escape(str(each)) for each in results[name])
    return "<dl>" + "".join(f"<dt>{escape(name)}<dd>{text}" for name, text in facts.items()) + "</dl>"


def _actions(run: TwinRunRecord) -> str:
    """Buttons that extend, reset and end the run; the last two ask again."""
    reset = f"<details><summary>Reset</summary>{_button(run, 'reset', 'Reset all twins to their beginning')}</details>"
    end = f"<details><summary>End</summary>{_button(run, 'teardown', 'End the run and its twins')}</details>"
    return f"<div class=deeds>{_button(run, 'extend', 'Extend by an hour')}{reset}{end}</div>"


def _button(run: TwinRunRecord, action: str, label: str) -> str:
    address = escape(f"/twin-runs/{run.run_id}/dashboard/{action}?token={run.proxy_token}")
    return f'<form method="post" action="{address}"><button>{label}</button></form>'


def _changed_ports(desk: TwinRunContext, run: TwinRunRecord) -> str:
    sentences = describe_changed_ports(desk.runs.service, run.environment_id)
    return "".join(f"<p class=bad>{escape(sentence)}</p>" for sentence in sentences)


def _twin(run: TwinRunRecord, twin: dict[str, Any]) -> str:
    """A twin with its address and its variables, whose secrets only the file of them contains."""
    shown = mask_variables(twin["env_vars"], [*twin["env_vars"]])
    variables = "\n".join(f"{name}={value}" for name, value in shown.items())
    file = escape(f"/twin-runs/{run.run_id}/dashboard/variables.env?token={run.proxy_token}&twin={twin['name']}")
    return (
        f"<h2>{escape(twin['label'])}</h2><p><code>{escape(twin['base_url'])}</code></p>"
        f'<p><button data-copy="{file}">Copy the variables</button> <a href="{file}" download>Download .env</a></p>'
        f"<details id=variables-{escape(twin['name'])}><summary>{len(shown)} variables</summary>"
        f"<pre>{escape(variables)}</pre></details>"
    )


async def variables_file(desk: TwinRunContext, run: TwinRunRecord, token: str, twin: str) -> Response:
    """The variables of a run's twins, or of one, as a `.env` file; raises NotSignedIn, UnknownTwin."""
    check_token(desk, run, token)
    twins = await desk.runs.instances(run, desk.address)
    if twin and twin not in twins:
        raise InvalidParameter("twin", f"the run has no twin '{twin[:50]}'.{did_you_mean(twin, twins)}")
    lines = [_line(*pair) for name in ([twin] if twin else twins) for pair in twins[name]["env_vars"].items()]
    headers = (("Content-Disposition", disposition_value("attachment", "twins.env")), ("Cache-Control", "no-store"))
    return Response("".join(lines).encode(), content_type="text/plain; charset=utf-8", headers=headers)


def _line(name: str, value: str) -> str:
    """A line of a `.env` file; a value that shells would split or expand is quoted."""
    return f"{name}={value}\n" if _PLAIN.fullmatch(value) else f"{name}={shlex.quote(value)}\n"


async def _diff(desk: TwinRunContext, run: TwinRunRecord) -> str:
    """The net diff since the start of the run, with links to the inspector."""
    service, base = desk.runs.service, f"/inspect/environments/{run.environment_id}"
    links = f'<p><a href="{base}">Look into the environment</a> · <a href="{base}/difference">all that differs</a></p>'
    if service.engine.seq(run.environment_id) > MAX_OPERATIONS:
        return f"<h2>What differs</h2>{links}"
    _, text = await diff_points(service, run.environment_id, 0, None, "plain", "full")
    diff = TextMask(()).value(msgspec.json.decode(text))
    return f"<h2>What differs</h2>{render_diff(diff, None, str(run.twins[0]), SHOWN)}{links}"


def _calls(desk: TwinRunContext, run: TwinRunRecord, chosen: CallFilter) -> str:
    """The newest calls that the filter lets through, each with the rows that it changed."""
    service = desk.runs.service
    service.calls.log.flush()
    where = [CallRecord.environment_id == run.environment_id, *chosen.conditions()]
    calls = service.catalog.rows(CallRecord, *where, order=-CallRecord.number, limit=SHOWN)
    total = service.catalog.count(CallRecord, *where)
    changed = _changes(service, run, [each.seq for each in calls if each.seq])
    rows = (
        (
            str(each.number),
            each.twin,
            each.operation,
            each.actor or "",
            f"{each.status} {mask_recognized(each.error or '')}",
            changed.get(each.seq or 0, ""),
        )
        for each in calls
    )
    heads = ("#", "twin", "operation", "by", "answer", "rows")
    more = f"<p>The newest {len(calls)} of {total:,} are shown.</p>" if total > len(calls) else ""
    empty = "No call is like that." if chosen.is_used else "Nothing was asked yet."
    return f"<h2>What was asked</h2>{_filter(run, chosen)}{_table(heads, rows, empty)}{more}"


def _filter(run: TwinRunRecord, chosen: CallFilter) -> str:
    twins = "".join(_option(twin, twin, chosen.twin) for twin in ("", *run.twins))
    kinds = "".join(_option(kind, text, chosen.calls) for kind, text in CALLS.items())
    return (
        f'<form class=deeds><input type=hidden name=token value="{run.proxy_token}">'
        f"<label>Twin <select name=twin>{twins}</select></label> "
        f"<label>Calls <select name=calls>{kinds}</select></label> "
        f'<label>Operation <input type=search name=q value="{escape(chosen.words)}"></label> '
        "<button>Show</button></form>"
    )


def _option(value: str, text: str, chosen: str) -> str:
    return f'<option value="{escape(value)}"{" selected" if value == chosen else ""}>{escape(text or "any")}</option>'


def _changes(service: Service, run: TwinRunRecord, points: Sequence[int]) -> dict[int, str]:
    """The numbers of rows that operations changed, by point."""
    if not points:
        return {}
    records = service.engine.records(
        run.environment_id, max(min(points) - 1, max(points) - MAX_OPERATIONS), max(points)
    )
    return {each.seq: _tables(each) for each in records}


def _tables(record: JournalRecord) -> str:
    signs = [f"{'+' if c.before is None else '-' if c.after is None else '~'} {c.table}" for c in record.changes]
    return ", ".join(f"{sign} {signs.count(sign)}" for sign in dict.fromkeys(signs))


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]], empty: str) -> str:
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}" for cell in row) for row in rows)
    head = "".join(f"<th>{escape(each)}" for each in heads)
    return f'<div class="wide"><table><tr>{head}{body}</table></div>' if body else f"<p>{escape(empty)}</p>"
