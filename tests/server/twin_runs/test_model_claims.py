"""A model's world is believed in nothing: a sentence is understood if claims that the rows bear out say all of it.

The model is a scripted endpoint. Each rule is tried just inside and just outside.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.browser.prompt_facts import list_statements
from twindiff.server.apis.twin_runs.statement_units import split_statement

SLACK = {
    "slack": {
        "users": ["Ada Ray", "Ben Oak"],
        "channels": [
            {
                "name": "billing",
                "members": ["Ada Ray", "Ben Oak"],
                "messages": [
                    {
                        "text": "Why is it unpaid?",
                        "user": "Ben Oak",
                        "replies": [{"text": "See above", "user": "Ada Ray"}],
                    },
                    {"text": "Paid now", "user": "Ada Ray"},
                ],
            },
            {"name": "general", "messages": [{"text": "Hello", "user": "Ben Oak"}]},
            {"name": "quiet"},
        ],
    }
}
STRIPE = {
    "stripe": {
        "customers": [{"name": "Acme"}, {"name": "Bolt"}],
        "invoices": [
            *[{"customer": "Acme", "items": [{"description": "Work", "amount": 4500}], "status": "open"}] * 3,
            {"customer": "Bolt", "items": [{"description": "Work", "amount": 9900}], "status": "paid"},
        ],
    }
}
LINEAR = {
    "linear": {
        "users": ["Ada Ray"],
        "teams": [{"key": "WEB", "name": "Web"}, {"key": "OPS", "name": "Ops"}],
        "issues": [
            {"team_key": "WEB", "title": "Fix it", "priority": 1},
            {"team_key": "WEB", "title": "Ship it", "priority": 1},
        ],
    }
}
CALENDAR = {
    "calendar": {
        "users": ["Ada Ray"],
        "events": [
            {"summary": "Review", "start": "2026-01-08T16:00", "end": "2026-01-08T16:30", "attendees": ["Ada Ray"]}
        ],
    }
}
FIXED = {"mode": "offset", "start": "2026-01-05T09:00:00"}
IN_BILLING = {"channel_id.channel_name": "billing"}
BY_BEN = {"user_id.real_name": "Ben Oak"}
OF_ACME = {"customer.name": "Acme"}
OF_WEB = {"teamId.name": "Web"}


def claim(table, where=None, statement=1, **count):
    return {"statement": statement, "table": table, "where": where or {}, **(count or {"min": 1})}


def answer(seeds, *claims, background=()):
    (twin,) = seeds
    return json.dumps(
        {"seeds": seeds, "claims": [{"twin": twin, **each} for each in claims], "background": [*background]}
    )


def provision(live, prompt, seeds, **further):
    asked = {"twins": [*seeds], "scenario_prompt": prompt, "scenario_generation_mode": "thorough", "ports": False}
    return live.client.post("/twin-runs", json={**asked, "clock": FIXED, **further}).json()


BEN = "In #billing, Ben asks why"
MESSAGE = "Ben's message in #billing asks why"
UNPAID = "Acme has three unpaid invoices"
ALL_URGENT = "All issues of the team Web are urgent"
PROVEN = [
    (SLACK, BEN, [claim("messages", IN_BILLING | BY_BEN)]),
    (SLACK, MESSAGE, [claim("messages", IN_BILLING | BY_BEN)]),
    (SLACK, 'Ben wrote "Why is it unpaid?"', [claim("messages", {**BY_BEN, "message_text": "Why is it unpaid?"})]),
    (SLACK, 'Ben wrote about "unpaid"', [claim("messages", {**BY_BEN, "message_text": {"contains": "unpaid"}})]),
    (
        SLACK,
        "#billing has Ada and Ben",
        [claim("channel_members", IN_BILLING | {"user_id.real_name": name}) for name in ("Ada Ray", "Ben Oak")],
    ),
    (SLACK, "There are 2 people", [claim("users", {"email": {"ne": "agent@example.com"}}, count=2)]),
    (SLACK, "The channel #quiet has no messages", [claim("messages", {"channel_id.channel_name": "quiet"}, count=0)]),
    (SLACK, "#billing has at least two posts", [claim("messages", IN_BILLING, min=2)]),
    (SLACK, "#general has only one post", [claim("messages", {"channel_id.channel_name": "general"}, count=1)]),
    (
        SLACK,
        "#quiet is empty",
        [
            claim("channels", {"channel_name": "quiet"}),
            claim("messages", {"channel_id.channel_name": "quiet"}, count=0),
        ],
    ),
    (STRIPE, UNPAID, [claim("invoices", OF_ACME | {"status": "open"}, count=3)]),
    (
        STRIPE,
        "Acme has three open invoices of $45.00",
        [claim("invoices", OF_ACME | {"status": "open", "amount_due": 4500}, count=3)],
    ),
    (STRIPE, "Acme has no paid invoice", [claim("invoices", OF_ACME | {"status": "paid"}, count=0)]),
    (
        LINEAR,
        ALL_URGENT,
        [claim("issues", OF_WEB, count=2), claim("issues", OF_WEB | {"priorityLabel": "Urgent"}, count=2)],
    ),
    (
        CALENDAR,
        'A "Review" on Thursday at 4 pm takes 30 minutes',
        [
            claim(
                "calendar_events",
                {"summary": "Review", "start_datetime": "2026-01-08T16:00:00", "end_datetime": "2026-01-08T16:30:00"},
            )
        ],
    ),
]
UNPROVEN = [
    (SLACK, BEN, [claim("messages", IN_BILLING), claim("messages", BY_BEN)], "lacks 'Ben'"),
    (SLACK, MESSAGE, [claim("channel_members", IN_BILLING | BY_BEN)], "a table of 'message'"),
    (
        SLACK,
        'Ben wrote "unpaid"',
        [claim("messages", {**BY_BEN, "message_text": {"contains": "unpaid"}})],
        'lacks "unpaid"',
    ),
    (
        SLACK,
        "#billing has Ada and Zoe",
        [claim("channel_members", IN_BILLING | {"user_id.real_name": "Ada Ray"}), claim("users", {"real_name": "Zoe"})],
        "does not hold",
    ),
    (
        SLACK,
        "#billing has Ada and Ben",
        [
            claim("channel_members", IN_BILLING | {"user_id.real_name": "Ada Ray"}),
            claim("users", {"real_name": "Ben Oak"}),
        ],
        "is like those before it",
    ),
    (SLACK, "There are 3 people", [claim("users", count=3)], "lacks '3'"),
    (
        SLACK,
        "The channel #general has no messages",
        [claim("messages", {"channel_id.channel_name": "general", "message_text": "x"}, count=0)],
        "does not say",
    ),
    (
        SLACK,
        "The channel #none has no messages",
        [claim("messages", {"channel_id.channel_name": "none"}, count=0)],
        "there is none of channels",
    ),
    (
        SLACK,
        "#general has no messages",
        [claim("messages", {"message_text": "general"}, count=0)],
        "in a column that has it",
    ),
    (SLACK, "#billing has at least four posts", [claim("messages", IN_BILLING, min=3)], "lacks 'four'"),
    (
        SLACK,
        "There has been only one post in #general",
        [claim("messages", {"channel_id.channel_name": "general"}, min=1)],
        "count or max",
    ),
    (SLACK, "#general is empty", [claim("channels", {"channel_name": "general"})], "what is in it"),
    (SLACK, "Ben wrote in #billing", [claim("messages", min=0)], "true of any world"),
    (SLACK, "Ben wrote in #billing", [claim("messages", {"chanel_id": "C1"})], "Did you mean 'channel_id'?"),
    (STRIPE, UNPAID, [claim("invoices", OF_ACME, count=3)], "lacks 'unpaid'"),
    (STRIPE, UNPAID, [claim("invoices", OF_ACME | {"status": "open"}, min=1)], "lacks 'three'"),
    (STRIPE, UNPAID, [claim("invoices", {"status": "open"}, count=3)], "lacks 'Acme'"),
    (
        STRIPE,
        "Acme has two unpaid invoices",
        [claim("invoices", OF_ACME | {"status": "open"}), claim("customers", count=2)],
        "lacks 'two'",
    ),
    (
        STRIPE,
        "Acme has three open invoices of $45.00",
        [claim("invoices", OF_ACME | {"status": "open"}, count=3)],
        "lacks '45.00'",
    ),
    (
        STRIPE,
        "Bolt has no paid invoice",
        [claim("invoices", {"customer.name": "Bolt", "status": "void"}, count=0)],
        "lacks 'paid'",
    ),
    (LINEAR, ALL_URGENT, [claim("issues", OF_WEB | {"priorityLabel": "Urgent"}, count=2)], "two claims with one count"),
    (
        LINEAR,
        ALL_URGENT,
        [
            claim("issues", {**OF_WEB, "title": "Fix it"}, count=1),
            claim("issues", {**OF_WEB, "title": "Fix it", "priority": 1}, count=1),
        ],
        "two claims",
    ),
    (
        CALENDAR,
        'A "Review" on Friday',
        [claim("calendar_events", {"summary": "Review", "start_datetime": "2026-01-08T16:00:00"})],
        "Friday",
    ),
    (
        CALENDAR,
        'A "Review" at 4 am',
        [claim("calendar_events", {"summary": "Review", "start_datetime": "2026-01-08T16:00:00"})],
        "lacks '4'",
    ),
]


@pytest.mark.parametrize(("seeds", "prompt", "claims"), PROVEN, ids=[prompt for _, prompt, _ in PROVEN])
def test_a_sentence_whose_claims_say_all_of_it_is_understood(live, endpoint, seeds, prompt, claims):
    model = endpoint(answer(seeds, *claims))
    made = provision(live, prompt, seeds)
    assert (made["status"], made["understood"], made["not_understood"]) == ("ready", [prompt], []), made
    assert len(model.asked) == 1


@pytest.mark.parametrize(("seeds", "prompt", "claims", "reason"), UNPROVEN)
def test_a_sentence_of_which_claims_leave_something_out_is_not(live, endpoint, seeds, prompt, claims, reason):
    model = endpoint(*[answer(seeds, *claims)] * 3)
    made = provision(live, prompt, seeds)
    assert (made["status"], made["understood"], made["not_understood"]) == ("ready", [], [prompt]), made
    assert reason in made["warnings"][1], made["warnings"]
    assert reason in model.asked[1][2]["messages"][-1]["content"]


def test_what_the_rules_see_in_the_rows_needs_no_claim(live, endpoint):
    endpoint(json.dumps(SLACK), *[json.dumps(SLACK)] * 2)
    made = provision(live, "Slack has a channel #billing with Ada Ray and Ben Oak. Ben is cross", SLACK)
    assert made["understood"] == ["Slack has a channel #billing with Ada Ray and Ben Oak"]
    assert made["not_understood"] == ["Ben is cross"]


def test_the_best_answer_of_all_tries_is_taken(live, endpoint):
    good = answer(STRIPE, claim("invoices", OF_ACME | {"status": "open"}, count=3))
    model = endpoint(good, json.dumps(STRIPE), "No.")
    made = provision(live, f"{UNPAID}. Bolt owes nothing to Zoe", STRIPE)
    assert (made["understood"], len(model.asked)) == ([UNPAID], 3)
    assert made["not_understood"] == ["Bolt owes nothing to Zoe"]


def test_background_is_neither_understood_nor_not_and_only_what_says_nothing_is_background(live, endpoint):
    prompt = f"A busy week before a launch. {UNPAID}"
    shown = claim("invoices", OF_ACME | {"status": "open"}, statement=2, count=3)
    endpoint(answer(STRIPE, shown, background=[1]), *[answer(STRIPE, background=[1, 2])] * 3)
    made = provision(live, prompt, STRIPE)
    assert (made["understood"], made["not_understood"]) == ([UNPAID], [])
    assert made["background"] == ["A busy week before a launch"]
    made = provision(live, prompt, STRIPE)
    assert (made["understood"], made["not_understood"]) == ([], [UNPAID])
    assert "no sentence of the prompt was understood" in made["warnings"][0]


def test_the_run_and_the_saved_scenario_repeat_what_was_understood(live, endpoint):
    shown = answer(STRIPE, claim("invoices", OF_ACME | {"status": "open"}, count=3))
    endpoint(shown, shown, shown)
    made = provision(live, UNPAID, STRIPE)
    run = live.client.get(f"/twin-runs/{made['run_id']}").json()
    assert (run["understood"], run["not_understood"]) == ([UNPAID], [])
    assert f"<dt>Understood<dd>{UNPAID}" in live.client.get(run["dashboard_url"]).text
    again = provision(live, UNPAID, STRIPE)
    assert (again["understood"], again["not_understood"]) == ([UNPAID], [])
    asked = {"name": "u", "prompt": UNPAID, "generation_mode": "thorough"}
    scenario = live.client.post("/scenarios", json=asked).json()
    assert (scenario["understood"], scenario["not_understood"]) == ([UNPAID], [])
    place = f"/scenarios/{scenario['id']}"
    assert live.client.get(place).json()["understood"] == [UNPAID]
    live.client.put(place, json={"seed_config": {"stripe": {}}})
    assert "understood" not in live.client.get(place).json()


def test_the_model_is_told_the_statements_the_tables_and_when_the_run_starts(live, endpoint):
    model = endpoint(answer(STRIPE, claim("invoices", OF_ACME | {"status": "open"}, count=3)))
    provision(live, UNPAID, STRIPE)
    system, user = (each["content"] for each in model.asked[0][2]["messages"])
    assert "starts at 2026-01-05T09:00 UTC, a Monday" in system
    assert "invoices(" in system
    assert f"1. {UNPAID}" in user
    assert len(system) < 25_000


@pytest.mark.parametrize("clock", [FIXED, {"mode": "offset", "start": "2027-03-03T15:20:00"}, {"mode": "real"}])
def test_a_day_is_that_of_the_clock_of_the_run(live, endpoint, clock):
    seeds = {"calendar": {"events": [{"summary": "Kickoff", "start": "2027-03-04T10:00", "end": "2027-03-04T11:00"}]}}
    shown = answer(seeds, claim("calendar_events", {"summary": "Kickoff", "start_datetime": "2027-03-04T10:00:00"}))
    endpoint(shown, shown, shown)
    made = provision(live, 'There is a "Kickoff" tomorrow at 10:00', seeds, clock=clock)
    assert bool(made["understood"]) == (clock.get("start") == "2027-03-03T15:20:00"), made


WORDS = st.sampled_from(
    ["Ben", "#billing", "4.5 pm", "1:2.3", "99:99",
     "9" * 400, "9" * 12 + " days", "in 999 weeks", "1,2.3.4", "(", ")", '"', "+", "with",
     "p1", "no", "only", "three", "$1.5", "31 February 2027",
     "acme/x", "repo a/b", ",", ".", "it has", "each", "May"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=12))
def test_any_prompt_can_be_split_into_units(words):
    for statement in list_statements(" ".join(words)):
        split_statement(statement, {"slack": "slack"})
