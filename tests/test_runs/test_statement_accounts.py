"""What a model did accounts for the statements of a prompt, or something is missing, whatever the model says."""

from __future__ import annotations

from typing import Any

import pytest

from twindiff.browser import config as configs
from twindiff.browser.config import BrowserStep
from twindiff.browser.expectations import StepFailed
from twindiff.browser.model_runs.statement_accounts import StatementAccounts

PAID_ROW = "INV-2 Ada 195.00 Paid"


def step(numbers: int | list[int], action: str = "expect", **fields: Any) -> BrowserStep:
    """A step as a model proposes it; fields that are not a step's are those of its expectation."""
    numbers = [numbers] if isinstance(numbers, int) else numbers
    own = {name: fields.pop(name) for name in [*fields] if name in ("value", "on", "wait_for")}
    if "on" in own:
        own["selector"] = own.pop("on")
    given = {"action": action, "statements": numbers, **own, **({"expect": fields} if fields else {})}
    return configs.read({"steps": [given]}).steps[0]


def text(numbers: int | list[int], said: str, selector: str | None = None, **more: Any) -> BrowserStep:
    return step(numbers, type="text", contains=said, **({"selector": selector} if selector else {}), **more)


def click(numbers: int | list[int], name: str) -> BrowserStep:
    return step(numbers, "click", on=f'role=button[name="{name}"]')


def account(prompt: str, *done: BrowserStep | tuple[BrowserStep, str], values: Any = None) -> StatementAccounts:
    """Account for steps that passed; with what each saw, which is otherwise what it expects."""
    accounts = StatementAccounts(prompt, values or {})
    for each in done:
        one, seen = each if isinstance(each, tuple) else (each, "")
        expect = one.expect
        if expect and not seen:
            selector = "" if "[" in str(expect.selector) else f"{expect.selector or ''}".partition("=")[2]
            seen = f"{selector} {expect.contains or expect.equals or ''}"
        accounts.record_passed(one, seen, "nothing yet")
    return accounts


PAY = [click(1, "Mark as paid")]
PROMPT = "Click Mark as paid. The status of INV-2 is Paid"
IN_ROW = (text(2, "Paid", "row=INV-2"), PAID_ROW)
IN_ROW_1 = (text(1, "Paid", "row=INV-2"), PAID_ROW)
NO_STAFF = (
    step(1, type="visible", selector='css=nav >> role=link[name="Staff"]', negated=True),
    "Invoices Settings",
)
COUNTED = {"type": "count", "selector": "css=tbody tr"}
VISIBLE = {"type": "visible"}
ABSENT = step(1, type="visible", selector="row=Ben", negated=True)


