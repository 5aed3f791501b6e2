"""What steps do to a page, and what is said of one that fails."""

import httpx
import pytest

TABLES = {"action": "expect", "expect": {"type": "text", "contains": "We sell tables"}, "timeout_ms": 200}
PAY = {"action": "click", "selector": "testid=pay", "expect": {"type": "text", "contains": "Paid by ada@example.com"}}


ALL_ACTIONS = [
    {"action": "fill", "selector": "#email", "value": "{{who}}"},
    {"action": "fill", "target": "Your name", "value": "Ada"},
    {"action": "select", "selector": "Size", "value": "Large"},
    {"action": "hover", "selector": "text=Hover me"},
    {"action": "expect", "expect": {"type": "text", "contains": "Hovered"}},
    PAY,
    {"action": "press", "selector": "role=link[name='About us']", "value": "Enter"},
    {"action": "expect", "expect": {"type": "url", "contains": "/about"}},
    {"action": "goto", "value": "/slow", "wait_for": "#out"},
    {"action": "expect", "selector": "#out", "expect": {"type": "text", "contains": "ready"}},
    {"action": "wait", "value": 10},
]


@pytest.fixture(scope="module")
def complete(runs, site):
    """A run of all actions."""
    return runs.steps(f"{site.url}/", *ALL_ACTIONS, parameters={"who": "ada@example.com"})


@pytest.fixture(scope="module")
def failed(runs, site):
    """A run whose second step cannot be done."""
    fill = {"action": "fill", "selector": "Email", "value": "<b>"}
    return runs.steps(f"{site.url}/", fill, {"action": "click", "selector": "Pay nou", "timeout_ms": 200}, PAY)


@pytest.fixture(scope="module")
def disappointed(runs, site):
    """A run that expects what is not on the page."""
    return runs.steps(f"{site.url}/about", TABLES)


def test_a_test_of_all_actions_passes_and_says_what_each_step_did(complete):
    run = complete
    assert run["status"] == "completed", run["error_message"]
    assert (run["passed"], run["failed"], run["total"]) == (11, 0, 11)
    assert [result["passed"] for result in run["results_json"]] == [True] * 11
    assert run["results_json"][5]["console"] == [{"type": "log", "text": "paying"}]
    assert {"start.png", "step-01.png", "trace.zip", "network.har"} <= set(run["artifacts"])


def test_a_step_that_fails_says_what_was_expected_what_was_seen_and_what_was_near(failed):
    run = failed
    assert (run["status"], run["failure_category"]) == ("failed", "step")
    _, broken = run["results_json"]
    assert (broken["expected"], broken["nearest"][0]) == (
        "a visible element 'Pay nou'",
        {"selector": "testid=pay", "text": "Pay now"},
    )
    assert "Pay nou" in run["error_message"]
    assert run["error_message"] == run["failure_detail"]
    assert [each["status"] for each in run["step_summaries"]] == ["passed", "failed"]


def test_an_expectation_that_does_not_hold_quotes_it_and_the_page(disappointed):
    assert "We sell tables" in disappointed["step_summaries"][0]["detail"]
    assert "We sell chairs" in disappointed["results_json"][0]["seen"]


def test_a_prompt_is_done_and_becomes_a_config_that_is_replayed(runs, site):
    prompt = f'Go to {site.url}/login and log in. Expect "Welcome, Ada".'
    run = runs.run(prompt=prompt, credentials={"email": "ada@example.com", "password": "secret"})
    assert (run["status"], run["mode"]) == ("completed", "prompt"), run["error_message"]
    assert "secret" not in str(run)
    assert [step["action"] for step in run["test_config_json"]["steps"]] == ["goto", "fill", "fill", "click", "expect"]
    again = runs.wait(runs.create(f"/test-runs/{run['id']}/rerun"))
    assert (again["status"], again["source_run_id"]) == ("completed", run["id"])


def test_a_prompt_that_asks_for_nothing_ends_and_says_so(runs, site):
    run = runs.run(prompt="Test the checkout flow", start_url=site.url)
    assert (run["status"], run["failure_category"]) == ("failed", "not_understood")
    assert run["not_understood"] == ["Test the checkout flow"]
    assert "Test the checkout flow" in run["failure_detail"]


def test_a_question_waits_for_its_answer(runs, site):
    run_id = runs.create(
        start_url=site.url,
        test_config={
            "steps": [
                {"action": "ask_user_question", "value": "Who pays?"},
                {"action": "fill", "selector": "Email", "value": "{{answer}}"},
                PAY,
            ]
        },
    )
    waiting = runs.until(run_id, lambda run: any(e["type"] == "ask_user_question" for e in run["events_json"]))
    assert (waiting["status"], waiting["events_json"][-1]["message"]) == ("running", "Who pays?")
    assert runs.client.post(f"/test-runs/{run_id}/messages", json={"message": "ada@example.com"}).is_success
    assert runs.wait(run_id)["status"] == "completed"


