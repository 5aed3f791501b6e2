"""A small client of the Sandbox API, and what its diffs are: a schema, and how they are applied."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import httpx

Json = dict[str, Any]
State = dict[str, Json]
"""Full rows by the pointer to each."""

DIFF_ENTRY: Json = {
    "type": "object",
    "required": ["id", "sandbox_id", "operation", "timestamp", "changes"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string"},
        "sandbox_id": {"type": "string"},
        "operation": {"type": "string"},
        "timestamp": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"},
        "changes": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["path", "type"],
                "additionalProperties": False,
                "properties": {
                    "path": {"type": "string", "pattern": r"^(/([^/~]|~[01])+){2,3}$"},
                    "type": {"enum": ["add", "remove", "replace"]},
                    "value": {},
                },
                "if": {"properties": {"type": {"const": "remove"}}},
                "then": {"not": {"required": ["value"]}},
                "else": {"required": ["value"]},
            },
        },
    },
}


class Sandboxes:
    """The Sandbox API of a server: each method gives the parsed answer of a call that must succeed."""

    def __init__(self, client: httpx.Client, key: str | None = None) -> None:
        self.client = client
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}

    def ask(self, verb: str, path: str, body: Any = None, **options: Any) -> httpx.Response:
        """The raw answer to `verb /v1/path`; `options` are httpx's."""
        if body is not None:
            options["json"] = body
        headers = {**self.headers, **options.pop("headers", {})}
        return self.client.request(verb, f"/v1/{path}", headers=headers, **options)

    def create(self, api: str = "slack", **fields: Any) -> Json:
        """A new sandbox."""
        return self._succeeded(self.ask("POST", "sandboxes", {"api": api, **fields}), 201)

    def get(self, path: str, **query: Any) -> Json:
        return self._succeeded(self.ask("GET", f"sandboxes{path}", params=query), 200)

    def diffs(self, sandbox_id: str, **query: Any) -> list[Json]:
        return self.get(f"/{sandbox_id}/diffs", **query)["diffs"]

    def status(self, sandbox: Json) -> str:
        return self.get(f"/{sandbox['id']}")["status"]

    def refusal(self, verb: str, path: str, body: Any = None, **options: Any) -> tuple[int, str]:
        """Status and code of a call that must be refused in the contract's form."""
        answer = self.ask(verb, path, body, **options)
        problem = answer.json()
        assert problem.keys() == {"error", "message"}, answer.text
        return answer.status_code, problem["error"]

    def complaint(self, **body: Any) -> tuple[int, str]:
        """Status and message of a sandbox that must not be made."""
        answer = self.ask("POST", "sandboxes", body)
        return answer.status_code, answer.json()["message"]

    def call(self, sandbox: Json, path: str, **options: Any) -> Json:
        """The answer of a sandbox's API to a POST, by nothing but its base URL."""
        headers = {"Authorization": "Bearer any"}
        return self._succeeded(self.client.post(f"{sandbox['base_url']}{path}", headers=headers, **options), 200)

    def say(self, sandbox: Json, text: str) -> str:
        """Post a message in Slack and give its ts."""
        return self.call(sandbox, "/chat.postMessage", json={"channel": "C01ABCD1234", "text": text})["ts"]

    def _succeeded(self, answer: httpx.Response, status: int) -> Json:
        assert answer.status_code == status, f"{answer.status_code} {answer.text}"
        return answer.json()


def placed(rows: Iterable[Json], table: str, key: tuple[str, ...]) -> State:
    """Rows of a table by the pointer to each."""
    return {f"/{table}/{escaped(','.join(str(row[name]) for name in key))}": row for row in rows}


def escaped(text: str) -> str:
    return text.replace("~", "~0").replace("/", "~1")


def applied(before: State, entries: Iterable[Json]) -> State:
    """The state that entries lead to; each change must fit what it finds."""
    state = dict(before)
    for change in [change for entry in entries for change in entry["changes"]]:
        path = change["path"]
        if change["type"] == "remove":
            del state[path]
        elif change["type"] == "add":
            assert path not in state
            state[path] = change["value"]
        else:
            row, _, name = path.rpartition("/")
            column = re.sub("~[01]", lambda escape: "/" if escape[0] == "~1" else "~", name)
            assert column in state[row]
            state[row] = {**state[row], column: change["value"]}
    return state


def exactly(state: State) -> list[tuple[str, str]]:
    """A state in which true, 1 and 1.0 are told apart."""
    return sorted((path, repr(sorted(row.items()))) for path, row in state.items())
