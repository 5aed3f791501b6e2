"""Slack's published description of its Web API, of 2021, compared with ours: arguments, required ones, and errors.

The description stands in a folder `shared` beside the checkout, or where TWINDIFF_SHARED says. What differs is
explained here. Methods of organizations are left out, since the twin refuses them as Slack refuses a single workspace.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.harness import GENERAL
from twindiff.twins.slack import twin
from twindiff.twins.slack.core import enterprise_methods
from twindiff.twins.slack.tests.calls import CALLS, WORLD, method_of
from twindiff.twins.slack.tests.conftest import SEED, TOKENS, Slack
from twindiff.twins.slack.tests.test_conformance import SHARED
from twindiff.twins.slack.tests.unraised_errors import NEVER_RAISED, explain_error

DESCRIPTION = SHARED / "specs" / "slack" / "slack_web_openapi_v2_without_examples.json"
SOURCES = Path(__file__).parents[1]

WITHOUT_EFFECT = {
    "as_user": "was for classic apps, which Slack has retired",
    "link_names": "the twin's page says so",
    "parse": "the twin's page says so",
    "mrkdwn": "the twin's page says so",
    "unfurl_links": "the twin's page says so",
    "unfurl_media": "the twin's page says so",
    "user_auth_message": "the twin's page says so",
    "user_auth_required": "the twin's page says so",
    "user_auth_url": "the twin's page says so",
    "show_files_hidden_by_limit": "the twin's page says so",
    "preview_image": "the twin's page says so",
    "indexable_file_contents": "the twin's page says so",
    "chat.postEphemeral icon_emoji": "the twin's page says so",
    "chat.postEphemeral icon_url": "the twin's page says so",
    "chat.postEphemeral username": "the twin's page says so",
    "files.info limit": "pages through comments, which files have no longer",
    "files.info cursor": "pages through comments, which files have no longer",
    "team.accessLogs before": "nobody signs in, so that the list is empty",
    **dict.fromkeys(
        (f"team.integrationLogs {name}" for name in ("app_id", "change_type", "service_id", "user")),
        "nothing is installed, so that the list is empty",
    ),
}
"""Arguments that the twin takes without an effect, by name or by method and name."""

OPTIONAL_HERE = {
    "dnd.setSnooze num_minutes": "https://docs.slack.dev/reference/methods/dnd.setSnooze calls it optional",
    "search.messages query": "an empty one is refused with the code of the page",
    "views.open trigger_id": "`interactivity_pointer` may stand for it",
    "views.push trigger_id": "`interactivity_pointer` may stand for it",
}
"""Arguments that the description requires and a call of today need not have, or that another rule refuses."""

pytestmark = pytest.mark.skipif(
    not DESCRIPTION.exists(), reason=f"there is no description at {DESCRIPTION}; set TWINDIFF_SHARED"
)


def described() -> Iterator[tuple[str, dict[str, Any]]]:
    """The described methods that are served, each with its operation."""
    for path, verbs in json.loads(DESCRIPTION.read_text())["paths"].items() if DESCRIPTION.exists() else ():
        name = path.removeprefix("/")
        if name in twin.dispatch.methods and name not in enterprise_methods.METHODS and not name.startswith("admin."):
            yield from ((name, operation) for operation in verbs.values())


def arguments() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, operation in described():
        yield from ((name, each) for each in operation.get("parameters", ()) if each["name"] != "token")


def test_every_described_argument_is_read_or_said_to_have_no_effect():
    read = {
        name: {field.encode_name for field in msgspec.structs.fields(operation.bound.contract)}
        for name, operation in twin.dispatch.methods.items()
    }
    unread = {f"{method} {each['name']}" for method, each in arguments() if each["name"] not in read[method]}
    explained = {each for each in unread if each in WITHOUT_EFFECT or each.partition(" ")[2] in WITHOUT_EFFECT}
    assert unread - explained == set()
    assert len(list(arguments())) > 250


REQUIRED = [
    (call, each["name"])
    for method, each in arguments()
    for call in CALLS
    if each.get("required") and method_of(call) == method and each["name"] in CALLS[call]
]


@pytest.fixture(scope="module")
def shared_world(platform: Any) -> Any:
    """A workspace for calls that are refused."""
    seed = json.loads(SEED.read_text())
    rows = {table: [*seed.get(table, []), *added] for table, added in WORLD.items()}
    platform.post("import", {"files": {"slack_described.json": {**seed, **rows}}})
    return Slack(platform.environment("slack:slack_described", tokens=TOKENS))


def test_a_call_without_a_described_required_argument_is_refused(shared_world: Any):
    taken = []
    for call, argument in REQUIRED:
        given = {name: value for name, value in CALLS[call].items() if name not in (argument, "token")}
        if f"{method_of(call)} {argument}" not in OPTIONAL_HERE and shared_world(method_of(call), **given)["ok"]:
            taken.append((call, argument))
    assert taken == []
    assert len(REQUIRED) > 40


def test_every_described_error_is_raised_or_explained():
    sources = [path.read_text() for path in SOURCES.rglob("*.py") if "tests" not in path.parts]
    text = "\n".join([*sources, (SOURCES.parents[1] / "kit" / "styles" / "base.py").read_text()])
    codes: set[str] = set()
    for _, operation in described():
        schema = operation["responses"].get("default", {}).get("schema", {})
        codes |= set(schema.get("properties", {}).get("error", {}).get("enum", ()))
    raised = {code for code in codes if re.search(rf"\b{code.title().replace('_', '')}\b|['\"]{code}['\"]", text)}
    assert codes - raised == set(NEVER_RAISED), (codes - raised) ^ set(NEVER_RAISED)
    assert len(raised) > 60


@pytest.fixture(scope="module")
def compared() -> list[Any]:
    """The errors of every described method beside those of its handler."""
    sys.path.insert(0, str(Path(__file__).parents[5] / "docs" / "reference"))
    slack_errors = importlib.import_module("slack_errors")
    described_codes: dict[str, list[str]] = {}
    for name, operation in described():
        schema = operation["responses"].get("default", {}).get("schema", {})
        described_codes.setdefault(name, []).extend(schema.get("properties", {}).get("error", {}).get("enum", ()))
    return slack_errors.compare_errors(twin, described_codes)


def test_every_described_error_of_a_method_is_named_by_it_or_explained(compared: list[Any]):
    missing = [(row.method, code) for row in compared for code in row.missing]
    assert [each for each in missing if not explain_error(*each)] == []
    assert len(compared) > 90


MALFORMED = [
    ("conversations.members", {"channel": GENERAL, "cursor": "x"}, "invalid_cursor"),
    ("conversations.members", {"channel": GENERAL, "limit": "x"}, "invalid_limit"),
    ("users.conversations", {"cursor": "x"}, "invalid_cursor"),
    ("users.conversations", {"limit": "x"}, "invalid_limit"),
    ("users.list", {"cursor": "x"}, "invalid_cursor"),
    ("chat.scheduleMessage", {"channel": GENERAL, "text": "a", "post_at": "x"}, "invalid_time"),
    ("pins.add", {"channel": GENERAL}, "no_item_specified"),
    ("pins.remove", {"channel": GENERAL}, "no_item_specified"),
]


@pytest.mark.parametrize(("method", "given", "error"), MALFORMED)
def test_a_malformed_parameter_is_told_by_the_code_of_its_method(shared_world: Any, method, given, error):
    assert shared_world(method, **given)["error"] == error