def test_a_start_url_where_nothing_answers_fails_with_the_reason(runs):
    run = runs.run(start_url="http://127.0.0.1:9999/", prompt="Click Pay")
    assert (run["status"], run["failure_category"]) == ("failed", "navigation")
    assert "127.0.0.1:9999" in run["failure_detail"]


def test_the_patched_config_is_the_one_that_is_repeated(runs, disappointed):
    mended = {**TABLES, "expect": {"type": "text", "contains": "chairs"}}
    place = f"/test-runs/{disappointed['id']}"
    runs.client.patch(f"{place}/config", json={"test_config": {"steps": [mended]}}).raise_for_status()
    assert runs.wait(runs.create(f"{place}/rerun"))["status"] == "completed"


STEP = {"action": "click", "selector": "x"}
MISSPELT = {
    "version": "1",
    "assertions": [{"diff_type": "added", "entity": "mesages", "expected_count": 0}],
}
LAUGHS = {f"p{number}": f"{{{{p{number + 1}}}}}" * 20 for number in range(9)} | {"p9": "ha"}
"""Parameters that are short and have 20 to the ninth times as many letters."""


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"prompt": "Click Pay"}, "start_url"),
        ({"start_url": "/cart", "prompt": "Click Pay"}, "start_url"),
        ({"start_url": "ftp://a/b", "prompt": "Click Pay"}, "start_url"),
        ({"start_url": "http://a b/", "prompt": "Click Pay"}, "start_url"),
        ({"start_url": "http://a/", "prompt": ""}, "prompt"),
        ({"start_url": "http://a/", "test_config": {"steps": [{"action": "dance"}]}}, "test_config.steps[0].action"),
        ({"start_url": "http://a/", "test_config": {"steps": [{"action": "click"}]}}, "test_config.steps[0].selector"),
        ({"start_url": "http://a/", "test_config": {"steps": "click"}}, "test_config.steps"),
        ({"start_url": "http://a/", "test_config": {"steps": [STEP] * 10_000}}, "test_config.steps"),
        ({"start_url": "http://a/", "test_config": {"steps": [{**STEP, "selector": "{{who}}"}]}}, "{{who}}"),
        (
            {"start_url": "http://a/", "test_config": {"steps": [{**STEP, "expect": {"type": "text"}}]}},
            "expect.contains",
        ),
        ({"start_url": "http://a/", "test_config": {"steps": [{"action": "goto", "value": "//[x"}]}}, "steps[0].value"),
        (
            {"start_url": "http://a/", "test_config": {"steps": [{"action": "goto", "value": "file:///etc/passwd"}]}},
            "steps[0].value",
        ),
        ({"start_url": "http://a/", "test_config": {"steps": [{**STEP, "timeout_ms": -5}]}}, "steps[0].timeout_ms"),
        ({"start_url": "http://a/", "hosts": ["a:b"]}, "hosts"),
        ({"start_url": "http://a/", "hosts": ["http://[x"]}, "hosts"),
        ({"start_url": "http://a/", "parameters": LAUGHS}, "parameters"),
        ({"start_url": "http://a/", "parameters": {"a": "{{b}}", "b": "{{a}}"}}, "a → b → a"),
        ({"start_url": "http://a/", "parameters": {str(n): n for n in range(201)}}, "parameters"),
        ({"start_url": "http://a/", "session_id": "a\r\nSet-Cookie: b"}, "session_id"),
        ({"start_url": "http://a/", "twins": ["slak"]}, "slak"),
        ({"start_url": "http://a/", "sandbox_id": "nope"}, "nope"),
        ({"start_url": "http://a/", "checks": {"assertions": []}}, "checks"),
        ({"start_url": "http://a/", "twins": ["slack"], "checks": MISSPELT}, "Did you mean 'messages'?"),
        ({"start_url": "http://a/", "ttl_minutes": 0}, "ttl_minutes"),
    ],
)
def test_what_cannot_be_run_is_refused_in_one_sentence_that_names_the_field(live, asked, named):
    answer = live.client.post("/test-runs", json=asked)
    assert 400 <= answer.status_code < 500
    assert named in answer.json()["detail"]


def test_of_a_run_that_is_refused_nothing_is_left(live):
    config = {"steps": [{"action": "goto", "value": "http://[nowhere"}]}
    live.client.post("/test-runs", json={"start_url": "http://a/", "test_config": config, "repo": "acme/refused"})
    assert live.client.get("/test-runs?repo=acme/refused").json() == {"runs": []}


