"""Sentences of prompts about twins, judged by what an application has really done to each of them."""

from __future__ import annotations

import httpx
import pytest

from tests.harness import Json, LiveServer, succeeded
from tests.test_runs.conftest import Runs
from tests.test_runs.site import Site

HOLDS = """Expect one new message in the Slack channel #general that contains "Paid"
Expect exactly 1 payment of $49 in Stripe
Expect no payment of $12 in Stripe
Expect two payment intents in Stripe
Expect one customer with the email "ada@beacon.test" in Stripe
Expect no refund in Stripe
Expect one new issue in Linear titled "Login is broken"
Expect one new event titled "Standup" in the calendar
Expect one new folder named "Invoices" in Box"""
FAILS = (
    'Expect one new message in the Slack channel #random that contains "Paid"',
    "Expect exactly 2 payments in Stripe",
    "Expect no customer in Stripe",
    'Expect a new issue in Linear titled "Login"',
    "Expect at least 2 events in the calendar",
    'Expect no folder named "Invoices" in Box',
)


def post(twin: Json, path: str, **options: object) -> Json:
    """Call a twin as an application does."""
    token = next(value for name, value in twin["env_vars"].items() if "TOKEN" in name or "KEY" in name)
    headers = {"Authorization": f"Bearer {token}"}
    return succeeded(httpx.post(f"{twin['base_url']}{path}", headers=headers, timeout=60, **options))  # type: ignore[arg-type]


def work(twins: Json) -> None:
    """What the application under test does: something in every twin."""
    assert post(twins["slack"], "/api/chat.postMessage", json={"channel": "general", "text": "Paid by Ada"})["ok"]
    stripe = twins["stripe"]
    post(stripe, "/v1/customers", data={"email": "ada@beacon.test"})
    paid = {"currency": "usd", "confirm": "true", "payment_method": "pm_card_visa", "payment_method_types[]": "card"}
    post(stripe, "/v1/payment_intents", data={**paid, "amount": "4900"})
    post(stripe, "/v1/payment_intents", data={"currency": "usd", "amount": "1200"})
    linear = twins["linear"]
    team = post(linear, "/graphql", json={"query": "{ teams { nodes { id } } }"})["data"]["teams"]["nodes"][0]["id"]
    create = 'mutation($t: String!) { issueCreate(input: {teamId: $t, title: "Login is broken"}) { success } }'
    assert post(linear, "/graphql", json={"query": create, "variables": {"t": team}})["data"]["issueCreate"]["success"]
    day = {"start": {"date": "2026-07-06"}, "end": {"date": "2026-07-07"}, "attendees": [{"email": "bob@example.com"}]}
    post(twins["calendar"], "/calendars/primary/events", json={"summary": "Standup", **day})
    post(twins["box"], "/2.0/folders", json={"name": "Invoices", "parent": {"id": "0"}})


@pytest.fixture
def finish(live: LiveServer, runs: Runs, site: Site):
    """Do a test run of a prompt in which the application works in between."""
    names = ["slack", "stripe", "linear", "calendar", "box"]

    def finish(prompt: str) -> Json:
        twin_run = succeeded(live.client.post("/twin-runs", json={"twins": names}))
        asked = {"start_url": f"{site.url}/about", "provision_id": twin_run["run_id"]}
        run_id = runs.create(prompt=f'Ask "Go on?"\n{prompt}', **asked)
        runs.until(run_id, lambda run: any(each["type"] == "ask_user_question" for each in run["events_json"]))
        work(succeeded(live.client.get(f"/twin-runs/{twin_run['run_id']}"))["twins"])
        succeeded(live.client.post(f"/test-runs/{run_id}/messages", json={"message": "yes"}))
        return runs.wait(run_id)

    return finish


def test_sentences_that_hold_of_what_every_twin_has_changed_pass(finish):
    run = finish(HOLDS)
    assert (run["status"], run["not_understood"]) == ("completed", []), run["failure_detail"]


def test_sentences_that_do_not_hold_of_what_the_twins_have_changed_fail_each(finish):
    run = finish("\n".join(FAILS))
    assert run["failure_category"] == "checks"
    assert [sentence for sentence in FAILS if f"({sentence})" not in run["failure_detail"]] == []
