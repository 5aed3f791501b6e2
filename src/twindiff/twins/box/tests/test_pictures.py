"""Avatars of users, and watermarks of files and folders."""

from __future__ import annotations

import io

import httpx
import pytest
from PIL import Image

from .conftest import ADA, BEN, Box

IMPRINT = {"watermark": {"imprint": "default"}}


def portrait(side: int = 64) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (side, side), "blue").save(out, "PNG")
    return out.getvalue()


def given(box: Box, data: bytes, user: str = ADA, name: str = "me.png") -> httpx.Response:
    return box.http("POST", f"users/{user}/avatar", files={"pic": (name, data)})


def test_a_user_gets_a_picture_another_one_and_none(box: Box):
    assert given(box, portrait()).status_code == 201
    answer = given(box, portrait(65))
    assert (answer.status_code, answer.json()["pic_urls"].keys()) == (200, {"small", "large", "preview"})
    shown = box.http("GET", f"users/{ADA}/avatar")
    assert (shown.headers["content-type"], shown.content) == ("image/png", portrait(65))
    box("DELETE", f"users/{ADA}/avatar")
    assert box.refused("GET", f"users/{ADA}/avatar") == (404, "not_found")


@pytest.mark.parametrize(
    ("data", "name"), [(b"", "a.png"), (b"text", "a.png"), (portrait(), "a.gif"), (portrait(1100), "a.png")]
)
def test_what_is_no_small_png_or_jpeg_is_no_avatar(box: Box, data: bytes, name: str):
    assert given(box, data, name=name).status_code == 400


def test_only_administrators_change_the_pictures_of_others(box: Box, ben: Box):
    assert given(ben, portrait(), ADA).status_code == 403
    assert given(box, portrait(), BEN).status_code == 201


@pytest.mark.parametrize("kind", ["files", "folders"])
def test_an_item_gets_a_watermark_and_loses_it(box: Box, kind: str):
    path = f"{kind}/{box.upload()['id'] if kind == 'files' else box.folder('a')}"
    assert box.http("PUT", f"{path}/watermark", json=IMPRINT).status_code == 201
    assert box.http("PUT", f"{path}/watermark", json=IMPRINT).status_code == 200
    assert box("GET", f"{path}/watermark")["watermark"].keys() == {"created_at", "modified_at"}
    assert box("GET", f"{path}?fields=watermark_info")["watermark_info"]["is_watermarked"] is True
    box("DELETE", f"{path}/watermark")
    assert box.refused("GET", f"{path}/watermark") == (404, "not_found")


def test_files_have_the_watermark_of_their_folder(box: Box):
    folder = box.folder("marked")
    file = box.upload(parent=folder)["id"]
    box("PUT", f"folders/{folder}/watermark", IMPRINT)
    info = box("GET", f"files/{file}?fields=watermark_info")["watermark_info"]
    assert (info["is_watermarked"], info["is_watermark_inherited"]) == (True, True)