@pytest.mark.parametrize(
    ("prompt", "enough", "too_little"),
    [
        pytest.param(PROMPT, [*PAY, IN_ROW], PAY, id="a claim needs an expectation"),
        pytest.param(PROMPT, [*PAY, IN_ROW], [IN_ROW], id="an action needs a step that acts"),
        pytest.param(
            PROMPT,
            [*PAY, IN_ROW],
            [*PAY, text(2, "INV-2", "css=h1"), text(2, "Paid", "css=h2")],
            id="what is said together is seen together",
        ),
        pytest.param(
            PROMPT,
            [*PAY, IN_ROW],
            [*PAY, step(2, "fill", on="field=Search", value="INV-2 Paid"), text(2, "Invoices", "css=h1")],
            id="a claim is not proven by typing it",
        ),
        pytest.param(
            PROMPT,
            [*PAY, IN_ROW],
            [*PAY, (text(2, "paid", "row=INV-2"), "INV-2 Unpaid")],
            id="a word is not a part of another one",
        ),
        pytest.param(PROMPT, [*PAY, IN_ROW], [IN_ROW, *PAY], id="a proof comes after the actions before it"),
        pytest.param(
            "Expect 3 rows",
            [step(1, **COUNTED, min=3, max=3)],
            [step(1, **COUNTED, min=3)],
            id="a number is a number exactly",
        ),
        pytest.param(
            "Expect at least 3 rows",
            [step(1, **COUNTED, min=3)],
            [step(1, **COUNTED, min=2)],
            id="at least is a minimum",
        ),
        pytest.param(
            "Expect that Ada is not shown",
            [text(1, "Ada", negated=True)],
            [text(1, "Ada")],
            id="a denial needs a negated expectation",
        ),
        pytest.param(
            "Expect that Ada is shown",
            [text(1, "Ada")],
            [text(1, "Ada", negated=True), text(1, "Team")],
            id="a negated expectation affirms nothing",
        ),
        pytest.param(
            "Expect that Ada is not shown",
            [text(1, "Ada", negated=True)],
            [text(1, "Ada Byron of Ockham", negated=True)],
            id="a longer text is absent more easily",
        ),
        pytest.param(
            "The menu has no Staff link",
            [NO_STAFF],
            [step(1, **VISIBLE, selector='css=#other[name="Staff"]', negated=True)],
            id="what is denied is not an invented element",
        ),
        pytest.param(
            "The menu has no Staff link",
            [NO_STAFF],
            [(NO_STAFF[0], "\n")],
            id="the place of a denial is there",
        ),
        pytest.param(
            "The menu has no Staff link",
            [NO_STAFF],
            [step(1, **VISIBLE, selector='css=nav nav a:has-text("Staff")', negated=True)],
            id="what is denied is not within an invented element",
        ),
        pytest.param(
            "Only Ada is listed",
            [text(1, "Ada", "row=Ada"), step(1, **COUNTED, min=1, max=1)],
            [text(1, "Ada", "row=Ada"), text(1, "qwertz", negated=True)],
            id="the absence of something else limits nothing",
        ),
        pytest.param(
            "Only Ada is listed",
            [text(1, "Ada", "row=Ada"), step(1, **COUNTED, min=1, max=1)],
            [text(1, "Ada", "row=Ada"), step(1, **COUNTED, max=9)],
            id="a maximum without a minimum limits nothing",
        ),
        pytest.param(
            "The menu has no Staff link",
            [text(1, "Staff", "css=nav", negated=True)],
            [text(1, "Staff", "css=h1", negated=True)],
            id="a denial looks where the sentence says",
        ),
        pytest.param(
            "Expect that the dialog is gone",
            [step(1, **VISIBLE, selector="role=dialog", negated=True)],
            [text(1, "qwertz", negated=True)],
            id="a denial speaks of something that there was or that the sentence names",
        ),
        pytest.param(
            "Only Ada is listed",
            [text(1, "Ada", "row=Ada"), step(1, **COUNTED, min=1, max=1)],
            [text(1, "Ada", "row=Ada")],
            id="only needs a limit",
        ),
        pytest.param(
            "The first row is Ada",
            [text(1, "Ada", "css=tbody tr:first-child")],
            [text(1, "Ada", "row=Ada")],
            id="an order needs a position",
        ),
        pytest.param(
            'Expect that "Save" is disabled',
            [step(1, type="disabled", selector="button=Save")],
            [step(1, **VISIBLE, selector="button=Save")],
            id="a state needs an expectation of it",
        ),
        pytest.param(
            'Expect that "Save" is enabled',
            [step(1, type="disabled", selector="button=Save", negated=True)],
            [step(1, type="disabled", selector="button=Save")],
            id="enabled is not disabled",
        ),
        pytest.param(
            '"News" is not ticked',
            [step(1, type="checked", selector="checkbox=News", negated=True)],
            [step(1, type="checked", selector="checkbox=News")],
            id="not ticked is not ticked",
        ),
        pytest.param(
            "Ada cannot click Save",
            [step(1, type="disabled", selector="button=Save for Ada")],
            [step(1, **VISIBLE, selector="button=Save for Ada")],
            id="what cannot be used is disabled",
        ),
        pytest.param(
            "Log in with ada@a.test",
            [step(1, "fill", on="field=Email", value="{{email}}")],
            [step(1, "fill", on="field=Email", value="{{other}}")],
            id="a parameter counts as its value",
        ),
        pytest.param(
            "She sees a message that the order was saved",
            [text(1, "Order saved")],
            [text(1, "Welcome")],
            id="a message has a word of the sentence",
        ),
        pytest.param(
            'The row of INV-2 has the status "Paid"',
            [IN_ROW_1],
            [(text(1, "INV-2 is paid", "role=status"), "INV-2 is paid")],
            id="what is quoted is read in its case",
        ),
        pytest.param(
            "The row of INV-2 is Paid",
            [IN_ROW_1],
            [(text(1, "INV-2 is Paid"), "INV-2 is Paid")],
            id="what a row says is looked for in it",
        ),
        pytest.param(
            "The header should say Harbour",
            [text(1, "Harbour", "css=header")],
            [step(1, type="value", selector="field=Name", equals="Harbour")],
            id="what a header says is not the value of a field",
        ),
        pytest.param(
            "Expect that Ada is shown",
            [step(1, **VISIBLE, selector="css=li >> text=Ada")],
            [step(1, **VISIBLE, selector='css=body, [title="Ada"]')],
            id="a selector with alternatives proves none of them",
        ),
    ],
)
def test_a_statement_needs(prompt: str, enough: list[Any], too_little: list[Any]) -> None:
    values = {"email": "ada@a.test", "other": "bo@a.test"}
    assert account(prompt, *enough, values=values).describe_missing() == []
    assert account(prompt, *too_little, values=values).describe_missing() != []


