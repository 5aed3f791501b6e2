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


FILL = ("step", {"action": "fill", "selector": "named=Email", "value": "{{email}}", "statements": [1]})
WRONG = ("step", {"action": "click", "selector": "#nothing", "timeout_ms": 100, "statements": [1]})
PAY = ("step", {"action": "click", "selector": "testid=pay", "statements": [1]})
SEEN = (
    "step",
    {"action": "expect", "expect": {"type": "text", "contains": "Paid by ada@example.com"}, "statements": [1]},
)
DONE = ("finish", {"passed": True, "reason": "The page says that it is paid"})
PROMPT = 'Check out with "Pay now" as ada@example.com'
PROVEN = """Check out with "Pay now" as ada@example.com
The page says "Paid by ada@example.com" and no "Refused"
"""
CREDENTIALS = {"email": "ada@example.com", "password": "secret"}
CLICK = ("step", {"action": "click", "selector": 'role=button[name="Pay now"]', "statements": [1]})
PAID = ("step", {"action": "expect", "expect": {"type": "text", "contains": "Paid by {{email}}"}, "statements": [2]})
NOT_REFUSED = (
    "step",
    {"action": "expect", "expect": {"type": "text", "contains": "Refused", "negated": True}, "statements": [2]},
)


def told(script):
    """What the model was told, one text a request."""
    return [each["messages"][-1]["content"] for each in script.asked]


def test_models_of_both_vendors_do_what_no_rule_understands_and_the_steps_replay_without_them(
    runs, site, scripted, monkeypatch
):
    asked = {"start_url": site.url, "credentials": CREDENTIALS}
    configs = []
    for kind in ("OPENAI", "ANTHROPIC"):
        with monkeypatch.context() as variables:
            script = scripted(kind, FILL, WRONG, CLICK, SEEN, DONE, variables=variables)
            run = runs.run(prompt=PROMPT, **asked)
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


def test_a_model_that_does_nothing_and_says_passed_fails(runs, site, scripted):
    script = scripted("OPENAI", DONE, DONE, ("finish", {"passed": True, "reason": "Sure", "background": [1, 2]}))
    run = runs.run(prompt=PROVEN, start_url=site.url)
    assert (run["status"], run["failure_category"]) == ("failed", "not_understood")
    assert [each[:2] for each in run["not_understood"]] == ["1.", "2."]
    assert "Paid by" in run["failure_detail"]
    assert "not accepted" in told(script)[1]
    assert script.calls == []


def test_a_refused_model_may_go_on_and_each_step_tells_what_it_serves(runs, site, scripted):
    script = scripted("OPENAI", FILL, CLICK, PAID, DONE, NOT_REFUSED, DONE)
    run = runs.run(prompt=PROVEN, start_url=site.url, credentials=CREDENTIALS)
    assert run["status"] == "completed", run["failure_detail"]
    assert [each["statements"] for each in run["results_json"]] == [[1], [1], [2], [2]]
    assert "1. Check out" in told(script)[0]
    assert "no negated expectation" in told(script)[4]
    page = runs.client.get(run["page_url"]).text
    assert "<h2>Statements</h2>" in page
    assert "· statement 2" in page
    report = runs.client.get(f"/test-runs/{run['id']}/artifacts/junit.xml").text
    assert "(statement 2): passed" in report


def expect_paid(**changes):
    expect = {"type": "text", "contains": "Paid", **changes}
    return ("step", {"action": "expect", "expect": expect, "statements": [2], "timeout_ms": 100})


UNPAID = """<!doctype html><title>Invoices</title><h1>Invoices</h1>
<table><tr><th>Number<th>Status</tr><tr><td>INV-1<td>Paid</tr><tr><td>INV-2<td>Unpaid</tr></table>
<button>Mark as paid</button>"""
MARK = ("step", {"action": "click", "selector": 'role=button[name="Mark as paid"]', "statements": [1]})
MARKED = 'Give it a "Mark as paid"\nThe row of INV-2 should carry the status Paid'


