"""Users of the enterprise."""

from __future__ import annotations

from .conftest import ADA, BEN, Box


def test_the_caller_sees_themselves(box: Box, ben: Box):
    assert (box("GET", "users/me")["login"], box("GET", "users/me?fields=role")["role"]) == (
        "ada.admin@example.com",
        "admin",
    )
    assert ben("GET", "users/me")["id"] == BEN


def test_users_are_listed_and_found(box: Box):
    assert box("GET", "users")["total_count"] == 3
    assert [user["id"] for user in box("GET", "users?filter_term=ben")["entries"]] == [BEN]
    page = box("GET", "users?usemarker=true&limit=2")
    assert len(box("GET", f"users?usemarker=true&limit=2&marker={page['next_marker']}")["entries"]) == 1


def test_an_administrator_adds_changes_and_removes_users(box: Box):
    made = box("POST", "users", {"name": "Dora", "login": "dora@example.com", "job_title": "Archivist"})
    assert (made["job_title"], made["status"]) == ("Archivist", "active")
    assert box("PUT", f"users/{made['id']}", {"name": "Dora D."})["name"] == "Dora D."
    box("DELETE", f"users/{made['id']}")
    assert box.refused("GET", f"users/{made['id']}") == (404, "not_found")


def test_a_login_is_used_once_and_is_an_address(box: Box):
    assert box.refused("POST", "users", {"name": "B", "login": "BEN.editor@example.com"}) == (
        409,
        "user_login_already_used",
    )
    assert box.refused("POST", "users", {"name": "B", "login": "nobody"}) == (400, "bad_request")
    assert box.refused("POST", "users", {"name": "B"}) == (400, "bad_request")


def test_others_cannot_administer(ben: Box):
    assert ben.refused("POST", "users", {"name": "B", "login": "b@example.com"})[0] == 403
    assert ben.refused("PUT", f"users/{ADA}", {"name": "B"})[0] == 403
    assert ben.refused("PUT", f"users/{BEN}", {"space_amount": -1})[0] == 403
    assert ben("PUT", f"users/{BEN}", {"job_title": "Editor"})["job_title"] == "Editor"


def test_an_administrator_acts_as_another_user(box: Box, ben: Box):
    folder = box("POST", "folders", {"name": "Bens", "parent": {"id": "0"}}, headers={"As-User": BEN})
    assert folder["owned_by"]["id"] == BEN
    assert ben.names() == ["Bens"]
    assert box.names() == []
    assert ben.refused("GET", "users/me", headers={"As-User": ADA}) == (403, "insufficient_scope")


def test_a_user_with_content_is_removed_only_by_force(box: Box, ben: Box):
    ben.folder("Bens")
    assert box.refused("DELETE", f"users/{BEN}") == (409, "user_has_content")
    box("DELETE", f"users/{BEN}?force=true")
    assert ben.refused("GET", "users/me") == (401, "unauthorized")
