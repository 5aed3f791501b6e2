"""What collaborators of each role may do, by Box's table.

https://support.box.com/hc/en-us/articles/360044196413-Understanding-Collaborator-Permission-Levels
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from twindiff.twins.box.tests.conftest import ADA, BEN, Box

ROLES = ("co-owner", "editor", "viewer uploader", "previewer uploader", "viewer", "previewer", "uploader")
HTTPS = "https://example.com/hook"


class Workplace(NamedTuple):
    """A collaborator and what the owner has put into the shared folder."""

    box: Box
    ben: Box
    ids: dict[str, str]


@pytest.fixture(scope="module", params=ROLES)
def workplace(request: pytest.FixtureRequest, platform: Any) -> tuple[str, Workplace]:
    """A folder that is shared with Ben in a role."""
    tokens = {f"token-{each}": each for each in (ADA, BEN)}
    box = Box(platform.environment("box:box_base", ADA, tokens=tokens), ADA)
    ids = {"folder": box.folder("shared"), "home": box.as_user(BEN).folder("home")}
    ids |= {name: box.upload(f"{name}.txt", parent=ids["folder"])["id"] for name in ("file", "other", "third")}
    ids["inner"] = box.folder("inner", ids["folder"])
    ids["task"] = box("POST", "tasks", {"item": {"type": "file", "id": ids["file"]}})["id"]
    ids["comment"] = box("POST", "comments", {"item": {"type": "file", "id": ids["file"]}, "message": "hi"})["id"]
    whom = {"type": "user", "id": BEN}
    item = {"type": "folder", "id": ids["folder"]}
    box("POST", "collaborations", {"item": item, "accessible_by": whom, "role": request.param})
    return request.param, Workplace(box, box.as_user(BEN), ids)


FILE = {"type": "file", "id": "{file}"}
PROPERTIES = "files/{file}/metadata/global/properties"
ACTIONS: list[tuple[str, str, Any, str]] = [
    ("GET", "folders/{folder}/items", None, "xxxxxxx"),
    ("GET", "files/{file}/content", None, "xxx.x.."),
    ("GET", "files/{file}/thumbnail.png", None, "xxxxxx."),
    ("GET", "files/{file}/comments", None, "xxxxxx."),
    ("POST", "comments", {"item": FILE, "message": "mine"}, "xxxxxx."),
    ("DELETE", "comments/{comment}", None, "x......"),
    ("GET", "files/{file}/tasks", None, "xxxxxx."),
    ("POST", "tasks", {"item": FILE}, "xxxxxx."),
    ("POST", "task_assignments", {"task": {"type": "task", "id": "{task}"}, "assign_to": {"id": ADA}}, "xxxxxx."),
    ("POST", "webhooks", {"target": FILE, "address": HTTPS, "triggers": ["FILE.TRASHED"]}, "xx....."),
    ("POST", PROPERTIES, {"a": "b"}, "xxxx..x"),
    ("DELETE", PROPERTIES, None, "xxxx..x"),
    ("PUT", "files/{file}", {"lock": {"type": "lock"}}, "xxx...."),
    ("PUT", "files/{file}", {"lock": None}, "xxx...."),
    ("PUT", "files/{other}", {"shared_link": {}}, "xxx.x.."),
    ("PUT", "files/{other}", {"shared_link": {"password": "Secret12"}}, "xx....."),
    ("POST", "files/{file}/upload_sessions", {"file_size": 30_000_000}, "xxx...."),
    ("POST", "folders", {"name": "new", "parent": {"id": "{folder}"}}, "xxxx..x"),
    ("POST", "files/{other}/copy", {"parent": {"id": "{home}"}}, "xxx.x.."),
    ("PUT", "files/{other}", {"tags": ["red"]}, "xx....."),
    ("PUT", "files/{other}", {"name": "renamed.txt"}, "xx....."),
    ("PUT", "folders/{folder}", {"can_non_owners_view_collaborators": True}, "x......"),
    ("DELETE", "files/{third}", None, "xx....."),
]


def test_a_role_allows_what_the_table_says(workplace: tuple[str, Workplace]):
    role, (_, ben, ids) = workplace
    allowed: list[str] = []
    for verb, path, body, _ in ACTIONS:
        sent = {} if body is None else {"json": _named(body, ids)}
        answer = ben.http(verb, path.format(**ids), **sent)
        assert answer.is_success or answer.status_code in (302, 400, 403), (verb, path, answer.text)
        allowed.append("x" if answer.status_code < 400 else ".")
    expected = [marks[ROLES.index(role)] for *_, marks in ACTIONS]
    wrong = [(action[:2], got) for action, got, want in zip(ACTIONS, allowed, expected, strict=True) if got != want]
    assert wrong == []


def _named(body: Any, ids: dict[str, str]) -> Any:
    """Return a body with the ids of a workplace in place of their names."""
    if isinstance(body, dict):
        return {name: _named(value, ids) for name, value in body.items()}
    return body.format(**ids) if isinstance(body, str) else body


def test_a_new_version_needs_more_than_the_right_to_upload(workplace: tuple[str, Workplace]):
    role, (_, ben, ids) = workplace
    assert (ben.new_version(ids["other"], b"2").status_code == 200) is (role in ROLES[:3])
    assert (ben.sent("more.txt", b"1", ids["folder"]).status_code == 201) is (role not in ("viewer", "previewer"))


@pytest.mark.parametrize("role", ["co-owner", "uploader", "previewer", "viewer uploader", "previewer uploader"])
def test_a_single_file_has_editors_and_viewers_alone(box: Box, role: str):
    item, whom = {"type": "file", "id": box.upload()["id"]}, {"type": "user", "id": BEN}
    assert box.refused("POST", "collaborations", {"item": item, "accessible_by": whom, "role": role})[0] == 400
    made = box("POST", "collaborations", {"item": item, "accessible_by": whom, "role": "viewer"})
    assert box.refused("PUT", f"collaborations/{made['id']}", {"role": role})[0] == 400
