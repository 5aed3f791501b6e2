"""The page of a run: its steps as a film strip, what page and network said, what the twins changed; live, and again."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any

import msgspec

from twindiff.catalog import TestRunRecord
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Answer
from twindiff.server.auth import same
from twindiff.server.test_runs.ledger import ENDED
from twindiff.server.test_runs.views import shown

if TYPE_CHECKING:
    from twindiff.server.test_runs.runs import TestRuns

MOST_ROWS = 200
SIGNS = {"inserts": "+", "updates": "~", "deletes": "-"}
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
"""Puts what has happened since into the page, whenever the stream of the run tells of something."""
_HASH = b64encode(sha256(_SCRIPT.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; script-src 'sha256-{_HASH}'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = (("Content-Security-Policy", POLICY), ("Referrer-Policy", "same-origin"), ("Cache-Control", "no-store"))
_STYLE = """
:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}body{max-width:72rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin-bottom:.3rem}h2{font-size:1.1rem;margin-top:2rem}
code,pre{font:13px/1.5 ui-monospace,monospace}
code{overflow-wrap:anywhere}pre{background:#8881;padding:.7rem;border-radius:.4rem;overflow:auto;white-space:pre-wrap}
.ok{color:#1a7f37}.bad{color:#cf222e}.film{display:flex;gap:.8rem;overflow-x:auto;padding:.3rem 0 1rem}
figure{margin:0;flex:0 0 17rem;border:1px solid #8884;border-radius:.4rem;overflow:hidden}
figure.failed{border-color:#cf222e}figure img{width:100%;display:block;border-bottom:1px solid #8884}
figcaption{padding:.4rem .6rem;font-size:.85rem;overflow-wrap:anywhere}details{margin:.3rem 0}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #8884}
button{font:inherit;padding:.3rem 1rem}.wide{overflow-x:auto}
"""


class NotSignedIn(ApiError):
    """Open this page with the run's token: its page_url has it."""

    status = 401


def check_token(runs: TestRuns, run: TestRunRecord, token: str) -> None:
    """Raises NotSignedIn where the server has a key and the token is not the run's."""
    if runs.service.settings.api_key and not same(token, run.view_token):
        raise NotSignedIn


def page(runs: TestRuns, run: TestRunRecord, address: str) -> Answer:
    """The page, as the run stands."""
    facts = shown(runs, run, address)
    is_over = run.status in ENDED
    colour = {"completed": "ok", "failed": "bad"}.get(run.status, "")
    title = f"Test run {run.run_id[:8]}"
    parts = [
        f"<h1>{title} <span class='{colour}'>{run.status}</span></h1>",
        f"<p>{escape(run.start_url or '')}<p>{escape(facts['summary'] or '')}",
        f"<pre>{escape(run.prompt)}</pre>" if run.prompt else "",
        _not_understood(facts),
        _film(runs, run, facts),
        _failure(facts),
        _diff(facts),
        _said(facts),
        _events(facts),
        _artifacts(run, facts),
        _again(run) if is_over else "",
    ]
    script = "" if is_over else f"<script>{_SCRIPT}</script>"
    body = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}: {run.status}</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}</style></head><body><main>{''.join(parts)}</main>{script}</body></html>"
    )
    return Answer(body.encode(), content_type="text/html; charset=utf-8", headers=HEADERS)


def _file(run: TestRunRecord, name: str) -> str:
    return escape(f"/test-runs/{run.run_id}/page/{name}?token={run.view_token}")


def _film(runs: TestRuns, run: TestRunRecord, facts: dict[str, Any]) -> str:
    frames = "".join(_frame(runs, run, step) for step in facts["results_json"])
    if frames:
        return f'<h2>Steps</h2><div class="film">{frames}</div>'
    return "<p>No step was done.</p>" if run.status in ENDED else "<p>No step has been done yet.</p>"


def _not_understood(facts: dict[str, Any]) -> str:
    items = "".join(f"<li>{escape(sentence)}" for sentence in facts["not_understood"])
    return f"<h2>Not understood</h2><ul class=bad>{items}</ul>" if items else ""


def _frame(runs: TestRuns, run: TestRunRecord, step: dict[str, Any]) -> str:
    shot = step.get("screenshot")
    picture = f'<img src="{_file(run, shot)}" alt="The page after this step" loading="lazy">' if shot else ""
    mark = "<span class=ok>✓</span>" if step["passed"] else "<span class=bad>✗</span>"
    repaired = " · repaired" if step.get("repaired") else ""
    took = f" · {step['milliseconds']:.0f} ms" if "milliseconds" in step else ""
    caption = f"{mark} {step['step']}. {_name(runs, step)}{took}{repaired}"
    return f'<figure class="{step["status"]}">{picture}<figcaption>{caption}</figcaption></figure>'


def _name(runs: TestRuns, step: dict[str, Any]) -> str:
    """What a step is called; where it is a run of its own, with the way to the page of that."""
    name = escape(step["name"])
    part = runs.ledger.known(step.get("run_id") or "")
    return f'<a href="/test-runs/{part.run_id}/page?token={part.view_token}">{name}</a>' if part else name


def _failure(facts: dict[str, Any]) -> str:
    failed = next((step for step in facts["results_json"] if not step["passed"]), None)
    if failed is None:
        return f"<h2>Why it failed</h2><pre>{escape(facts['failure_detail'])}</pre>" if facts["failure_detail"] else ""
    lines = [failed.get("detail", "")]
    lines += [f"{name}: {failed[name]}" for name in ("expected", "seen") if failed.get(name)]
    lines += [f"near: {each['selector']}: {each['text']}" for each in failed.get("nearest", [])]
    return f"<h2>Why it failed</h2><pre>{escape(chr(10).join(lines))}</pre>"


def _diff(facts: dict[str, Any]) -> str:
    if facts["diff"] is None:
        return ""
    rows = [
        (sign, row)
        for sign, side in zip("+~-", ("inserts", "updates", "deletes"), strict=True)
        for row in facts["diff"][side]
    ]
    body = "".join(_row(sign, row) for sign, row in rows[:MOST_ROWS])
    table = f'<div class="wide"><table>{body}</table></div>' if body else "<p>Nothing.</p>"
    return f"<h2>What the twins changed</h2>{table}"


def _row(sign: str, row: dict[str, Any]) -> str:
    rest = {name: value for name, value in row.items() if not name.startswith("__") and value is not None}
    twin, table = row.get("__twin__", ""), row.get("__table__", "")
    values = escape(msgspec.json.encode(rest).decode())
    return f"<tr><td>{sign}<td>{escape(twin)}<td>{escape(table)}<td><code>{values}</code>"


def _said(facts: dict[str, Any]) -> str:
    """Console and network, step by step."""
    parts: list[str] = []
    for step in facts["results_json"]:
        lines = [f"{each['type']}: {each['text']}" for each in step.get("console", [])]
        lines += [
            f"{each['method']} {each['url']} {each['status']} {each.get('error', '')}"
            for each in step.get("network", [])
        ]
        lines += step.get("log", [])
        if lines:
            title = f"{step['step']}. {escape(step['name'])}: {len(lines)} lines"
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
