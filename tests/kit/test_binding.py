"""A handler's signature is its contract."""

from typing import Annotated, Any, Literal

import pytest
from msgspec import UNSET, Meta, Struct, UnsetType

from twindiff.kit.binding import bind
from twindiff.kit.errors import ApiError, InvalidParameter, MissingParameter


class InvalidLimit(ApiError):
    """The limit is not one that can be used."""


def handler(
    call: str,
    channel: str,
    limit: Annotated[int, Meta(ge=1), InvalidLimit] = 100,
    ratio: float = 0.5,
    is_open: bool = False,
    note: str | UnsetType | None = UNSET,
    kind: Literal["a", "b"] = "a",
    blocks: list[dict[str, Any]] | None = None,
    numbers: list[int] | None = None,
) -> dict[str, Any]:
    return {**locals()}


BOUND = bind(handler)


def quoted(call: "str", later: "list['Later']", note: 'Literal["a"] | None' = None) -> "None": ...


class Later(Struct):
    name: str


def bound(**raw: Any) -> dict[str, Any]:
    return BOUND.invoke("me", {"channel": "C1", **raw})


def test_what_is_absent_takes_its_default():
    assert bound() == {
        "call": "me", "channel": "C1", "limit": 100, "ratio": 0.5, "is_open": False, "note": UNSET, "kind": "a",
        "blocks": None, "numbers": None,
    }  # fmt: skip


def test_names_in_quotes_are_those_of_the_module():
    later = bind(quoted)
    assert (later.lists, later.returns) == ({"later"}, type(None))
    with pytest.raises(InvalidParameter, match="Expected `str`"):
        later.invoke("me", {"later": [{"name": 1}]})


def test_absent_and_null_differ_where_the_handler_asks():
    assert bound()["note"] is UNSET
    assert bound(note=None)["note"] is None


@pytest.mark.parametrize("name", ["limit", "ratio", "is_open", "kind", "blocks"])
def test_an_empty_value_of_what_is_no_text_counts_as_absent(name: str):
    assert bound(**{name: ""}) == bound()


def test_an_empty_text_is_a_text():
    assert (bound(channel="")["channel"], bound(note="")["note"]) == ("", "")


def test_a_form_gives_numbers_and_truths_as_text():
    given = bound(limit="7", ratio="1.5", is_open="true")
    assert (given["limit"], given["ratio"], given["is_open"]) == (7, 1.5, True)
    assert [bound(is_open=text)["is_open"] for text in ("1", "0", "false", "True")] == [True, False, False, True]


def test_a_parameter_that_is_missing_is_named():
    with pytest.raises(MissingParameter) as refused:
        BOUND.invoke("me", {})
    assert (refused.value.name, refused.value.code) == ("channel", "missing_parameter")


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ({"ratio": "x"}, "ratio"),
        ({"is_open": "perhaps"}, "is_open"),
        ({"kind": "c"}, "kind"),
        ({"channel": 5}, "channel"),
        ({"channel": None}, "channel"),
        ({"blocks": {}}, "blocks"),
        ({"blocks": [1]}, "blocks[0]"),
        ({"numbers": [1, "x"]}, "numbers[1]"),
    ],
)
def test_a_value_of_the_wrong_type_is_named_by_its_place(raw: dict[str, Any], name: str):
    with pytest.raises(InvalidParameter, match=r"Expected|Invalid") as refused:
        bound(**raw)
    assert refused.value.name == name


def test_a_parameter_may_have_an_error_of_its_own():
    for limit in (0, "x", -(2**63) - 1, 2**63):
        with pytest.raises(InvalidLimit, match=r"^The limit is not one that can be used\.$"):
            bound(limit=limit)


class InvalidRatio(InvalidParameter):
    """An error that says more of the parameter."""


def test_an_error_of_its_own_may_know_the_parameter():
    def scale(call: None, ratio: Annotated[float, InvalidRatio]) -> float:
        return ratio

    with pytest.raises(InvalidRatio, match="ratio: Expected `float`") as refused:
        bind(scale).invoke(None, {"ratio": "x"})
    assert refused.value.name == "ratio"


def test_an_error_may_stand_in_one_half_of_a_union():
    def listing(call: None, limit: Annotated[int, Meta(ge=1), InvalidLimit] | None = None) -> int | None:
        return limit

    with pytest.raises(InvalidLimit):
        bind(listing).invoke(None, {"limit": 0})
    assert bind(listing).invoke(None, {"limit": None}) is None


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64, 10**30, str(2**63), "9" * 4000])
def test_integers_are_those_a_database_can_hold_wherever_they_stand(number: Any):
    for raw in ({"limit": number}, {"numbers": [number]}):
        with pytest.raises(ApiError):
            bound(**raw)


def test_the_bounds_of_64_bits_are_inside():
    assert bound(limit=2**63 - 1, numbers=[-(2**63)])["numbers"] == [-(2**63)]


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", float("nan"), "1e999"])
def test_a_number_that_json_cannot_carry_is_refused(number: Any):
    with pytest.raises(InvalidParameter) as refused:
        bound(ratio=number)
    assert refused.value.name == "ratio"


def test_what_is_not_asked_for_is_left():
    assert bound(colour="red") == bound()


def test_wire_names_may_be_in_camel_case():
    def create(call: None, calendar_id: str, max_results: int = 1) -> tuple[str, int]:
        return calendar_id, max_results

    camel = bind(create, "camel")
    assert camel.invoke(None, {"calendarId": "a", "maxResults": "5"}) == ("a", 5)
    with pytest.raises(MissingParameter) as refused:
        camel.invoke(None, {"calendar_id": "a"})
    assert refused.value.name == "calendarId"


def test_a_field_missing_inside_an_object_is_no_missing_parameter():
    def move(call: None, to: list[tuple[int, int]]) -> None:
        """Move."""

    with pytest.raises(InvalidParameter) as refused:
        bind(move).invoke(None, {"to": [[1]]})
    assert (type(refused.value), refused.value.name) == (InvalidParameter, "to[0]")


def test_lists_and_objects_are_known_as_such():
    assert BOUND.names[:3] == ("channel", "limit", "ratio")
    assert BOUND.structured == {"blocks", "numbers"}
    assert BOUND.returns == dict[str, Any]


def test_a_handler_sees_an_invalid_value_never():
    seen: list[int] = []

    def count(call: None, number: int) -> None:
        seen.append(number)

    with pytest.raises(InvalidParameter):
        bind(count).invoke(None, {"number": []})
    assert seen == []
