"""What Box documents that it refuses, operation by operation, for all of it that can come about in a twin.

`refusals.jsonl` has a request to a line, with the status and the code that the operation's page names for it,
https://developer.box.com/reference. Where a page names a status alone, the code is the one of Box's list of errors:
https://developer.box.com/guides/api-calls/permissions-and-errors/common-errors
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.harness import LiveServer, Platform
from twindiff.server import Settings

from .conftest import ADA, BEN, CLEO, Box

MANY = 21_000_000
CLASSES, CLASS_KEY = "securityClassification-6VMVochwUWo", "Box__Security__Classification__Key"
HUBS = {"box-version": "2025.0"}
USERS = {"ada": ADA, "ben": BEN, "cleo": CLEO}
REFUSALS = [json.loads(line) for line in Path(__file__).with_name("refusals.jsonl").read_text("utf-8").splitlines()]


def furnish(box: Box) -> dict[str, str]:
    """An enterprise with one of everything, by name; Ben sees Ada's folder and no more, Cleo nothing."""
    ben = box.as_user(BEN)
    folder = box.folder("Shared")
    known = {"folder": folder, "other": box.folder("Other"), "inner": box.folder("inner", folder)}
    known |= {"file": box.upload("a.txt", b"Hello", folder)["id"], "locked": box.folder("Locked", folder)}
    box.upload("taken", b"x", folder)
    web = {"url": "https://example.com", "name": "site", "parent": {"id": folder}}
    known["link"] = box("POST", "web_links", web)["id"]
    box.folder("taken")
    known["trashed"] = box.upload("again.txt", b"1")["id"]
    box("DELETE", f"files/{known['trashed']}")
    box.upload("again.txt", b"2")
    known["bens"] = ben.upload("ben.txt", b"x")["id"]
    ben("DELETE", f"files/{known['bens']}")
    ben.upload("kept.txt", b"x")
    for kind, about in (("folders", {}), ("web_links", {"url": "https://example.com"})):
        for user, name in ((box, "trashed"), (ben, "bens")):
            wanted = {"name": f"again {kind}", "parent": {"id": "0"}, **about}
            known[f"{name}_{kind}"] = user("POST", kind, wanted)["id"]
            user("DELETE", f"{kind}/{known[f'{name}_{kind}']}")
            user("POST", kind, wanted)
    previews, drops = box.folder("previews"), box.folder("drops")
    known["dropped"] = box.upload("drop.txt", b"x", drops)["id"]
    known["previewed"] = box.upload("preview.txt", b"x", previews)["id"]
    of = {"accessible_by": {"type": "user", "id": BEN}}
    shared = {"item": {"type": "folder", "id": folder}, "role": "viewer", **of}
    known["collaboration"] = box("POST", "collaborations", shared)["id"]
    box("POST", "collaborations", {"item": {"type": "folder", "id": previews}, "role": "previewer", **of})
    box("POST", "collaborations", {"item": {"type": "folder", "id": drops}, "role": "uploader", **of})
    lock = {"folder": {"type": "folder", "id": known["locked"]}, "locked_operations": {"move": True, "delete": True}}
    known["lock"] = box("POST", "folder_locks", lock)["id"]
    item = {"type": "file", "id": known["file"]}
    known["comment"] = box("POST", "comments", {"message": "x", "item": item})["id"]
    return known | furnish_work(box, known, item) | furnish_metadata(box, known) | furnish_governance(box, known)


def furnish_work(box: Box, known: dict[str, str], item: dict[str, str]) -> dict[str, str]:
    """Tasks, groups, webhooks, a hub, a shared link and an upload in parts."""
    made: dict[str, str] = {}
    for name in ("task", "done"):
        made[name] = box("POST", "tasks", {"item": item, "action": "review"})["id"]
        whom = {"task": {"type": "task", "id": made[name]}, "assign_to": {"id": ADA}}
        made["assignment" if name == "task" else "finished"] = box("POST", "task_assignments", whom)["id"]
    box("PUT", f"task_assignments/{made['finished']}", {"resolution_state": "approved"})
    made["group"] = box("POST", "groups", {"name": "Editors"})["id"]
    box("POST", "groups", {"name": "Viewers"})
    box("POST", "group_memberships", {"user": {"id": BEN}, "group": {"id": made["group"]}})
    hook = {"address": "https://example.com/h", "triggers": ["FILE.DELETED"]}
    made["webhook"] = box("POST", "webhooks", {"target": item, **hook})["id"]
    made["second"] = box("POST", "webhooks", {"target": {"type": "file", "id": known["previewed"]}, **hook})["id"]
    made["hub"] = box("POST", "hubs", {"title": "Hub"}, headers=HUBS)["id"]
    of = {"accessible_by": {"type": "user", "id": BEN}, "role": "viewer"}
    shared = {"hub": {"type": "hubs", "id": made["hub"]}, **of}
    made["shared_hub"] = box("POST", "hub_collaborations", shared, headers=HUBS)["id"]
    link = {"shared_link": {"access": "open", "password": "Sesame-123"}}
    made["url"] = box("PUT", f"folders/{known['other']}?fields=shared_link", link)["shared_link"]["url"]
    parts = {"folder_id": "0", "file_name": "big", "file_size": MANY}
    box("PUT", f"users/{CLEO}", {"space_amount": MANY})
    made["session"] = box("POST", "/api/2.0/files/upload_sessions", parts)["id"]
    return made


