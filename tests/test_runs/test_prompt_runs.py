"""Runs of prompts in the browser: what holds on the page passes, what does not fails, nothing is done by halves."""

from __future__ import annotations

import asyncio
import os

import httpx
import msgspec
import pytest
from playwright.async_api import Browser, async_playwright

from tests.harness import Json, LiveServer, succeeded
from tests.test_runs.conftest import Runs
from tests.test_runs.site import Site
from twindiff.browser import expectations
from twindiff.browser.chromium import chromium
from twindiff.browser.config import BrowserStep
from twindiff.browser.expectations import StepFailed
from twindiff.browser.page_observer import Observer
from twindiff.browser.page_timers import RECORD_TIMERS
from twindiff.browser.planner import plan
from twindiff.browser.steps import Interpreter

HOLDS = """Make sure that "Something went wrong" is not shown
Expect no "Error"
The button "Remove all" is disabled
The button "Sign in" is enabled
The heading "Sign in" is shown
Expect 2 buttons "Edit"
The table has 2 rows
Expect 1 row with "Owner"
Expect no row with "Guestbook"
Expect no button "Sign out"
The link "Sign in" is not shown
The row of "Ada" shows "Owner"
The row of "Ada" does not show "Guest"
The row of "Adam" does not contain "Owner"
In the row of "Ada" click "Edit"
Expect "Editing Ada" once
Expect "Ada" twice
The checkbox "I agree to the terms" is not checked
Check "I agree to the terms"
The checkbox "I agree to the terms" is checked
Untick "I agree to the terms"
The checkbox "I agree to the terms" is unticked
The field Email contains "beacon"
The Email field should not contain "Log in"
Enter a@b.c as the Email and 2026-12-24 as the Day
The value of Day is "2026-12-24"
The Email field should be "a@b.c"
Clear the Email field
The Email field is empty
Choose "Team"
Expect "Plan Team"
The "Plan" dropdown has the value "Team"
Select the radio button "Card" and expect "By card"
Click "Load", then wait until "Loading" disappears
Click "Inside" and expect "Done inside"
Scroll to the bottom
The page title is "Team"
Open the "About" page
I should be on /about
Go back and reload the page
The URL does not contain "about"
Log out
The URL is /about"""
WINDOWS = """Click "Remove" and dismiss the dialog
Expect "Kept"
Click "Remove" and accept the confirmation that says "Remove Ada?"
Expect "Removed"
Click "Invite", type bo@lunch.test into the dialog and confirm it
Expect "Invited bo@lunch.test"
Click "Share"
An alert says "The link is copied"
In the iframe Feedback: type "good" in Comment
In the "Feedback" frame, click "Send"
The "Feedback" frame must show "Thanks"
Expect "Rain" in the Weather frame
Expect no "Thanks" in the Weather frame
The total is €6.50
Grace period (days) is 14
Set Grace period (days) to 21
The navigation shows "Ada Byron"
The navigation does not show "Total"
The Help link must open in a new tab
In the new tab, the heading is "About us"
The new tab shows "We sell chairs"
Close the tab
Expect "Windows" """
WINDOWS_FAIL = (
    'Click "Share" and dismiss the dialog that says "Somebody else"',
    "Click Help and dismiss the dialog",
    'The "Remove" button opens in a new tab',
    "A new tab opens",
    'The "Weather" frame must show "Thanks"',
    'Expect "Total" in the Feedback frame',
    "The total is €6.5",
    "The total is €66.50",
    "Grace period (days) is 21",
    'The navigation shows "Total"',
    "Close the tab",
)
FAILS = (
    'The first heading says "Team"',
    'Click "Break". Make sure that "Something went wrong" is not shown',
    'Expect no "nothing is wrong"',
    'Expect 3 buttons "Edit"',
    'Expect 2 rows with "Ada"',
    'The button "Sign in" is disabled',
    'The button "Nowhere" is not disabled',
    'The link "Sign in" is shown',
    'The button "Cancel all" is not shown',
    'The row of "Ada" does not show "Owner"',
    'The row of "A" shows "Owner"',
    'The field Email does not contain "ada"',
    'The checkbox "I agree to the terms" is ticked',
    'Tick "Sign in"',
    "Enter 2026-12-33 as the Day",
)