@pytest.mark.parametrize(
    ("told", "seen", "before"),
    [
        (step(1, **VISIBLE, selector="body"), "Ada", ""),
        (step(1, **COUNTED, min=0), "", ""),
        (text(1, "a"), "Ada has a list", ""),
        (text(1, "4"), "14 of 14", ""),
        (text(1, "Ada"), "Adam", ""),
        (text(1, "Ada"), "Ada and Bo", "Ada"),
        (step(1, type="url", contains="/"), "", ""),
    ],
)
def test_an_expectation_that_cannot_fail_or_was_true_before_proves_nothing(told, seen, before):
    accounts = StatementAccounts("Expect that the list is shown", {})
    assert accounts.record_passed(told, seen, before)
    assert accounts.describe_missing()


def test_what_was_on_the_page_before_counts_where_a_selector_says_where():
    accounts = StatementAccounts("Ada is still shown", {})
    assert not accounts.record_passed(text(1, "Ada", "row=Ada"), "Ada Owner", "Ada Owner")
    assert not accounts.describe_missing()


def test_only_a_statement_that_demands_nothing_is_background():
    accounts = StatementAccounts("The tabs let a team focus. Click Save. We work with Ada. The list is short", {})
    accounts.add_background([1, 2, 3, 4])
    assert [each.partition(".")[0] for each in accounts.describe_missing()] == ["2", "3", "4"]


@pytest.mark.parametrize(
    ("story", "is_background"),
    [
        ("As a manager I want to be able to approve leave", True),
        ("As an owner of the shop, I would like to delete drafts", True),
        ("As a manager I want to approve the leave of Ben", False),
        ("As a manager I want to see no drafts", False),
        ("Sign in as a manager. I want to approve leave", False),
    ],
)
def test_the_wish_of_a_user_story_is_background_unless_it_names_something(story, is_background):
    accounts = account(f'{story}. Expect "Ready"', text(story.count(".") + 2, "Ready"))
    accounts.add_background([1])
    assert (not accounts.describe_missing()) is is_background


SIGNED_IN = (step(1, "fill", on="field=Email", value="maria@timely.test"), click(1, "Sign in"))


def test_who_acts_needs_no_step_of_its_own_if_an_earlier_step_tells_who_it_is():
    asked = 'Sign in with maria@timely.test. Then Maria the boss signs out. Expect "Goodbye"'
    out, goodbye = click(2, "Sign out"), text(3, "Goodbye")
    assert not account(asked, *SIGNED_IN, out, goodbye).describe_missing()
    others = account(asked.replace("Maria", "Carla"), *SIGNED_IN, out, goodbye)
    assert "no step does 'Carla'" in others.describe_missing()[0]


@pytest.mark.parametrize("asked", ["The admin deletes Maria", "Delete Maria", "Click Maria, then delete it"])
def test_whom_an_action_is_about_is_not_who_acts(asked):
    prompt = f"Sign in with maria@timely.test. {asked}"
    missing = account(prompt, *SIGNED_IN, click(2, "Delete")).describe_missing()
    assert "'Maria'" in missing[0]


@pytest.mark.parametrize(
    "said",
    ["Hi, I'm Anna (anna@timely.test, my password is anna123)", "I use Anna's account (password: anna123)"]
    + [f"Anna (anna@timely.test{between}anna123) currently has 18 days of leave" for between in (" / ", ", ", ":")],
)
def test_what_somebody_signs_in_with_is_done_and_not_seen(said):
    steps = [
        step(1, "fill", on="field=Email", value="anna@timely.test"),
        step(1, "fill", on="field=Password", value="anna123"),
        click(1, "Sign in"),
        text(1, "Signed in as Anna, 18 days"),
    ]
    assert not account(said, *steps).describe_missing()
    assert account(said, steps[0], *steps[2:]).describe_missing()


