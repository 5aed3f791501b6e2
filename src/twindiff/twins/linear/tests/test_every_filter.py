"""Every field of every filter and of every sort is answered; what is not implemented is known by name."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import get_named_type, is_input_object_type

from twindiff.twins.linear import twin

from .enriched import enriched
from .examples import example, within

SCHEMA: Any = twin.api.schema
UNKNOWN = {"ProjectFilter.activityType", "InitiativeFilter.activityType"}
"""What Linear says too little of."""
LABEL = enriched()["issue_labels"][0]["id"]


def lists():
    """The lists of the API, each with the type of an argument."""
    for name, field in SCHEMA.query_type.fields.items():
        argument = next((field.args[each] for each in ("filter", "sort", "sorts") if each in field.args), None)
        is_list = get_named_type(field.type).name.endswith("Connection")
        if argument and is_list and name not in ("issueSearch", "administrableTeams"):
            yield name, field


def is_filter(kind):
    return is_input_object_type(kind) and kind.name.endswith("Filter")


def filters():
    """Each type of filter, with a list and the fields through which it is reached."""
    reached: dict[str, tuple[str, tuple[str, ...]]] = {}
    ahead = [(get_named_type(f.args["filter"].type), name, ()) for name, f in lists() if "filter" in f.args]
    while ahead:
        kind, root, path = ahead.pop(0)
        if kind.name not in reached:
            reached[kind.name] = (root, path)
            inner = [(name, get_named_type(each.type)) for name, each in within(kind).items()]
            ahead += [(below, root, (*path, name)) for name, below in inner if is_filter(below)]
    return reached


REACHED = filters()


def nested(path, given):
    for name in reversed(path):
        given = {name: given}
    return given


@pytest.mark.parametrize("name", sorted(REACHED))
def test_every_field_of_a_filter_is_answered(outcome_of, name):
    root, path = REACHED[name]
    kind = get_named_type(SCHEMA.query_type.fields[root].args["filter"].type).name
    query = f"query($f: {kind}) {{ {root}(first: 3, filter: $f) {{ nodes {{ id }} }} }}"
    refused = set()
    for field, each in within(SCHEMA.type_map[name]).items():
        problems = outcome_of(query, f=nested(path, {field: example(each.type)})).problems
        assert {type(problem.error).__name__ for problem in problems} <= {"NotImplementedHere"}
        refused |= {f"{name}.{field}".replace("Collection", "").replace("Nullable", "")} if problems else set()
    assert refused <= UNKNOWN


def test_what_is_not_implemented_says_why(outcome_of):
    (problem,) = outcome_of('{ projects(filter: { activityType: { eq: "active" } }) { nodes { id } } }').problems
    assert str(problem.error) == (
        "The filter Project.activityType is not implemented in this twin:"
        " Linear does not say how much makes a thing active"
    )


SORTED = [(name, argument) for name, field in lists() for argument in ("sort", "sorts") if argument in field.args]


@pytest.mark.parametrize(("root", "argument"), SORTED)
@pytest.mark.parametrize("order", ["Ascending", "Descending"])
def test_every_field_of_a_sort_is_answered(outcome_of, root, argument, order):
    kind: Any = get_named_type(SCHEMA.query_type.fields[root].args[argument].type)
    query = f"query($s: [{kind.name}!]) {{ {root}(first: 3, {argument}: $s) {{ nodes {{ id }} }} }}"
    more = {"labelGroup": {"labelGroupId": LABEL}, "rootIssue": {"sort": {"title": {"order": order}}}}
    for name in kind.fields:
        assert outcome_of(query, s=[{name: {"order": order, **more.get(name, {})}}]).problems == []
