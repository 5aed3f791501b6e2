"""What the twin brings, what an import completes, and what a configuration fills."""

from __future__ import annotations

import json
from typing import Any

import pytest

from twindiff.twins.box.core.text_extraction import text_of
from twindiff.twins.box.samples import FOLDER

from .conftest import ADA, BEN, CLEO, Box

KINDS = {"pdf", "docx", "xlsx", "csv", "txt", "md", "json", "html", "png", "jpg"}


@pytest.fixture
def shop(enterprise: Any) -> Box:
    """The files of a bike shop."""
    return enterprise("box_default")


def test_the_sample_has_real_documents_of_ten_types(shop: Box):
    by_kind = [shop("GET", "search", params={"query": kind, "file_extensions": kind})["entries"] for kind in KINDS]
    files = [each for entries in by_kind for each in entries]
    assert {each["name"].rpartition(".")[2] for each in files} == KINDS
    assert all(len(shop.bytes_of(each["id"])) == each["size"] for each in files)


def test_the_texts_that_the_sample_brings_are_those_of_its_documents():
    rows = json.loads((FOLDER / "box_default.json").read_text())
    packed = [version for version in rows["box_file_versions"] if version["name"].endswith(".pdf")]
    texts = {
        version["sha_1"]: text_of((FOLDER / "documents" / version["local_path"]).read_bytes(), version["name"])
        for version in packed
    }
    assert texts == {each["sha_1"]: each["text"] for each in rows["box_content_texts"]}
    assert len(texts) == 3


def test_words_inside_the_sample_s_documents_are_found(shop: Box):
    def found(query: str) -> set[str]:
        return {each["name"] for each in shop("GET", "search", params={"query": query})["entries"]}

    assert found('"Monthly rent"') == {"lease_workshop_2025.pdf"}
    assert found('"within 30 days"') == {"supplier_agreement_velora.docx"}
    assert found('"Workshop" AND Training') == {"budget_2026.xlsx"}


def test_others_see_what_is_shared_with_them(shop: Box):
    assert shop.as_user(BEN).names() == ["Repairs"]


def test_an_import_is_completed_and_a_missing_content_is_told(platform: Any, enterprise: Any):
    users = [
        {"id": each, "login": f"{each}@example.com", "created_at": "2026-01-01T00:00:00Z"} for each in (ADA, BEN, CLEO)
    ]
    kept = {"owned_by_id": ADA, "parent_id": "0", "sha_1": "0" * 40, "size": 3}
    files = [{"id": "5", "name": "Here.txt", **kept}, {"id": "6", "name": "gone.txt", **kept}]
    versions = [
        {"id": "7", "file_id": "5", "name": "Here.txt", "version_number": "1", "sha_1": "1" * 40, "content": "SGV5"},
        {"id": "8", "file_id": "6", "name": "gone.txt", "version_number": "1", "local_path": "x/gone.txt"},
    ]
    seed = {"box_users": users, "box_files": files, "box_file_versions": versions}
    platform.post("import", {"files": {"box_imported.json": seed}})
    box = enterprise("box_imported")
    assert box.bytes_of("5") == b"Hey"
    assert box.sent("HERE.TXT", b"x").status_code == 409
    assert box("GET", "files/6")["size"] == 3
    address = box.http("GET", "files/6/content").headers["Location"]
    assert platform.client.get(address).json()["code"] == "not_found"


def test_rows_that_cannot_be_read_are_named(platform: Any):
    bad = {"box_file_versions": [{"id": "1", "file_id": "2", "version_number": "one"}]}
    answer = platform.ask("POST", "import", {"files": {"box_bad.json": bad}})
    assert answer.status_code == 400
    assert "box" in answer.json()["detail"]


def test_a_user_is_who_the_token_says(shop: Box):
    assert shop("GET", "users/me")["id"] == ADA


def provision(platform: Any, *shared: Any) -> Any:
    """Ask for a run whose enterprise is filled from a configuration."""
    plan = {"name": "plan.txt", "content": "Launch in May", "comments": ["Nice"]}
    folder = {"name": "Plans", "files": [plan], "folders": [{"name": "Old"}], "shared_with": [*shared]}
    application = {"client_id": "app", "client_secret": "s", "public_keys": {"k1": "-----BEGIN PUBLIC KEY-----"}}
    config = {"box": {"users": ["Ben"], "folders": [folder], "applications": [application]}}
    return platform.client.post("/validate/twins/provision", json={"twins": ["box"], "seed_config": config})


def test_a_configuration_fills_an_enterprise(platform: Any):
    assert provision(platform, {"user": "Ben", "role": "viewer"}).status_code in (200, 201, 202)


def test_a_configuration_that_cannot_be_is_refused_with_the_place(platform: Any):
    answer = provision(platform, {"user": "Zed"})
    assert answer.status_code == 422
    assert "folders[0].shared_with[0].user" in answer.text


def test_instants_of_an_import_s_policies_and_holds_may_have_an_offset(platform: Any, enterprise: Any):
    users = [{"id": each, "login": f"{each}@example.com", "role": "admin"} for each in (ADA, BEN, CLEO)]
    made = {"created_at": "2026-01-01T02:00:00+02:00"}
    policy = {"id": "1", "policy_name": "A week", "policy_type": "finite", "retention_length": "7", **made}
    case = {"id": "2", "policy_name": "Case", "filter_started_at": "2026-01-01T02:00:00+02:00"}
    rows = {"box_users": users, "box_retention_policies": [policy], "box_legal_hold_policies": [case]}
    platform.post("import", {"files": {"box_kept.json": rows}})
    box = enterprise("box_kept")
    assert box("GET", "retention_policies/1")["created_at"] == "2026-01-01T00:00:00+00:00"
    assert box("GET", "legal_hold_policies/2")["filter_started_at"] == "2026-01-01T00:00:00+00:00"
