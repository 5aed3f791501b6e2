"""Taxonomies with their levels, and the nodes on them."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Box
from .described import problems

NAMESPACE = "enterprise_1000001"
PATH = f"metadata_taxonomies/{NAMESPACE}/places"
LEVELS = [{"displayName": "Continent", "description": "The largest"}, {"displayName": "Country"}]


@pytest.fixture
def places(box: Box) -> Box:
    """An enterprise with a taxonomy of two levels."""
    box("POST", "metadata_taxonomies", {"namespace": NAMESPACE, "key": "places", "displayName": "Places"})
    box("POST", f"{PATH}/levels", LEVELS)
    return box


def node(box: Box, name: str, parent: str | None = None) -> str:
    wanted = {"displayName": name, "level": 2 if parent else 1, **({"parentId": parent} if parent else {})}
    return box("POST", f"{PATH}/nodes", wanted)["id"]


def names(box: Box, query: str = "") -> list[str]:
    return [entry["displayName"] for entry in box("GET", f"{PATH}/nodes{query}")["entries"]]


def test_a_taxonomy_is_made_listed_renamed_and_deleted(places: Box):
    page = places("GET", f"metadata_taxonomies/{NAMESPACE}")
    assert problems("GET /metadata_taxonomies/{namespace}", 200, page) == []
    assert [entry["key"] for entry in page["entries"]] == ["places"]
    changed = places("PATCH", PATH, {"displayName": "Regions"})
    assert problems("PATCH /metadata_taxonomies/{namespace}/{taxonomy_key}", 200, changed) == []
    assert changed == places("GET", PATH)
    node(places, "France", node(places, "Europe"))
    places("DELETE", PATH)
    assert places.http("GET", PATH).status_code == 404


def test_a_taxonomy_s_key_is_used_once(places: Box):
    wanted = {"namespace": NAMESPACE, "key": "places", "displayName": "Places"}
    assert places.refused("POST", "metadata_taxonomies", wanted) == (400, "bad_request")
    unnamed = {"namespace": NAMESPACE, "displayName": "Far places"}
    assert places("POST", "metadata_taxonomies", unnamed)["key"] == "far_places"


def test_levels_are_given_appended_renamed_and_trimmed(places: Box):
    assert [level["level"] for level in places("GET", PATH)["levels"]] == [1, 2]
    longer = places("POST", f"{PATH}/levels:append", {"displayName": "City"})
    path = "/metadata_taxonomies/{namespace}/{taxonomy_key}/levels"
    assert problems(f"POST {path}:append", 201, longer) == []
    assert [level["displayName"] for level in longer["entries"]] == ["Continent", "Country", "City"]
    changed = places("PATCH", f"{PATH}/levels/1", {"displayName": "Part"})
    assert changed == {"displayName": "Part", "description": "The largest", "level": 1}
    assert len(places("POST", f"{PATH}/levels:trim")["entries"]) == 2


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("POST", "levels", LEVELS),
        ("POST", "levels", {"displayName": "No list"}),
        ("POST", "nodes", {"displayName": "Atlantis", "level": 3}),
        ("POST", "nodes", {"displayName": "France", "level": 2}),
        ("POST", "nodes", {"displayName": "Europe", "level": 1, "parentId": "x"}),
        ("GET", "nodes?level=top", None),
    ],
)
def test_what_does_not_fit_a_taxonomy_is_refused(places: Box, verb: str, path: str, body: Any):
    assert places.refused(verb, f"{PATH}/{path}", body) == (400, "bad_request")


def test_a_level_with_nodes_and_a_node_with_others_below_it_stay(places: Box):
    europe = node(places, "Europe")
    france = node(places, "France", europe)
    assert places.refused("POST", f"{PATH}/levels:trim") == (400, "bad_request")
    assert places.refused("DELETE", f"{PATH}/nodes/{europe}") == (400, "bad_request")
    places("DELETE", f"{PATH}/nodes/{france}")
    assert len(places("POST", f"{PATH}/levels:trim")["entries"]) == 1


def test_a_node_tells_what_is_above_it(places: Box):
    europe = node(places, "Europe")
    france = places("GET", f"{PATH}/nodes/{node(places, 'France', europe)}")
    assert problems("GET /metadata_taxonomies/{namespace}/{taxonomy_key}/nodes/{node_id}", 200, france) == []
    assert (france["parentId"], france["nodePath"]) == (europe, [europe])
    assert france["ancestors"] == [{"id": europe, "displayName": "Europe", "level": 1}]
    assert "parentId" not in places("GET", f"{PATH}/nodes/{europe}")
    assert places("PATCH", f"{PATH}/nodes/{europe}", {"displayName": "Europa"})["displayName"] == "Europa"


def test_nodes_are_listed_by_name_level_place_and_text(places: Box):
    europe, asia = node(places, "Europe"), node(places, "Asia")
    for name, parent in (("France", europe), ("Spain", europe), ("Japan", asia)):
        node(places, name, parent)
    assert names(places) == ["Asia", "Europe", "France", "Japan", "Spain"]
    assert names(places, "?level=2") == ["France", "Japan", "Spain"]
    assert names(places, f"?parent={europe}") == names(places, f"?ancestor={europe}") == ["France", "Spain"]
    assert names(places, "?query=AN") == ["France", "Japan"]
    first = places("GET", f"{PATH}/nodes?limit=3")
    assert problems("GET /metadata_taxonomies/{namespace}/{taxonomy_key}/nodes", 200, first) == []
    assert names(places, f"?limit=3&marker={first['next_marker']}") == ["Japan", "Spain"]


def test_only_administrators_change_taxonomies_of_their_own_namespace(places: Box):
    ben = places.as_user("22010040002")
    assert ben("GET", PATH)["displayName"] == "Places"
    assert ben.http("DELETE", PATH).status_code == 403
    elsewhere = {"namespace": "enterprise_7", "displayName": "Theirs"}
    assert places.http("POST", "metadata_taxonomies", json=elsewhere).status_code == 403


@pytest.mark.parametrize("path", ["metadata_taxonomies/enterprise_1000001/none", f"{PATH}/nodes/none"])
def test_what_there_is_not_is_not_found(places: Box, path: str):
    answer = places.http("GET", path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