SEEN = """Expect "Hours"
Expect "Oldest"
Expect "Newest"
Expect "Below"
Expect "PAID"
Expect "All"
Expect no "In a frame"
The checkbox "Agree" is shown
Tick "Agree" """
UNSEEN = (
    *(f'Expect "{text}"' for text in ("Beside", "Clear", "Rolled", "Read aloud", "Tiny", "Nine to five", "In a frame")),
    *('Expect "Cancelled"', 'The button "Go" is shown', 'The link "Away" is shown', 'The button "Rent" is enabled'),
)
"""What the page has and nobody sees."""
PANTRY = {
    'The second heading says "Soup". The last heading says "Tofu bowl"': (),
    "Add two Tofu bowls to the basket. The quantity of Tofu bowl is 2": ("once", "other"),
    "Add the soup and the Tofu bowl to the basket. Remove the soup. The quantity of Tofu bowl is 3": ("last",),
    "Remove the Tofu bowl. Expect 0 rows": (),
    "Add the soup to the basket. Remove the soup. Expect 0 rows": ("stays",),
    "Create a helper named Ada Byron (ada@b.test) and mark her as VIP. Her row shows VIP": ("plain", "lost"),
    'View the helper. The page shows "Profile of Ada"': (),
    "Create a helper named Bo Derek, bo@d.test. The row of Bo Derek shows Regular": (),
}
"""What must pass, one after the other, with an application that is right; each fails with the faults beside it."""
UNCLEAR_THERE = {
    "Add the Tofu bowl": "2 elements may be",
    "Add Soup to the basket. Archive the soup": "no visible element",
    "Size: Large": "no visible element",
    "Tick the reminder box": "no visible element",
    "Add Soup and Tofu bowl to the basket. The quantity is 1": "name the row",
    'Add Soup to the basket. "Tofu" is not on the list': "several lists",
    "The price of Soup is 1": "no column 'price'",
}
"""What no single element of the page is meant by."""
RECORDS = """Tick every box in the table. "Pay selected" becomes enabled. Click it
Untick all boxes in the table
The state of Ada is New. The amount of Bo is more than 297. The amount of Cy is between 18 and 20
The limit is at least 30. The limit is less than 31
The row of "Ada" shows today. The row of "Bo" shows tomorrow's date. The row of "Cy" shows in a week
Fill "Due" with "2026-12-24". Set the due to in three days
Each order has a Send button and a Remove button
For each row, click "Send". Every order has the state Sent. All orders are Sent
Filter the orders by state "New". There should be 0 rows left
Filter the orders by state "Any". SO-2 is Sent
Remove every order. Expect 0 rows"""
RECORDS_FAIL = (
    "Every order has the state New",
    "For each row, the state is New",
    "The amount of Bo is more than 298",
    "The limit is at most 29",
    'The row of "Ada" shows tomorrow',
    'The row of "Ada" shows yesterday\'s date',
    "Each order has a Pay button",
    "All orders are New",
    "SO-1 is Sent",
    "The Send button in the row of Ada is disabled",
)
STATES = """Given I am on the Catalogue page. There are 2 books that are on loan
Emma is available. Ulysses is not available
Ulysses has 2 copies. The status of Emma is available. Only Emma is available
Only Ulysses, Emma and "Dune (open edition)" are listed
Return Ulysses. Ulysses is available within 2 seconds
Click Return on "Dune (open edition)". No books are on loan. All books are available"""
STATES_FAIL = (
    "Given I am on the Rentals page",
    "Ulysses is available",
    "Ulysses is not on loan",
    "Emma is overdue",
    "Ulysses has 3 copies",
    "The status of Emma is on loan",
    "Only Ulysses is on loan",
    "Only Ulysses and Emma are listed",
    "3 books are on loan",
    "No books are on loan",
    "All books are available",
    "There are 2 available books",
    "Return Ulysses. It is still on loan",
)
STATES_UNCLEAR = {
    "Bob Kane is blocked": "only mentions the name",
    "Ann Reed is available": "only mentions the name",
    "Emma is lovely": "shows nothing as 'lovely'",
    "No books are lovely": "shows nothing as 'lovely'",
    "Beloved is available": "lists no entry 'Beloved'",
}
DESK_HOLDS = """Delete INV-7. A dialog asks "Delete it?". The dialog stays open
Click Keep it. The dialog closes and INV-7 is still in the list
Delete INV-7. A dialog warns that this cannot be undone
Confirm the deletion. A message confirms that the invoice was deleted. INV-7 is no longer in the invoice list
Delete INV-8 and confirm. The user is told that INV-8 was deleted, and the page says that there are no invoices"""
DESK_FAILS = {
    'Delete INV-7. A dialog asks "Archive it?"': "",
    "Delete INV-7. The dialog is closed": "",
    "Delete INV-7 and confirm. The dialog closes": "open",
    "Delete INV-7. The dialog stays open": "unasked",
    "Delete INV-7 and confirm. INV-7 is no longer in the list": "stays",
    "INV-9 is in the invoice list": "",
    "I am still on the login page": "",
    "INV-7 is Sent": "",
}
"""What does not hold of the page, with a fault or without."""
DESK_UNCLEAR = {
    (
        "Delete INV-7 and confirm. The user is told that the invoice was deleted",
        "failing",
    ): "no message of the page says",
    ("Delete INV-7 and confirm. A message says that the invoice was sent", ""): "no message of the page says",
    ("The page says that there are no invoices", ""): "no message of the page says",
    ("Delete INV-7 and confirm", "unasked"): "no visible element",
    ("INV-7 is in the customer list", ""): "no heading or caption of the page says 'customer'",
    ("INV-7 is listed in My archive", ""): "no visible element",
}
STALE_FAILS = (
    'Click Ask. A dialog asks "Delete it?"',
    "Click Ask. Click Keep in the dialog",
    "Click Go. The user is still on the login page",
    "Click Go. The user is back on the invoice list",
    "Click Go. The login fails",
)
"""What the page shows too early, in another place, or of something else."""
STALE_UNCLEAR = {
    "Click Go. The user is told that the invoice was deleted": "before the last action already",
    "Click Ask. The dialog says that the invoice was deleted": "no message of the page says",
    "Click Go and confirm": "no visible element",
}
LATE_FAILS = (
    'Click "Break later". "Broken" is not shown',
    'Click "Break later". Expect no "Broken". Expect "Late". Click "Rest"',
    'Click "Break twice". The page does not show "Broken"',
    'Click "Draw". "Broken" is not shown',
    'Click "Add later". Expect 1 row',
)
"""What holds for longer than an absence is looked at, until a timer runs."""
# The page takes "Saved" away as soon as it is asked for its timers.
LATE = """Click "Break later". "Broken" is not shown. Wait until "Broken" appears
Click "Save". "Broken later" is not shown. Expect "Saved"
Click "Poll". "Nothing of it" is not shown
Reload the page
Click "Spin". "Asked on" is not shown. Expect "Late"
"Asked on" is not shown"""
ALIKE = '''In the card of "Tandem" click "Rent". Expect "Tandem rented"
Click "Rent" in the "Roadster" card. Expect "Roadster rented"
Click the second "Rent". Expect "Tandem rented"
Click the second button "Rent". Expect "Tandem rented"
Click "Return" and expect "Returned". Click "Buy" and expect "Bought"
Fill the second "Email" with "a@b.c". Tick the first "Agree"
Click "Ask". Click "Rent" and expect "Asked"
The price of Roadster is 12
Click "Help"'''
UNCLEAR_ALIKE = {
    'Click "Rent"': "2 elements are called 'Rent': a button below 'Roadster'; a button below 'Tandem'. Say which",
    'Fill "Email" with "a@b.c"': "2 elements are called 'Email'",
    'Tick "Agree"': "2 elements are called 'Agree'",
    'Click the link "Terms"': "2 elements are called 'Terms'",
    'Open "Terms"': "2 elements are called 'Terms'",
    'Hover over "Rent"': "2 elements are called 'Rent'",
}
"""Sentences that several elements of the page are meant by."""
UNCLEAR = {("/pantry", each): said for each, said in UNCLEAR_THERE.items()}
UNCLEAR |= {("/alike", each): said for each, said in UNCLEAR_ALIKE.items()}
UNCLEAR |= {("/catalogue", each): said for each, said in STATES_UNCLEAR.items()}
UNCLEAR |= {(f"/desk?fault={fault}", each): said for (each, fault), said in DESK_UNCLEAR.items()}
UNCLEAR |= {("/stale", each): said for each, said in STALE_UNCLEAR.items()}
FAILING = [
    *(("/stale", each) for each in STALE_FAILS),
    *((f"/desk?fault={fault}", each) for each, fault in DESK_FAILS.items()),
    *(("/catalogue", each) for each in STATES_FAIL),
    *(("/records", each) for each in RECORDS_FAIL),
    ("/alike", "The price of Roadster is 99"),
    *(("/late", each) for each in LATE_FAILS),
    *(("/team", each) for each in FAILS),
    *(("/windows", each) for each in WINDOWS_FAIL),
    *(("/unseen", each) for each in UNSEEN),
]
WRONG = [(f"/pantry?fault={fault}", prompt) for prompt, faults in PANTRY.items() for fault in faults]


