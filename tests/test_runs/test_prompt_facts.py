"""What a prompt says is listed completely: its quoted texts, names, numbers, dates and negations, clause by clause."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.browser.prompt_facts import PromptStatement, list_statements


def facts_of(statement: PromptStatement) -> list[str]:
    return [fact.text for clause in statement.clauses for fact in clause.facts]


@pytest.mark.parametrize(
    ("prompt", "facts"),
    [
        ('Click "Sign in". Expect "Wrong email or password."', [['"Sign in"'], ['"Wrong email or password."']]),
        ("Sign in as Ada (ada@a.test, password otter-42)", [["Ada", "ada@a.test", "otter-42"]]),
        (
            "Book Waffles on 18 January 2027 at 14:00 with Dr. Okafor",
            [["Waffles", "18 January 2027", "14:00", "Okafor"]],
        ),
        ("It costs €1,180.50 for two guests", [["1,180.50", "two"]]),
        ("Open /cart. Ada's order INV-7 is listed", [["/cart"], ["INV-7"]]),
        ("I'm at the list and open Ada's order. The user's name is Bo", [["Ada"], ["Bo"]]),
        ("1. Open Patients\n2. Expected: 3 rows", [["Patients"], ["3"]]),
        ("There is an order. Waffles is listed. Tomorrow is a holiday", [[], ["Waffles"], []]),
    ],
)
def test_the_facts_of_each_statement_are_listed(prompt, facts):
    assert [facts_of(each) for each in list_statements(prompt)] == facts


@pytest.mark.parametrize(
    ("statement", "denied"),
    [
        ("The header says Harbour and no longer Riverside", ["no longer Riverside"]),
        ('It says "5 of 14", and Luna should not be there yet', ["and Luna should not be there yet"]),
        ("The dialog goes away, Biscuit is still Scheduled", ["The dialog goes away"]),
        ('The page says "There is no order"', []),
        ("The amount has gone down to 375.00", []),
        ('Click "Save" without typing anything', []),
        ("The list is shown without Ada", ["without Ada"]),
    ],
)
def test_a_negation_reaches_to_the_end_of_its_clause(statement, denied):
    (read,) = list_statements(statement)
    assert [each.text for each in read.clauses if each.is_denied] == denied


def test_a_statement_that_demands_nothing_is_empty():
    read = list_statements("The tabs let the team focus on one kind of work. Click Save. The list is short")
    assert [each.is_empty for each in read] == [True, False, False]


def test_a_date_is_said_in_any_of_its_forms_and_a_number_only_whole():
    ((date, number),) = (each.clauses[0].facts for each in list_statements("Book 18 January 2027 for 3"))
    assert date.is_said_in("2027-01-18")
    assert date.is_said_in("18. January")
    assert not date.is_said_in("2027-01-17")
    assert number.is_said_in("for 3 guests")
    assert not number.is_said_in("13 guests, 3.5 of 30")


@given(st.lists(st.from_regex(r"[A-Za-z0-9 .,!?]{1,20}", fullmatch=True).filter(str.strip), min_size=1, max_size=4))
def test_every_quoted_text_is_a_fact(texts):
    prompt = " and ".join(f'expect "{each}"' for each in texts)
    assert [fact for each in list_statements(prompt) for fact in facts_of(each)] == [f'"{each}"' for each in texts]


@given(st.text(alphabet=st.sampled_from("Ab1 .,;:\"'()\n-€@é"), max_size=60))
def test_no_letter_of_a_prompt_is_lost(prompt):
    said = "".join(clause.text for each in list_statements(prompt) for clause in each.clauses)
    assert re.sub(r"[\W\d_]", "", said) == re.sub(r"[\W\d_]", "", prompt)


@pytest.mark.parametrize(
    ("prompt", "statements"),
    [
        ("Log in as a@b.co / Ab1!\nOpen X", ["Log in as a@b.co / Ab1!", "Open X"]),
        ("Log in as a@b.co with password Ab1!. Open X", ["Log in as a@b.co with password Ab1!", "Open X"]),
        ("Sign in a@b.co:Ab1! Open X", ["Sign in a@b.co:Ab1!", "Open X"]),
        ("Log in as a@b.co, Ab1!; enter Ab1! again", ["Log in as a@b.co, Ab1!", "enter Ab1! again"]),
        ("As a@b.co with Ab1! and no hurry open X?", ["As a@b.co with Ab1! and no hurry open X"]),
        ("The password is wrong! Open X", ["The password is wrong", "Open X"]),
        ("Great, a@b.co has 3 orders! Open X", ["Great, a@b.co has 3 orders", "Open X"]),
    ],
)
def test_a_mark_at_the_end_of_a_password_belongs_to_it(prompt, statements):
    assert [each.text for each in list_statements(prompt)] == statements


@pytest.mark.parametrize(("month", "said"), [("Nov", "2026-11-01"), ("Nov", "1 November"), ("December", "2026-12-31")])
def test_a_month_is_said_by_a_date_in_it(month, said):
    ((fact,),) = [clause.facts for clause in list_statements(f"Show the period {month}")[0].clauses]
    assert fact.is_said_in(said)
    assert not fact.is_said_in("2026-10-11")
