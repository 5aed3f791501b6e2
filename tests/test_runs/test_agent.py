"""A model does what no rule understands, and mends steps that break; here it is a script behind a local endpoint."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Script:
    """Answers as OpenAI or Anthropic do, with one tool call after the other."""

    def __init__(self, *calls):
        self.calls, self.asked = list(calls), []
        script = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                script.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                name, given = script.calls.pop(0)
                call = {"name": name, "arguments": json.dumps(given)}
                answer = {"choices": [{"message": {"tool_calls": [{"id": "1", "type": "function", "function": call}]}}]}
                if self.path.endswith("/messages"):
                    answer = {"content": [{"type": "tool_use", "id": "1", "name": name, "input": given}]}
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def scripted(monkeypatch):
    started = []

    def start(kind, *calls, variables=monkeypatch):
        script = Script(*calls)
        started.append(script)
        variables.setenv("TWINDIFF_MODEL", "a-script")
        variables.setenv(f"{kind}_BASE_URL", f"{script.url}/v1" if kind == "OPENAI" else script.url)
        return script

    yield start
    for each in started:
        each.close()


FILL = ("step", {"action": "fill", "selector": "named=Email", "value": "{{email}}"})
WRONG = ("step", {"action": "click", "selector": "#nothing", "timeout_ms": 100})
PAY = ("step", {"action": "click", "selector": "testid=pay"})
SEEN = ("step", {"action": "expect", "expect": {"type": "text", "contains": "Paid by ada@example.com"}})
DONE = ("finish", {"passed": True, "reason": "The page says that it is paid"})


def test_models_of_both_vendors_do_what_no_rule_understands_and_the_steps_replay_without_them(
    runs, site, scripted, monkeypatch
):
    asked = {"start_url": site.url, "credentials": {"email": "ada@example.com", "password": "secret"}}
    configs = []
    for kind in ("OPENAI", "ANTHROPIC"):
        with monkeypatch.context() as variables:
            script = scripted(kind, FILL, WRONG, PAY, SEEN, DONE, variables=variables)
            run = runs.run(prompt="Test the checkout flow", **asked)
        assert run["status"] == "completed", run["failure_detail"]
        assert ("secret" not in json.dumps(script.asked), script.calls) == (True, [])
        configs.append(run["test_config_json"])
    assert configs[0] == configs[1]
    assert [step["action"] for step in configs[0]["steps"]] == ["fill", "click", "expect"]
    again = runs.wait(runs.create(f"/test-runs/{run['id']}/rerun"))
    assert again["status"] == "completed", again["failure_detail"]


def test_a_broken_step_is_repaired_and_marked(runs, site, scripted):
    scripted("OPENAI", PAY)
    broken = {
        "action": "click",
        "selector": "#gone",
        "timeout_ms": 100,
        "expect": {"type": "text", "contains": "Paid by"},
    }
    run = runs.steps(site.url, broken)
    assert run["status"] == "completed", run["failure_detail"]
    assert run["results_json"][0]["repaired"]
    assert run["test_config_json"]["steps"][0]["selector"] == "testid=pay"


def test_a_model_that_gives_up_fails_the_run_with_its_reason(runs, site, scripted):
    scripted("OPENAI", ("finish", {"passed": False, "reason": "There is no cart"}))
    run = runs.run(prompt="Test the cart", start_url=site.url)
    assert (run["status"], run["failure_category"], run["failure_detail"]) == ("failed", "agent", "There is no cart")
