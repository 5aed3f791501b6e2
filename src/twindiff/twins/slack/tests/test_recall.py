"""How many of the fields that the vendor's types name for an answer are there, and why the others are not.

The README has a table of what is left out, and the figures; both are held to what an independent probe's round through
`slack_lighthouse` finds. The probe and the types are found as test_conformance.py says.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections import Counter
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import pytest

from tests.harness import Environment, Platform
from twindiff.twins.slack.tests.calls import DIRECT, EDITED, GENERAL, ITEM, LIST, ME, WORLD
from twindiff.twins.slack.tests.conftest import SEED
from twindiff.twins.slack.tests.pictures import moving, picture
from twindiff.twins.slack.tests.test_conformance import PROBE, need, pytestmark, types, unpacked  # noqa: F401
from twindiff.twins.slack.tests.test_side_effects import README

OF_ERRORS, NOT_SERVED = "Errors and warnings", "Not served"

ASKED: list[tuple[str, dict[str, Any]]] = [
    ("api.test", {"foo": "bar"}),
    ("chat.postMessage", {"channel": DIRECT, "text": "hi"}),
    ("conversations.open", {"channel": DIRECT, "return_im": True}),
    ("conversations.list", {"types": "im"}),
    ("emoji.list", {"include_categories": True}),
    ("usergroups.list", {"include_count": True}),
    ("users.getPresence", {}),
    ("users.info", {"user": ME, "include_locale": True}),
    ("reminders.add", {"text": "water", "time": "every day"}),
    ("reminders.list", {}),
    ("stars.add", {"file": "F1"}),
    ("files.info", {"file": "F1"}),
    ("files.info", {"file": "F8"}),
    ("files.info", {"file": LIST}),
    ("conversations.info", {"channel": GENERAL, "include_locale": True}),
    ("conversations.canvases.create", {"channel_id": GENERAL}),
    ("files.list", {"types": "canvas", "channel": GENERAL}),
    ("chat.postMessage", {"channel": GENERAL, "text": "hi", "metadata": {"event_type": "a", "event_payload": {}}}),
    ("chat.postMessage", {"channel": GENERAL, "text": "hi", "username": "Ana", "icon_emoji": ":eyes:"}),
    ("chat.postMessage", {"channel": GENERAL, "text": "hi", "attachments": [{"text": "more"}]}),
    ("chat.postMessage", {"channel": GENERAL, "text": "hi", "thread_ts": EDITED, "reply_broadcast": True}),
    ("conversations.history", {"channel": GENERAL, "oldest": "1", "latest": "2000000000"}),
    ("chat.delete", {"channel": GENERAL, "ts": EDITED}),
    ("conversations.history", {"channel": GENERAL, "include_all_metadata": True}),
    ("files.remote.list", {}),
    ("slackLists.items.info", {"list_id": LIST, "id": ITEM}),
]
"""What is answered to those who ask for it, or where there is such a thing: in a world of everything, by a bot."""

PICTURES = {"map.png": picture, "cat.gif": moving}
"""What is uploaded to that world first, and looked at."""


class Fields(NamedTuple):
    """What the round found: how many fields are named, which are missed, and which are in any answer.

    A field is told by what holds it, in the singular, and its name; at the top of an answer by the method.
    """

    named: int
    missed: list[tuple[str, str]]
    shown: set[tuple[str, str]]


@pytest.fixture(scope="module")
def fields(platform: Platform, types: Any) -> Fields:  # noqa: F811
    need(types)
    sys.path.insert(0, str(PROBE.parent))
    try:
        tools, probe = (importlib.import_module(name) for name in ("schema_tools", "slack_conformance"))
    finally:
        sys.path.remove(str(PROBE.parent))
    recall = Recall(tools, str(types))
    environment = platform.environment("slack:slack_lighthouse", tokens={"xoxp-1": ME})
    base = f"{platform.client.base_url.join(environment.made['environmentUrl'])}/"
    probe.scenario(base, "xoxp-1", probe.Report("slack"), recall)
    seed = json.loads(SEED.read_text())
    rows = {**seed, **{table: [*seed.get(table, []), *more] for table, more in WORLD.items()}}
    rows["users"] = [{**user, "is_bot": user["user_id"] == ME} for user in rows["users"]]
    rows["files"] = [{**file, "alt_text": "What is planned"} for file in rows["files"]]
    platform.post("import", {"files": {"slack_recall.json": rows}})
    world = platform.environment("slack:slack_recall", tokens={"xoxp-1": ME})
    uploaded = [("files.info", {"file": upload(world, name, made())}) for name, made in PICTURES.items()]
    for method, arguments in uploaded + ASKED:
        answer = world.slack(method, token="xoxp-1", **arguments)
        assert answer["ok"], answer
        recall.note(answer, method)
    return Fields(recall.named, recall.missed, recall.shown)


def upload(world: Environment, name: str, data: bytes) -> str:
    """The id of a file that was uploaded to a world."""
    ticket = world.slack("files.getUploadURLExternal", token="xoxp-1", filename=name, length=len(data))
    assert world.platform.client.post(ticket["upload_url"], content=data).is_success
    made = world.slack("files.completeUploadExternal", token="xoxp-1", files=[{"id": ticket["file_id"]}])
    return made["files"][0]["id"]


class Recall:
    """Reads answers as the probe does: the fields of an answer, and of the first of what it holds."""

    def __init__(self, tools: Any, folder: str) -> None:
        self.tools, self.types = tools, tools.TsTypes(folder)
        self.named = 0
        self.missed: list[tuple[str, str]] = []
        self.shown: set[tuple[str, str]] = set()

    def __call__(self, method: str, body: Any) -> None:
        name = "".join(part[:1].upper() + part[1:] for part in method.split("."))
        root = self.types.root(f"{name}Response") if isinstance(body, dict) and body.get("ok") else None
        if root is None:
            return
        self.note(body, method)
        properties = self.one(method, body, root, root)
        for field in sorted(properties.keys() & body.keys()):
            value, kind = body[field], properties[field]
            if isinstance(value, list) and value and isinstance(value[0], dict):
                value, kind = value[0], self.tools.resolve(kind, root).get("items", {})
            if isinstance(value, dict):
                self.one(holder(field), value, kind, root)

    def one(self, held_by: str, value: Any, kind: Any, root: Any) -> dict[str, Any]:
        properties, _ = self.tools.known_props(kind, root)
        self.named += len(properties)
        self.missed += [(held_by, name) for name in properties if name not in value]
        return properties

    def note(self, value: Any, held_by: str) -> None:
        """Remember all fields of an answer."""
        if isinstance(value, list):
            for each in value:
                self.note(each, held_by)
        elif isinstance(value, dict):
            for name, each in value.items():
                self.shown.add((held_by, name))
                self.note(each, holder(name))


def holder(name: str) -> str:
    """What a list or an object of this name holds, in the singular."""
    return {"members": "user", "items": "item"}.get(name, name.removesuffix("s"))


def left_out() -> dict[str, list[str]]:
    """The patterns of fields by why they are left out."""
    text = README.split("## Fields that are left out\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| ")][1:]
    return {row[0].strip(): re.findall(r"`(.+?)`", row[1]) for row in rows}


LEFT_OUT = left_out()


def reason(name: str) -> str | None:
    return next((why for why, patterns in LEFT_OUT.items() if any(fnmatchcase(name, each) for each in patterns)), None)


def test_every_field_that_is_missed_is_shown_elsewhere_or_the_readme_says_why_not(fields):
    assert {field for field in fields.missed if field not in fields.shown and reason(field[1]) is None} == set()


def test_the_readme_leaves_out_nothing_that_is_not_missed(fields):
    names = {name for held_by, name in fields.missed if (held_by, name) not in fields.shown}
    patterns = [pattern for patterns in LEFT_OUT.values() for pattern in patterns]
    assert [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in names)] == []


def test_the_readme_tells_the_figures(fields):
    never = [field for field in fields.missed if field not in fields.shown]
    why = Counter(reason(name) for _, name in never)
    there, errors = fields.named - len(fields.missed), why[OF_ERRORS]
    elsewhere = len(fields.missed) - len(never)
    possible = fields.named - len(never) + why[NOT_SERVED]
    of_files = sum(count for each, count in why.items() if each and each.startswith("Files"))
    shown, right = there + elsewhere, fields.named - errors
    shares = there / fields.named, there / right, shown / right, shown / (possible + of_files)
    figures = " · ".join(f"{share:.0%}".replace("%", " %") for share in shares)
    assert f"{figures} ({fields.named} fields)" in README
