"""Replays a recorded session against an environment, and compares the answers step by step.

Ids differ between a vendor and a twin. Where the recorded answer has one text and the twin's another at the same place,
later requests that contain the first are sent with the second.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, cast

import httpx
import msgspec

from twindiff.cli.programs.sessions import SessionStep
from twindiff.cli.remote import Json
from twindiff.environments.spoken_secrets import LEFT_OUT

MIN_ID_CHARACTERS = 6
MAX_ID_CHARACTERS = 200
MAX_DIFFERENCES = 50
"""Differences of one step that are listed."""
TIMEOUT_SECONDS = 60
_NOT_SENT = ("authorization", "content-length", "host", "accept-encoding", "x-api-key")


class StepResult(msgspec.Struct):
    """What differs in one step; `skipped` says why it could not be replayed."""

    number: int
    request: str
    status: int
    recorded_status: int
    differences: list[str]
    skipped: str = ""


class Replay:
    """A session on its way through an environment."""

    def __init__(self, client: httpx.Client, token: str, *, values: bool) -> None:
        """`values` compares texts, numbers and lengths of lists too, not only fields and their types."""
        self._client, self._token, self._values = client, token, values
        self._ids: dict[str, str] = {}

    def run(self, steps: Sequence[SessionStep]) -> Iterator[StepResult]:
        """Replay the steps in order."""
        for step in steps:
            yield self._play(step)

    def _play(self, step: SessionStep) -> StepResult:
        request = step.request
        shown = f"{request.method} {step.host}{request.path}"
        result = StepResult(step.number, shown, 0, step.answer.status, [])
        body = request.body.text
        if (request.body.bytes and body is None) or request.body.is_cut:
            result.skipped = "the session has only a part of its body"
            return result
        headers = {
            name: value for name, value in request.headers.items() if name not in _NOT_SENT and LEFT_OUT not in value
        }
        url = f"https://{step.host}{self._translate(request.path)}"
        query = self._translate(request.query).replace(LEFT_OUT, self._token)
        content = self._translate(body or "").replace(LEFT_OUT, self._token)
        answer = self._client.request(
            request.method, f"{url}?{query}" if query else url, headers=headers, content=content.encode()
        )
        result.status = answer.status_code
        if answer.status_code != step.answer.status:
            result.differences.append(f"status {step.answer.status} became {answer.status_code}")
        self._compare_bodies(step, answer, result)
        del result.differences[MAX_DIFFERENCES:]
        return result

    def _compare_bodies(self, step: SessionStep, answer: httpx.Response, result: StepResult) -> None:
        if step.answer.body.is_cut or step.answer.body.text is None:
            return
        recorded, played = _read(step.answer.body.text), _read(answer.text)
        if recorded is None and played is None:
            return
        self._learn(recorded, played)
        result.differences += self._compare(recorded, played, "")

    def _translate(self, text: str) -> str:
        for recorded, played in sorted(self._ids.items(), key=lambda pair: -len(pair[0])):
            text = text.replace(recorded, played)
        return text

    def _learn(self, recorded: Any, played: Any) -> None:
        """Note texts that stand at the same place of both answers, as an id of the vendor and one of the twin."""
        for first, second in _pairs(recorded, played):
            if isinstance(first, str) and isinstance(second, str) and first != second and _may_be_id(first):
                self._ids.setdefault(first, second)

    def _compare(self, recorded: Any, played: Any, at: str) -> Iterator[str]:
        if isinstance(recorded, dict) and isinstance(played, dict):
            first, second = cast(Json, recorded), cast(Json, played)
            yield from (f"{at}.{name} is missing" for name in first if name not in second)
            yield from (f"{at}.{name} is not the vendor's" for name in second if name not in first)
            for name in first:
                if name in second:
                    yield from self._compare(first[name], second[name], f"{at}.{name}")
        elif isinstance(recorded, list) and isinstance(played, list):
            yield from self._compare_lists(cast(list[Any], recorded), cast(list[Any], played), at)
        elif _kind(recorded) != _kind(played):
            yield f"{at or 'the answer'} is {_kind(played)}, not {_kind(recorded)}"
        elif self._values and recorded != played and LEFT_OUT not in str(cast(object, recorded)):
            yield f"{at}: {json.dumps(recorded)[:80]} became {json.dumps(played)[:80]}"

    def _compare_lists(self, recorded: list[Any], played: list[Any], at: str) -> Iterator[str]:
        if bool(recorded) != bool(played) or (self._values and len(recorded) != len(played)):
            yield f"{at} has {len(played)} items, not {len(recorded)}"
        for number, (first, second) in enumerate(zip(recorded, played, strict=False)):
            yield from self._compare(first, second, f"{at}[{number}]")


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _kind(value: Any) -> str:
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    return names.get(cast(type[Any], type(value)), "null")


def _may_be_id(text: str) -> bool:
    return MIN_ID_CHARACTERS <= len(text) <= MAX_ID_CHARACTERS and not any(each.isspace() for each in text)


def _pairs(first: Any, second: Any) -> Iterator[tuple[Any, Any]]:
    """The values that stand at the same place of two JSON values."""
    if isinstance(first, dict) and isinstance(second, dict):
        for name, value in cast(Json, first).items():
            if name in second:
                yield from _pairs(value, second[name])
    elif isinstance(first, list) and isinstance(second, list):
        for pair in zip(cast(list[Any], first), cast(list[Any], second), strict=False):
            yield from _pairs(*pair)
    else:
        yield first, second
