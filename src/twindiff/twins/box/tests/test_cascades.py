"""Cascade policies: metadata of a folder goes to what is in it, and to what comes into it."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import BEN, Box


@pytest.fixture
def folder(box: Box) -> str:
    """A folder with metadata."""
    fields = [{"type": "string", "key": "customer", "displayName": "Customer"}]
    box("POST", "metadata_templates/schema", {"scope": "enterprise", "displayName": "Order", "fields": fields})
    made = box.folder("Orders")
    box("POST", f"folders/{made}/metadata/enterprise/order", {"customer": "Lee"})
    return made


def cascaded(box: Box, folder: str, key: str = "order") -> Any:
    wanted = {"folder_id": folder, "scope": "enterprise", "templateKey": key}
    return box("POST", "metadata_cascade_policies", wanted)


def customer(box: Box, path: str) -> str | None:
    """The customer that an item's metadata names, if it has some."""
    answer = box.http("GET", f"{path}/metadata/enterprise/order")
    return answer.json()["customer"] if answer.is_success else None


def test_a_policy_is_made_found_and_deleted(box: Box, folder: str):
    policy = cascaded(box, folder)
    assert (policy["parent"], policy["templateKey"]) == ({"type": "folder", "id": folder}, "order")
    assert box("GET", f"metadata_cascade_policies/{policy['id']}") == policy
    assert box("GET", f"metadata_cascade_policies?folder_id={folder}")["entries"] == [policy]
    box("DELETE", f"metadata_cascade_policies/{policy['id']}")
    assert box("GET", f"metadata_cascade_policies?folder_id={folder}")["entries"] == []


def test_what_is_in_the_folder_gets_its_metadata_and_keeps_what_it_has(box: Box, folder: str):
    inner = box.folder("inner", folder)
    deep, own = box.upload("deep.txt", parent=inner)["id"], box.upload("own.txt", parent=folder)["id"]
    box("POST", f"files/{own}/metadata/enterprise/order", {"customer": "Ray"})
    cascaded(box, folder)
    paths = (f"folders/{inner}", f"files/{deep}", f"files/{own}")
    assert [customer(box, path) for path in paths] == ["Lee", "Lee", "Ray"]


def test_what_comes_into_the_folder_gets_its_metadata(box: Box, folder: str):
    elsewhere = box.folder("Elsewhere")
    within, moved = box.upload("within.txt", parent=elsewhere)["id"], box.upload("moved.txt")["id"]
    cascaded(box, folder)
    made, sent = box.folder("made", folder), box.upload("sent.txt", parent=folder)["id"]
    copied = box("POST", f"files/{moved}/copy", {"parent": {"id": folder}, "name": "copy.txt"})["id"]
    box("PUT", f"files/{moved}", {"parent": {"id": made}})
    box("PUT", f"folders/{elsewhere}", {"parent": {"id": folder}})
    paths = [f"folders/{made}", f"folders/{elsewhere}", *(f"files/{id}" for id in (sent, copied, moved, within))]
    assert [customer(box, path) for path in paths] == ["Lee"] * 6


def test_the_nearest_folder_hands_its_values_down(box: Box, folder: str):
    inner = box.folder("inner", folder)
    box("POST", f"folders/{inner}/metadata/enterprise/order", {"customer": "Ray"})
    cascaded(box, folder)
    cascaded(box, inner)
    assert customer(box, f"files/{box.upload(parent=inner)['id']}") == "Ray"


@pytest.mark.parametrize(("resolution", "after"), [("none", "Ray"), ("overwrite", "Lee")])
def test_what_a_policy_meets_is_kept_or_overwritten(box: Box, folder: str, resolution: str, after: str):
    file = box.upload(parent=folder)["id"]
    box("POST", f"files/{file}/metadata/enterprise/order", {"customer": "Ray"})
    policy = cascaded(box, folder)["id"]
    applied = box.http("POST", f"metadata_cascade_policies/{policy}/apply", json={"conflict_resolution": resolution})
    assert (applied.status_code, customer(box, f"files/{file}")) == (202, after)


def test_nothing_is_handed_down_any_more_without_its_policy(box: Box, folder: str):
    before = box.upload("before.txt", parent=folder)["id"]
    box("DELETE", f"metadata_cascade_policies/{cascaded(box, folder)['id']}")
    after = box.upload("after.txt", parent=folder)["id"]
    assert [customer(box, f"files/{id}") for id in (before, after)] == ["Lee", None]


def test_a_policy_needs_metadata_on_its_folder_and_is_there_once(box: Box, folder: str):
    def refused(folder_id: str, key: str = "order") -> tuple[int, str]:
        wanted = {"folder_id": folder_id, "scope": "enterprise", "templateKey": key}
        return box.refused("POST", "metadata_cascade_policies", wanted)

    cascaded(box, folder)
    assert refused(folder) == (409, "tuple_already_exists")
    assert refused(folder, "nothing") == (404, "instance_tuple_not_found")
    assert refused(box.folder("Bare")) == (404, "instance_tuple_not_found")
    assert refused("0") == (403, "forbidden")
    assert box.refused("GET", "metadata_cascade_policies/1") == (404, "not_found")


def test_a_policy_is_seen_by_those_who_see_its_folder(box: Box, folder: str):
    policy = cascaded(box, folder)["id"]
    assert box.as_user(BEN).refused("GET", f"metadata_cascade_policies/{policy}") == (404, "not_found")
