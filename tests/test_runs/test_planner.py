"""What prompts become, and what is said of those that no rule understands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.browser import config as configs
from twindiff.browser.config import TestConfig
from twindiff.browser.planner import plan


def briefly(prompt):
    """Each step of a prompt as a tuple, as short as it can be said."""
    planned = plan(prompt)
    assert planned.unclear == []
    return [
        (step.action, *(part for part in (step.selector, step.value) if part is not None))
        if step.expect is None
        else (step.expect.type, step.expect.contains or step.expect.equals or step.expect.selector)
        for step in planned.steps
    ]


SHOP = [
    ("goto", "/shop"),
    ("fill", "named=Email", "ada@example.com"),
    ("select", "named=Size", "Large"),
    ("click", "named=Pay now"),
    ("text", "Paid by ada@example.com"),
    ("url", "/done"),
]


ENGLISH = (
    'Go to /shop, fill "Email" with "ada@example.com", select "Large" from "Size", click "Pay now" and expect '
    '"Paid by ada@example.com". Then check that the URL contains "/done".'
)
NUMBERED = """1. Open /shop
2. Enter ada@example.com into the Email field
3. Choose Large in Size
4. Click Pay now
5. The page should say "Paid by ada@example.com"
6. Verify the url is /done"""
GERMAN = (
    'Öffne /shop und gib "ada@example.com" in das Feld "Email" ein. Wähle „Large“ bei „Size“ aus, klicke dann auf '
    '"Pay now". Erwarte, dass die Seite "Paid by ada@example.com" zeigt, und prüfe, ob die URL "/done" enthält.'
)
NUMBERED_GERMAN = """Schritt 1: Gehe zu /shop
Schritt 2: Fülle Email mit ada@example.com aus
Schritt 3: Wähle Large aus Size aus
Schritt 4: Drücke auf "Pay now"
Schritt 5: Die Seite soll "Paid by ada@example.com" zeigen
Schritt 6: Die URL enthält /done"""


@pytest.mark.parametrize("prompt", [ENGLISH, NUMBERED, GERMAN, NUMBERED_GERMAN])
def test_the_same_test_in_prose_and_in_numbers_in_english_and_in_german(prompt):
    assert briefly(prompt) == SHOP


def test_two_fields_are_filled_by_one_sentence():
    assert briefly("Fill Name with Ada Lovelace and the Email field with ada@example.com, then press Enter") == [
        ("fill", "named=Name", "Ada Lovelace"),
        ("fill", "named=Email", "ada@example.com"),
        ("press", "Enter"),
    ]


def test_to_log_in_fills_in_the_credentials():
    assert [step[-1] for step in briefly("Log in")][:2] == ["{{email}}", "{{password}}"]
    assert [step[-1] for step in briefly("Melde dich an")][:2] == ["{{email}}", "{{password}}"]
    assert [step[-1] for step in briefly('Log in with "a@b.c" and "geheim"')][:2] == ["a@b.c", "geheim"]


def test_a_password_that_begins_as_the_word_for_one_is_read_whole():
    assert [step.value for step in plan("Log in with a@b.c and pass1").steps][:2] == ["a@b.c", "pass1"]


def test_a_quotation_may_hold_what_would_part_a_sentence():
    assert briefly('Expect "Done. Then click, and go to /home"') == [("text", "Done. Then click, and go to /home")]


def test_a_prompt_that_asks_for_nothing_is_not_understood():
    assert plan("Test the checkout flow")[:3] == ([], [], ["Test the checkout flow"])


def test_what_a_test_is_about_is_no_step_and_what_is_unclear_is_said():
    planned = plan("Test the checkout. Go to /cart. Make the layout pretty. Click Pay.")
    assert ([step.action for step in planned.steps], planned.subject) == (["goto", "click"], ["Test the checkout"])
    assert planned.unclear == ["Make the layout pretty"]


def test_a_step_that_is_not_understood_is_no_title():
    assert plan("Think of a chair in the cart. Click Pay.").unclear[0].startswith("Think of a chair in the cart")


@given(st.text(max_size=300))
def test_any_prompt_gives_steps_that_can_be_read_again(prompt):
    planned = plan(prompt)
    written = configs.to_json(TestConfig(steps=planned.steps))
    assert configs.to_json(configs.read(configs.to_json(configs.read(written)))) == configs.to_json(
        configs.read(written)
    )


def test_what_nobody_says_in_one_sentence_is_not_understood_and_what_follows_is():
    long = "fill " + "a with b " * 100
    planned = plan(f"{long}. Click Pay")
    assert (len(planned.unclear), [step.action for step in planned.steps]) == (1, ["click"])
    assert planned.unclear[0].startswith(long.strip())


@pytest.mark.parametrize("part", ["Click Pay. ", "A -> ", 'Create a customer named Ada, a@b.c. Her row shows "VIP". '])
def test_a_prompt_of_600_kilobytes_is_not_understood_whatever_it_says(part):
    planned = plan(part * (600_000 // len(part)))
    assert (planned.steps, "at most 20,000 characters" in planned.unclear[0]) == ([], True)


def test_a_chain_of_more_steps_than_a_test_has_is_not_understood():
    assert (len(plan("Menu -> " * 150 + "Menu").steps), plan("Menu -> " * 200 + "Menu").steps) == (151, [])


@pytest.mark.parametrize(
    "said", ["a@b.co and Quarter4!\n", "a@b.co / Quarter4!. ", "a@b.co, password Quarter4! ", "a@b.co:Quarter4!; "]
)
def test_a_password_keeps_the_mark_at_its_end(said):
    typed = [each.value for each in plan(f"Log in with {said}Open Expenses").steps if each.action == "fill"]
    assert typed == ["a@b.co", "Quarter4!"]
