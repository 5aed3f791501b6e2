"""Every documented length, bound and enumeration of a parameter: the value just outside is refused.

Values just inside are taken. `KINDER` has the rules that the twin does not hold, each with the reason.
The descriptions stand in a folder `shared` beside the checkout, or where TWINDIFF_SHARED says.
"""

from __future__ import annotations

from typing import Any

import pytest

from twindiff.twins.box import twin

from .conftest import ADA, BEN, CLEO, Box
from .described import DESCRIPTIONS
from .documented_rules import Rule, rules

KINDER = {
    "query.event_type[] enum": "Box's guide says that its list of event types is not complete",
    "body.copy_hub_access enum": "copies of hubs are not restricted",
    "docgen_batch_jobs/{batch_id} query.limit maximum": "there are no batches to list",
    "taxonomies body.namespace maxLength": "there is no namespace of such a name anyway",
    "query.mdfilters maxItems": "the parameter is JSON text; the tests of searches try it",
    "query.mdfilters minItems": "likewise",
    "query.mdfilters[].scope enum": "likewise",
    "tags minItems": "an empty list removes the tags",
}
"""Rules that the twin does not hold, or that these tests cannot try, with the reason."""

TAXONOMY = {"displayName": "Places", "namespace": "enterprise_1000001"}
SESSION = {"folder_id": "0", "file_name": "large", "file_size": 20_000_000}
FILE, FOLDER = {"type": "file", "id": "{file_id}"}, {"type": "folder", "id": "{folder_id}"}
FIELD = {"type": "string", "key": "name", "displayName": "Name"}
TEMPLATE = {"scope": "enterprise", "displayName": "Ad", "fields": [FIELD]}
NAMED = {"name": "n", "parent": {"id": "0"}}
ASKED = {"items": [FILE], "prompt": "Why?"}
HOOK = {"target": FOLDER, "address": "https://a.b", "triggers": ["FILE.MOVED"]}
KEPT = {"policy_name": "k", "policy_type": "indefinite", "disposition_action": "remove_retention"}
RETAINED = {"policy_id": "{retention_policy_id}", "assign_to": FOLDER}
HELD = {"policy_id": "{legal_hold_policy_id}", "assign_to": FILE}
VIEWER = {"item": FILE, "accessible_by": {"type": "user", "id": BEN}, "role": "viewer"}
SIGNER = {"email": "a@b.c", "role": "signer"}
BARRIER, SEGMENT = "shield_information_barrier", "shield_information_barrier_segment"

QUERIES: dict[str, Any] = {
    "GET /collaborations": {"status": "pending"},
    "GET /metadata_templates": {"metadata_instance_id": "1"},
    "GET /search": {"query": "plan"},
    "GET /legal_hold_policy_assignments": {"policy_id": "{legal_hold_policy_id}"},
    "GET /file_version_legal_holds": {"policy_id": "{legal_hold_policy_id}"},
    **{f"GET /{BARRIER}_{name}": {f"{BARRIER}_id": "{barrier_id}"} for name in ("reports", "segments")},
    **{f"GET /{SEGMENT}_{name}": {f"{SEGMENT}_id": "{segment_id}"} for name in ("members", "restrictions")},
    **{f"GET /hub_{name}": {"hub_id": "{hub_id}"} for name in ("collaborations", "items")},
}
"""The queries that operations with rules require."""

