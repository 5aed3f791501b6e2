"""Every rule of inputs holds in every create and update that takes its field: outside is refused, inside is not."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import get_named_type

from twindiff.twins.linear.core import input_rules as rules

from .conftest import AGENT, Linear
from .furnished import PAYLOAD_FIELDS, new_inputs, updates
from .test_every_input import rivals
from .test_inputs import ADMIN, PERSONAL, SCHEMA, TOKENS, stocked

__all__ = ["stocked"]  # a fixture of the plain fields' tests

ROOTS = SCHEMA.mutation_type.fields
PAST, FUTURE = "2001-01-01T00:00:00Z", "2100-01-01T00:00:00Z"


def operations(entity: str, field: str) -> list[tuple[str, str]]:
    """The create and update of an entity that take a field, each with its surface."""
    name = entity[:1].lower() + entity[1:]
    roots = [(f"{name}{surface.capitalize()}", surface) for surface in ("create", "update")]
    return [(root, each) for root, each in roots if root in ROOTS and field in input_of(root).fields]


def entity_of(root: str) -> str:
    """`initiativeUpdate` of `initiativeUpdateCreate`, and `initiative` of `initiativeUpdate`."""
    return root.removesuffix("Create") if root.endswith("Create") else root.removesuffix("Update")


def input_of(root: str) -> Any:
    return get_named_type(ROOTS[root].args["input"].type)


def values_of(rule: rules.InputRule) -> tuple[str, Any, Any]:
    """A field of a rule, with a value just inside and one just outside."""
    match rule:
        case rules.TextLength():
            return rule.field, "x" * rule.max_characters, "x" * (rule.max_characters + 1)
        case rules.HexColor():
            return rule.field, "#1a2B3c", "notacolor"
        case rules.IconName():
            return rule.field, "Rocket", "my-icon"
        case rules.NumberRange():
            return rule.field, int(rule.minimum), int(rule.minimum) - 1
        case rules.PastInstant():
            return rule.field, PAST, FUTURE
        case rules.Enumeration():
            return rule.field, rule.values[0], "inches"
        case rules.InOrder():
            raise AssertionError("tested below")
        case rules.NotEmpty():
            return rule.field, None, []
        case rules.FieldChoice():
            raise AssertionError("tested below")


@pytest.fixture(scope="module")
def refusal_of(platform, stocked):
    """What a create or update says against a value, or None; all in one workspace, where little can clash."""
    name, ids = stocked
    environment = platform.environment(f"linear:{name}", ADMIN, tokens=TOKENS)

    def refuse(root: str, given: dict[str, Any], left_out: Any = ()) -> str | None:
        entity = entity_of(root)
        linear = Linear(environment, AGENT if entity in PERSONAL else ADMIN)
        key = f'id: "{ids[entity]}", ' if "id" in ROOTS[root].args else ""
        besides = new_inputs(ids).get(root, {}) if root.endswith("Create") else updates(ids).get(root, {})
        kept = {each: value for each, value in besides.items() if each not in left_out}
        query = (
            f"mutation($input: {input_of(root).name}!) "
            f"{{ {root}({key}input: $input) {{ {PAYLOAD_FIELDS.get(entity, entity)} {{ id }} }} }}"
        )
        errors = linear.ask(query, input={**kept, **given}).get("errors", [])
        return errors[0]["extensions"]["userPresentableMessage"] if errors else None

    refuse.linear = Linear(environment, ADMIN)
    return refuse


PLAIN = [rule for rule in rules.RULES if not isinstance(rule, rules.FieldChoice | rules.InOrder)]


@pytest.mark.parametrize("rule", PLAIN, ids=lambda rule: f"{type(rule).__name__} {rule.entity}.{rule.field}")
def test_a_value_just_outside_is_refused_and_one_just_inside_is_not(refusal_of, rule):
    field, inside, outside = values_of(rule)
    for root, _ in operations(rule.entity, field):
        said = refusal_of(root, {field: outside})
        assert said is not None, root
        assert said.startswith(f"{field} "), root
        if inside is not None:
            assert refusal_of(root, {field: inside}) != said, root
    assert operations(rule.entity, field)


def test_a_number_has_a_maximum_too(refusal_of):
    ranges = [rule for rule in rules.RULES if isinstance(rule, rules.NumberRange) and rule.maximum is not None]
    for rule in ranges:
        maximum = int(rule.maximum or 0)
        for root, _ in operations(rule.entity, rule.field):
            assert refusal_of(root, {rule.field: maximum + 1}) == f"{rule.field} must not be greater than {maximum}."


def test_instants_are_in_order(refusal_of):
    for rule in (rule for rule in rules.RULES if isinstance(rule, rules.InOrder)):
        for root, _ in operations(rule.entity, rule.field):
            if rule.earlier in input_of(root).fields:
                said = refusal_of(root, {rule.field: PAST, rule.earlier: "2002-01-01T00:00:00Z"})
                assert said == f"{rule.field} must be after {rule.earlier}.", root


CHOICES = [rule for rule in rules.RULES if isinstance(rule, rules.FieldChoice)]
SOMETHING = "0b7f4d1e-8a53-4d0c-9a52-6f0f1a2b3c4d"


@pytest.mark.parametrize("rule", CHOICES, ids=lambda rule: f"{rule.entity} {rule.fields[0]}…")
def test_fields_that_exclude_each_other_and_of_which_one_is_needed(refusal_of, rule):
    for root, surface in operations(rule.entity, rule.fields[0]):
        taken = [name for name in rule.fields if name in input_of(root).fields]
        if rule.maximum == 1 and len(taken) > 1:
            said = refusal_of(root, dict.fromkeys(taken[:2], SOMETHING), rivals(root, taken[0]))
            assert said is not None, root
            assert " one of " in said, root
        if rule.minimum and surface == "create":
            said = refusal_of(root, {}, rule.fields)
            assert said is not None, root
            assert " one of " in said, root


ID_FIELDS = [
    (root, name)
    for root, field in ROOTS.items()
    if root.endswith(("Create", "Update")) and "input" in field.args and "Batch" not in root
    for name in input_of(root).fields
    if rules.is_id_field(entity_of(root).capitalize(), name)
]


def test_every_id_of_every_input_must_be_a_uuid(refusal_of, stocked):
    wrong = {}
    for root, name in ID_FIELDS:
        entity = entity_of(root)
        is_made = entity in stocked[1] or f"{entity}Create" in new_inputs(stocked[1])
        if is_made and (entity, name) != ("issue", "parentId"):
            is_list = "[" in str(input_of(root).fields[name].type)
            said = refusal_of(root, {name: ["ENG"] if is_list else "ENG"}, rivals(root, name))
            wrong[root, name] = said
    assert {path: said for path, said in wrong.items() if not (said or "").endswith("must be a UUID.")} == {}
    assert len(wrong) > 150


def test_a_field_that_takes_an_issue_s_identifier_takes_a_uuid_too(refusal_of, stocked):
    for key in (stocked[1]["issue"], stocked[1]["issue id"]):
        assert refusal_of("commentCreate", {"issueId": key}) is None


def test_batches_obey_the_same_rules(refusal_of, stocked):
    given = {"teamId": stocked[1]["team"], "title": "x" * 256}
    create = "mutation($i: IssueBatchCreateInput!) { issueBatchCreate(input: $i) { success } }"
    update = "mutation($ids: [UUID!]!, $i: IssueUpdateInput!) { issueBatchUpdate(ids: $ids, input: $i) { success } }"
    linear = refusal_of.linear
    assert linear.refusal(create, i={"issues": [given]}).startswith("title must be shorter")
    batch = {"ids": [stocked[1]["issue id"]], "i": {"stateId": "Done"}}
    assert linear.refusal(update, **batch) == "stateId must be a UUID."
