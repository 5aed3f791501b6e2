"""No response shows a secret of a run, wherever it came from: every page, log, report and artifact is searched."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.harness import Json, LiveServer, succeeded
from tests.sandbox_runs.conftest import Repository, Sandboxes
from tests.test_runs.conftest import Runs
from twindiff.server import Settings

TYPED = "Hunter2-Zx9"
DATABASE = 'pg"w0rd/Qq7&'
SIGNING = "sgn-K3y-Aa55 bb66"
CARD = "4000056655665556"
PRINTED = "ghp_0123456789abcdefghij"
NESTED = "n3sted-Pin-77"
UNNAMED = "unn4med-Field-1"
FORMS = {
    secret: (secret, json.dumps(secret)[1:-1], quote(secret, safe=""), base64.b64encode(secret.encode()).decode()[:-3])
    for secret in (TYPED, DATABASE, SIGNING, PRINTED, NESTED, UNNAMED)
} | {CARD: (CARD, "4000 0566 5566 5556", "4000-0566-5566-5556")}
SERVES = """import base64, http.server, json, os, sys
PAGE = '''<!doctype html><title>In</title><form onsubmit="console.log('sent', p.value); out.innerText =
'You typed ' + p.value + ' and ' + c.value + ' ' + u.value; fetch('/x?password=' + encodeURIComponent(p.value),
{headers: {Authorization: 'Bearer ' + p.value}}); return false">
<label>Email <input></label><label>Password <input id=p></label>
<label>Account <input id=c></label><label>Word <input type=password id=u></label><button>Sign in</button></form>
<a href="/export.csv" download>Export</a><p id=out></p>'''
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        is_file = self.path == '/export.csv'
        body = (os.environ['DB_PASSWORD'] + ';4000056655665556' if is_file else PAGE).encode()
        self.send_response(200)
        self.send_header('Content-Type', 'text/csv' if is_file else 'text/html')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
e = os.environ
print(e['DB_PASSWORD'], json.dumps(dict(e)), base64.b64encode(e['SIGNING_KEY'].encode()).decode(), flush=True)
print('x' * 1992 + e['SIGNING_KEY'], flush=True)
print('{"user": {"password": "n3sted-Pin-77"}}', 'token ghp_0123456789abcdefghij', flush=True)
print('card 4000-0566-5566-5556', flush=True)
http.server.ThreadingHTTPServer(("127.0.0.1", int(e["PORT"])), Handler).serve_forever()
"""
CONFIG = f"""app:
  app_command: API_TOKEN={NESTED} python app.py
  env:
    DB_PASSWORD: {json.dumps(DATABASE)}
    DATABASE_URL: postgres://app:{quote(DATABASE, safe="")}@db/app
    SIGNING_KEY: {SIGNING}
  twins: [slack]
