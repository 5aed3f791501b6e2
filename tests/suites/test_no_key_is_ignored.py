"""Every key of every file format, misspelt, and every value, out of its range: nothing passes in silence."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.harness import Environment, LiveServer, Platform
from twindiff.kit.errors import ApiError
from twindiff.server.apis.sandbox_runs.config import start_of

Json = dict[str, Any]
Submit = Callable[[Any], tuple[bool, str]]
"""Hands a document in; returns whether it was accepted, and what was said."""

CHECK: Json = {
    "id": "asked",
    "description": "one question",
    "diff_type": "changed",
    "entity": "channels",
    "where": {"channel_id": {"eq": "C01ABCD1234"}},
    "expected_count": {"min": 1, "max": 2},
    "expected_changes": {"topic_text": {"from": {"exists": False}, "to": {"contains": "a"}}},
    "ignore": ["purpose_text"],
    "by": {"operation": "conversations.setTopic"},
}
LATER: Json = {"response": {"operation": "conversations.setTopic", "status": 200}, "after": ["asked"]}
RULES: Json = {
    "version": "1",
    "strict": True,
    "closed_world": {"except": [{"entity": "messages", "diff_type": "added", "where": {"channel_id": "C01ABCD1234"}}]},
    "ignore_fields": {"global": ["updated_at"]},
}
CLOCK: Json = {"mode": "steps", "start": "2026-01-01T09:00:00"}
TEST: Json = {
    "id": "a",
    "name": "a",
    "prompt": "Go",
    "type": "actionEval",
    "seed_template": "slack_default",
    "impersonate_user_id": "U01AGENBOT9",
    "clock": CLOCK,
    "assertions": [CHECK, LATER],
    **RULES,
}
OF_TWO: Json = {
    "id": "b",
    "name": "b",
    "prompt": "Go",
    "type": "compositeEval",
    "seed_templates": ["slack_default", "linear_default"],
    "users": {"slack": "U01AGENBOT9", "linear": "2790a7ee-fde0-4537-9588-e233aa5a68d1"},
    "expected_output": {"assertions": [{"diff_type": "added", "entity": "linear.issues"}], "version": "1"},
}
SUITE: Json = {"name": "Keys", "service": "slack", "description": "d", "owner": "me", "clock": CLOCK, **RULES}
PLAIN: Json = {
    "id": "c",
    "name": "c",
    "prompt": "Go",
    "type": "retriEval",
    "seed_template": "slack_default",
    "impersonate_user_id": "U01AGENBOT9",
    "strict": False,
    "ignore_fields": {"messages": ["created_at"]},
    "metadata": {"min_tool_calls": 1},
    "assertions": [{"diff_type": "added", "entity": "messages", "where": {"channel_id": "C01ABCD1234"}}],
}
SENT: Json = {
    "name": "Keys over HTTP",
    "description": "d",
    "visibility": "private",
    "tests": [
        {
            "name": "a",
            "prompt": "Go",
            "type": "actionEval",
            "environmentTemplate": "slack:slack_default",
            "impersonateUserId": "U01AGENBOT9",
            "clock": CLOCK,
            "expected_output": {"assertions": [CHECK, LATER], **RULES},
        }
    ],
}
SEED: Json = {
    "teams": [{"team_id": "T1", "team_name": "Ours"}],
    "users": [{"user_id": "U1", "username": "one", "email": "one@example.org", "created_at": "2026-01-01T09:00:00"}],
    "channels": [{"channel_id": "C1", "channel_name": "room", "team_id": "T1", "is_private": False}],
    "messages": [{"message_id": "1767258000.000100", "channel_id": "C1", "user_id": "U1", "message_text": "hello"}],
}
SCENARIO: Json = {
    "name": "launch",
    "seed_config": {
        "slack": {
            "users": [{"name": "eva", "real_name": "Eva", "email": "eva@example.com"}],
            "channels": [{"name": "g", "topic": "t", "messages": [{"text": "hello", "user": "eva"}]}],
        }
    },
    "twins": ["slack"],
    "description": "d",
    "tags": ["t"],
}
CONFIG: Json = {
    "version": 1,
    "prompt": "p",
    "starting_url": "https://app.example.com",
    "fallback": "agent",
    "defaults": {"who": "eva"},
    "parameters": [{"name": "what", "default": "tea"}],
    "steps": [
        {
            "action": "fill",
            "id": "one",
            "selector": "#name",
            "value": "{{who}}",
            "wait_for": "#next",
            "parameter_refs": ["who"],
            "timeout_ms": 1000,
            "expect": {"type": "text", "contains": "hello", "selector": "#a", "equals": "x", "negated": False},
        },
        {"action": "expect", "expect": {"type": "count", "selector": "li", "min": 1, "max": 2}},
    ],
    "twin_checks": [
        {
            "sentence": "Expect one message",
            "twin": "slack",
            "entity": "messages",
            "where": {"message_text": "x"},
            "named": {"channel_id": "general"},
            "min": 1,
            "max": 2,
        }
    ],
}
SANDBOX: Json = {
    "version": 1,
    "default_target": "web",
    "targets": {
        "web": {
            "context_dir": ".",
            "app_port": 8080,
            "app_command": "python app.py",
            "env": {"A": "b"},
            "twins": ["slack"],
        }
    },
}
FAULTS: Json = {
    "faults": [
        {
            "kind": "reply",
            "twin": "slack",
            "operation": "chat.*",
            "after": 1,
            "times": 2,
            "seconds": 1.0,
            "calls": 1,
            "status": 503,
            "body": "{}",
            "content_type": "application/json",
        }
    ]
}
WEBHOOK: Json = {"twin": "stripe", "url": "http://127.0.0.1:9/x", "events": ["customer.created"], "secret": "s"}

OWN_NAMES = {"metadata", "defaults", "env", "targets"}
"""Objects whose keys the author chooses."""
FREE_TEXTS = {
    *("id", "name", "prompt", "description", "owner", "message_text", "username", "email", "team_name", "sentence"),
    *("channel_name", "real_name", "text", "topic", "tags", "value", "selector", "wait_for", "contains", "equals"),
    *("A", "who", "what", "default", "app_command", "body", "secret", "operation", "team_id", "min_tool_calls"),
    *("message_id", "parameter_refs"),
}
"""Keys whose values may be any text."""


class FileFormat(NamedTuple):
    """A valid document of a format, and how it is handed in."""

    name: str
    document: Json
    way: str


FORMATS = [
    FileFormat("suite", {**SUITE, "tests": [TEST, OF_TWO]}, "import"),
    FileFormat("suite of 0.1", {"name": "P", "service": "slack", "strict": True, "tests": [PLAIN]}, "import"),
    FileFormat("suite over HTTP", SENT, "POST testSuites"),
    FileFormat("seed", SEED, "import"),
    FileFormat("scenario", SCENARIO, "POST /scenarios"),
    FileFormat("TestConfig", CONFIG, "POST /tests"),
    FileFormat("sandbox file", SANDBOX, "sandbox"),
    FileFormat("faults", FAULTS, "faults"),
    FileFormat("webhook", WEBHOOK, "webhooks"),
]


@pytest.fixture(scope="module")
def slack(platform: Platform) -> Environment:
    return platform.environment(templates=["slack:slack_default", "stripe:stripe_default"])


@pytest.fixture
def submit(live: LiveServer, slack: Environment, tmp_path: Path) -> Callable[[str, Json], tuple[bool, str]]:
    """Hand a document in the way of its format."""
    platform = Platform(live.in_process)
    ways: dict[str, Callable[[Json], Any]] = {
        "import": lambda it: platform.ask("POST", "import", {"files": {"slack_keys.json": it}}),
        "POST testSuites": lambda it: platform.ask("POST", "testSuites", it),
        "POST /scenarios": lambda it: live.in_process.post("/scenarios", json=it),
        "POST /tests": lambda it: live.in_process.post("/tests", json={"name": "t", "test_config": it}),
        "faults": lambda it: platform.ask("PUT", f"env/{slack.id}/faults", it),
        "webhooks": lambda it: platform.ask("POST", f"env/{slack.id}/webhooks", it),
    }

    def hand_in(way: str, document: Json) -> tuple[bool, str]:
        if way == "sandbox":
            return start_sandbox(tmp_path, document)
        answer = ways[way](document)
        assert answer.status_code < 500, f"{document} {answer.text}"
        told = answer.json()
        said = f"{told.get('warnings', '')}{told.get('left_out') or ''}" if answer.is_success else answer.text
        return answer.is_success and not said, said

    return hand_in


def start_sandbox(folder: Path, document: Json) -> tuple[bool, str]:
    (folder / ".arga").mkdir(exist_ok=True)
    (folder / ".arga/sandbox.yml").write_text(json.dumps(document))
    try:
        start_of(folder, None, {})
    except ApiError as error:
        return False, str(error)
    return True, ""


def misspell(document: Any, own: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield a document with one key misspelt each, after the key."""
    if isinstance(document, list):
        for at, item in enumerate(document):
            yield from ((key, [*document[:at], other, *document[at + 1 :]]) for key, other in misspell(item))
    if not isinstance(document, dict):
        return
    for key, value in document.items():
        if not own:
            wrong = f"{key[:-1]}{key[-1]}{key[-1]}q"
            yield wrong, {wrong if name == key else name: item for name, item in document.items()}
        yield from ((inner, {**document, key: other}) for inner, other in misspell(value, key in OWN_NAMES))


