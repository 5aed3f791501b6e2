"""No request makes a handler of a shipped draft fail."""

import re
from typing import Any

import pytest

from twindiff.drafts.shipped import NAMES, find_shipped

from .conftest import Connect

ODD: tuple[Any, ...] = (
    5,
    "x",
    None,
    [],
    {},
    [5],
    ["x"],
    [{}],
    {"a": 5},
    [None],
    True,
    {"name": ["x"]},
    {"type": {"x": 1}, "filters": [5]},
)
PLACES = {
    "issueIdOrKey": "ENG-1", "projectIdOrKey": "ENG", "projectKeyOrId": "ENG", "epicIdOrKey": "ENG-1",
    "objectType": "contacts", "toObjectType": "companies", "type": "Account", "version": "62.0",
}  # fmt: skip
MADE: dict[str, list[tuple[str, Any]]] = {
    "jira": [
        ("/rest/api/3/project", {"key": "ENG", "name": "Engine"}),
        *(
            ("/rest/api/3/issue", {"fields": {"project": {"key": "ENG"}, "summary": "S", "issuetype": {"name": "Bug"}}})
            for _ in range(2)
        ),
        ("/rest/agile/1.0/sprint", {"name": "S", "originBoardId": 1}),
    ],
    "hubspot": [("/crm/v3/objects/contacts", {"properties": {"email": "a@example.com"}})],
    "salesforce": [("/services/data/v62.0/sobjects/Account", {"Name": "A"})],
}
SAYS_500 = "POST /services/Soap/u/"
"""SOAP answers each fault with 500."""


@pytest.mark.parametrize("name", [name for name in NAMES if find_shipped(name).stands_alone])
def test_odd_bodies_and_parameters_are_refused_or_answered_by_each_handler(connect: Connect, name: str):
    draft = find_shipped(name)
    client = connect(name, "https://vendor.test")
    for made_at, body in MADE.get(name, ()):
        assert client.post(made_at, json=body).status_code == 201
    failed: list[str] = []
    for operation in draft.twin().dispatch.operations:
        verb, path = operation.declared.verb, operation.declared.path
        path = re.sub(r"\{([^}]*)\}", lambda place: PLACES.get(place[1], "1"), path)
        is_deletion = verb == "DELETE" and path.endswith(("/ENG-1", "/ENG", "sprint/1"))
        if "/rest/api/2/" in path or "/rest/api/latest/" in path or is_deletion:
            continue
        names = [each for each in operation.bound.names if each not in operation.placeholders]
        for odd in ODD:
            sent: dict[str, Any] = {"params": dict.fromkeys(names, str(odd))} if verb in ("GET", "DELETE") else {}
            answer = client.request(verb, path, **(sent or {"json": dict.fromkeys(names, odd)}))
            if answer.status_code in (500, 502, 503) and not f"{verb} {path}".startswith(SAYS_500):
                failed.append(f"{verb} {path} {odd!r}: {answer.text[:80]}")
    assert failed == []


INSIDE = [
    ("hubspot", "/crm/v3/objects/contacts/search", {"filterGroups": [{"filters": [5]}]}),
    ("hubspot", "/crm/v3/objects/contacts/search", {"filterGroups": [{"filters": 5}]}),
    ("hubspot", "/crm/v3/objects/contacts/search", {"sorts": [5]}),
    ("hubspot", "/crm/v3/objects/contacts/batch/create", {"inputs": [{"properties": 5}]}),
    ("hubspot", "/crm/v3/objects/contacts", {"associations": [{"to": 5, "types": [5]}]}),
    ("jira", "/rest/api/3/issue/bulk", {"issueUpdates": [{"fields": 5}]}),
    ("jira", "/rest/api/3/issue", {"fields": {"project": {"key": []}, "issuetype": {"id": {}}}}),
    ("jira", "/rest/api/3/issue/ENG-1/comment", {"body": {"type": "doc", "content": [5, {"content": 5}]}}),
    ("jira", "/rest/api/3/issue/ENG-1/transitions", {"transition": {"id": []}, "update": {"labels": [{"add": {}}]}}),
    ("salesforce", "/services/data/v62.0/composite/sobjects", {"records": [{"attributes": 5}]}),
    ("salesforce", "/services/data/v62.0/sobjects/Account", {"Name": [], "NumberOfEmployees": {}}),
]


@pytest.mark.parametrize(("name", "path", "body"), INSIDE)
def test_odd_values_inside_bodies_are_refused(connect: Connect, name: str, path: str, body: Any):
    client = connect(name, "https://vendor.test")
    for made_at, given in MADE[name]:
        client.post(made_at, json=given)
    answer = client.post(path, json=body)
    assert 400 <= answer.status_code < 500 or answer.status_code in (200, 201), answer.text