"""
PROMPT = (
    f'Enter "ada@beacon.test" as the email and "{TYPED}" as the password. Fill "Account" with "{CARD}". '
    f'Fill "Word" with "{UNNAMED}". Click "Export". Click "Sign in". Expect "Welcome" within 1 second'
)
OBSCURE = f'Wobble the password "{NESTED}" with card {CARD} above the fold.'
BROKEN = CONFIG.replace("python app.py", "python broken.py")


@pytest.fixture(scope="module")
def secretive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveServer, list[str]]]:
    """A server with a sandbox, a failed test of it, a test that is not understood and a pull request run; their ids."""
    place = tmp_path_factory.mktemp("secretive")
    broken = f"import os\nraise SystemExit('no login: ' + os.environ['DB_PASSWORD'] + ' {CARD}')"
    made = Repository(place / "shop", _DOT_arga__sandbox_DOT_yml=CONFIG, app_DOT_py=SERVES)
    made.git("checkout", "--quiet", "-b", "broken")
    made.commit("Break it", _DOT_arga__sandbox_DOT_yml=BROKEN, broken_DOT_py=broken)
    server = LiveServer(Settings(data_dir=str(place / "data"), repositories=(("acme/shop", str(made.path)),)))
    try:
        sandbox = Sandboxes(server).create(repo="acme/shop", branch="main")
        assert sandbox["status"] == "ready", sandbox["error"]
        runs = Runs(server)
        failed = runs.run(prompt=PROMPT, sandbox_id=sandbox["sandbox_id"])
        assert failed["failure_category"] == "step", failed["failure_detail"]
        unclear = runs.run(prompt=OBSCURE, start_url="http://127.0.0.1:9/")
        pull = runs.wait(
            succeeded(server.client.post("/validate/pr-run", json={"repo": "acme/shop", "branch": "broken"}))["id"]
        )
        assert "no login" in pull["failure_detail"]
        yield server, [sandbox["sandbox_id"], failed["id"], unclear["id"], pull["id"], pull["sandbox_id"]]
        server.client.delete(f"/sandbox-runs/{sandbox['sandbox_id']}")
    finally:
        server.close()


def list_addresses(server: LiveServer, run_id: str) -> list[str]:
    """Every address under which something of a run is shown."""
    of_run = [f"/runs/{run_id}", f"/runs/{run_id}/logs", f"/test-runs/{run_id}", f"/validate/{run_id}/results"]
    of_run += [f"/test-runs/{run_id}/events", f"/test-runs/{run_id}/page"]
    names = succeeded(server.client.get(f"/validate/{run_id}/artifacts"))["artifacts"]
    return [*of_run, *(f"/validate/{run_id}/artifacts/{name}" for name in names)]


@pytest.fixture(scope="module")
def shown(secretive: tuple[LiveServer, list[str]]) -> dict[str, bytes]:
    """Everything that the server shows of its runs, by address; archives by member."""
    server, run_ids = secretive
    addresses = [
        "/validation/runs",
        "/test-runs",
        "/sandbox-runs",
        "/pr-runs",
        "/twin-runs",
        "/inspect/application-runs",
    ]
    sandboxes = [each for each in run_ids if server.client.get(f"/sandbox-runs/{each}").is_success]
    addresses += [f"/sandbox-runs/{each}{part}" for each in sandboxes for part in ("", "/logs")]
    for run_id in (each for each in run_ids if each != sandboxes[0]):
        addresses += list_addresses(server, run_id)
    found: dict[str, bytes] = {}
    for address in addresses:
        answer = server.client.get(address)
        if answer.is_success and not address.endswith(".png"):
            found[address] = answer.content
        if address.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
                found |= {f"{address}#{name}": archive.read(name) for name in archive.namelist()}
    return found


@pytest.mark.parametrize(
    ("secret", "form"), [(secret, form) for secret, forms in FORMS.items() for form in dict.fromkeys(forms)]
)
def test_no_response_shows_a_secret_in_any_form(shown: dict[str, bytes], secret: str, form: str) -> None:
    places = [address for address, content in shown.items() if form.encode() in content]
    assert places == [], secret


def test_what_is_searched_has_pages_logs_reports_and_artifacts(shown: dict[str, bytes]) -> None:
    names = " ".join(shown)
    for part in (
        "/page",
        "/logs",
        "junit.xml",
        "check_run.json",
        "network.har",
        "trace.zip#",
        "export.csv",
        "/inspect/application-runs",
    ):
        assert part in names
    assert "•••" in next(text for name, text in shown.items() if name.endswith("/logs")).decode()


def test_no_line_that_was_cut_ends_with_the_beginning_of_a_secret(shown: dict[str, bytes]) -> None:
    assert [address for address, content in shown.items() if SIGNING[:7].encode() in content] == []


def change_config(server: LiveServer, run: Json, **fields: Any) -> Json:
    config = run["test_config"]
    config["steps"][0] |= fields
    return succeeded(server.client.patch(f"/test-runs/{run['id']}/config", json={"test_config": config}))


def test_a_masked_test_config_can_be_changed_and_keeps_its_secrets(secretive: tuple[LiveServer, list[str]]) -> None:
    server, run_ids = secretive
    run = change_config(server, Runs(server).get(run_ids[1]), timeout_ms=59_123)
    assert "•••" in json.dumps(run["test_config"], ensure_ascii=False)
    again = Runs(server).run(f"/test-runs/{run_ids[1]}/rerun")
    assert "You typed" in json.dumps(again["results_json"])


def test_a_masked_value_is_refused_as_what_is_typed(runs: Runs) -> None:
    step = {"action": "fill", "selector": "Password", "value": "•••"}
    asked = {"start_url": "http://127.0.0.1:9/", "test_config": {"steps": [step]}}
    answer = runs.client.post("/test-runs", json=asked)
    assert answer.status_code == 422
    assert "give it in credentials" in answer.json()["detail"]
