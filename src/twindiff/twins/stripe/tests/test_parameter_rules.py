"""Rules that parameters declare, tried just inside and just outside on every operation that takes them."""

import re
import typing

import pytest

from twindiff.twins.stripe.core import wire_style
from twindiff.twins.stripe.core.params import DESCRIPTORS, MAX_CHARACTERS, MAX_TEXT_CHARACTERS, OptName, find_limit

from .conftest import encoded
from .test_coverage import OPERATIONS, params_of


@pytest.fixture(scope="module")
def stripe(shop):
    return shop()


def asked(stripe, operation, given):
    """The error of a request with these parameters, or {} if there is none."""
    path = re.sub(r"{[^}]*}", "none", operation.path)
    sent = {"data": dict(encoded(given))} if operation.verb == "POST" else {"params": encoded(given)}
    answer = stripe.environment.ask(path[1:], verb=operation.verb, twin="stripe", token=stripe.token, **sent)
    assert answer.status_code < 500, answer.text
    return answer.json().get("error", {}) if "json" in answer.headers["content-type"] else {}


def leaves(hint, path=()):
    """The parameters of a struct at any depth, once each, with their types."""
    for name, inner in wire_style._fields_of(hint).items():
        lists = [typing.get_args(each)[-1] for each in wire_style._members(inner) if typing.get_origin(each) is list]
        place = (*path, name)
        yield place, inner
        if len(path) < 4:
            yield from leaves(inner, place)
            yield from leaves(lists[0], (*place, "0")) if lists else ()


PARAMETERS = [(operation, path, hint) for operation in OPERATIONS if params_of(operation)
              for path, hint in leaves(params_of(operation))]  # fmt: skip


def nested(path, value):
    """Parameters in which one has a value."""
    for name in reversed(path):
        value = [value] if name == "0" else {name: value}
    return value


def test_no_operation_takes_an_empty_id_or_address(stripe):
    tried = [(operation, path[0]) for operation, path, hint in PARAMETERS if len(path) == 1 and hint == OptName]
    taken = [f"{each.verb} {each.path} {name}" for each, name in tried
             if asked(stripe, each, {name: ""}).get("code") != "parameter_invalid_empty"]  # fmt: skip
    assert (taken, len(tried) > 250) == ([], True)


def declared_lengths():
    """Each text with a limit of its own, and those of the first level with the usual one."""
    own = {name for _, name in MAX_CHARACTERS}
    for operation, path, hint in PARAMETERS:
        longest = params_of(operation).longest
        name = ".".join(each for each in path if each != "0")
        is_text = str in wire_style._members(hint) and path[-1] not in DESCRIPTORS and operation.path != "/v1/files"
        if is_text and (len(path) == 1 or name in longest or path[-1] in own):
            yield operation, path, find_limit(path, longest)


def test_no_operation_takes_a_text_that_is_too_long(stripe):
    wrong, tried = [], [*declared_lengths()]
    for operation, path, most in tried:
        for length in (most, most + 1) if most != MAX_TEXT_CHARACTERS else (most + 1,):
            message = asked(stripe, operation, nested(path, "x" * length)).get("message", "")
            if message.endswith(f"must be at most {most} characters") != (length > most):
                wrong.append((operation.verb, operation.path, path, length, message[:80]))
    assert (wrong, len(tried) > 700) == ([], True)


def test_no_operation_takes_a_value_that_its_list_has_not(stripe):
    wrong, tried = [], [each for each in PARAMETERS if wire_style._choices(each[2])]
    for operation, path, _ in tried:
        if "bank_account" in path or operation.path == "/v1/files":
            continue  # one of several kinds, which another field chooses
        message = asked(stripe, operation, nested(path, "nothing")).get("message", "")
        if "must be one of" not in message and "Missing required param" not in message:
            wrong.append((operation.verb, operation.path, path, message[:80]))
    assert (wrong, len(tried) > 400) == ([], True)