def steps_of(prompt: str) -> list[Json]:
    """The steps of a prompt, of which the last, which is to fail, gives up sooner than it would."""
    planned = plan(prompt)
    assert planned.unclear == []
    *before, last = map(msgspec.to_builtins, planned.steps)
    return [*before, {**last, "timeout_ms": 800}]


def test_sentences_that_hold_of_a_page_pass(runs: Runs, site: Site):
    run = runs.run(start_url=f"{site.url}/team", prompt=HOLDS)
    assert (run["status"], run["not_understood"]) == ("completed", []), run["failure_detail"]


def test_a_search_field_is_left_before_somebody_looks_at_what_it_lists(runs: Runs, site: Site):
    run = runs.run(start_url=f"{site.url}/left", prompt='Enter "tents" into Search. "Asked for tents" is shown')
    assert run["status"] == "completed", run["failure_detail"]


def test_sentences_about_dialogs_tabs_and_frames_that_hold_pass(runs: Runs, site: Site):
    run = runs.run(start_url=f"{site.url}/windows", prompt=WINDOWS)
    assert (run["status"], run["not_understood"]) == ("completed", []), run["failure_detail"]


def test_what_a_person_sees_by_scrolling_too_is_on_the_page(runs: Runs, site: Site):
    run = runs.run(start_url=f"{site.url}/unseen", prompt=SEEN)
    assert (run["status"], run["not_understood"]) == ("completed", []), run["failure_detail"]


