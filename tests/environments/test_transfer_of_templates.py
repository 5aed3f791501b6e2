"""Environments of all templates that twins bring travel, alone and several twins together, after work in them."""

from typing import Any

import httpx
import pytest

from tests.environments.exported import lines
from twindiff.client import Environment
from twindiff.local import Twindiff

EMPTY = "linear:linear_base"
"""It has nobody who could do anything."""

WORK: dict[str, tuple[str, dict[str, Any]]] = {
    "box": ("2.0/folders", {"json": {"name": "Travel", "parent": {"id": "0"}}}),
    "calendar": ("calendars", {"json": {"summary": "Travel"}}),
    "linear": ("graphql", {"json": {"query": 'mutation { customViewCreate(input: {name: "Travel"}) { success } }'}}),
    "slack": ("conversations.create", {"json": {"name": "travel"}}),
    "stripe": ("v1/customers", {"data": {"name": "Ada"}}),
}


def work(td: Twindiff, env: Environment, twin: str) -> None:
    path, said = WORK[twin]
    headers = {"Authorization": f"Bearer {env.token}"}
    with httpx.Client(transport=td.transport(env, twin), headers=headers) as client:
        answer = client.post(f"https://{twin}.example/{path}", **said)
    assert answer.is_success, answer.text


def told(env: Environment) -> list[dict[str, Any]]:
    """What the export of an environment says, without its id."""
    head, *rest = lines(env.export())
    return [{**head, "environment": ""}, *rest]


def check_travels(here: Twindiff, there: Twindiff, *templates: str) -> None:
    users = {each.partition(":")[0]: first_user(here, each) for each in templates}
    with here.create(*templates, users=users) as left:
        working = [each.partition(":")[0] for each in templates if each != EMPTY]
        for twin in working:
            work(here, left, twin)
        assert [record.twin for record in left.journal()] == working
        with there.import_environment(left.export()) as arrived:
            assert told(arrived) == told(left)
            assert arrived.diff(0) == left.diff(0)


def first_user(td: Twindiff, template: str) -> str:
    with td.create(template) as env:
        return lines(env.export())[0]["actor"]


def templates_of(td: Twindiff, *twins: str) -> list[str]:
    return [f"{each.service}:{each.name}" for each in td.templates() if each.service in twins]


@pytest.mark.parametrize("twin", WORK)
def test_environments_of_every_template_of_a_twin_travel(here, there, twin):
    templates = templates_of(here, twin)
    assert templates
    for template in templates:
        check_travels(here, there, template)


@pytest.mark.parametrize("stripe", ["stripe_default", "stripe_empty"])
def test_environments_of_all_twins_together_travel(here, there, stripe):
    first = {each.partition(":")[0]: each for each in templates_of(here, *WORK) if each != EMPTY}
    check_travels(here, there, *{**first, "stripe": f"stripe:{stripe}"}.values())
