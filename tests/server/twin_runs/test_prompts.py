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
        ("today at 17:00", "2026-01-05T17:00", "2026-01-05T18:00"),
        ("the day after tomorrow at 9", "2026-01-07T09:00", "2026-01-07T10:00"),
        ("next Monday at 9", "2026-01-12T09:00", "2026-01-12T10:00"),
        ("next Friday at 9 for an hour", "2026-01-16T09:00", "2026-01-16T10:00"),
        ("this Friday at 9 for two hours", "2026-01-09T09:00", "2026-01-09T11:00"),
        ("in 3 days at 9", "2026-01-08T09:00", "2026-01-08T10:00"),
        ("in two weeks at 9", "2026-01-19T09:00", "2026-01-19T10:00"),
        ("am nächsten Montag um 14:30 Uhr für 45 Minuten", "2026-01-12T14:30", "2026-01-12T15:15"),
        ("morgen gegen 9 Uhr für eine Stunde", "2026-01-06T09:00", "2026-01-06T10:00"),
        ("am 2.3.2026 um 8.15 Uhr", "2026-03-02T08:15", "2026-03-02T09:15"),
        ("in zwei Wochen um 9 Uhr", "2026-01-19T09:00", "2026-01-19T10:00"),
    ],
)
def test_a_meeting_is_at_its_day_and_time(made, said, start, end):
    world = made(f'Calendar: a meeting "Kick-off" {said}')
    (event,) = world["seed_config"]["calendar"]["events"]
    assert (event["summary"], event["start"], event["end"]) == ("Kick-off", start, end)
    assert world["not_understood"] == []


@pytest.mark.parametrize(
    ("german", "english"),
    [
        ("Slack mit fünf Benutzern und 20 Nachrichten, #start", {"slack": {"users": 5}}),
        ("Linear: zwei Teams, drei Projekte und zwölf Aufgaben", {"linear": {"teams": 2, "projects": 3, "issues": 12}}),
        ("Stripe mit drei Kunden und zwei Produkten", {"stripe": {"customers": 3, "products": 2}}),
        ("Box mit vier Ordnern", {"box": {"folders": 4}}),
        ("Kalender mit sieben Terminen", {"calendar": {"events": 7}}),
    ],
)
def test_german_words_are_understood_as_well(made, german, english):
    world = made(german)
    counts = {twin: {kind: len(parts) for kind, parts in each.items()} for twin, each in world["seed_config"].items()}
    assert {twin: {kind: counts[twin][kind] for kind in kinds} for twin, kinds in english.items()} == english
    assert (world["twins"], world["not_understood"]) == ([*english], [])


def test_names_and_prices_are_written_as_germans_do(made):
    world = made("Stripe: drei Kunden, Kunde namens Acme, ein Produkt „Pro“ für 1.249,50 € im Monat")["seed_config"]
    assert [len(world["stripe"]["customers"]), world["stripe"]["customers"][0]["name"]] == [3, "Acme"]
    (product,) = world["stripe"]["products"]
    assert product["prices"] == [{"unit_amount": 124950, "currency": "eur", "interval": "month"}]


def test_a_week_is_next_by_the_clock_of_the_run(live):
    clock = {"mode": "offset", "start": "2026-01-05T09:00:00"}
    asked = {"twins": ["calendar"], "scenario_prompt": "a meeting tomorrow at 10", "clock": clock}
    run = live.client.get(f"/twin-runs/{live.client.post('/twin-runs', json=asked).json()['run_id']}").json()
    now = live.client.get(f"/api/platform/env/{run['environment_id']}/clock").json()["now"]
    assert now[:10] == "2026-01-05"
    twin = run["twins"]["calendar"]
    headers = {"Authorization": f"Bearer {twin['env_vars']['GOOGLE_CALENDAR_TOKEN']}"}
    (event,) = live.client.get(f"{twin['base_url']}/calendars/primary/events", headers=headers).json()["items"]
    assert event["start"]["dateTime"][:10] == "2026-01-06"


def test_a_sentence_of_which_no_rule_takes_a_word_is_not_understood_and_the_words_are_named(made):
    said = "Calendar with 2 meetings on 2026-02-31 at 25:00 with Acme, and 15% dragons"
    world = made(f"{said}. 3 users")
    assert (world["understood"], world["not_understood"]) == (["3 users"], [said])
    assert world["warnings"] == [f"'{said}': no rule takes '2026-02-31', '25:00', '15%', 'dragons'"]


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