def test_who_is_listed_with_an_address_must_be_seen_with_it():
    asked = "The table should list Anna (anna@timely.test, Nurse)"
    typed = [step(1, "fill", on="field=Email", value="anna@timely.test"), click(1, "Nurse")]
    assert "anna@timely.test" in account(asked, *typed, text(1, "Anna")).describe_missing()[0]


def test_what_happens_first_is_done_and_not_seen():
    asked = "When she asks for leave from 2 August 2027 to 6 August 2027, the page should say 5 days"
    typed = [step(1, "fill", on="css=input", value=f"2027-08-0{day}") for day in (2, 6)]
    assert not account(asked, *typed, text(1, "5 days")).describe_missing()
    assert account(asked, typed[0], text(1, "5 days")).describe_missing()


def test_addresses_and_passwords_that_should_be_seen_must_be_seen():
    shown = "The table should list anna@timely.test, ben@timely.test. The hint says the password should be anna123"
    typed = [step([1, 2], "fill", on="field=Email", value=f"{each}@timely.test anna123") for each in ("anna", "ben")]
    missing = account(shown, *typed, text([1, 2], "Team")).describe_missing()
    assert [each[0] for each in missing] == ["1", "2"]
    assert all(each in " ".join(missing) for each in ("anna@timely.test", "ben@timely.test", "anna123"))


def test_a_negation_in_a_reason_does_not_deny_what_follows_from_it():
    asked = "Since sick leave doesn't cost holidays I should still have 18 days"
    assert not account(asked, text(1, "18 days", "css=#left")).describe_missing()
    assert account(asked, text(1, "17 days", "css=#left")).describe_missing()
    assert account(asked.replace("still", "not"), text(1, "18 days", "css=#left")).describe_missing()


def test_just_limits_something_only_before_what_it_limits():
    assert not account('I just want to see that it works. Expect "Done"', text([1, 2], "Done")).describe_missing()
    assert "limits" in account('The table should list just "Ada"', text(1, "Ada", "css=table")).describe_missing()[0]


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("The account should list 3 of 3 books without Emma", [text(1, "3 of 3"), text(1, "Emma", negated=True)]),
        ("A member should have no more than three books", [text(1, "at most 3 books")]),
        ("The page should list Gone Girl", [text(1, "Gone Girl")]),
    ],
)
def test_a_negation_denies_only_what_it_is_about(asked, shown):
    assert not account(asked, *shown).describe_missing()
    for number in range(len(shown)):
        assert account(asked, *shown[:number], *shown[number + 1 :], text(1, "Ready")).describe_missing()


def test_a_message_that_denies_something_is_proven_by_its_words():
    asked = 'Click Remove. A message says that "Dune" is on loan and cannot be removed'
    removed = click(1, "Remove")
    assert not account(asked, removed, text(2, '"Dune" is on loan. It cannot be removed.')).describe_missing()
    assert account(asked, removed, text(2, '"Dune" is on loan and was removed')).describe_missing()
    assert account(asked, removed, text(2, '"Dune" is on loan, it cannot be helped')).describe_missing()
    listed = 'Click Remove. "Dune" cannot be seen in the list'
    assert account(listed, removed, text(2, 'You cannot see "Dune"')).describe_missing()


def test_a_control_called_like_an_action_is_looked_at():
    asked = 'Click "Clear filters": the search box must be empty, vet select back to "All veterinarians"'
    empty = step(1, type="value", selector="field=Search", equals="")
    typed = step(1, "fill", on="field=Veterinarian", value="All veterinarians")
    back = step(1, type="value", selector="field=Veterinarian", equals="All veterinarians")
    assert not account(asked, click(1, "Clear filters"), empty, back).describe_missing()
    assert account(asked, click(1, "Clear filters"), empty, typed).describe_missing()
    chosen = account('On the page select "Cats" in the list', text(1, "Cats")).describe_missing()
    assert "no step does" in chosen[0]


