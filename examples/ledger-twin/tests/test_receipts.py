"""Receipts, over HTTP."""

from collections.abc import Callable
from typing import Any

import httpx

FILES = [("file", ("tulips.txt", b"Ten tulips", "text/plain")), ("file", ("größe.bin", b"\x00\x01"))]


def test_the_files_of_a_form_are_kept(client: httpx.Client, post_sale: Callable[[], Any]):
    entry = post_sale()
    made = client.post(f"/entries/{entry['id']}/receipts", files=FILES)
    assert [(each["filename"], each["size"]) for each in made.json()["receipts"]] == [
        ("tulips.txt", 10),
        ("größe.bin", 2),
    ]
    assert client.get(made.headers["Location"]).json() == made.json()["receipts"][0]


def test_a_receipt_is_downloaded_whole_and_in_parts(client: httpx.Client, post_sale: Callable[[], Any]):
    path = client.post(f"/entries/{post_sale()['id']}/receipts", files=FILES).headers["Location"] + "/content"
    whole, part = client.get(path), client.get(path, headers={"Range": "bytes=4-"})
    assert (whole.content, whole.headers["Content-Type"]) == (b"Ten tulips", "text/plain")
    assert (part.status_code, part.content, part.headers["Content-Range"]) == (206, b"tulips", "bytes 4-9/10")
    assert client.get(path, headers={"Range": "bytes=10-"}).status_code == 416


def test_a_form_without_files_is_refused(client: httpx.Client, post_sale: Callable[[], Any]):
    refused = client.post(f"/entries/{post_sale()['id']}/receipts", data={"file": "no file"})
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_parameter")
    missing = client.post("/entries/none/receipts", files=FILES)
    assert (missing.status_code, missing.json()["error"]) == (404, "entry_not_found")
    assert client.get("/receipts/none").json()["error"] == "receipt_not_found"
