"""What administrators keep: addresses of users, allowed domains, terms of service, and whose content it is."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import ADA, BEN, CLEO, Box


def test_a_user_has_further_addresses(box: Box):
    path = f"users/{BEN}/email_aliases"
    made = box("POST", path, {"email": "benjamin@example.com"})
    assert box("GET", path) == {"total_count": 1, "entries": [made]}
    assert box.refused("POST", path, {"email": "benjamin@example.com"}) == (409, "user_login_already_used")
    assert box.refused("POST", path, {"email": "nobody"}) == (400, "bad_request")
    box("DELETE", f"{path}/{made['id']}")
    assert box("GET", path)["total_count"] == 0
    assert box.refused("DELETE", f"{path}/{made['id']}") == (404, "not_found")


def test_all_that_a_user_owns_goes_to_another_one(box: Box, ben: Box, cleo: Box):
    folder = ben.folder("Plans")
    ben.upload("inside.txt", b"12345", parent=folder)
    ben.upload("loose.txt", b"123")
    whom = {"accessible_by": {"type": "user", "id": ADA}, "role": "viewer"}
    ben("POST", "collaborations", {"item": {"type": "folder", "id": folder}, **whom})
    given = box("PUT", f"users/{BEN}/folders/0", {"owned_by": {"id": CLEO}})
    assert (given["name"], given["owned_by"]["id"]) == ("Ben Editor's Files and Folders", CLEO)
    assert (cleo.names(given["id"]), ben.names()) == (["Plans", "loose.txt"], [])
    assert box("GET", f"folders/{folder}")["owned_by"]["id"] == CLEO
    assert [box("GET", f"users/{each}")["space_used"] for each in (BEN, CLEO)] == [0, 8]
    box("DELETE", f"users/{BEN}")


def test_content_goes_to_somebody_else_who_is_there(box: Box):
    assert box.refused("PUT", f"users/{BEN}/folders/0", {"owned_by": {"id": BEN}}) == (400, "bad_request")
    assert box.refused("PUT", f"users/{BEN}/folders/0", {"owned_by": {"id": "1"}}) == (404, "not_found")


def test_domains_are_allowed_and_no_longer(box: Box):
    wanted = {"domain": "example.org", "direction": "inbound"}
    made = box("POST", "collaboration_whitelist_entries", wanted)
    assert made.items() >= wanted.items()
    assert box("GET", f"collaboration_whitelist_entries/{made['id']}") == made
    assert box("GET", "collaboration_whitelist_entries")["entries"] == [made]
    assert box.refused("POST", "collaboration_whitelist_entries", wanted) == (409, "conflict")
    assert box.refused("POST", "collaboration_whitelist_entries", {**wanted, "domain": "x"})[0] == 400
    box("DELETE", f"collaboration_whitelist_entries/{made['id']}")
    assert box.refused("GET", f"collaboration_whitelist_entries/{made['id']}") == (404, "not_found")


def test_users_are_exempt_from_allowed_domains(box: Box):
    made = box("POST", "collaboration_whitelist_exempt_targets", {"user": {"id": BEN}})
    path = f"collaboration_whitelist_exempt_targets/{made['id']}"
    assert (made["user"]["id"], box("GET", path)["id"]) == (BEN, made["id"])
    assert box("GET", "collaboration_whitelist_exempt_targets")["entries"] == [made]
    assert box.refused("POST", "collaboration_whitelist_exempt_targets", {"user": {"id": BEN}})[0] == 409
    box("DELETE", path)
    assert box.refused("DELETE", path) == (404, "not_found")


@pytest.fixture
def terms(box: Box) -> Any:
    return box("POST", "terms_of_services", {"status": "disabled", "tos_type": "managed", "text": "Be kind"})


def test_terms_of_service_are_written_and_changed(box: Box, terms: Any):
    path = f"terms_of_services/{terms['id']}"
    assert box("PUT", path, {"status": "enabled", "text": "Be kinder"})["text"] == "Be kinder"
    assert box("GET", path)["status"] == "enabled"
    assert box("GET", "terms_of_services", params={"tos_type": "external"})["total_count"] == 0
    again = {"status": "disabled", "tos_type": "managed", "text": "x"}
    assert box.refused("POST", "terms_of_services", again) == (409, "conflict")
    assert box.refused("GET", "terms_of_services/1") == (404, "not_found")


def test_users_agree_to_terms_of_service(box: Box, ben: Box, terms: Any):
    about = {"tos": {"type": "terms_of_service", "id": terms["id"]}, "is_accepted": False}
    made = ben("POST", "terms_of_service_user_statuses", {**about, "user": {"type": "user", "id": BEN}})
    assert ben("PUT", f"terms_of_service_user_statuses/{made['id']}", {"is_accepted": True})["is_accepted"] is True
    listed = box("GET", "terms_of_service_user_statuses", params={"tos_id": terms["id"], "user_id": BEN})
    assert [each["id"] for each in listed["entries"]] == [made["id"]]
    for_cleo = {**about, "user": {"type": "user", "id": CLEO}}
    assert ben.refused("POST", "terms_of_service_user_statuses", for_cleo)[0] == 403
    same = {**about, "user": {"type": "user", "id": BEN}}
    assert box.refused("POST", "terms_of_service_user_statuses", same) == (409, "conflict")
    assert box.refused("PUT", "terms_of_service_user_statuses/1", {"is_accepted": True}) == (404, "not_found")


def test_sessions_are_terminated(box: Box):
    group = box("POST", "groups", {"name": "Editors"})["id"]
    wanted = {"user_ids": [BEN], "user_logins": ["ben@example.com"]}
    for kind, asked in (("users", wanted), ("groups", {"group_ids": [group]})):
        answer = box.http("POST", f"{kind}/terminate_sessions", json=asked)
        assert (answer.status_code, answer.json()["message"].startswith("Request is successful")) == (202, True)
    assert box.refused("POST", "users/terminate_sessions", {"user_ids": [], "user_logins": []})[0] == 400
    assert box.refused("POST", "groups/terminate_sessions", {"group_ids": []})[0] == 400
    assert box.refused("POST", "groups/terminate_sessions", {"group_ids": ["1"]}) == (404, "not_found")


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("POST", f"users/{BEN}/email_aliases", {"email": "b@example.com"}),
        ("PUT", f"users/{CLEO}/folders/0", {"owned_by": {"id": BEN}}),
        ("GET", "collaboration_whitelist_entries", None),
        ("GET", "collaboration_whitelist_exempt_targets", None),
        ("POST", "terms_of_services", {"status": "disabled", "text": "x"}),
        ("POST", "groups/terminate_sessions", {"group_ids": ["1"]}),
    ],
)
def test_only_administrators_administer(ben: Box, verb: str, path: str, body: Any):
    assert ben.refused(verb, path, body) == (403, "access_denied_insufficient_permissions")


def test_who_has_not_agreed_to_the_terms_reaches_no_items(box: Box, ben: Box):
    terms = box("POST", "terms_of_services", {"status": "enabled", "text": "Be kind", "tos_type": "managed"})["id"]
    answer = ben.http("GET", "folders/0")
    assert (answer.status_code, answer.json()["code"]) == (400, "terms_of_service_required")
    assert answer.json()["context_info"] == {"tos_id": terms}
    said = {"tos": {"type": "terms_of_service", "id": terms}, "user": {"type": "user", "id": BEN}}
    status = ben("POST", "terms_of_service_user_statuses", {**said, "is_accepted": False})["id"]
    assert ben.http("GET", "search?query=a").json()["context_info"]["tos_user_status_id"] == status
    ben("PUT", f"terms_of_service_user_statuses/{status}", {"is_accepted": True})
    assert ben.names() == []


def test_terms_that_are_off_or_for_others_ask_nobody(box: Box):
    box("POST", "terms_of_services", {"status": "disabled", "text": "Be kind", "tos_type": "managed"})
    box("POST", "terms_of_services", {"status": "enabled", "text": "Be kind", "tos_type": "external"})
    assert box.names() == []