@pytest.mark.parametrize(
    "calls",
    [
        [expect_paid(selector="row=INV-2"), expect_paid(selector="row=INV-2", contains="Unpaid"), DONE, DONE, DONE],
        [expect_paid(selector="row=INV-2"), ("finish", {"passed": False, "reason": "It is not paid"})],
        [expect_paid(selector="row=INV-2", contains="Unpaid"), DONE, DONE, DONE],
    ],
    ids=["a failed expectation is replaced", "the model gives up", "the fault is expected"],
)
def test_a_fault_of_the_application_ends_as_a_failed_step_with_what_was_seen(runs, site, scripted, calls):
    site.pages["/invoices"] = UNPAID
    scripted("OPENAI", MARK, *calls)
    run = runs.run(prompt=MARKED, start_url=f"{site.url}/invoices")
    assert (run["status"], run["failure_category"]) == ("failed", "step")
    last = run["results_json"][-1]
    assert (last["passed"], last["expected"].count("Paid"), last["statements"]) == (False, 1, [2])
    assert "INV-2 Unpaid" in last["seen"]


def test_a_word_elsewhere_on_the_page_does_not_hide_a_fault(runs, site, scripted):
    site.pages["/invoices"] = UNPAID
    scripted("OPENAI", MARK, expect_paid(), expect_paid(selector="row=INV-1"), DONE, DONE, DONE)
    run = runs.run(prompt=MARKED, start_url=f"{site.url}/invoices")
    assert (run["status"], run["failure_category"]) == ("failed", "not_understood")


def test_a_run_that_failed_leaves_no_steps_that_would_pass_without_what_was_missing(runs, site, scripted):
    scripted("OPENAI", FILL, CLICK, DONE, DONE, DONE)
    run = runs.run(prompt=PROVEN, start_url=site.url, credentials=CREDENTIALS)
    assert (run["status"], run["test_config_json"]["steps"]) == ("failed", [])


def test_an_action_stays_done_where_what_it_expects_fails(runs, site, scripted):
    both = {"action": "press", "value": "Tab", "statements": [1], "timeout_ms": 100}
    both["expect"] = {"type": "text", "contains": "Refused"}
    scripted("OPENAI", FILL, ("step", both), ("finish", {"passed": False, "reason": "It was not refused"}))
    run = runs.run(prompt=PROVEN, start_url=site.url, credentials=CREDENTIALS)
    assert run["failure_category"] == "step"
    assert [(each["action"], each["passed"]) for each in run["results_json"]] == [
        ("fill", True),
        ("press", True),
        ("expect", False),
    ]


@pytest.mark.parametrize(
    "broken",
    [
        {"action": "expect", "expect": {"type": "text", "contains": "Refused"}},
        {"action": "wait", "selector": "#receipt"},
        {"action": "press", "value": "Tab", "expect": {"type": "text", "contains": "Refused"}},
        {"action": "press", "value": "Tab", "wait_for": "#receipt"},
    ],
)
def test_what_is_expected_of_a_page_is_not_repaired(runs, site, scripted, broken):
    script = scripted("OPENAI", SEEN, PAY)
    run = runs.steps(site.url, {**broken, "timeout_ms": 100})
    assert (run["status"], run["failure_category"], len(script.calls)) == ("failed", "step", 2)


def test_an_action_is_not_repaired_into_a_look(runs, site, scripted):
    scripted("OPENAI", ("step", {"action": "expect", "expect": {"type": "text", "contains": "Shop"}}))
    run = runs.steps(site.url, {"action": "click", "selector": "#gone", "timeout_ms": 100})
    assert (run["status"], run["failure_category"]) == ("failed", "step")