BODIES: dict[str, Any] = {
    "POST /ai/ask": {"mode": "single_item_qa", **ASKED},
    "POST /ai/text_gen": ASKED,
    "POST /ai/extract": ASKED,
    "POST /ai/extract_structured": {"items": [FILE], "fields": [FIELD]},
    "PUT /skill_invocations/{skill_id}": {"status": "success", "file": FILE, "metadata": {"cards": []}},
    "POST /file_requests/{file_request_id}/copy": {"folder": FOLDER},
    "POST /metadata_cascade_policies": {"folder_id": "{folder_id}", "scope": "enterprise", "templateKey": "ad"},
    "POST /legal_hold_policy_assignments": {"policy_id": "1", "assign_to": FILE},
    "POST /retention_policy_assignments": {"policy_id": "1", "assign_to": FOLDER},
    **{f"POST /{place}": NAMED for place in ("folders", "folders/{folder_id}/copy", "files/{file_id}/copy")},
    "POST /metadata_templates/schema": {**TEMPLATE, "templateKey": "bd"},
    "POST /metadata_queries/execute_read": {"from": "enterprise_1000001.ad", "ancestor_folder_id": "0"},
    "POST /comments": {"message": "Hi", "item": FILE},
    "POST /collaborations": {**VIEWER, "accessible_by": {"type": "user", "id": CLEO}},
    "POST /tasks": {"item": FILE},
    "POST /users": {"name": "n", "login": "n@example.com"},
    "POST /groups": {"name": "Bakers"},
    "POST /webhooks": HOOK,
    "POST /retention_policies": {**KEPT, "policy_name": "r"},
    "POST /legal_hold_policies": {"policy_name": "h", "is_ongoing": True},
    "POST /sign_requests": {"signers": [SIGNER], "source_files": [FILE], "parent_folder": FOLDER},
    "POST /hubs": {"title": "t"},
    "POST /metadata_taxonomies": {**TAXONOMY, "key": "k"},
    "POST /zip_downloads": {"items": [FILE]},
}
"""Complete bodies of the operations with rules; `{file_id}` stands for the id of what the place has."""

MADE: list[tuple[str, str, Any]] = [
    ("web_link_id", "web_links", {"url": "https://a.b", "parent": {"id": "0"}}),
    ("group_id", "groups", {"name": "Cooks"}),
    ("task_id", "tasks", {"item": FILE}),
    ("collaboration_id", "collaborations", VIEWER),
    ("upload_session_id", "files/upload_sessions", SESSION),
    ("webhook_id", "webhooks", HOOK),
    ("retention_policy_id", "retention_policies", KEPT),
    ("retention_policy_assignment_id", "retention_policy_assignments", RETAINED),
    ("legal_hold_policy_id", "legal_hold_policies", {"policy_name": "l", "is_ongoing": True}),
    ("legal_hold_policy_assignment_id", "legal_hold_policy_assignments", HELD),
    ("hub_id", "hubs", {"title": "Hub"}),
    ("barrier_id", f"{BARRIER}s", {"enterprise": {"id": "1000001", "type": "enterprise"}}),
    ("segment_id", f"{SEGMENT}s", {BARRIER: {"id": "{barrier_id}"}, "name": "Trade"}),
]  # fmt: skip
"""What a place has: the placeholder of its id, the path it is posted to, and the body."""

SHAPES: dict[str, Any] = {"items": FILE, "source_files": FILE, "fields": FIELD}
"""What the lists hold that are not lists of texts."""

TAKEN = (302, 403, 404, 409)
"""Statuses of well-formed requests: a redirect, Box AI is not enabled, there is no such thing, a name is in use."""

UNTRIED = {
    "query.min_height maximum": "no thumbnail in PNG has more than 256 pixels",
    "query.min_width maximum": "likewise",
    "query.max_height minimum": "of 94 pixels and more are those in JPEG",
    "query.max_width minimum": "likewise",
    "filter_started_at maxLength": "it is a date",
    "filter_ended_at maxLength": "likewise",
    "custom_notification_recipients[].name maxLength": "a recipient has an id and a login too",
    "/ai/ask body.items maxItems": "the mode 'single_item_qa' takes one",
    "metadata_template.scope maxLength": "'fields' is given already",
}
"""Rules whose value just inside breaks another rule, with that rule."""

V2025 = {"box-version": "2025.0"}


def is_among(rule: Rule, names: dict[str, str]) -> bool:
    """Whether the rule's text ends with one of the names."""
    return any(str(rule).endswith(name) for name in names)


