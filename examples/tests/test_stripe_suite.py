"""The suite of Stripe tasks: each can be done, and none is done by doing nothing, too much or something else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from examples import stripe_solutions
from examples.tests.judged_suite import EXAMPLES, JudgedSuite, tasks_of
from tests.harness import Environment
from twindiff.cli import app

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


def do_nothing(call: Any) -> None:
    """Work of an agent that does not know what to do."""


@pytest.mark.parametrize("task", SOLVE)
def test_a_solution_passes_and_nothing_else_does(passes: Passes, task: str) -> None:
    def too_much(call: Any) -> None:
        SOLVE[task](call)
        call("POST", "customers", name="Done")

    assert passes(task, SOLVE[task])
    assert not passes(task, do_nothing)
    assert not passes(task, too_much)
    assert not passes(task, SOLVE[task], MUTANTS[task])


def test_every_task_is_sound(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / FILE, tmp_path)
    asked = ["suites", "audit", "stripe_shop", "--files", str(tmp_path), "--json"]
    answer = json.loads(CliRunner().invoke(app, asked).output)
    assert [test["name"] for test in answer["tests"] if not test["isSound"]] == []


def test_the_first_of_the_two_charges_is_not_the_duplicate(passes: Passes) -> None:
    def refund_the_first(call: Any) -> None:
        _, first = stripe_solutions.charges(call, "600")
        call("POST", "refunds", charge=first["id"], reason="duplicate")

    assert not passes("duplicate", refund_the_first)
