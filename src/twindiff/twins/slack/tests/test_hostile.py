"""Requests that hold far too much are refused in Slack's words, whatever form they come in, and write nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.harness import GENERAL

FORM, PARTS = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
PART = b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n'
MANY = 300_000


@pytest.mark.parametrize(
    ("content", "kind", "error"),
    [
        (b"a=b&" * 100_000, FORM, "invalid_form_data"),
        (b"&" * 900_000, FORM, "invalid_form_data"),
        (PART * 7_000 + b"--b--\r\n", PARTS, "invalid_form_data"),
        (b'{"channel": "C01ABCD1234", "blocks": [%s]}' % b",".join([b"[]"] * MANY), "application/json", "invalid_json"),
        (b"channel=C01ABCD1234&text=" + b"%41" * MANY, FORM, "msg_too_long"),
        (b'{"channel": "C01ABCD1234", "text": "%s"}' % (b",:[]" * 200_000), "application/json", "msg_too_long"),
    ],
    ids=["fields", "blank fields", "parts", "lists", "escapes", "letters"],
)
def test_a_message_that_holds_too_much(slack: Any, content: bytes, kind: str, error: str):
    answer = slack.http("POST", "chat.postMessage", content=content, headers={"Content-Type": kind})
    assert (answer.json()["error"], slack.diff("all")["inserts"]) == (error, [])


@pytest.mark.parametrize(
    "users", [",".join(f"U{number}" for number in range(100_000)), "U," * MANY, f"[{'[],' * MANY}"]
)
@pytest.mark.parametrize("method", ["conversations.invite", "conversations.open"])
def test_very_many_people(slack: Any, method: str, users: str):
    channel = {"channel": GENERAL} if method == "conversations.invite" else {}
    answer = slack(method, users=users, **channel)
    assert answer["error"] in ("too_many_users", "user_not_found", "users_not_found")
    assert slack.diff("all")["inserts"] == []


def test_very_many_names_in_a_query(slack: Any):
    assert slack.http("GET", "conversations.list?" + "&" * 12_000).json()["error"] == "invalid_form_data"
