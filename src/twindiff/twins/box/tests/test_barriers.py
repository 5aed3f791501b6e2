"""Information barriers: users of segments that must not work together are kept apart while a barrier is enabled."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from .conftest import ADA, BEN, CLEO, Box
from .described import problems

ENTERPRISE = {"id": "1000001", "type": "enterprise"}
BARRIERS = "shield_information_barriers"
SEGMENTS = "shield_information_barrier_segments"
MEMBERS = "shield_information_barrier_segment_members"
RESTRICTIONS = "shield_information_barrier_segment_restrictions"
REPORTS = "shield_information_barrier_reports"
RESTRICTION = {"type": "shield_information_barrier_segment_restriction"}


class Wall(NamedTuple):
    """A barrier between Ben, who trades, and Cleo, who advises."""

    box: Box
    id: str
    trade: str
    advice: str

    def enable(self) -> None:
        change(self.box, self.id, "pending")


def barrier(box: Box) -> Any:
    return box("POST", BARRIERS, {"enterprise": ENTERPRISE})


def change(box: Box, id: str, status: str) -> Any:
    return box("POST", f"{BARRIERS}/change_status", {"id": id, "status": status})


def segment(box: Box, barrier_id: str, name: str) -> Any:
    return box("POST", SEGMENTS, {"shield_information_barrier": {"id": barrier_id}, "name": name})


def member(box: Box, segment_id: str, user: str) -> Any:
    wanted = {"shield_information_barrier_segment": {"id": segment_id}, "user": {"type": "user", "id": user}}
    return box("POST", MEMBERS, wanted)


def restriction(box: Box, one: str, other: str) -> Any:
    pair = {"shield_information_barrier_segment": {"id": one}, "restricted_segment": {"id": other}}
    return box("POST", RESTRICTIONS, {**RESTRICTION, **pair})


@pytest.fixture
def wall(box: Box) -> Wall:
    id = barrier(box)["id"]
    trade, advice = segment(box, id, "Trade")["id"], segment(box, id, "Advice")["id"]
    member(box, trade, BEN)
    member(box, advice, CLEO)
    restriction(box, trade, advice)
    return Wall(box, id, trade, advice)


def test_a_barrier_is_a_draft_then_pending_then_enabled(box: Box):
    made = barrier(box)
    assert problems("POST /shield_information_barriers", 201, made) == []
    assert (made["status"], made["created_by"]["id"]) == ("draft", ADA)
    pending = change(box, made["id"], "pending")
    assert pending["status"] == "pending"
    enabled = box("GET", f"{BARRIERS}/{made['id']}")
    assert (enabled["status"], enabled["enabled_by"]["id"]) == ("enabled", ADA)
    assert problems("GET /shield_information_barriers/{shield_information_barrier_id}", 200, enabled) == []
    names = [event["event_type"] for event in box("GET", "events?stream_type=admin_logs")["entries"]]
    assert names == ["SHIELD_INFORMATION_BARRIER_PENDING", "SHIELD_INFORMATION_BARRIER_ENABLED"]


def test_enabling_a_barrier_disables_the_one_before(box: Box):
    first, second = barrier(box)["id"], barrier(box)["id"]
    change(box, first, "pending")
    change(box, second, "pending")
    page = box("GET", BARRIERS)
    assert problems("GET /shield_information_barriers", 200, page) == []
    assert {entry["id"]: entry["status"] for entry in page["entries"]} == {first: "disabled", second: "enabled"}


@pytest.mark.parametrize("status", ["disabled", "pending"])
def test_a_status_that_does_not_follow_is_a_conflict(box: Box, status: str):
    made = barrier(box)["id"]
    if status == "pending":
        change(box, made, "pending")
    wanted = {"id": made, "status": status}
    assert box.refused("POST", f"{BARRIERS}/change_status", wanted) == (409, "conflict")


def test_a_barrier_is_of_the_caller_s_enterprise(box: Box):
    assert box.refused("POST", BARRIERS, {"enterprise": {**ENTERPRISE, "id": "7"}}) == (404, "not_found")
    assert box.refused("POST", BARRIERS, {}) == (400, "bad_request")


def test_segments_are_made_listed_changed_and_deleted(wall: Wall):
    box = wall.box
    page = box("GET", f"{SEGMENTS}?shield_information_barrier_id={wall.id}")
    assert problems("GET /shield_information_barrier_segments", 200, page) == []
    assert {entry["name"] for entry in page["entries"]} == {"Trade", "Advice"}
    changed = box("PUT", f"{SEGMENTS}/{wall.trade}", {"name": "Sales", "description": "Who sells"})
    assert (changed["name"], changed["description"]) == ("Sales", "Who sells")
    assert box("GET", f"{SEGMENTS}/{wall.trade}") == changed
    box("DELETE", f"{SEGMENTS}/{wall.trade}")
    assert box.refused("GET", f"{SEGMENTS}/{wall.trade}") == (404, "not_found")
    assert box("GET", f"{RESTRICTIONS}?shield_information_barrier_segment_id={wall.advice}")["entries"] == []


def test_the_segments_of_a_barrier_have_names_of_their_own(wall: Wall):
    named = {"shield_information_barrier": {"id": wall.id}, "name": "TRADE"}
    assert wall.box.refused("POST", SEGMENTS, named) == (409, "conflict")
    assert wall.box.refused("PUT", f"{SEGMENTS}/{wall.trade}", {"name": "advice"}) == (409, "conflict")
    assert wall.box.refused("PUT", f"{SEGMENTS}/{wall.trade}", {"name": " "}) == (400, "bad_request")


def test_users_are_put_into_segments_and_taken_out(wall: Wall):
    box = wall.box
    made = member(box, wall.trade, ADA)
    assert problems("POST /shield_information_barrier_segment_members", 201, made) == []
    assert box("GET", f"{MEMBERS}/{made['id']}") == made
    page = box("GET", f"{MEMBERS}?shield_information_barrier_segment_id={wall.trade}")
    assert {entry["user"]["id"] for entry in page["entries"]} == {ADA, BEN}
    box("DELETE", f"{MEMBERS}/{made['id']}")
    assert box.refused("GET", f"{MEMBERS}/{made['id']}") == (404, "not_found")


def test_restrictions_are_made_listed_and_deleted(wall: Wall):
    box = wall.box
    (entry,) = box("GET", f"{RESTRICTIONS}?shield_information_barrier_segment_id={wall.trade}")["entries"]
    assert entry["restricted_segment"]["id"] == wall.advice
    got = box("GET", f"{RESTRICTIONS}/{entry['id']}")
    path = "/shield_information_barrier_segment_restrictions/{shield_information_barrier_segment_restriction_id}"
    assert problems(f"GET {path}", 200, got) == []
    box("DELETE", f"{RESTRICTIONS}/{entry['id']}")
    assert box.refused("GET", f"{RESTRICTIONS}/{entry['id']}") == (404, "not_found")


@pytest.mark.parametrize(("other", "refusal"), [("trade", (400, "bad_request")), ("elsewhere", (404, "not_found"))])
def test_a_segment_is_restricted_from_another_one_of_its_barrier(wall: Wall, other: str, refusal: Any):
    elsewhere = segment(wall.box, barrier(wall.box)["id"], "Elsewhere")["id"]
    restricted = {"restricted_segment": {"id": wall.trade if other == "trade" else elsewhere}}
    wanted = {**RESTRICTION, "shield_information_barrier_segment": {"id": wall.trade}, **restricted}
    assert wall.box.refused("POST", RESTRICTIONS, wanted) == refusal


def test_reports_on_a_barrier_are_kept(wall: Wall):
    made = wall.box("POST", REPORTS, {"shield_information_barrier": {"id": wall.id}})
    assert problems("POST /shield_information_barrier_reports", 201, made) == []
    assert wall.box("GET", f"{REPORTS}/{made['id']}") == made
    assert wall.box("GET", f"{REPORTS}?shield_information_barrier_id={wall.id}")["entries"] == [made]


@pytest.mark.parametrize("path", [BARRIERS, f"{SEGMENTS}/1", f"{MEMBERS}/1", f"{RESTRICTIONS}/1", f"{REPORTS}/1"])
def test_barriers_are_for_administrators(box: Box, path: str):
    assert box.as_user(BEN).http("GET", path).status_code == 403


@pytest.mark.parametrize("path", [SEGMENTS, MEMBERS, RESTRICTIONS, REPORTS, BARRIERS])
def test_what_there_is_not_is_not_found(box: Box, path: str):
    assert box.refused("GET", f"{path}/1") == (404, "not_found")


def invite(box: Box, folder: str, **whom: str) -> Any:
    wanted = {"item": {"type": "folder", "id": folder}, "accessible_by": {"type": "user", **whom}, "role": "viewer"}
    return box.http("POST", "collaborations", json=wanted)


def test_users_of_restricted_segments_do_not_collaborate(wall: Wall):
    ben, folder = wall.box.as_user(BEN), wall.box.as_user(BEN).folder("Deals")
    wall.enable()
    refused = invite(ben, folder, id=CLEO)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden_by_policy")
    assert invite(ben, folder, id=ADA).status_code == 201


def test_a_draft_or_a_disabled_barrier_parts_nobody(wall: Wall):
    ben, first, second = wall.box.as_user(BEN), *(wall.box.as_user(BEN).folder(name) for name in ("A", "B"))
    assert invite(ben, first, id=CLEO).status_code == 201
    wall.enable()
    change(wall.box, wall.id, "disabled")
    assert invite(ben, second, id=CLEO).status_code == 201


def test_collaborators_of_folders_around_count_and_members_of_groups(wall: Wall):
    box = wall.box
    outer, group = box.folder("Outer"), box("POST", "groups", {"name": "Advisers"})["id"]
    inner = box.folder("inner", outer)
    assert invite(box, outer, id=BEN).status_code == 201
    box("POST", "group_memberships", {"user": {"id": CLEO}, "group": {"id": group}})
    wall.enable()
    assert invite(box, inner, id=CLEO).status_code == 403
    assert invite(box, inner, id=group, type="group").status_code == 403


def test_users_of_restricted_segments_are_in_no_group_together(wall: Wall):
    group = wall.box("POST", "groups", {"name": "All"})["id"]
    wall.enable()
    wall.box("POST", "group_memberships", {"user": {"id": BEN}, "group": {"id": group}})
    both = {"user": {"id": CLEO}, "group": {"id": group}}
    assert wall.box.refused("POST", "group_memberships", both) == (403, "forbidden_by_policy")


def test_content_does_not_go_from_one_restricted_segment_to_the_other(wall: Wall):
    box, ben, cleo = wall.box, wall.box.as_user(BEN), wall.box.as_user(CLEO)
    theirs, mine, file = cleo.folder("Theirs"), ben.folder("Mine"), ben.upload()["id"]
    whom = {"accessible_by": {"type": "user", "id": BEN}, "role": "editor"}
    cleo("POST", "collaborations", {"item": {"type": "folder", "id": theirs}, **whom})
    wall.enable()
    into = {"parent": {"id": theirs}}
    for verb, path in (("POST", f"files/{file}/copy"), ("POST", f"folders/{mine}/copy"), ("PUT", f"files/{file}")):
        assert ben.refused(verb, path, into) == (403, "forbidden_by_policy")
    given = {"owned_by": {"id": CLEO}}
    assert box.refused("PUT", f"users/{BEN}/folders/0", given) == (403, "forbidden_by_policy")
