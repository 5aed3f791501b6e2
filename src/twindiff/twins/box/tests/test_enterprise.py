"""What administrators look after besides content: storage policies, invitations, devices, templates for signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .conftest import ADA, BEN, CLEO, Box
from .described import problems

ENTERPRISE = "1000001"
SHA = "0" * 40
ELSEWHERE = {"id": "99", "type": "enterprise", "name": "Elsewhere"}
LEASE = {
    "id": "t1",
    "name": "Lease.pdf",
    "email_subject": "Please sign",
    "days_valid": 30,
    "parent_folder_id": "500",
    "source_files": [{"id": "900", "type": "file"}],
    "signers": [{"email": "", "role": "signer", "public_id": "AB12", "label": "Tenant"}],
    "created_by_id": ADA,
}
ROWS: dict[str, list[dict[str, Any]]] = {
    "box_users": [
        {"id": ADA, "name": "Ada", "login": "ada@example.com", "role": "admin"},
        {"id": BEN, "name": "Ben", "login": "ben@example.com"},
        {"id": CLEO, "name": "Cleo", "login": "cleo@example.org", "enterprise": ELSEWHERE},
    ],
    "box_storage_policies": [{"id": "11", "name": "Europe"}, {"id": "12", "name": "Japan"}],
    "box_storage_policy_assignments": [
        {"id": "21", "storage_policy_id": "11", "assigned_to_type": "enterprise", "assigned_to_id": ENTERPRISE}
    ],
    "box_device_pinners": [{"id": str(30 + n), "owned_by_id": BEN, "product_name": f"Phone {n}"} for n in range(3)],
    "box_folders": [{"id": "500", "name": "Signed", "parent_id": "0", "owned_by_id": ADA}],
    "box_files": [{"id": "900", "name": "lease.pdf", "parent_id": "0", "owned_by_id": ADA, "etag": "0", "sha_1": SHA}],
    "box_file_versions": [{"id": "901", "file_id": "900", "name": "lease.pdf", "sha_1": SHA}],
    "box_sign_templates": [LEASE, {**LEASE, "id": "t2", "created_by_id": BEN}],
}


@pytest.fixture(scope="module")
def template(platform: Any) -> str:
    platform.post("import", {"files": {"box_offices.json": ROWS}})
    return "box_offices"


@pytest.fixture
def office(template: str, enterprise: Callable[..., Box]) -> Box:
    return enterprise(template)


def assign(box: Box, policy: str, kind: str, id: str) -> Any:
    to = {"assigned_to": {"type": kind, "id": id}}
    return box("POST", "storage_policy_assignments", {"storage_policy": {"type": "storage_policy", "id": policy}, **to})


def resolved(box: Box, kind: str, id: str) -> Any:
    (entry,) = box("GET", f"storage_policy_assignments?resolved_for_type={kind}&resolved_for_id={id}")["entries"]
    return entry


def test_storage_policies_are_listed_in_pages(office: Box):
    page = office("GET", "storage_policies?limit=1")
    assert problems("GET /storage_policies", 200, page) == []
    rest = office("GET", f"storage_policies?marker={page['next_marker']}")
    assert [entry["name"] for entry in (*page["entries"], *rest["entries"])] == ["Europe", "Japan"]
    assert office("GET", "storage_policies/12") == {"type": "storage_policy", "id": "12", "name": "Japan"}


def test_a_user_without_a_storage_policy_has_the_enterprise_s(office: Box):
    assert resolved(office, "user", BEN)["id"] == resolved(office, "enterprise", ENTERPRISE)["id"] == "21"


def test_a_user_has_a_storage_policy_of_their_own_until_it_is_taken_back(office: Box):
    made = assign(office, "12", "user", BEN)
    assert problems("POST /storage_policy_assignments", 200, made) == []
    assert resolved(office, "user", BEN) == made == office("GET", f"storage_policy_assignments/{made['id']}")
    moved = office("PUT", f"storage_policy_assignments/{made['id']}", {"storage_policy": {"id": "11"}})
    assert (moved["storage_policy"]["id"], moved["assigned_to"]["id"]) == ("11", BEN)
    office("DELETE", f"storage_policy_assignments/{made['id']}")
    assert resolved(office, "user", BEN)["id"] == "21"


def test_storage_policies_are_assigned_once_to_what_there_is(office: Box):
    path, to = "storage_policy_assignments", {"type": "enterprise", "id": ENTERPRISE}
    given = {"storage_policy": {"id": "12"}, "assigned_to": to}
    assert office.refused("POST", path, given) == (409, "conflict")
    assert office.refused("POST", path, {**given, "assigned_to": {**to, "id": "7"}}) == (404, "not_found")
    assert office.refused("POST", path, {**given, "storage_policy": {"id": "7"}}) == (404, "not_found")
    assert office.refused("GET", f"{path}?resolved_for_type=user&resolved_for_id=7") == (404, "not_found")


def test_somebody_of_another_enterprise_is_invited(office: Box):
    wanted = {"enterprise": {"id": ENTERPRISE}, "actionable_by": {"login": "cleo@example.org"}}
    made = office("POST", "invites", wanted)
    assert problems("POST /invites", 200, made) == []
    assert (made["status"], made["actionable_by"]["id"], made["invited_by"]["id"]) == ("pending", CLEO, ADA)
    assert office("GET", f"invites/{made['id']}") == made
    assert office("GET", f"invites/{made['id']}?fields=status") == {key: made[key] for key in ("type", "id", "status")}


@pytest.mark.parametrize(
    ("enterprise_id", "login", "refusal"),
    [
        (ENTERPRISE, "ben@example.com", (409, "conflict")),
        (ENTERPRISE, "nobody@example.com", (404, "not_found")),
        ("7", "cleo@example.org", (404, "not_found")),
    ],
)
def test_nobody_else_is_invited(office: Box, enterprise_id: str, login: str, refusal: Any):
    wanted = {"enterprise": {"id": enterprise_id}, "actionable_by": {"login": login}}
    assert office.refused("POST", "invites", wanted) == refusal


def test_device_pins_are_listed_either_way_and_deleted(office: Box):
    path = f"enterprises/{ENTERPRISE}/device_pinners"
    first = office("GET", f"{path}?limit=2&direction=DESC")
    assert problems("GET /enterprises/{enterprise_id}/device_pinners", 200, first) == []
    rest = office("GET", f"{path}?limit=2&direction=DESC&marker={first['next_marker']}")
    assert [pin["id"] for pin in (*first["entries"], *rest["entries"])] == ["32", "31", "30"]
    assert "next_marker" not in rest
    assert office("GET", "device_pinners/31")["product_name"] == "Phone 1"
    office("DELETE", "device_pinners/31")
    assert office.refused("GET", "device_pinners/31") == (404, "not_found")


@pytest.mark.parametrize(
    "path", ["enterprises/7/device_pinners", "invites/7", "storage_policies/7", "sign_templates/t2"]
)
def test_what_there_is_not_is_not_found(office: Box, path: str):
    assert office.refused("GET", path) == (404, "not_found")


@pytest.mark.parametrize(
    "path",
    ["storage_policies", "storage_policies/11", "storage_policy_assignments/21", "device_pinners/31", "invites/7"],
)
def test_only_administrators_look_after_the_enterprise(office: Box, path: str):
    assert office.as_user(BEN).http("GET", path).status_code == 403


def test_templates_for_signatures_are_their_owners(office: Box):
    page = office("GET", "sign_templates")
    assert problems("GET /sign_templates", 200, page) == []
    assert [entry["id"] for entry in page["entries"]] == ["t1"]
    shown = office("GET", "sign_templates/t1")
    assert (shown["parent_folder"]["id"], shown["source_files"][0]["id"]) == ("500", "900")
    assert shown["signers"][0]["label"] == "Tenant"


def test_a_sign_request_is_made_from_a_template(office: Box):
    signers = [{"email": "tenant@example.com"}]
    made = office("POST", "sign_requests", {"template_id": "t1", "signers": signers, "email_subject": "Your lease"})
    assert (made["template_id"], made["name"], made["days_valid"]) == ("t1", "Lease.pdf", 30)
    assert (made["email_subject"], made["parent_folder"]["id"]) == ("Your lease", "500")
    assert [file["id"] for file in made["source_files"]] == ["900"]
    assert office.refused("POST", "sign_requests", {"template_id": "t2", "signers": signers}) == (404, "not_found")


def test_an_open_sign_request_is_sent_again(office: Box):
    wanted = {"template_id": "t1", "signers": [{"email": "tenant@example.com"}]}
    path = f"sign_requests/{office('POST', 'sign_requests', wanted)['id']}"
    assert office.http("POST", f"{path}/resend").status_code == 202
    office("POST", f"{path}/cancel")
    assert office.refused("POST", f"{path}/resend") == (400, "bad_request")