def test_an_absence_waits_for_timers_but_not_longer_than_other_sentences_allow(runs: Runs, site: Site):
    run = runs.run(start_url=f"{site.url}/late", prompt=LATE)
    assert (run["status"], run["not_understood"]) == ("completed", []), run["failure_detail"]


def test_what_is_done_to_each_record_and_said_of_them_by_column_date_and_comparison_holds(runs: Runs, site: Site):
    run = runs.run(start_url=f"{site.url}/records", prompt=RECORDS)
    assert (run["status"], run["not_understood"]) == ("completed", []), run["failure_detail"]


def test_states_of_entries_that_hold_of_a_page_pass(runs: Runs, site: Site):
    run = runs.run(start_url=f"{site.url}/catalogue", prompt=STATES)
    assert (run["status"], run["not_understood"]) == ("completed", []), run["failure_detail"]


def test_what_a_page_asks_and_tells_in_other_words_passes(runs: Runs, site: Site):
    run = runs.run(start_url=f"{site.url}/desk", prompt=DESK_HOLDS)
    assert (run["status"], run["not_understood"]) == ("completed", []), run["failure_detail"]


def test_of_elements_of_one_name_the_one_is_meant_that_a_sentence_or_the_page_singles_out(runs: Runs, site: Site):
    run = runs.run(start_url=f"{site.url}/alike", prompt=ALIKE)
    assert (run["status"], run["not_understood"]) == ("completed", []), run["failure_detail"]


def test_a_position_that_a_page_makes_clear_while_it_loads_is_waited_for(runs: Runs, site: Site):
    run = runs.run(start_url=f"{site.url}/headed", prompt='The first heading says "Dishes"')
    assert run["status"] == "completed", run["failure_detail"]


