"""Cards that skills put on files."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Box

CARD = {
    "type": "skill_card",
    "skill_card_type": "keyword",
    "skill": {"type": "service", "id": "s"},
    "invocation": {"type": "skill_invocation", "id": "i"},
    "entries": [{"text": "harbor"}],
}


def invocation(file: str, *cards: Any, **about: Any) -> Any:
    return {"status": "success", "metadata": {"cards": [*cards]}, "file": {"type": "file", "id": file}, **about}


def cards(box: Box, file: str) -> Any:
    return box("GET", f"files/{file}/metadata/global/boxSkillsCards")["cards"]


def test_the_cards_of_a_skill_are_those_that_were_put_last(box: Box):
    file = box.upload()["id"]
    answer = box.http("PUT", "skill_invocations/s", json=invocation(file, CARD))
    assert (answer.status_code, answer.content) == (200, b"")
    assert cards(box, file) == [CARD]
    other = {**CARD, "skill_card_type": "transcript"}
    box.http("PUT", "skill_invocations/s", json=invocation(file, other))
    assert cards(box, file) == [other]


@pytest.mark.parametrize("wrong", [{"type": "card"}, {"skill_card_type": "rhyme"}])
def test_a_card_is_of_a_known_type(box: Box, wrong: dict[str, str]):
    wanted = invocation(box.upload()["id"], {**CARD, **wrong})
    assert box.refused("PUT", "skill_invocations/s", wanted) == (400, "schema_validation_failed")


@pytest.mark.parametrize("of", ["file", "version"])
def test_cards_are_put_on_what_there_is(box: Box, of: str):
    file = "7" if of == "file" else box.upload()["id"]
    wanted = invocation(file, CARD, file_version={"type": "file_version", "id": "7"})
    assert box.refused("PUT", "skill_invocations/s", wanted) == (404, "not_found")
