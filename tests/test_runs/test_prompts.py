"""A sentence of a prompt is understood with each of its words or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.test_runs.prompts import LOGIN, LOGINS, STYLES, USER_LOGINS, describe_plan
from twindiff.browser.clauses import STEPS_OF_KINDS
from twindiff.browser.example_sentences import EXAMPLES
from twindiff.browser.planner import plan
from twindiff.browser.sentence_rules import SENTENCE_RULES

CASES = [(prompt, steps) for style in STYLES.values() for prompt, steps in style.items()]
UNDERSTOOD = (
    'Make sure that "Paid" is shown',
    'Click "Pay"',
    "Click Save",
    'Expect "Paid"',
    "Expect Paid",
    'Fill "Email" with "ada"',
    "Enter ada@example.com into the Email field",
    'Select "Large" from "Size"',
    'The button "Pay" is enabled',
    'Tick "Newsletter"',
    "Open Billing",
    "Go to /team",
    'The row of "Ada" shows "paid"',
    'The field "Email" contains "ada"',
    'The URL contains "/done"',
    "Expect 3 rows",
    "Log in",
    "Log out",
    'Wait until "Paid" appears',
    'Expect one new message in the Slack channel #general that contains "Paid"',
    "Expect exactly 3 payments of $49 in Stripe",
    'Click "Remove" and dismiss the dialog',
    'Click "Share" and accept the alert that says "Copied"',
    "A new tab opens",
    'In the new tab, expect "Paid"',
    'In the iframe "Card" click "Send"',
    'The "Card" frame must show "Thanks"',
    "The total is €6.50",
    'The navigation shows "Ada"',
    "The user ada@b.test (password lentils) signs in",
    "Menu -> Size = Large -> Save",
    "Stripe has a customer with the email ada@b.test",
    'The channel #general in Slack should have a message containing "Paid"',
    "Add the lentil soup to the basket",
    "Add two Tofu",
    'Click "Save" three times',
    'Place the order with the note "no onions"',
    "Create a customer named Ada Byron with the email ada@b.test on the Team plan",
    'Given a customer "Ada Byron" with the email ada@b.test exists',
    "Given I have added Tofu",
    "Create two customers: Ada Byron (ada@b.test) and Bo Derek (bo@d.test)",
    "Create a customer named Ada Byron, ada@b.test. Open her page. Her row shows Team",
    "Add Tofu and Soup. The page shows both dishes",
    'Expect "Paid" when you click "Pay"',
    'Clicking "Pay" shows "Paid"',
    "The quantity of Tofu is 3",
    "Set the grace period to 21 days",
    'The list shows "Ada"',
    "Nothing is posted to Slack",
    "Expect 3 dishes",
    "There are no customers",
    "The menu must have 4 dishes",
    'The second row shows "Ada"',
    'The first dish is "Soup"',
    'The last row does not show "Ada"',
    'For each row, expect it shows "Team"',
    'Click "Edit" in the third row',
    "Add the second dish to the basket",
    "Choose the third radio button",
    'The Email field has the placeholder "a@b.c"',
    'Fill the field with the placeholder "Search" with "Ada"',
    "I should be signed in as Ada Byron",
    "Ulysses is on loan",
    "The status of Bob Kane is active",
    "Yoga has 2 spots left",
    "There are 4 open tickets",
    "Mark every open invoice as paid",
    "No invoices are overdue",
    "Only Emma and Dune are listed",
    "Lend Emma to Ann Reed",
    "Create a ticket for Globex with urgent priority",
    "Log in as a@b.c with password x-1",
    "Log in as finance with the password x-1",
    "Given Max (a@b.c, x-1) is logged in",
    "A message confirms that the invoice was deleted",
    'The user is told that "Saved"',
    'A dialog asks "Sure?"',
    "The dialog stays open",
    'Click "Delete" and confirm the deletion',
    'Hit "Leave" and say yes',
    "I should still be on the login page",
    "I am not logged in",
    "Open INV-7 and mark it as paid",
    '"Ada" is in the customer list',
    '"Ada" is listed in My bookings',
    "No invoice has status Overdue",
    "The total drops to €6.50",
    "INV-7 is marked as Paid",
    "Expect to see Ada and Bob but not Room 101",
    'Enter "a" as the title and 10 guests',
    "Approve the request from Bob",
    "Start a new invoice",
    "Mark as paid",
)
CHANGES = (
    *(
        "not",
        "no",
        "no longer",
        "never",
        "without",
        "twice",
        "exactly 7",
        "at least 7",
        "7 times",
        "in Slack",
        "in Stripe",
    ),
    *("disabled", "unticked", "above", "below", 'in field "X"', 'in the row of "X"', "on the second page", "for Bob"),
    *(
        "or",
        "nearly",
        "hidden",
        "the first",
        "within 2 seconds",
        "if possible",
        "instead of",
        "nicht",
        "kein",
        "before",
    ),
)


@pytest.mark.parametrize(("prompt", "steps"), [case for case in CASES if case[1] is not None])
def test_a_prompt_of_any_style_becomes_the_steps_that_it_asks_for(prompt, steps):
    assert (describe_plan(prompt), plan(prompt).unclear) == (steps, [])


@pytest.mark.parametrize("prompt", [prompt for prompt, steps in CASES if steps is None])
def test_a_prompt_with_a_word_that_no_rule_accounts_for_is_not_understood(prompt):
    assert plan(prompt).unclear


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ('Fill "Email" with "a" twice', "twice"),
        ('Click "Save" on the second page', "on the second page"),
        ('Expect "Paid" in Slack', "in Slack"),
        ('Do not click "Save"', "Do not"),
        ('Verify that "Paid" is shown within 2 minutes', "within 2 minutes"),
    ],
)
def test_the_words_that_are_not_understood_are_named(prompt, words):
    [said] = plan(prompt).unclear
    assert said.rstrip(")").split("; ")[0] == f"{prompt} (not understood: {words}"


@pytest.mark.parametrize(
    ("prompt", "example"),
    [
        ("Remove every bold order", "Remove every order"),
        ('Verify that "Paid" is shown within 2 minutes', '"Saved" should be shown'),
        ('Maybe wait until "Loading" fades', 'Wait until "Paid" appears'),
    ],
)
def test_a_refusal_shows_the_nearest_sentence_that_is_understood(prompt, example):
    assert plan(prompt).unclear[0].endswith(f"understood is, for example: {example})")


@pytest.mark.parametrize(("kind", "sentence"), EXAMPLES.items())
def test_each_example_of_a_refusal_is_itself_understood(kind, sentence):
    planned = plan(f'Click "Start". {sentence}')
    assert (planned.unclear, bool(planned.steps[1:] or planned.twin_checks or kind == "dialog")) == ([], True)


@given(st.sampled_from(UNDERSTOOD), st.sampled_from(CHANGES), st.data())
@settings(max_examples=600, deadline=None)
def test_a_word_that_changes_a_sentence_is_never_dropped(sentence, change, data):
    words = sentence.split(" ")
    place = data.draw(st.integers(0, len(words)))
    changed = " ".join([*words[:place], change, *words[place:]])
    assert plan(changed).unclear or describe_plan(changed) != describe_plan(sentence), changed


@pytest.mark.parametrize(
    "prompt",
    [
        'Click "Pay". Once the invoice is paid, "Thanks" is shown',
        'Click "Go". After the report is completed, "Done" is shown',
        'Archive INV-3. Once INV-3 has been archived, "Sent" is shown',
    ],
)
def test_what_may_be_waited_for_is_not_done_again(prompt):
    assert plan(prompt).unclear


@pytest.mark.parametrize(
    "prompt",
    [
        'Click "Save". After saving, "Saved" is shown',
        'Delete INV-3. After deleting INV-3, "Sent" is shown',
        'Click "Delete" and confirm. After confirming the deletion, "Sent" is shown',
        'Click "Delete" and confirm. Once the deletion is confirmed, "Sent" is shown',
        'Delete INV-3. A dialog asks "Sure?". It stays open',
        "A message says that the invoice was sent when I open it",
        "The user is told that it is sent unless it is paid",
        "Users can sort invoices. Log in as a@b.c with the password x-1",
        "Invoices must be sorted. Expect INV-3",
        'Click "Save". Open the app',
        "The price (x / 3) updates when I save",
        "Log in as finance and rent 2 bikes",
        "Log in as the manager with password x-1",
        "Nobody logs in as ada with password secret-1",
        "No user is logged in as ada with password secret-1",
        'A guest can only see Acme. Click "Save". Expect "Saved"',
        'A guest can no longer delete invoices. Click "Save". Expect "Saved"',
        'Check that a guest can see nothing. Click "Save". Expect "Saved"',
        'Check that users can log out. Log in as a@b.c with the password x-1. Click "Home". Expect "Hi"',
        'Check that users can log out. Click "Log out"',
        'An admin can delete invoices. Scenario: delete it. Click "Home". Expect INV-3',
        "Click Try again",
        'Click "Save". Once the booking is confirmed, "Done" is shown',
        'Click "Yes, delete". Once the deletion is confirmed, "Done" is shown',
        'Create a new invoice. After creating the invoice, "Done" is shown',
    ],
)
def test_what_could_be_meant_otherwise_is_refused(prompt):
    assert plan(prompt).unclear


def test_a_number_after_a_field_is_another_field_and_no_count_of_the_page():
    assert describe_plan('Enter "a" as the title and 10 guests') == ["fill named=title = a", "fill the=guests = 10"]


def test_a_page_that_is_open_is_not_opened_again_which_would_lose_what_was_filled_in():
    first = describe_plan('Log in as a@b.c with the password x-1. In the settings, fill "Name" with "Ada"')
    later = describe_plan('Click "Go". Open Settings. Fill "Name" with "Ada". In the settings, tick "News"')
    assert (first[3], later[3:]) == ("click place=settings", ["check checkbox=News"])


def test_saying_yes_confirms_and_is_no_name():
    assert describe_plan("Hit Leave and say yes") == ["click named=Leave", "click confirm="]


def test_my_with_a_capital_letter_is_a_part_of_a_name():
    assert describe_plan("Click Go. Open My classes. Open my basket")[1:] == [
        "click place=My classes",
        "click place=basket",
    ]


def test_what_somebody_can_do_is_said_of_a_test_that_does_so_and_expects_something():
    begin = "Log in as a@b.c with the password x-1"
    for purpose, after, steps in (
        ("An admin can delete invoices", "Delete INV-3. Expect INV-4", 5),
        ("Check that users can log out", 'Click "Log out". Expect "Bye"', 5),
    ):
        planned = plan(f"{purpose}. {begin}. {after}")
        assert (planned.subject, planned.unclear, len(planned.steps)) == ([purpose], [], steps)


def test_a_scenario_says_where_it_begins_after_signing_in():
    signed_in = 'Given I am signed in as "a@b.c" with password "x-1"'
    begun = describe_plan(f"{signed_in}\nAnd I am on the Stock page\nThen I am on the Orders page")
    assert begun[-2:] == ["click place=Stock", "expect heading=Orders [visible]"]
    assert describe_plan(f"{signed_in}\nThen I am on the Stock page")[-1] == "expect heading=Stock [visible]"


@pytest.mark.parametrize("prompt", LOGINS)
def test_credentials_are_understood_however_they_are_said(prompt):
    steps = plan(prompt).steps
    assert ([step.action for step in steps], [step.value for step in steps]) == (LOGIN, ["a@b.c", "x-1", None])


@pytest.mark.parametrize("prompt", USER_LOGINS)
def test_user_names_without_an_address_are_understood(prompt):
    steps = plan(prompt).steps
    assert ([step.action for step in steps[:3]], [step.value for step in steps[:3]]) == (LOGIN, ["ada", "x-1", None])


def test_what_is_done_after_signing_in_is_no_password():
    assert [step.value for step in plan("Log in with a@b.c and save").steps][:2] == ["a@b.c", "{{password}}"]


def test_sentences_are_understood_before_they_are_changed():
    assert [sentence for sentence in UNDERSTOOD if plan(sentence).unclear] == []


def test_a_predicate_in_the_singular_is_not_taken_for_several_texts():
    assert plan('Make sure "A" and "B" is not shown').unclear
    assert plan('Expect "A" and the button "B" is not shown').unclear


@pytest.mark.parametrize(
    "prompt",
    [
        'Expect no message in Slack that contains "{{who}}"',
        'The button "" is shown',
        'The row of "a >> b" shows "c"',
        'Expect a message in the Slack channel #a that contains "b" in the channel #c',
    ],
)
def test_a_name_that_no_check_can_look_for_is_not_understood(prompt):
    assert plan(prompt).unclear


def test_what_is_expected_of_twins_before_a_later_step_is_not_understood():
    planned = plan('Expect no message in Slack. Click "Send"')
    assert ("at the end" in planned.unclear[0], planned.twin_checks) == (True, [])


def test_each_kind_of_rule_has_steps_and_each_kind_of_steps_a_rule():
    kinds = {rule.kind for rule in SENTENCE_RULES if not rule.kind.startswith(("twin:", "dialog"))}
    assert kinds == set(STEPS_OF_KINDS)
