"""What steps do to a page, and what is said of one that fails."""

PAY = {"action": "click", "selector": "testid=pay", "expect": {"type": "text", "contains": "Paid by ada@example.com"}}


def test_a_test_of_all_actions_passes_and_says_what_each_step_did(runs, site):
    run = runs.steps(
        f"{site.url}/",
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
        parameters={"who": "ada@example.com"},
    )
    assert run["status"] == "completed", run["error_message"]
    assert (run["passed"], run["failed"], run["total"]) == (11, 0, 11)
    assert [result["passed"] for result in run["results_json"]] == [True] * 11
    assert run["results_json"][5]["console"] == [{"type": "log", "text": "paying"}]
    assert {"start.png", "step-01.png", "trace.zip", "network.har"} <= set(run["artifacts"])
