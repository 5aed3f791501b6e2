"""The page of a run: steps as a film strip, output, changes in twins; with live updates and a rerun button."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any

from twindiff.catalog import TestRunRecord
from twindiff.kit.http import Response
from twindiff.server.apis.errors import NotSignedIn
from twindiff.server.apis.test_runs.ledger import ENDED
from twindiff.server.apis.test_runs.page_head import render_head, render_title
from twindiff.server.apis.test_runs.page_rows import ROWS_STYLE, render_diff
from twindiff.server.apis.test_runs.page_statements import STATEMENTS_STYLE, describe_served, render_statements
from twindiff.server.apis.test_runs.reports import first_line
from twindiff.server.apis.test_runs.views import render_run
from twindiff.server.auth import same

if TYPE_CHECKING:
    from twindiff.server.apis.test_runs.runs import TestRunService

MAX_LINES = 40
"""Lines of an application's output that are shown."""
AGAIN = ("test", "url")
"""Kinds of runs that the page can rerun."""
_NAMED = re.compile(r"\bnamed=")
_SCRIPT = """
let busy = false, late = false;
async function refresh() {
  if (busy) { late = true; return; }
  busy = true;
  const answer = await fetch(location.href).catch(() => null);
  const page = new DOMParser().parseFromString(answer ? await answer.text() : "", "text/html");
  const main = page.querySelector("main"), shown = document.querySelector("main");
  if (main) {
    const film = shown.querySelector(".film"), left = film ? film.scrollLeft : 0;
    const atEnd = !film || left + film.clientWidth >= film.scrollWidth - 40;
    const open = [...shown.querySelectorAll("details[open]")].map(each => each.id);
    shown.replaceWith(main);
    for (const id of open) main.querySelector("#" + id)?.setAttribute("open", "");
    const now = main.querySelector(".film");
    if (now) now.scrollLeft = atEnd ? now.scrollWidth : left;
    document.title = page.title;
  }
  busy = false;
  if (late) { late = false; refresh(); }
}
const news = new EventSource(location.pathname + "/news" + location.search);
for (const name of ["status", "log", "step", "ask_user_question", "result"]) news.addEventListener(name, refresh);
news.addEventListener("done", () => { news.close(); refresh(); });
"""
"""Reloads the content of the page, keeping its scroll position, whenever the run's event stream has an event."""
_HASH = b64encode(sha256(_SCRIPT.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; script-src 'sha256-{_HASH}'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = (("Content-Security-Policy", POLICY), ("Referrer-Policy", "same-origin"), ("Cache-Control", "no-store"))
_STYLE = """
:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif;--ok:#1a7f37;--bad:#cf222e;--line:#8884;--tint:#8881}
@media(prefers-color-scheme:dark){:root{--ok:#5fcf95;--bad:#ff8a80}}
body{max-width:72rem;margin:1rem auto 2rem;padding:0 1rem}nav{font-size:.9rem}
h1{font-size:1.5rem;margin-bottom:.3rem}h2{font-size:1.1rem;margin-top:2rem}h3{font-size:1rem;margin:.8rem 0 .3rem}
code,pre{font:13px/1.5 ui-monospace,monospace}code{overflow-wrap:anywhere}
pre{background:var(--tint);padding:.7rem;border-radius:.4rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.ok{color:var(--ok)}.bad{color:var(--bad)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.5rem 0}dt{opacity:.7}
dd{margin:0;overflow-wrap:anywhere}
.film{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.8rem;align-items:start}
figure{margin:0;border:1px solid var(--line);border-radius:.4rem;overflow:hidden}
figure.failed{border:2px solid var(--bad)}
figure img{width:100%;aspect-ratio:8/5;object-fit:cover;object-position:top;display:block;
border-bottom:1px solid var(--line)}
figcaption{padding:.4rem .6rem;font-size:.85rem;overflow-wrap:anywhere}
.name{display:-webkit-inline-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden;vertical-align:top}
.why{margin:.3rem 0 0;color:var(--bad);display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:4;
overflow:hidden}figure.skipped .why{color:inherit}details{margin:.3rem 0}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.15rem .6rem;vertical-align:top;
border-bottom:1px solid var(--line);font-weight:normal}
button{font:inherit;padding:.3rem 1rem}
"""


def check_token(runs: TestRunService, run: TestRunRecord, token: str) -> None:
    """Raise NotSignedIn if the server has a key and the token is not the run's."""
    if runs.service.settings.api_key and not same(token, run.view_token):
        raise NotSignedIn("Open this page with the run's token: its page_url has it.")


def page(runs: TestRunService, run: TestRunRecord, address: str) -> Response:
    """Render the page with the current state of the run."""
    facts = render_run(runs, run, address)
    is_over = run.status in ENDED
    title = escape(render_title(run, facts))
    parts = [
        render_head(run, facts),
        f"<pre>{escape(facts['prompt'])}</pre>" if run.prompt else "",
        _not_understood(facts),
        render_statements(facts),
        _film(runs, run, facts),
        _failure(facts),
        _diff(runs, run, facts),
        _output(runs, run),
        _render_output(facts),
        _events(facts),
        _artifacts(run, facts),
        _again(run) if is_over and run.kind in AGAIN else "",
    ]
    script = "" if is_over else f"<script>{_SCRIPT}</script>"
    body = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}{ROWS_STYLE}{STATEMENTS_STYLE}</style></head><body>"
        f'<nav><a href="/inspect/application-runs">All runs</a></nav>'
        f"<main>{''.join(parts)}</main>{script}</body></html>"
    )
    return Response(body.encode(), content_type="text/html; charset=utf-8", headers=HEADERS)


