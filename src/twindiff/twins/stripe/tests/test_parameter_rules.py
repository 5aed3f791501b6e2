"""Rules that parameters declare, tried just inside and just outside on every operation that takes them."""

import re

import msgspec
import pytest

from twindiff.twins.stripe.core.params import OptName

from .test_coverage import OPERATIONS, params_of


@pytest.fixture(scope="module")
def stripe(shop):
    return shop()


def asked(stripe, operation, given):
    """The error of a request with these parameters, or {} if there is none."""
    path = re.sub(r"{[^}]*}", "none", operation.path)
    sent = {"data": given} if operation.verb == "POST" else {"params": given}
    answer = stripe.environment.ask(path[1:], verb=operation.verb, twin="stripe", token=stripe.token, **sent)
    assert answer.status_code < 500, answer.text
    return answer.json().get("error", {}) if "json" in answer.headers["content-type"] else {}


def taking(kind):
    """Each operation and top-level parameter of a type."""
    for operation in OPERATIONS:
        params = params_of(operation)
        for field in msgspec.structs.fields(params) if params else ():
            if field.type == kind:
                yield operation, field.encode_name


def test_no_operation_takes_an_empty_id_or_address(stripe):
    tried = [*taking(OptName)]
    taken = [f"{each.verb} {each.path} {name}" for each, name in tried
             if asked(stripe, each, {name: ""}).get("code") != "parameter_invalid_empty"]  # fmt: skip
    assert (taken, len(tried) > 250) == ([], True)
