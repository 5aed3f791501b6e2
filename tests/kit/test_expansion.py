"""Ids become the objects they name where a client asks for it."""

from collections.abc import Sequence
from typing import Any

import pytest

from twindiff.kit import expand
from twindiff.kit.errors import InvalidParameter


class Books:
    """Objects by id, and what was asked for."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def customers(self, ids: Sequence[str]) -> dict[str, Any]:
        self.asked.append([*ids])
        return {each: {"id": each, "object": "customer", "card": f"card_{each}"} for each in ids if each != "gone"}

    def cards(self, ids: Sequence[str]) -> dict[str, Any]:
        self.asked.append([*ids])
        return {each: {"id": each, "object": "card"} for each in ids}


def expanded(value: Any, *paths: str) -> tuple[Any, list[list[str]]]:
    books = Books()
    expand(value, paths, {"customer": books.customers, "customer.card": books.cards})
    return value, books.asked


def charges(*customers: str | None) -> dict[str, Any]:
    return {"object": "list", "data": [{"object": "charge", "customer": each} for each in customers]}


def test_an_id_becomes_its_object():
    value, _ = expanded({"customer": "c1"}, "customer")
    assert value == {"customer": {"id": "c1", "object": "customer", "card": "card_c1"}}


def test_the_objects_of_a_list_are_asked_for_at_once():
    value, asked = expanded(charges("c1", "c2", None, "c1"), "data.customer.card")
    assert asked == [["c1", "c2"], ["card_c1", "card_c2"]]
    assert [each["customer"] and each["customer"]["card"]["id"] for each in value["data"]] == [
        "card_c1", "card_c2", None, "card_c1"
    ]  # fmt: skip


def test_what_is_expanded_is_not_asked_for_again():
    _, asked = expanded({"customer": "c1"}, "customer", "customer.card")
    assert asked == [["c1"], ["card_c1"]]


def test_an_id_without_an_object_stays():
    assert expanded({"customer": "gone"}, "customer.card")[0] == {"customer": "gone"}


@pytest.mark.parametrize("path", ["data", "customer.name", "customer.id", "", "customer..card", "card"])
def test_what_cannot_be_expanded_is_refused(path: str):
    with pytest.raises(InvalidParameter, match="This property cannot be expanded"):
        expanded({"customer": "c1", "card": "x"}, path)


def test_a_path_has_a_length():
    with pytest.raises(
        InvalidParameter, match=r"You cannot expand more than 4 levels of a property\. Property: a\.b\.c\.d\.e$"
    ):
        expanded({}, "a.b.c.d.e")


@pytest.mark.parametrize("path", ["amount", "paid", "error"])
def test_a_number_a_flag_and_nothing_are_no_objects(path: str):
    with pytest.raises(InvalidParameter, match="This property cannot be expanded"):
        expanded({"customer": None, "amount": 5, "paid": True, "error": None}, path)


def test_an_id_that_is_not_given_is_expanded_to_nothing():
    assert expanded({"customer": None}, "customer")[0] == {"customer": None}
