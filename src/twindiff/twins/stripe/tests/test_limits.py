"""Limits of Stripe's descriptions, compared with ours: lengths of texts, and values of enumerations.

The descriptions stand in a folder `shared` beside the checkout, or where TWINDIFF_SHARED says: Stripe's own, of 2023,
has lengths, and the one that was derived from the current client has values. What differs is explained here.
"""

import json
import re
import typing

import msgspec
import pytest

from twindiff.twins.stripe.core import wire_style
from twindiff.twins.stripe.core.params import DESCRIPTORS, find_limit

from .conftest import SHARED
from .test_coverage import OPERATIONS, params_of

SPECIFICATIONS = SHARED / "specs" / "stripe"
LENGTHS = SPECIFICATIONS / "spec3_2023-09-12.stripped.json"
VALUES = SPECIFICATIONS / "spec3_current.derived.json"

pytestmark = pytest.mark.skipif(not VALUES.exists(), reason=f"there is no file {VALUES}; set TWINDIFF_SHARED")

LONGER_BY_NOW = {"custom_fields.name": (30, 40), "custom_fields.value": (30, 140), "submit.message": (1000, 1200),
                 "shipping_address.message": (1000, 1200)}  # fmt: skip
"""Lengths that have grown since the description, which the current client's texts give."""

ANY_VALUE = re.compile(
    # Names of alternatives, which the client's texts list where a parameter is one of several.
    r"(^|\.)(price|product|customer)$"
    # Times that also take a word, which `integer_or_word` reads.
    r"|(^|\.)(active_from|cancel_at|effective_date|end_date|expires_at|start_date|trial_end|up_to|delay_days)$"
    # Kinds of payment methods, tax ids, events, versions, countries and transactions, which their handlers look up.
    r"|payment_method_types(\.|$)|(^|\.)type$|enabled_events|api_version|allowed_countries"
    # Banks of methods that the twin knows by type alone, and what it takes and does not need.
    r"|\.bank$|^off_session$|business_type$"
)
"""Parameters whose values are no closed list in the twin's own declarations."""

OTHER_VALUES = {
    "end_behavior": "`none` and `renew` were given up",
    "external_account.object": "the twin has bank accounts alone",
    "parameters.timezone": "reports are in UTC alone",
    "payment.type": "payments of invoices are listed by charge, too",
    "purpose": "files of products that the twin lacks",
    "refunds.type": "payment records are lacking",
    "tax.validate_location": "`auto` is the documented default",
    "ui_mode": "former names, which former versions take",
}
"""Enumerations that differ, and why."""


def described(specification):
    """The parameters that a description has of each of our operations, as schemas by name, with our struct."""
    paths = {re.sub(r"{[^}]*}", "{}", path): item for path, item in specification["paths"].items()}
    for operation in OPERATIONS:
        item = paths.get(re.sub(r"{[^}]*}", "{}", operation.path), {}).get(operation.verb.lower())
        params = params_of(operation)
        if item and params:
            query = {
                each["name"]: each.get("schema", {}) for each in item.get("parameters", ()) if each["in"] == "query"
            }
            bodies = [each["schema"] for each in item.get("requestBody", {}).get("content", {}).values()]
            form = {name: schema for body in bodies for name, schema in body.get("properties", {}).items()}
            yield operation, params, {**query, **form}


def leaves(schema, hint, path):
    """The strings within a schema that our type has as well, with their path and type."""
    fields = wire_style._fields_of(hint)
    for part in schema.get("anyOf") or [schema]:
        if part.get("type") == "string":
            yield path, part, hint
        for name, inner in part.get("properties", {}).items() if part.get("type") == "object" else ():
            if name in fields:
                yield from leaves(inner, fields[name], (*path, name))
        lists = [typing.get_args(each)[-1] for each in wire_style._members(hint) if typing.get_origin(each) is list]
        if part.get("type") == "array" and lists:
            yield from leaves(part.get("items", {}), lists[0], (*path, "0"))


def strings(file):
    for operation, params, schemas in described(json.loads(file.read_text())):
        fields = {field.encode_name: field.type for field in msgspec.structs.fields(params)}
        for name in schemas.keys() & fields.keys() - {"expand"}:
            for path, part, hint in leaves(schemas[name], fields[name], (name,)):
                yield f"{operation.verb} {operation.path}", params, path, part, hint


def is_explained(path, theirs, ours):
    names = [each for each in path if not each.isdecimal()]
    if names[-1] in ("starting_after", "ending_before"):
        return True  # of tax lines, whose ids are no longer
    return names[-1] in DESCRIPTORS or LONGER_BY_NOW.get(".".join(names[-2:])) == (theirs, ours)


def test_texts_are_as_long_as_stripe_says():
    compared, other = 0, []
    for operation, params, path, part, _ in strings(LENGTHS):
        if theirs := part.get("maxLength"):
            ours = find_limit(path, params.longest)
            compared += 1
            if ours != theirs and not is_explained(path, theirs, ours):
                other.append((operation, ".".join(path), theirs, ours))
    assert (other, compared > 700) == ([], True)


def test_values_are_those_that_stripe_s_client_knows():
    compared, other = 0, []
    for operation, _, path, part, hint in strings(VALUES):
        theirs = set(part.get("x-known-values") or ()) - {""}
        ours = set(wire_style._choices(hint))
        name = ".".join(each for each in path if not each.isdecimal())
        compared += bool(ours)
        if theirs and ours != theirs and not ANY_VALUE.search(name) and name not in OTHER_VALUES:
            other.append((operation, name, sorted(theirs - ours)[:5], sorted(ours - theirs)[:5]))
    assert (other, compared > 300) == ([], True)