def furnish_metadata(box: Box, known: dict[str, str]) -> dict[str, str]:
    """Two templates, one of which is applied."""
    fields = [{"type": "float", "key": "amount", "displayName": "Amount"}]
    for name in ("Invoice", "Other"):
        made = box("POST", "metadata_templates/schema", {"scope": "enterprise", "displayName": name, "fields": fields})
    for path in (f"files/{known['file']}", f"folders/{known['folder']}"):
        box("POST", f"{path}/metadata/enterprise/invoice", {"amount": 1})
    return {"scope": made["scope"], "classes": furnish_classification(box, known)}


def furnish_classification(box: Box, known: dict[str, str]) -> str:
    """A classification, which one file and one folder have."""
    field = {"type": "enum", "key": CLASS_KEY, "displayName": "Classification", "options": [{"key": "Secret"}]}
    about = {"scope": "enterprise", "templateKey": CLASSES, "displayName": "Classification"}
    box("POST", "metadata_templates/schema", {**about, "fields": [field]})
    for path in (f"files/{known['previewed']}", f"folders/{known['other']}"):
        box("POST", f"{path}/metadata/enterprise/{CLASSES}", {CLASS_KEY: "Secret"})
    return CLASSES


def furnish_governance(box: Box, known: dict[str, str]) -> dict[str, str]:
    """A retention policy that cannot be modified, assigned to a folder, another one, and legal holds."""
    policy = {"policy_type": "finite", "disposition_action": "remove_retention", "retention_length": 5}
    firm = {**policy, "policy_name": "Firm", "retention_type": "non_modifiable"}
    made = {"firm": box("POST", "retention_policies", firm)["id"], "kept": box.folder("Kept")}
    made["policy"] = box("POST", "retention_policies", {**policy, "policy_name": "Loose"})["id"]
    to = {"policy_id": made["firm"], "assign_to": {"type": "folder", "id": made["kept"]}}
    made["retained"] = box("POST", "retention_policy_assignments", to)["id"]
    box("POST", "legal_hold_policies", {"policy_name": "Other case", "is_ongoing": True})
    made["hold"] = box("POST", "legal_hold_policies", {"policy_name": "Case", "is_ongoing": True})["id"]
    on = {"policy_id": made["hold"], "assign_to": {"type": "file", "id": known["previewed"]}}
    box("POST", "legal_hold_policy_assignments", on)
    return made


class Enterprise(NamedTuple):
    """An enterprise that nobody changes, since all that is asked of it is refused."""

    box: Box
    known: dict[str, str]

    def filled(self, given: Any) -> Any:
        """What is given with ids in place of their names."""
        text = json.dumps(given)
        for name, id in {**self.known, "none": "999999999999"}.items():
            text = text.replace(f"{{{name}}}", id)
        return json.loads(text)

    def ask(self, asked: dict[str, Any]) -> Any:
        """The answer to a request that must be refused."""
        user, given = asked["as"], self.filled(asked)
        box = self.box.as_user(USERS.get(user, ""))
        options: dict[str, Any] = {"headers": given.get("headers", {})}
        if user == "nobody":
            options["token"] = ""
        if "upload" in given:
            name, parent = given["upload"]
            attributes = {"name": name, "parent": {"id": parent}} if parent else {}
            options |= {"data": {"attributes": json.dumps(attributes)}, "files": {"file": ("x", b"x")}}
        options |= {"content": given["content"].encode()} if "content" in given else {}
        options |= {"json": given["body"]} if "body" in given else {}
        return box.http(asked["operation"].split()[0], given["path"], **options)


@pytest.fixture(scope="module")
def full() -> Iterator[Enterprise]:
    """One enterprise for all cases."""
    server = LiveServer(Settings())
    users = {f"token-{user}": user for user in USERS.values()}
    environment = Platform(server.in_process).environment("box:box_base", ADA, tokens=users, auth="strict")
    box = Box(environment)
    yield Enterprise(box, furnish(box))
    server.close()


def name_of(asked: dict[str, Any]) -> str:
    return f"{asked['operation']}: {asked['why']}"


@pytest.mark.parametrize("asked", [each for each in REFUSALS if each["status"] == 401], ids=name_of)
def test_box_tells_that_a_token_is_absent_by_a_header_and_an_empty_body(full: Enterprise, asked: dict[str, Any]):
    answer = full.ask(asked)
    assert (answer.status_code, answer.content) == (401, b"")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("asked", [each for each in REFUSALS if each["status"] != 401], ids=name_of)
def test_box_refuses_what_it_documents(full: Enterprise, asked: dict[str, Any]):
    answer = full.ask(asked)
    said = answer.json()
    assert (answer.status_code, said["code"]) == (asked["status"], asked["code"]), answer.text
    assert said["message"]
    assert answer.headers["box-request-id"] == said["request_id"]
    if "metadata" not in asked["path"]:  # whose service has errors of its own form
        assert (said["type"], said["status"]) == ("error", asked["status"])
        assert said["help_url"].startswith("http")
    if "reason" in asked:
        assert said["context_info"]["errors"][0]["reason"] == asked["reason"]
    for problem in (said.get("context_info") or {}).get("errors", ()):
        assert {"reason", "name", "message"} == problem.keys()
