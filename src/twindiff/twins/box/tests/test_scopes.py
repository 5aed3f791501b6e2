"""Tokens that may do less than their user."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Box

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"


def asked(box: Box, scope: str = "", token: str = "", **form: Any) -> Any:
    form |= {"grant_type": EXCHANGE, "subject_token": token or box.token, "scope": scope}
    return box.http("POST", "/oauth2/token", token="", data=form)


def narrowed(box: Box, scope: str, **form: Any) -> Box:
    """The same user with a token of fewer scopes."""
    less = Box(box.environment)
    less.token = asked(box, scope, **form).json()["access_token"]
    return less


def test_a_token_is_exchanged_without_a_client(box: Box):
    token = asked(box, "item_preview root_readonly").json()
    assert [each["scope"] for each in token["restricted_to"]] == ["item_preview", "root_readonly"]


def test_a_token_to_rename_does_not_delete(box: Box):
    file = box.upload()["id"]
    less = narrowed(box, "item_rename item_preview", resource=f"https://api.box.com/2.0/files/{file}")
    assert less("PUT", f"files/{file}", {"name": "b.txt"})["name"] == "b.txt"
    assert less.refused("DELETE", f"files/{file}") == (403, "insufficient_scope")


def test_a_token_to_read_does_not_upload(box: Box):
    less = narrowed(box, "root_readonly")
    assert less.sent("a.txt", b"a").json()["code"] == "insufficient_scope"
    assert less.names() == []


def test_a_token_for_a_folder_sees_nothing_beside_it(box: Box):
    folder, beside = box.folder("In"), box.upload("out.txt")["id"]
    inside = box.upload("in.txt", parent=folder)
    token = asked(box, "base_explorer", resource=f"https://api.box.com/2.0/folders/{folder}").json()
    less = Box(box.environment)
    less.token = token["access_token"]
    assert token["restricted_to"][0]["object"]["name"] == "In"
    assert less("GET", f"files/{inside['id']}")["name"] == "in.txt"
    assert less.refused("GET", f"files/{beside}") == (404, "not_found")
    again = Box(box.environment)
    again.token = asked(box, "base_explorer", less.token).json()["access_token"]
    assert again.refused("GET", f"files/{beside}") == (404, "not_found")


def test_a_token_for_a_shared_link_is_for_its_file(box: Box):
    file, beside = box.upload()["id"], box.upload("b.txt")["id"]
    link = box("PUT", f"files/{file}", {"shared_link": {}})["shared_link"]["url"]
    less = narrowed(box, "item_preview", box_shared_link=link)
    assert less("GET", f"files/{file}")["id"] == file
    assert less.refused("GET", f"files/{beside}") == (404, "not_found")


@pytest.mark.parametrize("path", ["users", "groups", "webhooks", "sign_requests", "terms_of_services"])
def test_scopes_of_items_are_none_of_people_and_webhooks(box: Box, path: str):
    assert narrowed(box, "root_readwrite").refused("GET", path) == (403, "insufficient_scope")


def test_a_token_of_fewer_scopes_still_says_whose_it_is(box: Box):
    assert narrowed(box, "item_preview")("GET", "users/me")["login"] == "ada.admin@example.com"


def test_exchanges_that_make_no_sense_are_refused(box: Box):
    assert asked(box, "item_dance").json()["error"] == "invalid_scope"
    assert asked(box, "root_readwrite", narrowed(box, "root_readonly").token).status_code == 401
    gone = asked(box, "item_preview").json()["access_token"]
    box.http("POST", "/oauth2/revoke", token="", data={"token": gone})
    assert asked(box, "item_preview", gone).json()["error"] == "invalid_grant"