@pytest.mark.parametrize(
    ("prompt", "is_background"),
    [
        ('TC-17 Status filter\n1. Open Orders\n2. Expect "Ready"', True),
        ('TC-17 Status filter\nOpen Orders\nExpect "Ready"', False),
        ('Delete TC-17\n1. Open Orders\n2. Expect "Ready"', False),
        ('No order of Ada\n1. Open Orders\n2. Expect "Ready"', False),
        ('TC-17 is Paid\n1. Open Orders\n2. Expect "Ready"', False),
    ],
)
def test_the_title_of_numbered_steps_may_be_background(prompt, is_background):
    accounts = account(prompt, click(2, "Orders"), text(3, "Ready"))
    accounts.add_background([1])
    assert (not accounts.describe_missing()) is is_background


def test_a_confirmation_without_words_of_its_own_may_say_anything():
    for asked in ("Click Borrow. She gets a confirmation", "Click Borrow. An error message appears."):
        assert not account(asked, click(1, "Borrow"), text(2, "You borrowed it")).describe_missing()
        assert not account(asked, click(1, "Borrow"), text(2, "Done", "role=status")).describe_missing()
        assert account(asked, click(1, "Borrow"), text(2, "On loan", "row=Dune")).describe_missing()
        assert account(asked, click(1, "Borrow")).describe_missing()


def test_what_was_so_before_may_be_proven_after_signing_in():
    asked = "Tom already has Dune. Log in as tom@library.test with the password r1. Return Dune"
    sign_in = [
        step(2, "fill", on="field=Email", value="tom@library.test"),
        step(2, "fill", on="field=Password", value="r1"),
        click(2, "Log in"),
    ]
    has, returned = text(1, "Dune", "css=table"), step(3, "click", on="row=Dune >> button=Return")
    assert not account(asked, *sign_in, has, returned).describe_missing()
    assert account(asked, *sign_in, returned, has).describe_missing()


@pytest.mark.parametrize("arrow", ["->", "→", "=>"])
def test_what_follows_an_arrow_may_be_seen(arrow):
    asked = f"Open Profile, save {arrow} Settings saved"
    assert not account(asked, click(1, "Profile"), click(1, "Save"), text(1, "Settings saved")).describe_missing()
    assert account(asked, click(1, "Profile"), click(1, "Save")).describe_missing()


def test_a_message_is_no_background_and_its_words_limit_nothing():
    asked = "Click Save. Error: only digits and spaces"
    accounts = account(asked, click(1, "Save"))
    accounts.add_background([2])
    assert accounts.describe_missing()
    assert not account(asked, click(1, "Save"), text(2, "Please use digits and spaces")).describe_missing()


def test_what_somebody_can_do_may_be_done_or_seen():
    asked = 'A practice can change its name at any time. Expect "Ready"'
    assert not account(asked, text([1, 2], "Ready")).describe_missing()
    assert account(asked, text(2, "Ready")).describe_missing()


@pytest.mark.parametrize("asked", ["Press enter, so that she can leave", "Save it until 3 May 2027"])
def test_what_somebody_can_do_later_leaves_an_action_to_be_done(asked):
    assert "no step does anything" in account(asked, text(1, "3 May 2027")).describe_missing()[0]


def test_a_failed_expectation_is_told_with_what_is_missing():
    accounts = account('Click Save. Expect "Saved"', click(1, "Save"))
    accounts.record_failed(text(2, "Saved"), StepFailed("expected the text to contain 'Saved'"))
    assert "failed" in accounts.describe_missing()[0]


@pytest.mark.parametrize(
    ("opening", "is_background"),
    [
        ("We got a ticket about bookings without an owner, so nobody knew whom to call", True),
        ("Reported by the clinic in Leeds: the message won't go away", True),
        ("A customer reported that there is no way to pay", True),
        ('Members ask "what can I take home?" all the time', True),
        ('Members ask for "Take home"', False),
        ('A customer reported that "Pay" is missing', False),
        ("A customer reported that she saw 3 orders", False),
        ("A customer complained; the order should not be listed", False),
        ("The message won't go away", False),
        ("The ticket of Ada is not listed", False),
        ("The report lists Ada", False),
        ("The page called Orders is not shown", False),
        ("The user is not asked for her name", False),
    ],
)
def test_an_opening_that_tells_what_somebody_reported_may_be_background(opening, is_background):
    accounts = account(f'{opening}. Click "Dismiss". Expect "Ready"', click(2, "Dismiss"), text(3, "Ready"))
    accounts.add_background([1])
    assert (not accounts.describe_missing()) is is_background
    alone = account(opening)
    alone.add_background([1])
    assert alone.describe_missing()


