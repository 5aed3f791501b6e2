"""Channels of Slack and Teams that have folders, Shield lists, archives, and external users who are let go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .conftest import ADA, BEN, CLEO, Box
from .described import problems

LATER = {"headers": {"box-version": "2025.0"}}
CHANNEL = {"type": "channel", "id": "C1", "slack_workspace_id": "T1"}
TEAM = {"type": "team", "id": "19:x", "tenant_id": "t", "team_id": "g"}
LISTED = ("shield_lists", "archives")
DOMAINS = {"type": "domain", "domains": ["example.com"]}


def folder_of(id: str) -> dict[str, str]:
    return {"type": "folder", "id": id}


def slack(box: Box, folder: str) -> Any:
    return box("POST", "integration_mappings/slack", {"partner_item": CHANNEL, "box_item": folder_of(folder)})


def reason(box: Box, path: str, wanted: Any) -> str:
    answer = box.http("POST", path, json=wanted)
    assert answer.status_code == 400, answer.text
    return answer.json()["context_info"]["errors"][0]["reason"]


def test_a_channel_of_slack_is_mapped_to_a_folder_and_to_another(box: Box):
    first, second = box.folder("First"), box.folder("Second")
    made = slack(box, first)
    assert problems("POST /integration_mappings/slack", 201, made) == []
    assert (made["box_item"]["id"], made["created_by"]["id"], made["is_manually_created"]) == (first, ADA, True)
    wanted = {"box_item": folder_of(second), "options": {"is_access_management_disabled": True}}
    changed = box("PUT", f"integration_mappings/slack/{made['id']}", wanted)
    assert (changed["box_item"]["id"], changed["options"]) == (second, wanted["options"])
    page = box("GET", f"integration_mappings/slack?box_item_id={second}&is_manually_created=true")
    assert problems("GET /integration_mappings/slack", 200, page) == []
    assert page["entries"] == [changed]
    assert box("GET", "integration_mappings/slack?partner_item_id=C2")["entries"] == []
    box("DELETE", f"integration_mappings/slack/{made['id']}")
    assert box.refused("DELETE", f"integration_mappings/slack/{made['id']}") == (404, "not_found")


def test_a_team_is_mapped_to_a_folder_that_has_no_other(box: Box):
    folder = box.folder("Team")
    made = box("POST", "integration_mappings/teams", {"partner_item": TEAM, "box_item": folder_of(folder)})
    assert problems("POST /integration_mappings/teams", 201, made) == []
    assert box("GET", "integration_mappings/teams?partner_item_type=team")["entries"] == [made]
    assert box("GET", "integration_mappings/teams?partner_item_type=channel")["entries"] == []
    again = {"partner_item": {**TEAM, "id": "other"}, "box_item": folder_of(folder)}
    assert reason(box, "integration_mappings/teams", again) == "FOLDER_ALREADY_MAPPED"
    other = box("PUT", f"integration_mappings/teams/{made['id']}", {"box_item": folder_of(box.folder("Other"))})
    assert other["box_item"]["id"] != folder
    box("DELETE", f"integration_mappings/teams/{made['id']}")
    assert box("GET", "integration_mappings/teams")["entries"] == []


def test_a_channel_has_one_folder(box: Box):
    folder = box.folder("First")
    slack(box, folder)
    wanted = {"partner_item": CHANNEL, "box_item": folder_of(folder)}
    assert reason(box, "integration_mappings/slack", wanted) == "CHANNEL_ALREADY_MAPPED"


def test_a_mapped_folder_is_one_s_own(box: Box, ben: Box):
    folder = ben.folder("Shared")
    whom = {"accessible_by": {"type": "user", "id": ADA}, "role": "editor"}
    ben("POST", "collaborations", {"item": folder_of(folder), **whom})
    wanted = {"partner_item": CHANNEL, "box_item": folder_of(folder)}
    assert reason(box, "integration_mappings/slack", wanted) == "SERVICE_ACCOUNT_IS_NOT_A_COOWNER_OR_OWNER"


@pytest.mark.parametrize("place", [{}, {"slack_workspace_id": "T1", "slack_org_id": "E1"}])
def test_a_channel_is_of_a_workspace_or_of_an_organization(box: Box, place: Any):
    item = {"type": "channel", "id": "C1", **place}
    wanted = {"partner_item": item, "box_item": folder_of(box.folder("First"))}
    assert box.refused("POST", "integration_mappings/slack", wanted) == (400, "bad_request")


def test_shield_lists_are_made_listed_changed_and_deleted(box: Box):
    made = box("POST", "shield_lists", {"name": "Partners", "content": DOMAINS}, **LATER)
    assert problems("POST /shield_lists", 200, made) == []
    page = box("GET", "shield_lists", **LATER)
    assert problems("GET /shield_lists", 200, page) == []
    assert [entry["content"] for entry in page["entries"]] == [{"type": "domain"}]
    content = {"type": "country", "country_codes": ["US"]}
    changed = box("PUT", f"shield_lists/{made['id']}", {"name": "Lands", "content": content}, **LATER)
    assert changed == box("GET", f"shield_lists/{made['id']}", **LATER)
    assert (changed["name"], changed["content"]) == ("Lands", content)
    box("DELETE", f"shield_lists/{made['id']}", **LATER)
    assert box.refused("GET", f"shield_lists/{made['id']}", **LATER) == (404, "not_found")


def test_shield_lists_have_names_of_their_own_and_content_of_a_known_kind(box: Box):
    box("POST", "shield_lists", {"name": "Partners", "content": DOMAINS}, **LATER)
    other = box("POST", "shield_lists", {"name": "Others", "content": DOMAINS}, **LATER)["id"]
    same = {"name": "partners", "content": DOMAINS}
    assert box.refused("POST", "shield_lists", same, **LATER) == (409, "conflict")
    assert box.refused("PUT", f"shield_lists/{other}", same, **LATER) == (409, "conflict")
    odd = {"name": "Odd", "content": {"type": "planet", "planets": ["Mars"]}}
    assert box.refused("POST", "shield_lists", odd, **LATER) == (400, "bad_request")
    assert box.refused("GET", "shield_lists") == (400, "bad_request")


def test_archives_are_made_listed_changed_and_deleted(box: Box):
    made = box("POST", "archives", {"name": "2025", "description": "All of it"}, **LATER)
    assert problems("POST /archives", 201, made) == []
    assert box.refused("POST", "archives", {"name": "2025"}, **LATER) == (409, "conflict")
    assert box.refused("POST", "archives", {"name": "x" * 101}, **LATER) == (400, "bad_request")
    changed = box("PUT", f"archives/{made['id']}", {"name": "Last year"}, **LATER)
    assert (changed["name"], changed["description"]) == ("Last year", "All of it")
    page = box("GET", "archives", **LATER)
    assert problems("GET /archives", 200, page) == []
    assert page["entries"] == [changed]
    box("DELETE", f"archives/{made['id']}", **LATER)
    assert box.refused("DELETE", f"archives/{made['id']}", **LATER) == (404, "not_found")


@pytest.mark.parametrize(
    "path", ["integration_mappings/slack", "integration_mappings/teams", "shield_lists", "archives"]
)
def test_only_administrators_look_after_these(ben: Box, path: str):
    assert ben.http("GET", path, **LATER).status_code == 403


def test_content_belongs_to_no_item_of_an_app(box: Box):
    page = box("GET", f"files/{box.upload()['id']}/app_item_associations")
    assert problems("GET /files/{file_id}/app_item_associations", 200, page) == []
    assert box("GET", f"folders/{box.folder('Plain')}/app_item_associations")["entries"] == []
    assert box.refused("GET", "files/7/app_item_associations") == (404, "not_found")


@pytest.fixture
def guests(platform: Any, enterprise: Callable[..., Box]) -> Box:
    users: list[dict[str, Any]] = [{"id": each, "name": each, "login": f"{each}@example.com"} for each in (ADA, BEN)]
    users[0]["role"] = "admin"
    elsewhere = {"id": "99", "type": "enterprise", "name": "Elsewhere"}
    users.append({"id": CLEO, "name": "Cleo", "login": "cleo@example.org", "enterprise": elsewhere})
    platform.post("import", {"files": {"box_guests.json": {"box_users": users}}})
    return enterprise("box_guests")


def test_users_of_other_enterprises_are_let_go_from_what_they_collaborate_on(guests: Box):
    folder = guests.folder("Shared")
    for user in (BEN, CLEO):
        whom = {"accessible_by": {"type": "user", "id": user}, "role": "viewer"}
        guests("POST", "collaborations", {"item": folder_of(folder), **whom})
    users = {"external_users": [{"type": "user", "id": each} for each in (CLEO, BEN, "7")]}
    done = guests("POST", "external_users/submit_delete_job", users, **LATER)
    assert problems("POST /external_users/submit_delete_job", 207, done) == []
    assert [(entry["user_id"], entry["status"]) for entry in done["entries"]] == [(CLEO, 202), (BEN, 404), ("7", 404)]
    left = guests("GET", f"folders/{folder}/collaborations")["entries"]
    assert [entry["accessible_by"]["id"] for entry in left] == [BEN]
