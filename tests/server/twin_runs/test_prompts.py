"""Worlds of prompts: what the rules take from plain words, and what they say they did not."""

import pytest


@pytest.fixture
def made(live):
    def make(prompt):
        answer = live.client.post("/scenarios", json={"name": "by prompt", "prompt": prompt})
        assert answer.status_code == 201, answer.text
        return answer.json()

    return make


def test_customers_and_products_with_prices(made):
    world = made('Stripe with 3 customers, a client "Acme and Sons", "Pro" and products "Pro plan" at €49.50 a month')
    assert [each["name"] for each in world["seed_config"]["stripe"]["customers"]][:2] == ["Acme and Sons", "Pro"]
    (product,) = world["seed_config"]["stripe"]["products"]
    assert product == {"name": "Pro plan", "prices": [{"unit_amount": 4950, "currency": "eur", "interval": "month"}]}
    assert (world["twins"], world["not_understood"]) == (["stripe"], [])


def test_a_price_said_afterwards_belongs_to_what_was_spoken_of(made):
    (product,) = made('product "Gift" with a price of $1,200')["seed_config"]["stripe"]["products"]
    assert product["prices"] == [{"unit_amount": 120000, "currency": "usd", "interval": None}]


def test_folders_with_files_by_name(made):
    world = made('a folder "Contracts" with files "a.txt" and "b.md"; a folder named Plans')
    folders = {
        each["name"]: [file["name"] for file in each["files"]] for each in world["seed_config"]["box"]["folders"]
    }
    assert folders == {"Contracts": ["a.txt", "b.md"], "Plans": []}


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ("on Tuesday at 14:30 for 45 minutes", "2026-01-06T14:30", "2026-01-06T15:15"),
        ("on 2026-03-02 at 9 am", "2026-03-02T09:00", "2026-03-02T10:00"),
        ("every Friday at 12:15 pm for 2 hours", "2026-01-09T12:15", "2026-01-09T14:15"),
        ("at 23:30 on Monday", "2026-01-05T23:30", "2026-01-06T00:30"),
    ],
)
def test_a_meeting_is_at_its_day_and_time(made, said, start, end):
    world = made(f'Calendar: a meeting "Kick-off" {said}')
    (event,) = world["seed_config"]["calendar"]["events"]
    assert (event["summary"], event["start"], event["end"]) == ("Kick-off", start, end)
    assert world["not_understood"] == []


def test_what_no_rule_takes_of_a_clause_is_said(made):
    world = made("Calendar with 2 meetings on 2026-02-31 at 25:00 with Acme, and 15% dragons")
    assert world["not_understood"] == ["2026-02-31", "25:00", "Acme", "15% dragons"]


def test_records_of_another_twin_than_the_one_named_are_made_too(made):
    assert made("Slack with 3 issues")["twins"] == ["linear", "slack"]


def test_the_same_words_make_the_same_world_and_another_seed_number_another(made):
    first, again, other = (made(f"4 customers, 3 meetings, 5 files, seed {seed}") for seed in (7, 7, 8))
    assert first["seed_config"] == again["seed_config"]
    assert first["seed_config"] != other["seed_config"]
    assert first["not_understood"] == []


def test_a_name_that_a_twin_refuses_is_refused_and_no_scenario_is_saved(live):
    answer = live.client.post("/scenarios", json={"name": "bad", "prompt": 'a file "a/b.txt"'})
    assert (answer.status_code, "seed_config.box.files[0].name" in answer.json()["detail"]) == (422, True)
