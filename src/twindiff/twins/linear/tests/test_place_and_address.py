"""Where a document stays, and the addresses of things whose names have no Latin letters."""

from __future__ import annotations

import pytest

from .conftest import ENG

PLACES = "team { id } project { id } initiative { id }"


def test_a_document_keeps_its_place_when_that_is_cleared(linear):
    """https://github.com/schpet/linear-cli/pull/248"""
    document = linear.create("document", title="How to", teamId=ENG)["id"]
    for place in ("teamId", "projectId"):
        kept = linear.update("document", document, PLACES, **{place: None})
        assert kept == {"team": {"id": ENG}, "project": None, "initiative": None}


def test_a_document_moves_to_another_place_whether_or_not_the_former_is_cleared(linear):
    project = linear.create("project", name="Arm", teamIds=[ENG])["id"]
    for given in ({"projectId": project}, {"projectId": project, "teamId": None}):
        document = linear.create("document", title="How to", teamId=ENG)["id"]
        assert linear.update("document", document, PLACES, **given)["project"] == {"id": project}
        assert linear.update("document", document, PLACES, title="Now")["team"] is None


@pytest.mark.parametrize(
    ("entity", "given"),
    [
        ("project", {"name": "日本語", "teamIds": [ENG]}),
        ("initiative", {"name": "план"}),
        ("document", {"title": "指南", "teamId": ENG}),
    ],
)
def test_a_name_without_latin_letters_leaves_the_id_alone_in_the_address(linear, entity, given):
    made = linear.create(entity, "slugId url", **given)
    assert made["url"].endswith(f"/{entity}/{made['slugId']}")
