"""What `.arga/sandbox.yml` says of an application: installation, services, health, webhooks, variables and clock."""

import socket
import time

import httpx
import pytest

from tests.harness import succeeded
from tests.sandbox_runs.conftest import SERVES, Sandboxes, variables_of
from tests.server_mode import embedded_only
from twindiff.server.apis.sandbox_runs import containers
from twindiff.server.apis.sandbox_runs.confinement import find_confinement

LISTENS = """import http.server, json, os, pathlib, time

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        told = json.dumps({each.name: each.read_text() for each in pathlib.Path(".").glob("*.txt")}).encode()
        self.send_response(503 if self.path == "/late" and time.time() < STARTED + 0.5 else 200)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        pathlib.Path("hook.txt").write_text(self.path + " " + self.headers.get("Stripe-Signature", "") + body.decode())
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

STARTED = time.time()
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""


@pytest.fixture(autouse=True)
def _no_engine(monkeypatch):
    monkeypatch.setenv(containers.SETTING, containers.NONE)


def config(**parts):
    lines = [f"  {name}: {value}" for name, value in {"app_command": "python app.py", **parts}.items()]
    return "\n".join(["app:", *lines, ""])


def files_of(run):
    """What lies in the folder of an application that shows its text files."""
    return httpx.get(run["app_url"], trust_env=False).json()


def test_a_service_that_has_done_its_work_is_in_the_log(sandboxes, repository):
    config = 'app: {app_command: python app.py, services: {worker: "exit 0"}}'
    run = sandboxes.create(repo=str(repository(_DOT_arga__sandbox_DOT_yml=config, app_DOT_py=SERVES).path))
    assert run["status"] == "ready", run["error"]
    sandboxes.logs_with(run["sandbox_id"], "the service 'worker' ended with exit code 0")


def test_a_service_that_fails_fails_the_run_with_its_last_lines(sandboxes, repository):
    worker = "until [ -e go ]; do sleep 0.05; done; ls /missing"
    config = f'app: {{app_command: python app.py, services: {{worker: "{worker}"}}}}'
    goes = SERVES.replace("    def do_GET(self):\n", "    def do_GET(self):\n        open('go', 'w')\n")
    run = sandboxes.create(repo=str(repository(_DOT_arga__sandbox_DOT_yml=config, app_DOT_py=goes).path))
    assert run["status"] == "ready", run["error"]
    variables_of(run)
    failed = sandboxes.until(run["sandbox_id"], lambda run: run["status"] == "failed")
    assert failed["error"].startswith("the application lost its service 'worker', which ended with exit code 2: ls: ")


def test_a_service_that_fails_first_keeps_the_run_from_being_ready(sandboxes, repository):
    config = 'app: {app_command: sleep 600, services: {worker: "exit 4"}}'
    run = sandboxes.create(repo=str(repository(_DOT_arga__sandbox_DOT_yml=config, app_DOT_py=SERVES).path))
    lost = "the application lost its service 'worker', which ended with exit code 4, before it listened on port"
    assert (run["status"], run["error"].startswith(lost)) == ("failed", True)


def test_commands_of_install_run_first_and_services_beside_the_application(sandboxes, repository):
    setup = config(
        install="[echo one > a.txt, cat a.txt a.txt > b.txt]",
        services='{worker: "echo at work > c.txt; echo the worker works; sleep 600"}',
        health_path="/late",
    )
    run = sandboxes.create(repo=str(repository(_DOT_arga__sandbox_DOT_yml=setup, app_DOT_py=LISTENS).path))
    assert run["status"] == "ready", sandboxes.logs(run["sandbox_id"])
    assert files_of(run) == {"a.txt": "one\n", "b.txt": "one\none\n", "c.txt": "at work\n"}
    logs = sandboxes.logs_with(run["sandbox_id"], "the worker works")
    assert "log: it is installed" in logs


def test_a_failing_installation_fails_the_run_with_its_output(sandboxes, repository):
    setup = config(install='["echo no such package; exit 3"]')
    run = sandboxes.create(repo=str(repository(_DOT_arga__sandbox_DOT_yml=setup, app_DOT_py=LISTENS).path))
    assert run["status"] == "failed"
    assert "ended with exit code 3 before its installation was done" in run["error"]
    assert "no such package" in run["error"]


def test_an_application_that_is_not_healthy_in_time_is_not_ready(sandboxes, repository):
    setup = config(health_path="/late")
    late = LISTENS.replace("+ 0.5", "+ 999")
    made = repository(_DOT_arga__sandbox_DOT_yml=setup, app_DOT_py=late)
    run = sandboxes.create(repo=str(made.path), seconds_to_start=8)
    assert (run["status"], "was not healthy within 8 seconds" in run["error"]) == ("failed", True)
    assert "answered 503" in run["error"]


def test_events_of_a_twin_are_sent_to_the_path_of_the_application(sandboxes, repository):
    setup = config(
        twins="[stripe]",
        webhooks="{stripe: /webhooks/stripe}",
        env='{STRIPE_WEBHOOK_SECRET: "{stripe.STRIPE_TWIN_WEBHOOK_SECRET}"}',
    )
    run = sandboxes.create(repo=str(repository(_DOT_arga__sandbox_DOT_yml=setup, app_DOT_py=LISTENS).path))
    assert run["status"] == "ready", run["error"]
    assert run["env_vars"]["STRIPE_WEBHOOK_SECRET"].startswith("whsec_")
    stripe = run["twins"]["stripe"]
    token = {"Authorization": f"Bearer {stripe['env_vars']['STRIPE_API_KEY']}"}
    succeeded(httpx.post(f"{stripe['base_url']}/v1/customers", headers=token, data={"name": "Ada"}))
    end = time.monotonic() + 60
    while "hook.txt" not in (told := files_of(run)):
        assert time.monotonic() < end, succeeded(
            sandboxes.client.get(f"/api/platform/env/{run['environment_id']}/deliveries")
        )
    assert told["hook.txt"].startswith("/webhooks/stripe t=")
    assert '"customer.created"' in told["hook.txt"]


def test_a_server_with_a_key_sends_webhooks_to_its_applications_and_to_nothing_else(make_server, repository):
    setup = config(twins="[stripe]", webhooks="{stripe: /webhooks/stripe}")
    made = repository(_DOT_arga__sandbox_DOT_yml=setup, app_DOT_py=LISTENS)
    server = make_server(api_key="key", repositories=(("acme/shop", str(made.path)),))
    server.client.headers["X-API-Key"] = "key"
    sandboxes = Sandboxes(server)
    run = sandboxes.create(repo="acme/shop")
    assert run["status"] == "ready", run["error"]
    webhooks = f"/api/platform/env/{run['environment_id']}/webhooks"
    with socket.create_server(("127.0.0.1", 0)) as other:
        place = f"http://127.0.0.1:{other.getsockname()[1]}/"
        refused = server.client.post(webhooks, json={"twin": "stripe", "url": place})
    assert "start the server with --allow-webhooks-to" in refused.json()["detail"]
    sandboxes.delete(run["sandbox_id"])


def test_variables_are_filled_with_what_the_twins_have(sandboxes, repository):
    setup = config(twins="[slack]", env='{MY_SLACK: "{slack.base_url}/api", ME: "{app_url}/x", OWN: "{a: {b}}"}')
    run = sandboxes.create(repo=str(repository(_DOT_arga__sandbox_DOT_yml=setup, app_DOT_py=SERVES).path))
    told = variables_of(run)
    assert told["MY_SLACK"] == run["twins"]["slack"]["base_url"] + "/api"
    assert (told["ME"], told["OWN"]) == (f"{run['app_url']}/x", "{a: {b}}")


@pytest.mark.parametrize(("given", "asked"), [("{mode: real}", None), ("{mode: frozen}", {"mode": "real"})])
def test_the_clock_of_the_twins_is_the_applications_where_it_is_asked_for(sandboxes, repository, given, asked):
    made = repository(_DOT_arga__sandbox_DOT_yml=config(twins="[slack]", clock=given), app_DOT_py=SERVES)
    run = sandboxes.create(repo=str(made.path), **({"clock": asked} if asked else {}))
    admin = run["twins"]["slack"]["admin_url"]
    token = succeeded(sandboxes.client.get(f"/twin-runs/{run['twin_run_id']}"))["proxy_token"]
    clock = succeeded(httpx.get(f"{admin}/admin/clock", headers={"X-Proxy-Token": token}, trust_env=False))
    assert clock["mode"] == "real"


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"install": "[' ']"}, "install[0]: a command is a text"),
        ({"services": '{a: ""}'}, "a: a command is a text"),
        ({"install": "[" + "ls, " * 21 + "]"}, "more than 20 commands"),
        ({"health_path": "healthz"}, "health_path: 'healthz' is no path"),
        ({"webhooks": "{stripe: /x}"}, "webhooks.stripe: there are no twins"),
        ({"webhooks": "{stripe: 'http://x'}"}, "webhooks.stripe: 'http://x' is no path"),
        ({"twins": "[stripe]", "webhooks": "{strpe: /x}"}, "Did you mean 'stripe'?"),
        ({"twins": "[slack]", "env": '{A: "{slack.base_ur}"}'}, "Did you mean 'base_url'?"),
        ({"twins": "[slack]", "env": '{A: "{slak.base_url}"}'}, "no twin 'slak'. Did you mean 'slack'?"),
        ({"env": "{PORT: 3000}"}, "name a port by app_port instead"),
        ({"clock": "{mode: fast}"}, "Invalid enum value 'fast'"),
        ({"clock": "{mode: steps, start: soon}"}, "ISO 8601"),
        ({"instal": "[true]"}, "unknown field `instal` - at `$.app`. Did you mean 'install'?"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_started(sandboxes, repository, parts, said):
    made = repository(_DOT_arga__sandbox_DOT_yml=config(**parts), app_DOT_py=SERVES)
    before = succeeded(sandboxes.client.get("/sandbox-runs"))
    status, detail = sandboxes.refused(repo=str(made.path))
    assert status in (400, 422)
    assert said in detail
    assert succeeded(sandboxes.client.get("/sandbox-runs")) == before


@embedded_only("each server process would open ports of its own")
def test_twins_of_an_application_have_addresses_without_a_path(sandboxes, repository):
    made = repository(_DOT_arga__sandbox_DOT_yml=config(twins="[stripe, slack]"), app_DOT_py=SERVES)
    run = sandboxes.create(repo=str(made.path))
    assert [httpx.URL(each["base_url"]).path for each in run["twins"].values()] == ["/", "/"]


def test_an_application_that_ends_before_it_is_healthy_says_how_at_once(sandboxes, repository):
    ends = LISTENS.replace("self.send_response(503", "os._exit(4) if self.path == '/late' else self.send_response(503")
    files = {"_DOT_arga__sandbox_DOT_yml": config(health_path="/late"), "app_DOT_py": ends}
    run = sandboxes.create(repo=str(repository(**files).path))
    assert "ended with exit code 4 before /late answered" in run["error"]


def test_another_program_that_listens_on_the_port_meanwhile_is_not_the_application(sandboxes, repository):
    if find_confinement().first_uid is None:
        pytest.skip("applications have users of their own where the server runs as root")
    files = {"_DOT_arga__sandbox_DOT_yml": config(), "app_DOT_py": "import time\ntime.sleep(600)\n"}
    asked = {"repo": str(repository(**files).path), "seconds_to_start": 3}
    made = succeeded(sandboxes.client.post("/sandbox-runs", json=asked))
    sandboxes.made.append(made["sandbox_id"])
    with socket.create_server(("127.0.0.1", int(sandboxes.get(made["sandbox_id"])["env_vars"]["PORT"]))):
        run = sandboxes.until(made["sandbox_id"], lambda run: run["status"] in ("ready", "failed"))
    assert "did not listen on port" in (run["error"] or "")