def _file(run: TestRunRecord, name: str) -> str:
    return escape(f"/test-runs/{run.run_id}/page/{name}?token={run.view_token}")


def _film(runs: TestRunService, run: TestRunRecord, facts: dict[str, Any]) -> str:
    if run.kind == "sandbox":
        return ""
    frames = "".join(_frame(runs, run, step) for step in facts["results_json"])
    if not frames:
        return "<p>No step was done.</p>" if run.status in ENDED else "<p>No step has been done yet.</p>"
    return f'<h2>{"Tests" if run.kind == "pr" else "Steps"}</h2><div class="film">{frames}</div>'


def _not_understood(facts: dict[str, Any]) -> str:
    items = "".join(f"<li>{escape(sentence)}" for sentence in facts["not_understood"])
    return f"<h2>Not understood</h2><ul class=bad>{items}</ul>" if items else ""


def _frame(runs: TestRunService, run: TestRunRecord, step: dict[str, Any]) -> str:
    part = runs.ledger.find_by_id(step.get("run_id") or "")
    shown, shot = (part, _last_screenshot(runs, part)) if part else (run, step.get("screenshot"))
    picture = f'<img src="{_file(shown, shot)}" alt="The page after this step" loading="lazy">' if shot else ""
    mark = "<span class=ok>✓</span>" if step["passed"] else "<span class=bad>✗</span>"
    repaired = " · repaired" if step.get("repaired") else ""
    served = f" · {each}" if (each := describe_served(step)) else ""
    took = f" · {step['milliseconds']:.0f} ms" if "milliseconds" in step else ""
    why = f"<p class=why>{escape(first_line(step['detail']))}</p>" if step.get("detail") else ""
    caption = f"{mark} {step['step']}. <span class=name>{_name(part, step)}</span>{took}{repaired}{served}{why}"
    return f'<figure class="{step["status"]}">{picture}<figcaption>{caption}</figcaption></figure>'


def _last_screenshot(runs: TestRunService, part: TestRunRecord) -> str | None:
    shots = [step.data["screenshot"] for step in runs.steps(part.run_id) if step.data.get("screenshot")]
    return shots[-1] if shots else None


def _name(part: TestRunRecord | None, step: dict[str, Any]) -> str:
    """The name of a step; a link to its page if it is a run of its own."""
    name = escape(_caption(step))
    if part is None or part.kind == "sandbox":
        return name
    return f'<a href="/test-runs/{part.run_id}/page?token={part.view_token}">{name}</a>'