def test_actions_one_after_the_other_claim_nothing():
    asked = "Go to the Dashboard and then back to Settings"
    assert not account(asked, click(1, "Dashboard"), click(1, "Settings")).describe_missing()
    assert account(f"{asked}; the name is Ada", click(1, "Dashboard"), click(1, "Settings")).describe_missing()
    assert account("Go to the Dashboard, and then Ada is shown", click(1, "Dashboard")).describe_missing()


@pytest.mark.parametrize(
    "asked", ["Errors for title, author, year and genre", "It should show errors for title, author, year and genre"]
)
def test_each_item_of_an_enumeration_in_small_letters_must_be_seen(asked):
    shown = ["Title is required.", "Author is required.", "Enter a valid year.", "Please select a genre."]
    steps = [click(1, "Save"), *(text(2, each, "css=form") for each in shown)]
    assert not account(f"Click Save. {asked}", *steps).describe_missing()
    for number in range(1, len(steps)):
        assert account(f"Click Save. {asked}", *steps[:number], *steps[number + 1 :]).describe_missing()


def test_what_leads_to_something_is_done_and_what_it_leads_to_is_seen():
    asked = 'So logging in with Autumn24 should now fail with "Wrong password."'
    typed = step(1, "fill", on="field=Password", value="Autumn24")
    assert not account(asked, typed, click(1, "Log in"), text(1, "Wrong password.")).describe_missing()
    assert account(asked, click(1, "Log in"), text(1, "Wrong password.")).describe_missing()
    assert account(asked, typed, click(1, "Log in")).describe_missing()
    together = account("Booking B-2 should be Paid", text(1, "B-2", "css=h1"), text(1, "Paid", "css=p"))
    assert together.describe_missing()


def test_how_something_is_done_is_no_claim():
    asked = 'Searching for Vapour with the box still ticked should say "No gear", and ticking Available only should too'
    done = [step(1, "fill", on="field=Search", value="Vapour"), step(1, "check", on="checkbox=Available only")]
    assert not account(asked, *done, text(1, "No gear")).describe_missing()
    assert account(asked, done[1], text(1, "No gear")).describe_missing()
    assert "limits" in account("The page only shows Ada", text(1, "Ada", "css=ul")).describe_missing()[0]


def test_what_a_number_was_before_is_seen_before():
    asked = "Log in. Click Submit. Expect the number next to Approvals to go from 4 to 5"
    before, after = text(1, "Approvals 4", "css=nav"), text(3, "Approvals 5", "css=nav")
    done = [click(1, "Log in"), before, click(2, "Submit"), after]
    assert not account(asked, *done).describe_missing()
    assert account(asked, *done[:3]).describe_missing()
    assert account(asked, done[0], *done[2:]).describe_missing()
    leave = "Click Save. Expect the leave from 3 May to 4 May in the list"
    assert account(leave, text(1, "3 May"), click(1, "Save"), text(2, "4 May", "css=ul")).describe_missing()


def test_a_password_that_should_open_something_is_typed():
    asked = "Winter2027 should take her to the dashboard"
    typed, seen = step(1, "fill", on="field=Password", value="Winter2027"), text(1, "Dashboard", "css=h1")
    assert not account(asked, typed, click(1, "Log in"), seen).describe_missing()
    assert account(asked, click(1, "Log in"), seen).describe_missing()
    assert account("The page should show Winter2027", typed, seen).describe_missing()


def test_what_something_is_instead_of_must_not_be_seen():
    asked = "The header should now say Summit Seekers instead of Karst Club"
    new, old = text(1, "Summit Seekers", "css=header"), [text(1, each, negated=True) for each in ("Karst", "Club")]
    assert not account(asked, new, *old).describe_missing()
    assert account(asked, new).describe_missing()
    assert account(asked, *old).describe_missing()


@pytest.mark.parametrize(
    "asked", ["Click Save without a name", "Sending a report without an item should show an error"]
)
def test_without_says_how_something_is_done(asked):
    shown = [text(1, "An error: choose an item", "role=alert")] if "error" in asked else []
    assert not account(asked, click(1, "Save"), *shown).describe_missing()