def test_intents_pass_with_an_application_that_is_right(runs: Runs, site: Site):
    run = runs.run(start_url=f"{site.url}/pantry", prompt="\n".join(PANTRY))
    assert (run["status"], run["not_understood"]) == ("completed", []), run["failure_detail"]


def test_a_dialog_that_no_step_opens_is_not_understood():
    assert plan("Accept the dialog").unclear
    assert plan('Click "Remove". Expect "Kept". Accept the dialog').unclear
    assert plan('Click "Remove" and confirm it').unclear


@pytest.mark.parametrize(
    ("place", "category"),
    [
        (FAILING[0], "step"),
        (("/records", RECORDS_FAIL[0]), "step"),
        (WRONG[0], "step"),
        (("/pantry", next(iter(UNCLEAR_THERE))), "not_understood"),
    ],
)
def test_a_run_of_a_sentence_that_does_not_hold_of_a_page_fails(
    runs: Runs, site: Site, place: tuple[str, str], category: str
):
    path, prompt = place
    run = runs.run(start_url=f"{site.url}{path}", test_config={"steps": steps_of(prompt)})
    assert (run["status"], run["failure_category"]) == ("failed", category), run["failure_detail"]
    assert run["results_json"][-1]["status"] == "failed"
    assert bool(run["not_understood"]) == (category == "not_understood")
    done = [each["title"] for each in run["results_json"] if (each["action"], each["status"]) == ("click", "passed")]
    told = f"stays done: {', '.join(done)}" if done else "nothing that could have an effect"
    assert (told in run["failure_detail"]) == (category == "not_understood")


@pytest.fixture(scope="module")
def failures(site: Site, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], StepFailed | None]:
    """Why each prompt that must fail does. Each has a context of one browser, as one per run takes most of the time."""
    folder, turns = tmp_path_factory.mktemp("failing"), asyncio.Semaphore(4)

    async def execute(browser: Browser, path: str, prompt: str) -> StepFailed | None:
        async with turns, await browser.new_context() as context:
            observer = Observer(context, folder, pytest.fail, str)
            await context.add_init_script(RECORD_TIMERS)
            page, start = await context.new_page(), site.url + path
            await page.goto(start)
            steps = Interpreter(lambda: observer.page, start, {}, answer_nothing, dialogs=observer)
            try:
                planned = msgspec.convert(steps_of(prompt), list[BrowserStep])
                for step, following in zip(planned, [*planned[1:], None], strict=True):
                    await steps.do(step, following)
            except StepFailed as failed:
                return failed
        return None

    async def execute_all() -> dict[tuple[str, str], StepFailed | None]:
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        cases = [*FAILING, *WRONG, *UNCLEAR]
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium(), args=options)
            return dict(zip(cases, await asyncio.gather(*(execute(browser, *each) for each in cases)), strict=True))

    with pytest.MonkeyPatch.context() as patient:
        patient.setattr(expectations, "ANSWER_SECONDS", 60.0)
        return asyncio.run(execute_all())


async def answer_nothing(_question: str) -> str:
    raise AssertionError("a prompt that asks nothing has asked")


@pytest.mark.parametrize("place", FAILING, ids=str)
def test_a_sentence_that_does_not_hold_of_a_page_fails(failures, place: tuple[str, str]):
    assert failures[place]


@pytest.mark.parametrize("place", WRONG, ids=str)
def test_an_intent_fails_with_an_application_that_is_wrong(failures, place: tuple[str, str]):
    assert failures[place].category == "step", failures[place]


@pytest.mark.parametrize("place", UNCLEAR, ids=str)
def test_what_the_page_does_not_offer_once_is_not_understood(failures, place: tuple[str, str]):
    failed = failures[place]
    assert (failed.category, UNCLEAR[place] in str(failed)) == ("not_understood", True), failed


def test_nothing_is_done_of_a_prompt_of_which_a_part_is_not_understood(runs: Runs, site: Site):
    before = len(site.asked)
    run = runs.run(start_url=f"{site.url}/team", prompt='Click "Sign in". Expect "Password" above "Email".')
    assert (run["status"], run["failure_category"], run["results_json"]) == ("failed", "not_understood", [])
    assert run["not_understood"] == ['Expect "Password" above "Email" (not understood: above "Email")']
    assert ("above" in run["failure_detail"], len(site.asked)) == (True, before)
    assert "above" in httpx.get(run["page_url"]).text.partition("Not understood")[2]