def disorder(document: Any, key: str = "", own: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield a document with one value that cannot be, after its place."""
    if isinstance(document, dict):
        yield key, 7 if key != "expected_count" else "many"
        for name, value in document.items():
            held = own or name in OWN_NAMES or name == "named"
            yield from ((f"{key}.{at}", {**document, name: other}) for at, other in disorder(value, name, held))
    elif isinstance(document, list):
        yield key, 7
        for at, item in enumerate(document):
            changed = disorder(item, key, own)
            yield from ((where, [*document[:at], other, *document[at + 1 :]]) for where, other in changed)
    elif not own:
        yield key, {"quite": {"another": "thing"}}
        if isinstance(document, bool):
            yield key, "perhaps"
        elif isinstance(document, int | float):
            yield key, -(10**15)
        elif key not in FREE_TEXTS:
            yield key, "no such thing"


@pytest.mark.parametrize("format", FORMATS, ids=[each.name for each in FORMATS])
def test_a_valid_document_is_accepted_without_a_word(format: FileFormat, submit: Any) -> None:
    assert submit(format.way, copy.deepcopy(format.document)) == (True, "")


@pytest.mark.parametrize("format", FORMATS, ids=[each.name for each in FORMATS])
def test_no_misspelt_key_passes_in_silence(format: FileFormat, submit: Any) -> None:
    tried = [(key, submit(format.way, copy.deepcopy(wrong))) for key, wrong in misspell(format.document)]
    print(f"{format.name}: {len(tried)} keys misspelt")
    assert [(key, said) for key, (accepted, said) in tried if accepted or key not in said] == []


@pytest.mark.parametrize("format", FORMATS, ids=[each.name for each in FORMATS])
def test_no_value_out_of_its_range_passes_in_silence(format: FileFormat, submit: Any) -> None:
    wrong = [(at, each) for at, each in disorder(format.document) if at]
    passed = [(at, submit(format.way, copy.deepcopy(each))) for at, each in wrong]
    print(f"{format.name}: {len(wrong)} values out of range")
    assert [at for at, (accepted, _) in passed if accepted] == []
