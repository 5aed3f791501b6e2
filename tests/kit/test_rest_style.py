"""The parameters of REST operations come from path, query, body and headers."""

from typing import Annotated, Any

import msgspec
import pytest

from twindiff.kit import UNSET, Body, Header, Named, Operations, RequestContext, UnsetType, Upload
from twindiff.kit.errors import InvalidParameter, MissingParameter
from twindiff.kit.http import Request, Response
from twindiff.kit.styles.base import Style
from twindiff.kit.twin import Dispatch

FORM_HEADERS = {"content_type": "application/x-www-form-urlencoded"}


def answered(handler: Any, query: str = "", body: bytes = b"", path: str = "/things", **headers: str) -> Any:
    """What a handler gives for a request to PUT /things."""
    api = Operations()
    api.put("/things")(handler)
    api.put("/things/{thing_id}")(handler)
    style = Style()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    request = Request("PUT", path, query, names, body)
    match = Dispatch(style, [api]).find("PUT", request.path)
    assert match
    return match.operation.bound.invoke(
        None, style.parameters(RequestContext(style, request, match.operation, match.path_parameters))
    )


def test_a_list_is_a_repeated_name_or_json():
    def handler(call: None, ids: list[int] | None = None, kinds: list[str] | None = None) -> Any:
        return ids, kinds

    assert answered(handler, "ids=1&ids=2&kinds=a") == ([1, 2], ["a"])
    assert answered(handler, "kinds[]=a&kinds[]=b") == (None, ["a", "b"])
    assert answered(handler, body=b'{"ids": [3]}') == ([3], None)


class Item(msgspec.Struct):
    price: str
    quantity: int = 1


def test_a_form_gives_lists_and_objects_their_types():
    def handler(call: None, items: list[Item], metadata: dict[str, str] | None = None) -> Any:
        return items, metadata

    form = b"items[0][price]=p&items[0][quantity]=2&items[1][price]=q&metadata[6]=x"
    assert answered(handler, body=form, **FORM_HEADERS) == ([Item("p", 2), Item("q")], {"6": "x"})


def test_a_form_tells_absent_and_empty_apart():
    def handler(call: None, name: str | UnsetType = UNSET, metadata: dict[str, str] | UnsetType = UNSET) -> Any:
        return name, metadata

    assert answered(handler, body=b"name=", **FORM_HEADERS) == ("", UNSET)
    assert answered(handler, body=b"metadata[k]=", **FORM_HEADERS) == (UNSET, {"k": ""})


def test_json_tells_absent_null_and_empty_apart():
    def handler(call: None, name: str | UnsetType | None = UNSET) -> Any:
        return name

    given = [answered(handler, body=body) for body in (b"{}", b'{"name": null}', b'{"name": ""}')]
    assert given == [UNSET, None, ""]


def test_a_form_carries_objects_as_json_text_too():
    def handler(call: None, attributes: dict[str, Any], file: Upload) -> Any:
        return attributes, file

    body = (
        b'--cut\r\ncontent-disposition: form-data; name="attributes"\r\n\r\n{"name": "a"}\r\n'
        b'--cut\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhello\r\n--cut--\r\n'
    )
    assert answered(handler, body=body, content_type="multipart/form-data; boundary=cut") == (
        {"name": "a"},
        Upload("a", "application/octet-stream", b"hello"),
    )


def test_a_file_is_not_made_of_text():
    def handler(call: None, file: Upload) -> Any:
        return file

    for body in (b'{"file": "hello"}', b'{"file": {"filename": 1}}'):
        with pytest.raises(InvalidParameter):
            answered(handler, body=body)


def test_a_header_is_a_parameter():
    def handler(call: None, if_match: Annotated[str, Header("If-Match")] = "") -> str:
        return if_match

    assert answered(handler, if_match='"1"') == '"1"'
    assert answered(handler) == ""


def test_a_header_cannot_be_given_elsewhere():
    def handler(call: None, if_match: Annotated[str, Header("If-Match")] = "") -> str:
        return if_match

    assert answered(handler, "if_match=x", b'{"if_match": "y"}') == ""


def test_a_header_may_be_required():
    def handler(call: None, digest: Annotated[int, Header("Digest")]) -> int:
        return digest

    with pytest.raises(MissingParameter):
        answered(handler)
    assert answered(handler, digest="7") == 7


class Thing(msgspec.Struct):
    name: str
    size: int | UnsetType | None = UNSET


def put_thing(call: None, thing: Annotated[Thing, Body], thing_id: str = "", dry: bool = False) -> Any:
    return thing, thing_id, dry


def test_the_whole_body_may_be_one_parameter():
    given = answered(put_thing, "dry=true", b'{"name": "a", "size": null}', "/things/T1")
    assert given == (Thing("a", None), "T1", True)


@pytest.mark.parametrize(
    ("body", "kind", "name"),
    [
        (b"", MissingParameter, "name"),
        (b"{}", MissingParameter, "name"),
        (b'{"name": 1}', InvalidParameter, "name"),
        (b'{"name": "a", "size": "big"}', InvalidParameter, "size"),
    ],
)
def test_what_is_wrong_in_the_body_is_named_as_the_client_named_it(body: bytes, kind: type[Any], name: str):
    with pytest.raises(kind) as refused:
        answered(put_thing, "name=query", body)
    assert refused.value.name == name


def test_the_body_may_be_taken_as_it_came():
    def handler(call: None, content: Annotated[bytes, Body], name: str = "") -> Any:
        return content, name

    assert answered(handler, "name=a", b"\x00{") == (b"\x00{", "a")
    assert answered(handler, "content=evil") == (b"", "")


def test_only_one_parameter_is_the_whole_body():
    def handler(call: None, one: Annotated[bytes, Body], two: Annotated[bytes, Body]) -> None:
        """Take two bodies."""

    with pytest.raises(TypeError, match="Only one parameter can be the whole body, not one and two"):
        answered(handler)


def test_names_that_python_keeps_for_itself_have_an_underscore():
    def handler(call: None, from_: str = "", kind: Annotated[str, Named("x-kind")] = "") -> Any:
        return from_, kind

    assert answered(handler, "from=a&x-kind=b") == ("a", "b")


def nothing(call: None) -> None:
    """Do nothing."""


def test_nothing_is_an_answer_without_a_body():
    api = Operations()
    api.delete("/things/{thing_id}", status=204)(nothing)
    (operation,) = Dispatch(Style(), [api]).operations
    exchange = RequestContext(Style(), Request("DELETE", "/things/1"), operation)
    assert exchange.answer(None) == Response(b"", 204)


def test_every_verb_that_writes_may_be_open_and_take_a_large_body():
    api = Operations()
    for declare in (api.post, api.put, api.patch, api.delete):
        declare("/things", body_limit=5_000_000, open=True)(nothing)
    assert {(each.body_limit, each.open) for each in api.listed} == {(5_000_000, True)}


@pytest.mark.parametrize(
    ("header", "given"),
    [
        ("Basic c2tfdGVzdDo=", ("sk_test", "")),
        ("basic YTpiOmM=", ("a", "b:c")),
        ("Basic !", None),
        ("Basic /w==", None),
        ("Bearer c2s6", None),
        ("", None),
    ],
)
def test_a_client_may_give_name_and_password(header: str, given: tuple[str, str] | None):
    assert Request("GET", "/", headers={"authorization": header}).basic() == given