def test_a_prompt_that_is_not_understood_is_not_done_when_it_is_repeated(runs: Runs, site: Site):
    run = runs.run(start_url=f"{site.url}/team", prompt='Click "Sign in". Double-click "Save"')
    again = runs.wait(runs.create(f"/test-runs/{run['id']}/rerun"))
    assert (again["failure_category"], again["results_json"]) == ("not_understood", [])


def post(live: LiveServer, twin_run: str, text: str, channel: str = "general") -> None:
    """Let the application send a message."""
    variables = succeeded(live.client.get(f"/twin-runs/{twin_run}"))["twins"]["slack"]["env_vars"]
    headers = {"Authorization": f"Bearer {variables['SLACK_BOT_TOKEN']}"}
    body = {"channel": channel, "text": text}
    assert succeeded(live.client.post(f"{variables['SLACK_API_URL']}/chat.postMessage", json=body, headers=headers))[
        "ok"
    ]


@pytest.fixture
def slack(live: LiveServer) -> str:
    return succeeded(live.client.post("/twin-runs", json={"twins": ["slack"]}))["run_id"]


@pytest.mark.parametrize(
    ("sent", "status"),
    [((), "failed"), (("Ada joined",), "completed"), (("Bob joined",), "failed"), (("Ada joined",) * 2, "failed")],
)
def test_a_sentence_about_messages_is_judged_by_what_slack_has(live, runs, site, slack, sent, status):
    prompt = 'Ask "Go on?". Expect one new message in the Slack channel #general that contains "Ada"'
    run_id = runs.create(start_url=f"{site.url}/about", prompt=prompt, provision_id=slack)
    runs.until(run_id, lambda run: any(each["type"] == "ask_user_question" for each in run["events_json"]))
    for text in sent:
        post(live, slack, text)
    succeeded(live.client.post(f"/test-runs/{run_id}/messages", json={"message": "yes"}))
    run = runs.wait(run_id)
    assert run["status"] == status, run["failure_detail"]
    assert run["test_config_json"]["twin_checks"][0]["sentence"].startswith("Expect one new message")
    assert status == "completed" or "Slack channel #general" in run["failure_detail"]


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("Expect no message in the Slack channel #nowhere", "not one of channels named 'nowhere'"),
        ("Expect exactly 3 payments of $49 in Stripe", "no twin 'stripe'"),
    ],
)
def test_a_sentence_about_what_the_twins_do_not_have_is_not_understood(runs, site, slack, prompt, said):
    run = runs.run(start_url=f"{site.url}/about", prompt=prompt, provision_id=slack)
    assert (run["failure_category"], said in run["not_understood"][0]) == ("not_understood", True)


def test_sentences_about_twins_are_judged_besides_given_checks_and_stay_in_a_saved_test(live, runs, site):
    none = {"assertions": [{"diff_type": "added", "entity": "channels", "expected_count": 0}]}
    asked = {
        "prompt": "Expect a message in Slack",
        "twins": ["slack"],
        "checks": none,
        "start_url": f"{site.url}/about",
    }
    run = runs.run(**asked)
    assert run["checks"]["failures"] == ["assertion#2 messages expected at least 1 match but got 0"]
    test = succeeded(live.client.post("/tests", json={"name": "told", **asked}))
    again = runs.wait(succeeded(live.client.post(f"/tests/{test['id']}/run", json={}))["id"])
    assert (again["failure_category"], "Expect a message in Slack" in again["failure_detail"]) == ("checks", True)


def test_a_check_of_a_table_that_no_twin_has_is_refused(live, site, slack):
    check = {"sentence": "none", "twin": "slack", "entity": "mesages", "min": 0, "max": 0}
    asked = {"start_url": f"{site.url}/about", "test_config": {"twin_checks": [check]}, "provision_id": slack}
    refused = live.client.post("/test-runs", json=asked)
    assert (refused.status_code, "Did you mean" in refused.json()["detail"]) == (422, True)
