"""Representations: the text of a file, and pictures of images."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from .conftest import Box


def picture() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (600, 400), "red").save(out, "PNG")
    return out.getvalue()


def listed(box: Box, file: str, hints: str = "") -> list[dict[str, Any]]:
    headers = {"X-Rep-Hints": hints} if hints else {}
    return box("GET", f"files/{file}?fields=representations", headers=headers)["representations"]["entries"]


def content(box: Box, entry: dict[str, Any], asset_path: str = "") -> Any:
    path = entry["content"]["url_template"].replace("{+asset_path}", asset_path).removeprefix(box.url)
    return box.http("GET", path)


@pytest.mark.parametrize(
    ("name", "kinds"), [("a.txt", ["extracted_text"]), ("a.png", ["jpg"] * 6 + ["png"] * 2), ("a.bin", [])]
)
def test_all_representations_are_listed_without_their_state(box: Box, name: str, kinds: list[str]):
    entries = listed(box, box.upload(name)["id"])
    assert [entry["representation"] for entry in entries] == kinds
    assert all(entry.keys() == {"representation", "properties", "info"} for entry in entries)


def test_the_text_of_a_file_is_a_representation_with_all_its_lines(box: Box):
    (entry,) = listed(box, box.upload("a.txt", b"One\nTwo")["id"], "[extracted_text]")
    assert entry["status"] == {"state": "success"}
    assert box("GET", entry["info"]["url"].removeprefix(box.url)) == entry
    assert content(box, entry).text == "One\nTwo"


def test_a_picture_comes_in_the_size_that_a_hint_asks_for(box: Box):
    file = box.upload("a.png", picture())["id"]
    small, large = listed(box, file, "[jpg?dimensions=94x94][png?dimensions=1024x1024]")
    shapes = [Image.open(io.BytesIO(content(box, entry).content)) for entry in (small, large)]
    assert [(each.format, each.size) for each in shapes] == [("JPEG", (94, 63)), ("PNG", (600, 400))]


def test_of_one_set_of_hints_the_first_that_there_is_comes(box: Box):
    entries = listed(box, box.upload("a.txt")["id"], "[pdf,extracted_text][markdown]")
    assert [entry["representation"] for entry in entries] == ["extracted_text"]


def test_a_picture_that_is_none_has_no_content(box: Box):
    (entry,) = listed(box, box.upload("a.png", b"no picture")["id"], "[jpg?dimensions=32x32]")
    assert content(box, entry).json()["code"] == "preview_cannot_be_generated"


def test_a_representation_of_what_one_may_not_see_is_not_found(box: Box, ben: Box):
    (entry,) = listed(box, box.upload("a.txt")["id"], "[extracted_text]")
    assert ben.refused("GET", entry["info"]["url"].removeprefix(box.url)) == (404, "not_found")


def test_a_representation_that_there_is_not_is_not_found(box: Box):
    (entry,) = listed(box, box.upload("a.txt")["id"], "[extracted_text]")
    assert box.refused("GET", entry["info"]["url"].removeprefix(box.url).replace("extracted_text", "pdf"))[0] == 404


def test_a_file_has_an_address_to_embed_it(box: Box):
    file = box.upload("a.txt")["id"]
    shown = box("GET", f"files/{file}?fields=expiring_embed_link")["expiring_embed_link"]
    assert shown["url"].startswith("https://app.box.com/preview/expiring_embed/")