@pytest.mark.parametrize(
    "asked",
    [
        "The report is shown without a total",
        "Maya saves the report without an error",
        "Everything is shown without a total",
        "Loading works without an error",
        "The owner needs to be able to see no drafts",
    ],
)
def test_without_denies_what_should_not_be_seen(asked):
    accounts = account(f"Open it. {asked}", click([1, 2], "Save"), text(2, "Report", "css=h1"))
    accounts.add_background([2])
    assert accounts.describe_missing()


def test_a_condition_of_a_denial_is_done():
    asked = 'There is no "Justification" field as long as the amount is 499.99'
    typed, absent = step(1, "fill", on="field=Amount", value="499.99"), text(1, "Justification", negated=True)
    assert not account(asked, typed, absent).describe_missing()
    assert account(asked, typed).describe_missing()
    assert account(asked, absent).describe_missing()


def test_an_address_denies_nothing():
    asked = 'Log in with nobody@ledgerly.test. Expect "Wrong"'
    typed = step(1, "fill", on="field=Email", value="nobody@ledgerly.test")
    assert not account(asked, typed, click(1, "Log in"), text(2, "Wrong")).describe_missing()


@pytest.mark.parametrize("result", ["On loan", "disabled", "masked"])
def test_a_result_after_an_arrow_is_no_background(result):
    accounts = account(f"Lend it: status -> {result}. Click Back", click(1, "Lend"), click(2, "Back"))
    accounts.add_background([1, 2])
    assert accounts.describe_missing()
    path = account("Patients -> Rocket -> vaccinations tab", click(1, "Patients"), click(1, "Rocket"))
    assert not path.describe_missing()


def test_an_expectation_that_failed_for_one_value_does_not_hold_for_another():
    asked = "Enter 500, then the page should say Justification"
    accounts = account(asked, step(1, "fill", on="field=Amount", value="500"))
    accounts.record_failed(text(1, "Justification"), StepFailed("expected the text to contain 'Justification'"))
    accounts.record_passed(step(1, "fill", on="field=Amount", value="600"))
    accounts.record_passed(text(1, "Justification"), "Justification", "nothing yet")
    assert accounts.find_dropped()
    corrected = account(asked, step(1, "fill", on="field=Amount", value="50"))
    corrected.record_failed(text(1, "Justification"), StepFailed("expected the text to contain 'Justification'"))
    corrected.record_passed(step(1, "fill", on="field=Amount", value="500"))
    corrected.record_passed(text(1, "Justification"), "Justification", "nothing yet")
    assert not corrected.find_dropped()


def test_a_motive_with_a_negation_may_be_background():
    accounts = account("Employees need to know why it wasn't accepted. Click Reject", click(2, "Reject"))
    accounts.add_background([1])
    assert not accounts.describe_missing()


def test_a_digit_at_the_end_of_a_word_says_no_number():
    asked = "Log in with the password Quarter4 and see 4 expenses"
    typed = step(1, "fill", on="field=Password", value="Quarter4")
    for seen in ("Quarter4", "INV-44", "14"):
        assert account(asked, typed, text(1, f"{seen} expenses", "css=h1")).describe_missing()
    assert not account(asked, typed, text(1, "4 expenses", "css=h1")).describe_missing()


def test_a_missing_denial_says_which_places_prove_it():
    (missing,) = account("The request of Ben is no longer listed", text(1, "Done")).describe_missing()
    assert "(row=Ben)" in missing
    assert not account("The request of Ben is no longer listed", ABSENT).describe_missing()


def test_a_proof_comes_before_the_actions_of_later_statements():
    asked = 'Expect "Draft". Click Send. Expect "Sent"'
    late = account(asked, click(2, "Send"), text(1, "Draft"), text(3, "Sent"))
    assert [each.partition(".")[0] for each in late.describe_missing()] == ["1"]
    assert not account(asked, text(1, "Draft"), click(2, "Send"), text(3, "Sent")).describe_missing()


@pytest.mark.parametrize("numbers", [[1, 2, 3, 4], [1, 4], [2, 3]])
def test_an_action_that_is_said_to_serve_many_statements_does_not_bring_their_proofs_forward(numbers):
    asked = 'Open "Mail". Expect "Draft". Click Send. Expect "Sent"'
    shown = [text(2, "Draft"), text(4, "Sent")]
    opened, sent = click(1, "Mail"), click(3, "Send")
    assert not account(asked, opened, shown[0], sent, shown[1]).describe_missing()
    assert account(asked, opened, *shown, click(numbers, "Send"), sent).describe_missing()
    assert account(asked, opened, click(numbers, "Send"), sent, *shown).describe_missing()