def _caption(step: dict[str, Any]) -> str:
    """The name of a step, with the words of elements instead of their selectors."""
    return _NAMED.sub("", step["name"])


def _failure(facts: dict[str, Any]) -> str:
    failed = [step for step in facts["results_json"] if not step["passed"]]
    told, detail = "".join(map(_why, failed)), facts["failure_detail"] or ""
    if last := failed[-1].get("detail", "") if failed else "":  # what the run adds to the reason of its last step
        detail = detail.partition(last)[2].removeprefix(";").strip()
    if detail:
        told += f"<pre>{escape(detail)}</pre>"
    return f"<h2>Why it failed</h2>{told}" if told else ""


def _why(step: dict[str, Any]) -> str:
    """Why a step or a test failed, with expected and actual values."""
    lines = [step.get("detail", "")]
    lines += [f"{name}: {step[name]}" for name in ("expected", "seen") if step.get(name)]
    lines += [f"near: {each['selector']}: {each['text']}" for each in step.get("nearest") or ()]
    return f"<h3>{step['step']}. {escape(_caption(step))}</h3><pre>{escape(chr(10).join(lines))}</pre>"


def _diff(runs: TestRunService, run: TestRunRecord, facts: dict[str, Any]) -> str:
    if facts["diff"] is None:
        return ""
    twin_run = runs.twins.find(run.twin_run_id)
    twin = str(twin_run.twins[0]) if twin_run and twin_run.twins else ""
    return f"<h2>What the twins changed</h2>{render_diff(facts['diff'], facts['checks'], twin)}"


def _output(runs: TestRunService, run: TestRunRecord) -> str:
    """The last output of the application in the run's sandbox, which may be the run itself."""
    sandbox = run if run.kind == "sandbox" else runs.ledger.find_by_id(run.sandbox_id or "")
    if sandbox is None:
        return ""
    printed = [each.message for each in runs.ledger.events(sandbox.run_id) if each.type == "output"][-MAX_LINES:]
    is_open = run.status == "failed" or run.kind == "sandbox"
    lines = escape("\n".join(printed)) or "It printed nothing."
    return (
        f"<h2>What the application printed</h2><details id=output{' open' if is_open else ''}>"
        f"<summary>the last {len(printed)} lines</summary><pre>{lines}</pre></details>"
    )


def _render_output(facts: dict[str, Any]) -> str:
    """Console and network output by step."""
    parts: list[str] = []
    for step in facts["results_json"]:
        lines = [f"{each['type']}: {each['text']}" for each in step.get("console", [])]
        lines += [
            f"{each['method']} {each['url']} {each['status']} {each.get('error', '')}"
            for each in step.get("network", [])
        ]
        lines += step.get("log", [])
        if lines:
            title = f"{step['step']}. {escape(_caption(step))}: {len(lines)} lines"
            parts.append(f"<details id=said-{step['step']}><summary>{title}</summary>")
            parts.append(f"<pre>{escape(chr(10).join(lines))}</pre></details>")
    return f"<h2>Console and network</h2>{''.join(parts)}" if parts else ""


def _events(facts: dict[str, Any]) -> str:
    lines = [f"{each['timestamp'][11:19]} {each['type']}: {each['message']}" for each in facts["events_json"]]
    told = (
        f"<details id=events><summary>{len(lines)} events</summary><pre>{escape(chr(10).join(lines))}</pre></details>"
    )
    return f"<h2>What happened</h2>{told}"


def _artifacts(run: TestRunRecord, facts: dict[str, Any]) -> str:
    links = " · ".join(f'<a href="{_file(run, name)}">{escape(name)}</a>' for name in facts["artifacts"])
    return f"<h2>Artifacts</h2><p>{links}</p>" if links else ""


def _again(run: TestRunRecord) -> str:
    action = escape(f"/test-runs/{run.run_id}/page/rerun?token={run.view_token}")
    return f'<form method="post" action="{action}"><button>Run it again</button></form>'
