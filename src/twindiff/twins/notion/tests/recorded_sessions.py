"""Replays recorded sessions of Notion's API against the twin, and compares the answers.

Ids are bound while a session runs: where an answer has another id than the recorded one, later requests and
expectations have the twin's. `NOT_COMPARED` names the values that cannot be equal, each with the reason.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

Answer = Any
NOT_COMPARED = {
    "request_id": "is new for each request",
    "created_time": "is the recording's",
    "last_edited_time": "is the recording's",
    "expiry_time": "is the recording's",
    "imported_time": "is the recording's",
    "expires_at": "is the recording's",
    "email_verified": "the recordings of June have none",
    "avatar_url": "is the recording account's",
    "color": "Notion gives options without one a random color; compared where the request names it",
}
UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
PROPERTY = re.compile(r"block_property:([^:]+):")


def read_sessions(path: Path) -> Iterator[Answer]:
    """The sessions of a file of JSON lines, the first of which holds answers that several share."""
    data = path.read_bytes()
    head, *sessions = map(json.loads, (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines())
    for session in sessions:
        for step in session["steps"]:
            answer = step.get("response")
            if isinstance(answer, dict) and answer.keys() == {"$blob"}:
                step["response"] = head["blobs"][answer["$blob"]]
        yield session


class Bindings:
    """The twin's ids by the recorded ones; those in `seeded` are the same here."""

    def __init__(self, seeded: str = "") -> None:
        self.known: dict[str, str] = {}
        self._seeded = seeded

    def bind(self, old: str, new: str) -> None:
        """Learn an id."""
        if old != new and old not in self.known and f'"{old}"' not in self._seeded:
            self.known[old] = new
            if UUID.fullmatch(old):
                self.known[old.replace("-", "")] = new.replace("-", "")

    def fill(self, value: Any) -> Any:
        """A value with the twin's ids."""
        if isinstance(value, dict):
            return {self.fill_text(key): self.fill(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.fill(each) for each in value]
        return self.fill_text(value) if isinstance(value, str) else value

    def fill_text(self, text: str) -> str:
        """A text with the twin's ids."""
        text = PROPERTY.sub(lambda match: "block_property:" + self.known.get(match[1], match[1]) + ":", text)
        return self.known.get(text) or UUID.sub(lambda match: self.known.get(match[0], match[0]), text)

    def learn(self, old: Any, new: Any, key: str = "") -> None:
        """Bind the ids of an answer, also those of properties and options, which are short."""
        if isinstance(old, dict) and isinstance(new, dict):
            for name in old.keys() & new.keys():
                self.learn(old[name], new[name], name)
        elif isinstance(old, list) and isinstance(new, list):
            for left, right in zip(old, new, strict=False):
                self.learn(left, right, key)
        elif isinstance(old, str) and isinstance(new, str):
            is_id = key == "id" or key.endswith(("_id", "_ids", "cursor"))
            if is_id and old != new and " " not in old and len(old) > 2:
                self.bind(old, new)
                self.bind(unquote(old), unquote(new))


def differences(old: Any, new: Any, bindings: Bindings, at: str = "", key: str = "") -> Iterator[str]:
    """Where an answer differs from the recorded one; what the twin adds is no difference."""
    if key in NOT_COMPARED:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for name, each in old.items():
            live = name if name in new else bindings.fill_text(name)
            if live not in new:
                yield f"{at}/{name} missing"
            else:
                yield from differences(each, new[live], bindings, f"{at}/{name}", name)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from differences(left, right, bindings, f"{at}/{number}", key)
    elif not _is_equal(bindings.fill(old), new):
        yield f"{at}: {json.dumps(new)[:200]} for {json.dumps(bindings.fill(old))[:200]}"


def _is_equal(old: Any, new: Any) -> bool:
    if isinstance(old, str) and old.startswith("http") and "notion" in old:
        return isinstance(new, str) and _same_path(old, new)
    return old == new and isinstance(old, bool) == isinstance(new, bool)


def _same_path(old: str, new: str) -> bool:
    if "amazonaws" in old or "X-Amz" in old or "/send" in old or "async_tasks" in old:
        return True
    return old.partition("?")[0].split("/")[-2:] == new.partition("?")[0].split("/")[-2:]