SERVED = [rule for rule in rules() if rule.operation not in (twin.missing or ())] if DESCRIPTIONS[0].exists() else []
RULES = [rule for rule in SERVED if not is_among(rule, KINDER)]
SIZES = [rule for rule in RULES if rule.keyword != "enum" and not is_among(rule, UNTRIED)]

pytestmark = pytest.mark.skipif(not RULES, reason=f"there is no description at {DESCRIPTIONS[0]}; set TWINDIFF_SHARED")


class Place:
    """An enterprise with one of each kind; `ids` are theirs by placeholder."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.ids = {"enterprise_id": "1000001", "extension": "png", "namespace": "enterprise_1000001", "user_id": BEN}
        self.ids |= {"file_id": box.upload("a.txt")["id"], "folder_id": box.folder("docs")}
        self.ids["taxonomy_key"] = box("POST", "metadata_taxonomies", {**TAXONOMY, "key": "places"})["key"]
        self.ids["collection_id"] = box("GET", "collections")["entries"][0]["id"]
        self.ids["template_id"] = box.upload("a.docx")["id"]
        self.make("docgen_templates", {"file": {"type": "file", "id": "{template_id}"}})
        self.make("metadata_templates/schema", {**TEMPLATE, "templateKey": "ad"})
        for name, path, body in MADE:
            self.ids[name] = self.make(path, body)["id"]

    def make(self, path: str, body: Any) -> Any:
        return self.box("POST", path, self.fill(body), headers=V2025)

    def fill(self, value: Any) -> Any:
        """Replace placeholders in a JSON value or a path."""
        if isinstance(value, dict):
            return {name: self.fill(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self.fill(each) for each in value]
        for name, id in self.ids.items() if isinstance(value, str) else ():
            value = value.replace(f"{{{name}}}", id)
        return value

    def send(self, rule: Rule, value: Any) -> Any:
        """Send the operation's request with the value at the rule's place."""
        verb, path = self.fill(rule.operation).split()
        where, _, rest = rule.place.partition(".")
        if where == "query":
            query = {**self.fill(QUERIES.get(rule.operation, {})), rest.replace("[]", ""): value}
            return self.box.http(verb, path[1:], params=query, headers=V2025)
        if rule.keyword.endswith("Items") and rule.name in SHAPES:
            value = [SHAPES[rule.name]] * len(value)
        steps = [*filter(None, rule.place[4:].replace("[]", ".[]").split("."))]
        body = self.fill(put(BODIES.get(rule.operation, {}), steps, value))
        return self.box.http(verb, path[1:], json=body, headers=V2025)


def put(body: Any, path: list[str], value: Any) -> Any:
    """Return a copy of a JSON value with another value at a path, such as `["fields", "[]", "key"]`."""
    if not path:
        return value
    first, *rest = path
    if first == "[]":
        known = body if isinstance(body, list) and body else [{}]
        return [put(known[0], rest, value)]
    known = body if isinstance(body, dict) else {}
    return {**known, first: put(known.get(first), rest, value)}


@pytest.fixture(scope="module")
def place(platform: Any) -> Place:
    tokens = {f"token-{each}": each for each in (ADA, BEN, CLEO)}
    return Place(Box(platform.environment("box:box_base", ADA, tokens=tokens)))


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_what_breaks_a_documented_rule_is_refused(place: Place, rule: Rule):
    answer = place.send(rule, rule.outside())
    assert (answer.status_code, rule.name in answer.text) == (400, True), answer.text[:300]


@pytest.mark.parametrize("rule", SIZES, ids=str)
def test_what_just_keeps_a_documented_rule_is_taken(place: Place, rule: Rule):
    answer = place.send(rule, rule.inside())
    assert answer.status_code in (*range(200, 300), *TAKEN), answer.text[:300]


def test_each_exception_is_of_a_rule_that_there_is():
    names = [str(rule) for rule in SERVED]
    assert [each for each in (*KINDER, *UNTRIED) if not any(name.endswith(each) for name in names)] == []
