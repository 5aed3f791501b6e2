"""What the twin has, and that nothing it is given makes it fail."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twindiff.twins.stripe import PAGES, twin

from .conftest import SHARED

CORE = SHARED / "conformance" / "core" / "stripe.txt"
ODD = ("", "abc", "-1", "0", "1", "true", "9" * 30, "1e400", "NaN", "x" * 6000, "usd", "pm_card_visa", "inf", "now")
NAMES = ("", "[]", "[a]", "[0]", "[0][price]", "[gte]", "[type]", "[metadata][0]")
OPERATIONS = [each for page in PAGES for each in page.listed if each.path.startswith("/v1/")]


@pytest.mark.skipif(not CORE.exists(), reason=f"there is no list at {CORE}; set TWINDIFF_SHARED")
def test_every_core_operation_is_there():
    has = {f"{each.verb} {re.sub(r'{[^}]*}', '{}', each.path)}" for each in OPERATIONS}
    assert [name for name in CORE.read_text().splitlines() if name not in has] == []


def params_of(operation) -> Any:
    """The struct of parameters that an operation takes, or None."""
    match = twin.dispatch.find(operation.verb, re.sub(r"{[^}]*}", "x", operation.path))
    assert match
    bound = match.operation.bound
    kind = bound.contract.__annotations__[bound.body] if bound.body else None
    return getattr(kind, "__origin__", kind)


def fields_of(operation):
    """The parameters that an operation takes."""
    return getattr(params_of(operation), "__struct_fields__", ())


@pytest.fixture(scope="module")
def ids(shop):
    """A shop, and ids of most kinds of objects in it."""
    stripe = shop("stripe_default")
    lists = ("customers", "payment_intents", "charges", "refunds", "disputes", "prices", "subscriptions", "invoices")
    return stripe, [each["id"] for path in lists for each in stripe.get(path, limit=3)["data"]]


@settings(max_examples=150)
@given(data=st.data())
def test_nothing_that_is_given_is_a_mistake_of_ours(ids, data):
    stripe, known = ids
    operation = data.draw(st.sampled_from(OPERATIONS))
    names = fields_of(operation)
    path = re.sub(r"{[^}]*}", lambda _: data.draw(st.sampled_from([*known, "nope"])), operation.path)
    values = st.sampled_from([*ODD, *known])
    keys = st.tuples(st.sampled_from([*names, "wat"]), st.sampled_from(NAMES)).map("".join)
    given = data.draw(st.dictionaries(keys, values, max_size=5))
    sent = {"data": given} if operation.verb == "POST" else {"params": given}
    answer = stripe.environment.ask(path[1:], verb=operation.verb, twin="stripe", token=stripe.token, **sent)
    assert answer.status_code < 500, answer.text
