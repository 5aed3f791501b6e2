"""Every enumeration and bound of parameters in Google's discovery document: the value just outside is refused.

The document is the copy that Google's Python client brings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import googleapiclient
import pytest

from .conftest import Calendar, at

DOCUMENT = Path(googleapiclient.__file__).parent / "discovery_cache" / "documents" / "calendar.v3.json"
MISSING = {"eventLabelVersion": "the twin has no event labels, and ignores unknown parameters as Google does"}


class Rule(NamedTuple):
    """A rule of a query parameter; `keyword` is enum, minimum or maximum."""

    method: str
    verb: str
    path: str
    parameter: str
    keyword: str
    value: Any

    def __str__(self) -> str:
        return f"{self.method} {self.parameter} {self.keyword}"


def methods(resources: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for resource in resources.values():
        yield from resource.get("methods", {}).values()
        yield from methods(resource.get("resources", {}))


def rules() -> Iterator[Rule]:
    for method in methods(json.loads(DOCUMENT.read_text())["resources"]):
        name = method["id"].removeprefix("calendar.")
        for parameter, schema in method.get("parameters", {}).items():
            for keyword in ("enum", "minimum", "maximum"):
                if keyword in schema and parameter not in MISSING and not name.endswith("watch"):
                    yield Rule(name, method["httpMethod"], method["path"], parameter, keyword, schema[keyword])


RULES = [*rules()]
ENDING = ("events.delete", "events.move")
"""Methods after which the event of these tests is gone; their parameters are those of the other methods."""


@pytest.fixture(scope="module")
def place(platform) -> tuple[Calendar, str]:
    """A world with a series, and the id of the series."""
    tokens = {"ya29.agent": "user_agent"}
    calendar = Calendar(platform.environment("calendar:calendar_base", "user_agent", tokens=tokens))
    return calendar, calendar.insert(recurrence=["RRULE:FREQ=DAILY;COUNT=2"])["id"]


def send(place: tuple[Calendar, str], rule: Rule, value: Any):
    calendar, event = place
    path = rule.path.format(calendarId="primary", eventId=event, ruleId="default", setting="locale")
    body = {**at("2018-06-18T09:00", "2018-06-18T10:00"), "iCalUID": "a@b"} if rule.verb != "GET" else None
    if rule.method == "events.update":
        body = {**(body or {}), "sequence": calendar("GET", path)["sequence"]}
    needed = {"text": "Tea"} if rule.method == "events.quickAdd" else {}
    order = {"singleEvents": True} if value == "startTime" else {}
    return calendar.http(rule.verb, path, body, **needed, **order, **{rule.parameter: value})


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_what_breaks_a_documented_rule_is_refused(place, rule):
    step = {"minimum": -1, "maximum": 1}
    outside = "none-of-these" if rule.keyword == "enum" else int(rule.value) + step[rule.keyword]
    answer = send(place, rule, outside)
    assert answer.status_code == 400
    assert answer.json()["error"]["errors"][0].get("location") == rule.parameter


@pytest.mark.parametrize(
    "rule", [rule for rule in RULES if rule.method not in ("events.delete", "events.move")], ids=str
)
def test_what_just_keeps_a_documented_rule_is_taken(place, rule):
    for inside in rule.value if rule.keyword == "enum" else [rule.value]:
        answer = send(place, rule, inside)
        assert answer.status_code in (200, 409), answer.text


SIZES = [("calendarExpansionMax", 50), ("groupExpansionMax", 100)]


@pytest.mark.parametrize(("name", "most"), SIZES)
def test_a_free_busy_query_is_of_so_many_at_most(place, name, most):
    window = {"timeMin": "2018-06-18T00:00:00Z", "timeMax": "2018-06-19T00:00:00Z", "items": [{"id": "primary"}]}
    calendar, _ = place
    assert calendar.http("POST", "freeBusy", {**window, name: most}).status_code == 200
    answer = calendar.http("POST", "freeBusy", {**window, name: most + 1})
    assert (answer.status_code, answer.json()["error"]["errors"][0]["location"]) == (400, name)
