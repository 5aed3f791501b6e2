"""The suite of Stripe tasks: each can be done, and none is done by doing nothing, too much or something else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from examples import stripe_solutions
from examples.tests.judged_suite import JudgedSuite, tasks_of
from tests.harness import Environment

FILE = "stripe_suite.json"
SOLVE = {
    id: next(solve for words, solve in stripe_solutions.SOLUTIONS.items() if words in task["prompt"])
    for id, task in tasks_of(FILE).items()
}
MUTANTS: dict[str, tuple[str, str]] = {
    "duplicate": ("duplicate", "fraudulent"),
    "yearly": ('"interval_count": 1', '"interval_count": 2'),
    "failed": ("pm_card_visa", "pm_card_mastercard"),
    "discount": ('"duration_in_months": 3', '"duration_in_months": 4'),
    "dispute": ("'204'", "'404'"),
    "cancel": ("Goran Brandt", "Goran Duarte"),
    "pause": ("void", "keep_as_draft"),
    "price": ("1100", "1200"),
    "invoice": ("/send", "/finalize"),
    "partial": ("4000", "24900"),
    "quantity": ("none", "create_prorations"),
    "credit": ("active", "all"),
}
"""What a near miss of a solution sends in the place of what."""


Passes = Callable[..., bool]


@pytest.fixture(scope="module")
def passes() -> Iterator[Passes]:
    """Whether somebody's work passes a task; `change` rewrites what is sent."""
    suite = JudgedSuite(FILE)

    def judge(task: str, work: Callable[[Any], None], change: tuple[str, str] = ("", "")) -> bool:
        return not suite.failures(task, lambda environment: work(caller(environment, *change)))

    yield judge
    suite.close()


def caller(environment: Environment, old: str, new: str) -> Callable[..., Any]:
    def call(verb: str, path: str, **parameters: Any) -> Any:
        asked = json.dumps([path, parameters])
        path, parameters = json.loads(asked.replace(old, new) if old else asked)
        sent: dict[str, Any] = {"params" if verb == "GET" else "data": dict(stripe_solutions.form(parameters))}
        answer = environment.ask(f"v1/{path}", verb=verb, **sent)
        assert answer.is_success, answer.text
        return answer.json()

    return call


@pytest.mark.parametrize("task", SOLVE)
def test_a_solution_passes_and_nothing_else_does(passes: Passes, task: str) -> None:
    def too_much(call: Any) -> None:
        SOLVE[task](call)
        call("POST", "customers", name="Done")

    assert passes(task, SOLVE[task])
    assert not passes(task, lambda call: None)
    assert not passes(task, too_much)
    assert not passes(task, SOLVE[task], MUTANTS[task])


def test_the_first_of_the_two_charges_is_not_the_duplicate(passes: Passes) -> None:
    def refund_the_first(call: Any) -> None:
        _, first = stripe_solutions.charges(call, "600")
        call("POST", "refunds", charge=first["id"], reason="duplicate")

    assert not passes("duplicate", refund_the_first)
