"""Layers that several vendors need, ready to be declared."""

from typing import Any

import pytest

from twindiff.kit import Operations, Response, ValueResponse
from twindiff.kit.errors import ApiError, InvalidParameter, NotFound
from twindiff.kit.etags import conditional
from twindiff.kit.http import Request
from twindiff.kit.request_context import RequestContext
from twindiff.kit.styles.base import Style
from twindiff.kit.styles.field_masks import partial
from twindiff.kit.twin import Dispatch

THING = {"id": "T1", "owner": {"name": "Ada", "age": 36}}


def answered(layer: Any, value: Any, query: str = "", **headers: str) -> Response:
    """What becomes of a handler's value."""
    api = Operations()

    @api.get("/thing", layers=[layer], status=203)
    def thing(call: None) -> Any:
        """Give the value."""
        return value

    names = {name.replace("_", "-"): text for name, text in headers.items()}
    (operation,) = Dispatch(Style(), [api]).operations
    exchange = RequestContext(Style(), Request("GET", "/thing", query, names), operation)
    exchange.parameters = exchange.style.parameters(exchange)
    call: Any = None
    return exchange.answer(operation.run(exchange, call))


def test_an_answer_that_a_client_has_is_not_sent_again():
    first = answered(conditional, THING)
    (name, etag) = first.headers[0]
    assert (name, first.status) == ("ETag", 203)
    assert answered(conditional, THING, if_none_match=etag) == Response(b"", 304, headers=(("ETag", etag),))
    assert answered(conditional, {**THING, "id": "T2"}, if_none_match=etag).status == 203


def test_a_part_of_an_answer_is_what_was_asked_for():
    assert answered(partial, THING, "fields=owner/name").body == b'{"owner":{"name":"Ada"}}'
    assert answered(partial, THING, "fields=").body == answered(partial, THING).body


def test_a_result_keeps_its_headers_when_a_part_is_taken():
    answer = answered(partial, ValueResponse(THING, 201, (("X-Page", "1"),)), "fields=id")
    assert answer == Response(b'{"id":"T1"}', 201, headers=(("X-Page", "1"),))


@pytest.mark.parametrize("value", [Response(b"raw"), NotFound("thing", 1)])
def test_what_is_no_object_is_left_whole(value: Response | ApiError):
    assert answered(partial, value, "fields=id") == (value if isinstance(value, Response) else Style().error(value))


def test_a_mask_that_cannot_be_read_is_refused():
    with pytest.raises(InvalidParameter, match="fields"):
        answered(partial, THING, "fields=(")


def test_an_error_may_have_headers():
    answer = answered(partial, ApiError("Busy", headers=(("Retry-After", "1"),)))
    assert answer.headers == (("Retry-After", "1"),)
