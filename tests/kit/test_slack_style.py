"""Slack's wire: query, form, JSON and multipart in; always 200 out."""

import json
from typing import Any

import pytest

from twindiff.kit import Operations, RequestContext
from twindiff.kit.errors import ApiError, InvalidParameter, MissingParameter, TooLarge, TooSlow
from twindiff.kit.forms import MAX_FIELDS, MAX_PARTS
from twindiff.kit.http import Request, Response
from twindiff.kit.twin import Dispatch
from twindiff.twins.slack.wire_style import SlackRpc

api = Operations()
STYLE = SlackRpc()


@api.method("chat.postMessage")
def post(call: None, channel: str, blocks: list[dict[str, Any]] | None = None, text: str = "") -> None:
    """Post."""


DISPATCH = Dispatch(STYLE, [api])
JSON, FORM = "application/json; charset=utf-8", "application/x-www-form-urlencoded"


def read(body: bytes | str = b"", content_type: str = "", query: str = "") -> dict[str, Any]:
    """The parameters that a request carries."""
    headers = {"content-type": content_type} if content_type else {}
    data = body.encode() if isinstance(body, str) else body
    request = Request("POST", "/api/chat.postMessage", query, headers, data)
    match = DISPATCH.find("POST", request.path)
    assert match
    return STYLE.parameters(RequestContext(STYLE, request, match.operation, match.path_parameters))


def answer(given: Response) -> dict[str, Any]:
    assert given.status == 200
    return json.loads(given.body)


def test_a_query_a_form_and_json_say_the_same():
    wanted = {"channel": "C 1", "text": "a&b=ü"}
    encoded = "channel=C+1&text=a%26b%3D%C3%BC"
    assert read(query=encoded) == read(encoded, FORM) == read(json.dumps(wanted), JSON) == wanted


def test_the_body_wins_over_the_query():
    assert read("channel=body", FORM, "channel=query&text=x") == {"channel": "body", "text": "x"}


def test_a_value_that_is_empty_is_kept():
    assert read("channel=&text=", FORM) == {"channel": "", "text": ""}


def test_json_without_a_body_has_no_parameters():
    assert read(b"", JSON) == {}


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"a": NaN}', b'"\xed\xa0\x80"', b"[" * 100_000, b"   "])
def test_json_that_cannot_be_read_is_refused(body: bytes):
    with pytest.raises(ApiError) as refused:
        read(body, JSON)
    assert refused.value.code == "invalid_json"


@pytest.mark.parametrize("body", ["[]", '"text"', "5", "null"])
def test_json_that_is_no_object_is_refused(body: str):
    with pytest.raises(ApiError) as refused:
        read(body, JSON)
    assert refused.value.code == "json_not_object"


@pytest.mark.parametrize("body", [b"text=\xff", b"a=1&" * MAX_FIELDS + b"a=1"])
def test_a_form_that_is_no_text_or_has_too_many_fields_is_refused(body: bytes):
    with pytest.raises(ApiError) as refused:
        read(body, FORM)
    assert refused.value.code == "invalid_form_data"


def multipart(*parts: str) -> bytes:
    return "".join(f"--x\r\nContent-Disposition: form-data; {part}\r\n" for part in parts).encode() + b"--x--\r\n"


def test_a_multipart_form_gives_its_fields():
    body = multipart('name="channel"\r\n\r\nC1', 'name="text"\r\n\r\nü\r\n2')
    assert read(body, "multipart/form-data; boundary=x") == {"channel": "C1", "text": "ü\r\n2"}


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"nothing of the kind", "multipart/form-data; boundary=x"),
        (multipart('name="a"\r\n\r\nb'), "multipart/form-data"),
        (multipart(*['name="a"\r\n\r\nb'] * (MAX_PARTS + 1)), "multipart/form-data; boundary=x"),
        (
            b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\xff\r\n--x--\r\n',
            "multipart/form-data; boundary=x",
        ),
    ],
)
def test_a_multipart_form_that_cannot_be_read_is_refused(body: bytes, content_type: str):
    with pytest.raises(ApiError) as refused:
        read(body, content_type)
    assert refused.value.code == "invalid_form_data"


def test_a_form_carries_lists_as_json():
    assert read('channel=C1&blocks=[{"type":"divider"}]', FORM)["blocks"] == [{"type": "divider"}]
    assert read("channel=[1]&blocks=[", FORM) == {"channel": "[1]", "blocks": "["}
    assert read("blocks=" + "[" * 100_000, FORM)["blocks"].startswith("[[")


def test_a_token_stands_in_the_header_the_query_or_the_form():
    def token(query: str = "", body: bytes = b"", **headers: str) -> str | None:
        return STYLE.token(Request("POST", "/api/chat.postMessage", query, headers, body))

    assert token("token=query", authorization="Bearer xoxb-1") == "xoxb-1"
    form = token("", b"token=xoxb-3", **{"content-type": FORM})
    assert [token("token=xoxb-2"), form, token()] == ["xoxb-2", "xoxb-3", None]


def test_a_success_is_ok():
    exchange = RequestContext(STYLE, Request("POST", "/chat.postMessage"), DISPATCH.operations[0])
    assert answer(exchange.answer({"channel": "C1"})) == {"ok": True, "channel": "C1"}


def test_an_error_is_its_code_and_its_details():
    class ChannelNotFound(ApiError):
        """No such channel."""

    assert answer(STYLE.error(ChannelNotFound(needed="x"))) == {
        "ok": False,
        "error": "channel_not_found",
        "needed": "x",
    }


def test_a_wrong_argument_is_named():
    missing, wrong = (
        answer(STYLE.error(MissingParameter("channel"))),
        answer(STYLE.error(InvalidParameter("limit", "no"))),
    )
    assert (missing["error"], wrong["error"]) == ("invalid_arguments", "invalid_arguments")
    assert missing["response_metadata"]["messages"] == ["[ERROR] missing required field: channel"]
    assert "limit" in wrong["response_metadata"]["messages"][0]


def test_an_unknown_method_is_said():
    given = answer(STYLE.unknown(Request("POST", "/api/nope.nope"), []))
    assert given == {"ok": False, "error": "unknown_method", "req_method": "nope.nope"}


LONG = "9" * 400


@pytest.mark.parametrize("body", [f'{{"channel": "C1", "blocks": [{{"n": {LONG}}}]}}', f'{{"a": -{LONG}}}'])
def test_a_number_that_nothing_can_hold_is_no_json(body: str):
    with pytest.raises(ApiError) as refused:
        read(body, JSON)
    assert refused.value.code == "invalid_json"


def test_an_integer_beyond_64_bits_is_a_float_as_it_is_to_javascript():
    assert read(f'{{"blocks": [{{"n": {2**70}, "m": {2**63 - 1}}}]}}', JSON)["blocks"] == [
        {"n": 2.0**70, "m": 2**63 - 1}
    ]


@pytest.mark.parametrize(("error", "code"), [(TooSlow(), "service_unavailable"), (TooLarge(), "invalid_arguments")])
def test_what_takes_too_long_is_refused_in_the_vendors_words(error: ApiError, code: str):
    assert answer(STYLE.error(error))["error"] == code
