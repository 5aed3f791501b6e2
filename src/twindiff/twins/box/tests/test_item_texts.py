"""Names and descriptions of items: one rule, held by every operation that takes one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .conftest import ADA, BEN, CLEO, Box

SIZE = 20_000_000
Way = Callable[[Box, str], Any]
count = iter(range(1_000_000))


def parent(box: Box) -> dict[str, str]:
    """A new folder, so that no name is taken."""
    return {"id": box.folder(f"f{next(count)}")}


def new(box: Box, kind: str) -> str:
    """The path of a new item."""
    where, name = parent(box), "a.txt"
    if kind == "web_links":
        return f"web_links/{box('POST', 'web_links', {'url': 'https://a.b', 'parent': where})['id']}"
    made = box.upload(name, parent=where["id"])["id"] if kind == "files" else box.folder(name, where["id"])
    return f"{kind}/{made}"


def in_folder(box: Box, **more: Any) -> dict[str, Any]:
    return {"parent": parent(box), **more}


def session(box: Box, **more: Any) -> dict[str, Any]:
    return {"folder_id": parent(box)["id"], "file_size": SIZE, **more}


def trashed(box: Box, kind: str) -> str:
    path = new(box, kind)
    box("DELETE", path)
    return path


KINDS = ("files", "folders", "web_links")
LINK = {"url": "https://a.b"}
NAMES: dict[str, Way] = {
    "upload": lambda box, name: box.sent(name, b"x", parent(box)["id"]),
    "upload a version": lambda box, name: box.new_version(new(box, "files")[6:], b"x", {"name": name}),
    "check an upload": lambda box, name: box.http(
        "OPTIONS", "files/content", json={"name": name, "parent": parent(box)}
    ),
    "check a version": lambda box, name: box.http("OPTIONS", f"{new(box, 'files')}/content", json={"name": name}),
    "upload in parts": lambda box, name: box.http("POST", "files/upload_sessions", json=session(box, file_name=name)),
    "a version in parts": lambda box, name: box.http(
        "POST", f"{new(box, 'files')}/upload_sessions", json={"file_size": SIZE, "file_name": name}
    ),
    "make a folder": lambda box, name: box.http("POST", "folders", json={"name": name, "parent": parent(box)}),
    "make a link": lambda box, name: box.http("POST", "web_links", json={"name": name, "parent": parent(box), **LINK}),
    **{
        f"rename {kind}": lambda box, name, kind=kind: box.http("PUT", new(box, kind), json={"name": name})
        for kind in KINDS
    },
    **{
        f"restore {kind}": lambda box, name, kind=kind: box.http("POST", trashed(box, kind), json={"name": name})
        for kind in KINDS
    },
    **{
        f"copy {kind}": lambda box, name, kind=kind: box.http(
            "POST", f"{new(box, kind)}/copy", json={"name": name, "parent": parent(box)}
        )
        for kind in ("files", "folders")
    },
}
DESCRIPTIONS: dict[str, Way] = {
    "upload": lambda box, text: box.sent("a", b"x", parent(box)["id"], attributes={"description": text}),
    "make a folder": lambda box, text: box.http(
        "POST", "folders", json={"name": "a", "description": text, "parent": parent(box)}
    ),
    "make a link": lambda box, text: box.http(
        "POST", "web_links", json={"description": text, "parent": parent(box), **LINK}
    ),
    **{
        f"describe {kind}": lambda box, text, kind=kind: box.http("PUT", new(box, kind), json={"description": text})
        for kind in KINDS
    },
}


@pytest.fixture(scope="module")
def place(platform: Any) -> Box:
    tokens = {f"token-{each}": each for each in (ADA, BEN, CLEO)}
    return Box(platform.environment("box:box_base", ADA, tokens=tokens))


@pytest.mark.parametrize("way", NAMES)
def test_every_operation_holds_the_rules_of_names(place: Box, way: str):
    """https://developer.box.com/reference/post-folders"""
    for name in ("n" * 255, "あ" * 255, "a.b c"):
        assert NAMES[way](place, name).is_success, name
    wrong = {"n" * 256: "item_name_too_long"}
    wrong |= dict.fromkeys(("a/b", "a\\b", " a", "a ", "..", "\x07", "\U0001f600"), "item_name_invalid")
    codes = {name: NAMES[way](place, name).json()["code"] for name in wrong}
    assert codes == wrong


@pytest.mark.parametrize("way", DESCRIPTIONS)
def test_every_operation_holds_the_length_of_descriptions(place: Box, way: str):
    """https://developer.box.com/reference/put-files-id"""
    assert DESCRIPTIONS[way](place, "d" * 256).is_success
    answer = DESCRIPTIONS[way](place, "d" * 257)
    assert (answer.status_code, "description" in answer.text) == (400, True)