def test_a_sentence_about_a_twin_is_proven_by_its_check_alone(runs, site, scripted, monkeypatch):
    with monkeypatch.context() as variables:
        claim = ("step", {**SEEN[1], "statements": [2]})
        script = scripted("OPENAI", claim, DONE, DONE, DONE, variables=variables)
        prompt = 'Give it a "Pay now"\nExpect no refund in Stripe'
        run = runs.run(prompt=prompt, start_url=site.url, twins=["stripe"])
    assert "statement 2 is about a twin" in told(script)[1]
    assert [each[:2] for each in run["not_understood"]] == ["1."]
    without_model = runs.wait(runs.create(f"/test-runs/{run['id']}/rerun"))
    assert (without_model["status"], without_model["failure_category"]) == ("failed", "not_understood")


def test_an_action_whose_expectation_failed_is_not_done_again(runs, site, scripted):
    site.pages["/keys"] = """<!doctype html><title>Keys</title><p id=out></p>
<script>let n = 0; document.onkeydown = () => { out.innerText = 'Pressed ' + ++n }</script>"""
    scripted("OPENAI", PAY)
    twice = {"action": "press", "value": "a", "expect": {"type": "text", "contains": "Pressed 2"}, "timeout_ms": 100}
    run = runs.steps(f"{site.url}/keys", twice)
    assert (run["status"], run["results_json"][0]["seen"]) == ("failed", "Pressed 1")


OUTLINED = """<h1>Orders</h1><label>Key <input type=password value="k: 77"></label>
<label>Note <input value=late></label><input id=plain><button disabled>Ship</button>
<table><tr><th>Order</th><th>State</th></tr><tr><td>A-1</td><td>Paid <a href="/refund">Refund</a></td></tr></table>
<iframe title=Card srcdoc="<button>Pay by card</button>"></iframe>"""


def test_a_model_is_told_the_tree_of_the_page_and_its_frames_without_what_password_fields_hold(runs, site, scripted):
    site.add_page("/outlined", OUTLINED)
    script = scripted("OPENAI", ("finish", {"passed": False, "reason": "enough"}))
    runs.run(prompt="Test the orders", start_url=f"{site.url}/outlined")
    outline = told(script)[0].partition("and says:\n")[2]
    for line in (
        'heading "Orders" [level=1]',
        'textbox "Key": (hidden)',
        'textbox "Note": late',
        'cell "A-1"',
        'link "Refund"',
        'button "Ship" [disabled]',
        "In a frame:",
        'button "Pay by card"',
        "- #plain",
    ):
        assert line in outline, line
    assert "77" not in told(script)[0]


def test_a_model_is_told_what_there_is_where_its_step_failed(runs, site, scripted):
    site.add_page("/near", "<button>Approve request of Ben</button>")
    wrong = ("step", {"action": "click", "selector": "button=Approve Ben", "statements": [1]})
    with_time = ("step", {**wrong[1], "timeout_ms": 100})
    script = scripted("OPENAI", with_time, ("finish", {"passed": False, "reason": "enough"}))
    runs.run(prompt="Test the requests", start_url=f"{site.url}/near")
    assert "there is: named=Approve request of Ben" in told(script)[1]


def test_a_model_answers_a_dialog_of_the_browser(runs, site, scripted):
    site.add_page(
        "/asks", "<button onclick=\"document.title = confirm('Delete Ada?') ? 'Gone' : 'Kept'\">Delete</button>"
    )
    delete = {"action": "click", "selector": "button=Delete", "dialog": {"accept": False, "says": "Delete Ada?"}}
    kept = {"action": "expect", "expect": {"type": "title", "equals": "Kept"}}
    steps = [("step", {**each, "statements": [number]}) for number, each in enumerate((delete, kept), 1)]
    scripted("OPENAI", *steps, DONE)
    prompt = 'Click Delete and dismiss the question\nThe title of the page should be "Kept"'
    run = runs.run(prompt=prompt, start_url=f"{site.url}/asks")
    assert run["status"] == "completed", run["failure_detail"]