def test_a_sentence_about_a_twin_is_accounted_for_by_its_check_and_by_nothing_else():
    sentence = 'Expect one new message in the Slack channel #general that contains "Paid"'
    accounts = StatementAccounts(f"Frobnicate. {sentence}", {}, [sentence])
    assert accounts.is_of_twins(2)
    assert "about a twin" in accounts.check_numbers([2])
    assert not accounts.check_numbers([1])
    assert accounts.check_numbers([3])
    assert accounts.check_numbers([])
    assert [each.partition(".")[0] for each in accounts.describe_missing()] == ["1"]


@pytest.mark.parametrize(
    ("later", "is_dropped"),
    [
        (text(2, "Unpaid", "row=INV-2"), True),
        (text(2, "INV-2", "row=INV-2"), True),
        (text(2, "Paid", "row=INV-2", negated=True), True),
        (step(2, **VISIBLE, selector="row=INV-2"), True),
        (text(1, "Paid", "row=INV-2"), True),
        (text(2, "Paid", "row=INV-2"), False),
        (text(2, "INV-2 Ada 195.00 Paid", "row=INV-2"), False),
    ],
)
def test_an_expectation_that_failed_must_hold_later_with_the_same_facts(later, is_dropped):
    accounts = StatementAccounts(PROMPT, {})
    accounts.record_passed(click(1, "Mark as paid"))
    accounts.record_failed(text(2, "Paid", "row=INV-2"), StepFailed("no", "Paid", "INV-2 Unpaid"))
    accounts.record_passed(later, "INV-2 Ada 195.00 Paid Unpaid", "")
    assert bool(accounts.find_dropped()) == is_dropped


def test_a_parameter_of_the_prompt_is_a_fact_whose_value_is_told_to_nobody():
    accounts = StatementAccounts(
        "Log in with {{email}}. Expect {{email}} and no {{other}}", {"email": "ada@a.test", "other": "bo@a.test"}
    )
    told = [*accounts.describe_statements(), *accounts.describe_missing()]
    assert "ada@a.test" not in " ".join(told)
    assert "{{email}}" in accounts.describe_missing()[0]
    accounts.record_passed(step(1, "fill", on="field=Email", value="{{email}}"))
    accounts.record_passed(text(2, "{{email}}"), "Signed in as ada@a.test")
    accounts.record_passed(text(2, "{{other}}", negated=True), "")
    assert not accounts.describe_missing()


def test_an_address_proves_addresses_only():
    def in_url(said: str) -> BrowserStep:
        return step(1, type="url", contains=said)

    assert not account("Expect that /cart is shown", in_url("/cart")).describe_missing()
    assert account("Expect that INV-2 is shown", in_url("INV-2")).describe_missing()


def test_a_guess_that_says_nothing_of_its_statement_may_be_given_up_for_another():
    accounts = StatementAccounts("She is told that the settings were saved", {})
    accounts.record_failed(text(1, "Success!"), StepFailed("no"))
    assert accounts.find_dropped()
    accounts.record_passed(text(1, "Settings saved."), "Settings saved.")
    assert not accounts.find_dropped()


def test_a_message_that_failed_is_not_made_good_by_another_text_that_names_the_same():
    accounts = StatementAccounts("A message says that the visit of Rex is booked, and Rex is listed as Scheduled", {})
    accounts.record_failed(text(1, "Visit for Rex booked"), StepFailed("no"))
    accounts.record_passed(text(1, "Scheduled", "row=Rex"), "Rex Scheduled")
    assert accounts.find_dropped()
    accounts.record_passed(text(1, "Rex is booked"), "Rex is booked")
    assert not accounts.find_dropped()


def test_a_place_that_was_looked_at_and_does_not_say_the_fact_tells_of_a_fault():
    unpaid = account(PROMPT, *PAY, (text(2, "Unpaid", "row=INV-2"), "INV-2 Unpaid")).find_contradicted()
    assert unpaid
    assert unpaid[1].text == "Paid"
    assert not account(PROMPT, *PAY, (text(2, "195.00", "row=INV-2"), PAID_ROW)).find_contradicted()
    assert not account(PROMPT, *PAY, (text(2, "Invoices", "css=h1"), "Invoices")).find_contradicted()
