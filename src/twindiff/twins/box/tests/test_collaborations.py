"""Who may do what: collaborations, groups, shared links."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import ADA, BEN, CLEO, Box


def share(box: Box, folder: str, role: str = "editor", user: str = BEN, kind: str = "folder", **more: Any) -> Any:
    item, whom = {"type": kind, "id": folder}, {"type": "user", "id": user}
    return box("POST", "collaborations", {"item": item, "accessible_by": whom, "role": role, **more})


def test_nobody_sees_what_is_not_shared_with_them(box: Box, ben: Box):
    folder = box.folder("secret")
    file = box.upload(parent=folder)
    assert ben.refused("GET", f"folders/{folder}") == (404, "not_found")
    assert ben.refused("GET", f"files/{file['id']}/content") == (404, "not_found")
    assert ben.names() == []


def test_an_editor_works_in_the_folder_and_owns_nothing(box: Box, ben: Box):
    folder = box.folder("shared")
    made = share(box, folder)
    assert (made["role"], made["status"], made["accessible_by"]["id"]) == ("editor", "accepted", BEN)
    assert ben.names() == ["shared"]
    file = ben.upload("by ben.txt", parent=folder)
    assert (file["owned_by"]["id"], file["created_by"]["id"]) == (ADA, BEN)


@pytest.mark.parametrize(
    ("role", "downloads", "uploads", "renames", "comments"),
    [
        ("previewer", False, False, False, True),
        ("viewer", True, False, False, True),
        ("uploader", False, True, False, False),
        ("previewer uploader", False, True, False, True),
        ("viewer uploader", True, True, False, True),
        ("editor", True, True, True, True),
        ("co-owner", True, True, True, True),
    ],
)
def test_a_role_grants_what_it_says(
    box: Box, ben: Box, role: str, downloads: bool, uploads: bool, renames: bool, comments: bool
):
    folder = box.folder("shared")
    file = box.upload("a.txt", parent=folder)["id"]
    share(box, folder, role)
    comment = {"message": "hi", "item": {"type": "file", "id": file}}
    assert (ben.http("GET", f"files/{file}/content").status_code == 302) is downloads
    assert (ben.http("POST", "comments", json=comment).status_code == 201) is comments
    assert (ben.sent("b.txt", b"b", folder).status_code == 201) is uploads
    assert (ben.http("PUT", f"files/{file}", json={"name": "c.txt"}).status_code == 200) is renames
    assert ben("GET", f"files/{file}?fields=permissions")["permissions"]["can_download"] is downloads


def test_access_ends_with_the_collaboration(box: Box, ben: Box):
    folder = box.folder("shared")
    made = share(box, folder)
    box("DELETE", f"collaborations/{made['id']}")
    assert ben.refused("GET", f"folders/{folder}") == (404, "not_found")


def test_nobody_is_invited_twice(box: Box):
    folder = box.folder("shared")
    share(box, folder)
    item, whom = {"type": "folder", "id": folder}, {"type": "user", "login": "ben.editor@example.com"}
    again = {"item": item, "accessible_by": whom, "role": "viewer"}
    assert box.refused("POST", "collaborations", again) == (400, "user_already_collaborator")


def test_a_stranger_is_invited_by_mail(box: Box):
    item, whom = {"type": "folder", "id": box.folder("shared")}, {"type": "user", "login": "new@example.com"}
    made = box("POST", "collaborations", {"item": item, "accessible_by": whom, "role": "viewer"})
    assert (made["status"], made["invite_email"]) == ("pending", "new@example.com")


def test_a_role_is_changed_and_ownership_given_away(box: Box, ben: Box):
    folder = box.folder("shared")
    made = share(box, folder)
    assert box("PUT", f"collaborations/{made['id']}", {"role": "viewer"})["role"] == "viewer"
    answer = box.http("PUT", f"collaborations/{made['id']}", json={"role": "owner"})
    assert (answer.status_code, answer.content) == (204, b"")
    assert ben("GET", f"folders/{folder}")["owned_by"]["id"] == BEN
    (left,) = ben("GET", f"folders/{folder}/collaborations")["entries"]
    assert (left["accessible_by"]["id"], left["role"]) == (ADA, "co-owner")


def test_a_viewer_invites_nobody(box: Box, ben: Box):
    folder = box.folder("shared")
    share(box, folder, "viewer")
    item, whom = {"type": "folder", "id": folder}, {"type": "user", "id": CLEO}
    wanted = {"item": item, "accessible_by": whom, "role": "viewer"}
    assert ben.refused("POST", "collaborations", wanted) == (403, "access_denied_insufficient_permissions")


def test_a_single_file_is_shared(box: Box, ben: Box):
    file = box.upload(parent=box.folder("private"))
    share(box, file["id"], "viewer", kind="file")
    assert ben.bytes_of(file["id"]) == b"Hello"
    assert ben.names() == ["a.txt"]


def test_groups_get_access_for_their_members(box: Box, ben: Box):
    group = box("POST", "groups", {"name": "Editors"})
    membership = box("POST", "group_memberships", {"user": {"id": BEN}, "group": {"id": group["id"]}})
    folder = box.folder("shared")
    item, whom = {"type": "folder", "id": folder}, {"type": "group", "id": group["id"]}
    box("POST", "collaborations", {"item": item, "accessible_by": whom, "role": "viewer"})
    assert ben("GET", f"folders/{folder}")["name"] == "shared"
    box("DELETE", f"group_memberships/{membership['id']}")
    assert ben.refused("GET", f"folders/{folder}")[0] == 404


def test_groups_are_managed_by_administrators(box: Box, ben: Box):
    group = box("POST", "groups", {"name": "Editors", "description": "All who edit"})
    assert box("GET", f"groups/{group['id']}?fields=description")["description"] == "All who edit"
    assert box.refused("POST", "groups", {"name": "editors"}) == (409, "conflict")
    assert ben.refused("PUT", f"groups/{group['id']}", {"name": "Mine"})[0] == 403
    assert box("PUT", f"groups/{group['id']}", {"name": "Writers"})["name"] == "Writers"
    member = {"user": {"id": BEN}, "group": {"id": group["id"]}, "role": "admin"}
    made = box("POST", "group_memberships", member)
    assert box.refused("POST", "group_memberships", member) == (409, "conflict")
    assert box("PUT", f"group_memberships/{made['id']}", {"role": "member"})["role"] == "member"
    assert [each["id"] for each in box("GET", f"groups/{group['id']}/memberships")["entries"]] == [made["id"]]
    box("DELETE", f"groups/{group['id']}")
    assert box("GET", f"users/{BEN}/memberships")["total_count"] == 0


def link_to(box: Box, file: str, **wanted: Any) -> Any:
    return box("PUT", f"files/{file}", {"shared_link": wanted}, params={"fields": "shared_link"})["shared_link"]


def test_a_shared_link_opens_a_file_for_others(box: Box, ben: Box):
    file = box.upload()["id"]
    link = link_to(box, file)
    assert (link["access"], link["effective_permission"], link["is_password_enabled"]) == (
        "open",
        "can_download",
        False,
    )
    shown = {"headers": {"BoxApi": f"shared_link={link['url']}"}}
    assert ben("GET", "shared_items", **shown)["id"] == file
    assert ben.http("GET", f"files/{file}/content", **shown).status_code == 302
    assert ben.refused("GET", f"files/{file}") == (404, "not_found")


def test_a_password_guards_a_shared_link(box: Box, ben: Box):
    link = link_to(box, box.upload()["id"], password="Sesame-123")
    header = f"shared_link={link['url']}"
    assert link["is_password_enabled"] is True
    assert ben.refused("GET", "shared_items", headers={"BoxApi": header})[0] == 403
    assert ben("GET", "shared_items", headers={"BoxApi": f"{header}&shared_link_password=Sesame-123"})["type"] == "file"


def test_a_link_for_collaborators_opens_nothing_for_others(box: Box, ben: Box):
    link = link_to(box, box.upload()["id"], access="collaborators")
    assert ben.refused("GET", "shared_items", headers={"BoxApi": f"shared_link={link['url']}"}) == (404, "not_found")


def test_a_link_to_a_folder_opens_what_is_in_it(box: Box, ben: Box):
    folder = box.folder("open")
    file = box.upload(parent=folder)["id"]
    link = box("PUT", f"folders/{folder}", {"shared_link": {"access": "open"}})["shared_link"]
    assert ben("GET", f"files/{file}", headers={"BoxApi": f"shared_link={link['url']}"})["id"] == file


def test_a_link_keeps_its_address_until_it_is_taken_away(box: Box):
    file = box.upload()["id"]
    link = link_to(box, file)
    assert link_to(box, file, access="company")["url"] == link["url"]
    assert box("PUT", f"files/{file}", {"name": "other.txt"})["shared_link"]["url"] == link["url"]
    assert box("PUT", f"files/{file}", {"shared_link": None})["shared_link"] is None


def test_a_link_to_a_web_link_allows_what_one_to_a_file_does(box: Box):
    web_link = box("POST", "web_links", {"url": "https://example.com", "name": "site", "parent": {"id": "0"}})["id"]
    shared = {"shared_link": {"access": "open"}}
    link = box("PUT", f"web_links/{web_link}?fields=shared_link", shared)["shared_link"]
    assert link["permissions"] == {"can_preview": True, "can_download": True, "can_edit": False}


@pytest.mark.parametrize(
    "wanted",
    [
        {"access": "company", "password": "x"},
        {"unshared_at": "2001-01-01T00:00:00Z"},
        {"access": "collaborators", "permissions": {"can_download": True}},
        {"access": "everyone"},
        {"vanity_name": "short"},
    ],
)
def test_a_link_that_cannot_be_is_refused(box: Box, wanted: dict[str, Any]):
    file = box.upload()["id"]
    assert box.refused("PUT", f"files/{file}", {"shared_link": wanted}) == (400, "bad_request")


def test_a_link_that_is_for_collaborators_from_now_on_loses_its_password(box: Box):
    file = box.upload()["id"]
    link_to(box, file, password="Sesame-123", permissions={"can_download": False})
    link = link_to(box, file, access="collaborators")
    assert (link["access"], link["is_password_enabled"]) == ("collaborators", False)