def test_artifacts_are_listed_and_served_and_others_are_not_found(runs, complete):
    run = complete
    place = f"/validate/{run['id']}/artifacts"
    names = runs.client.get(place).json()["artifacts"]
    assert names == run["artifacts"]
    shot = runs.client.get(f"{place}/{run['results_json'][0]['screenshot']}")
    assert (shot.headers["content-type"], shot.content[:4]) == ("image/png", b"\x89PNG")
    assert [runs.client.get(f"{place}/{name}").status_code for name in ("nope.png", "..%2Ftwindiff.db")] == [404, 404]
    assert runs.client.get("/validate/nope/artifacts").status_code == 404


def test_the_page_of_a_run_shows_its_steps_and_runs_it_again(runs, live, failed):
    run = failed
    page = httpx.get(run["page_url"])
    assert "step-01.png" in page.text
    assert "<b>" not in page.text
    assert "Pay nou" in page.text
    again = httpx.post(run["page_url"].replace("/page?", "/page/rerun?"))
    assert again.status_code == 303
    place = again.headers["location"]
    assert httpx.get(f"{live.url}{place}").is_success
    runs.client.post(place.partition("/page")[0] + "/cancel").raise_for_status()


def test_passwords_and_numbers_of_cards_are_in_no_title_wherever_they_come_from(runs, live, site):
    config = {
        "parameters": [
            {"name": "password", "default": "hunter2"},
            {"name": "number", "default": "4242 4242 4242 4242"},
        ],
        "steps": [
            {"action": "fill", "selector": "Email", "value": "{{password}}"},
            {"action": "fill", "selector": "Email", "value": "{{number}}"},
            {"action": "fill", "selector": "Email", "value": "5555555555554444"},
            {"action": "fill", "selector": "input[type=password]", "value": "hunter2", "timeout_ms": 50},
        ],
    }
    run = runs.run(start_url=site.url, test_config=config)
    page = live.client.get(run["page_url"]).text
    assert [secret for secret in ("hunter2", "4242 4242", "55555555") if secret in page] == []
    assert "fill Email &#x27;•••4444&#x27;" in page


def test_the_page_of_a_run_that_ended_before_a_step_says_that_none_was_done(runs, live, site):
    run_id = runs.create(start_url=site.url, test_config={"steps": []})
    live.client.post(f"/test-runs/{run_id}/cancel")
    page = live.client.get(runs.get(run_id)["page_url"]).text
    assert "No step was done." in page
    assert "<title>" in page


SHELF = """<nav><a href="#here">Orders</a></nav><main><a href="#there">Orders</a></main>
<table><tr><th>Title<th>Year<th>State</tr><tr><td>Emma<td>1815<td>Lent (2 of 3)</tr></table>"""


@pytest.mark.parametrize(
    ("column", "wanted", "category"),
    [
        ("Year", "1815", None),
        ("Year", "1816", "step"),
        ("State", "Lent (2 of 3)", None),
        ("State", "Lent", "not_understood"),
    ],
)
def test_a_number_in_a_column_is_that_number_or_another(runs, site, column, wanted, category):
    site.add_page("/shelf", SHELF)
    state = {"type": "state", "selector": f"row=Emma >> {column}", "equals": wanted}
    run = runs.steps(f"{site.url}/shelf", {"action": "expect", "expect": state, "timeout_ms": 300})
    assert run["failure_category"] == category, run["failure_detail"]


def test_a_kind_of_element_is_found_in_a_place(runs, site):
    site.add_page("/shelf", SHELF)
    clicked = {"action": "click", "selector": "nav >> link=Orders", "expect": {"type": "url", "contains": "#here"}}
    assert runs.steps(f"{site.url}/shelf", clicked)["status"] == "completed"
    absent = {"action": "click", "selector": "dialog=Pay >> link=Orders", "timeout_ms": 300}
    run = runs.steps(f"{site.url}/shelf", absent)
    assert "no visible element 'dialog=Pay >> link=Orders'" in run["failure_detail"]


REPORT = """<div><header>Maya Roe <button>Log out</button></header><main><h1>Report</h1><button>Run</button>
<table><tr><th>Group<th>Amount</tr><tr><td>Travel<td>84.50</tr></table></main></div><div>Help</div>"""


def test_a_row_that_a_table_lacks_is_not_the_page_with_its_name_in_the_header(runs, site):
    site.add_page("/report", REPORT)
    amount = {"type": "text", "selector": "row=Maya Roe", "contains": "84.50"}
    run = runs.steps(f"{site.url}/report", {"action": "expect", "expect": amount, "timeout_ms": 300})
    assert run["failure_category"] == "step", run["failure_detail"]
    absent = {"type": "visible", "selector": "row=Maya Roe", "negated": True}
    assert runs.steps(f"{site.url}/report", {"action": "expect", "expect": absent})["status"] == "completed"
