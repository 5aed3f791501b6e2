"""The suite of Stripe tasks: each can be done, and none is done by doing nothing, too much or something else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from examples import stripe_solutions
from tests.harness import Environment, LiveServer, Platform
from twindiff.server import Settings

SUITE = Path(__file__).parents[1] / "stripe_suite.json"
TASKS = json.loads(SUITE.read_text())["tests"]
SOLVE = [
    next(solve for words, solve in stripe_solutions.SOLUTIONS.items() if words in task["prompt"]) for task in TASKS
]
USER = "acct_1TwindiffTestShop"
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


@pytest.fixture(scope="module")
def platform() -> Iterator[Platform]:
    server = LiveServer(Settings())
    platform = Platform(server.in_process)
    platform.post("import", {"files": {"stripe_shop.json": json.loads(SUITE.read_text())}})
    yield platform
    server.close()


@pytest.fixture(scope="module")
def tests(platform: Platform) -> dict[str, str]:
    """The ids of the tests by name."""
    (suite,) = platform.get("testSuites", name="stripe_shop")["testSuites"]
    return {test["name"]: test["id"] for test in platform.get(f"testSuites/{suite['id']}", expand="tests")["tests"]}


Judge = Callable[..., bool]


@pytest.fixture
def passes(platform: Platform, tests: dict[str, str]) -> Judge:
    """Whether somebody's work passes a task; `change` rewrites what is sent."""

    def judge(number: int, work: Callable[[Any], None], change: tuple[str, str] = ("", "")) -> bool:
        test = tests[TASKS[number]["name"]]
        environment = platform.environment("stripe:stripe_default", USER, testId=test)
        run = platform.start(environment, testId=test)
        work(caller(environment, *change))
        return platform.evaluate(run)["passed"]

    return judge


def caller(environment: Environment, old: str, new: str) -> Callable[..., Any]:
    def call(verb: str, path: str, **parameters: Any) -> Any:
        asked = json.dumps([path, parameters])
        path, parameters = json.loads(asked.replace(old, new) if old else asked)
        sent: dict[str, Any] = {"params" if verb == "GET" else "data": dict(stripe_solutions.form(parameters))}
        answer = environment.ask(f"v1/{path}", verb=verb, **sent)
        assert answer.is_success, answer.text
        return answer.json()

    return call


@pytest.mark.parametrize("number", range(len(TASKS)), ids=lambda number: TASKS[number]["id"])
def test_a_solution_passes_and_nothing_else_does(passes: Judge, number: int) -> None:
    def too_much(call: Any) -> None:
        SOLVE[number](call)
        call("POST", "customers", name="Done")

    assert passes(number, SOLVE[number])
    assert not passes(number, lambda call: None)
    assert not passes(number, too_much)
    assert not passes(number, SOLVE[number], MUTANTS[TASKS[number]["id"]])


def test_the_first_of_the_two_charges_is_not_the_duplicate(passes: Judge) -> None:
    def refund_the_first(call: Any) -> None:
        _, first = stripe_solutions.charges(call, "600")
        call("POST", "refunds", charge=first["id"], reason="duplicate")

    assert not passes([task["id"] for task in TASKS].index("duplicate"), refund_the_first)
