"""Writes the description of an API from recorded traffic, for vendors that publish none.

What is learnt is what was seen: paths, parameters, fields and their types.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from .documents import LEARNT, DescriptionError, Schema
from .implied_operations import add_implied_operations
from .names import singular, snake, split_words
from .recorded_secrets import mask_secrets
from .recordings import RecordedCall, read_recording

MAX_CALLS = 50_000
MIN_VALUES = 12
"""Different words at a place of a path, with the same words after it, from which on the place is a parameter."""
MAX_EXAMPLE_CHARACTERS = 60
_INVALID = (400, 422)
"""Statuses of refusals of what a body holds."""
_VERSION = re.compile(r"\d{1,2}(\.\d{1,2}){1,2}|v\w{1,3}(\.\w{1,2})*")
_ID = re.compile(r"\d+|[0-9a-fA-F-]{16,}|(?=.*\d)(?=.*[A-Za-z])[\w-]{8,}|[^/]*(@|%40|%2F|%20)[^/]*")


def learn_description(paths: Iterable[Path], host: str = "") -> Schema:
    """Return an OpenAPI document of what recordings show, with `host` of the calls to it. Raises DescriptionError."""
    calls = read_calls(paths, host).calls
    templates = _templates(calls)
    described: dict[str, dict[str, list[RecordedCall]]] = {}
    for call in calls:
        described.setdefault(templates[call.path], {}).setdefault(call.verb.lower(), []).append(call)
    server = next((call.host for call in calls if call.host), "")
    operations: dict[str, Schema] = {
        path: {verb: _operation(path, of_verb) for verb, of_verb in sorted(verbs.items())}
        for path, verbs in sorted(described.items())
    }
    add_implied_operations(operations)
    return {
        "openapi": "3.1.0",
        "info": {"title": server.partition("://")[2] or "Recorded API", "version": "recorded"},
        "servers": [{"url": server or "https://api.example.com"}],
        LEARNT: True,
        "paths": operations,
    }


class LearntCalls(NamedTuple):
    """The calls of recordings without secrets, and what a person should know of them."""

    calls: list[RecordedCall]
    notes: list[str]
    """Sentences on what is left out or mixed."""


def read_calls(paths: Iterable[Path], host: str = "") -> LearntCalls:
    """Return the calls of recordings from which is learnt, with `host` only those to it.

    Raises DescriptionError with what is wrong with a file, or if there are no calls.
    """
    every = [call for path in paths for call in read_recording(path)]
    hosts = Counter(call.host.partition("://")[2] or "no host" for call in every)
    wanted = [call for call in every if not host or call.host.partition("://")[2] == host]
    if not wanted:
        known = f" Hosts: {', '.join(hosts)}." if hosts else ""
        raise DescriptionError(f"The recordings have no calls{f' to {host}' if host else ''}.{known}")
    notes: list[str] = []
    if len(hosts) > 1 and not host:
        counts = ", ".join(f"{name} ({count})" for name, count in hosts.most_common(5))
        notes.append(f"The calls go to {len(hosts)} hosts: {counts}. All are described as one API; --host takes one.")
    if len(wanted) > MAX_CALLS:
        notes.append(f"Only the first {MAX_CALLS:,} of {len(wanted):,} calls are read.")
    cleaned = mask_secrets(wanted[:MAX_CALLS])
    bare = sum(call.answer is None and call.file is None and 200 <= call.status < 300 for call in cleaned.calls)
    if bare:
        notes.append(f"{bare} of {len(cleaned.calls)} calls succeeded with an answer that is empty or no JSON.")
    if cleaned.masked:
        notes.append(f"{cleaned.masked} values that are secrets by their names or forms are masked.")
    return LearntCalls(cleaned.calls, notes)


def _templates(calls: Sequence[RecordedCall]) -> dict[str, str]:
    """Return the path with placeholders of each recorded path."""
    paths = {call.path: [each for each in call.path.split("/") if each] for call in calls}
    marked = {path: [_mark(words, at) for at in range(len(words))] for path, words in paths.items()}
    marked = _merge_words(calls, marked)
    seen: dict[tuple[tuple[str, ...], int, tuple[str, ...]], set[str]] = {}
    for words in marked.values():
        for at, word in enumerate(words):
            seen.setdefault((tuple(words[:at]), at, tuple(words[at + 1 :])), set()).add(word)
    return {path: _name_placeholders(paths[path], words, seen) for path, words in marked.items()}


def _merge_words(calls: Sequence[RecordedCall], marked: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return marked paths with {} for a word that stands where ids do and answers as they do, or only refuses.

    In `/bases/app1/tables` and `/bases/unknown/tables`, `unknown` is an id that there is not.
    """
    shapes: dict[tuple[str, ...], set[tuple[str, tuple[str, ...]]]] = {}
    for call in calls:
        shown = shapes.setdefault(tuple(marked[call.path]), set())
        if call.status < 300:
            shown.add((call.verb, _keys_of(call.answer)))
    merged: dict[str, list[str]] = {}
    for path, words in marked.items():
        own, now = shapes[tuple(words)], [*words]
        for at in range(1, len(words)):
            among = shapes.get((*now[:at], "{}", *now[at + 1 :])) if now[at] != "{}" else None
            if among and (not own or own <= among):
                now[at] = "{}"
        merged[path] = now
    return merged


def _keys_of(answer: Any) -> tuple[str, ...]:
    return tuple(sorted(cast(Schema, answer))) if isinstance(answer, dict) else (type(answer).__name__,)


def _mark(words: list[str], at: int) -> str:
    """Return a segment, or {} for one that is an id by its form."""
    word = words[at]
    if _VERSION.fullmatch(word) and at < 3:
        return word
    bare = re.sub(r"\.(json|xml)$", "", word)
    return "{}" + word[len(bare) :] if at and _ID.fullmatch(bare) else word


def _name_placeholders(
    words: list[str], marked: list[str], seen: Mapping[tuple[tuple[str, ...], int, tuple[str, ...]], set[str]]
) -> str:
    named: list[str] = []
    used: set[str] = set()
    for at, word in enumerate(marked):
        varies = len(seen[tuple(marked[:at]), at, tuple(marked[at + 1 :])]) >= MIN_VALUES
        is_placeholder = word.startswith("{}") or (varies and at > 1 and not marked[at - 1].startswith("{}"))
        if not is_placeholder:
            named.append(word)
            continue
        before = snake(next((each for each in reversed(words[:at]) if not _ID.fullmatch(each)), "item")) or "item"
        name = f"{singular(before)}_id"
        while name in used:
            name = f"other_{name}"
        used.add(name)
        named.append("{" + name + "}" + word.removeprefix("{}") if word.startswith("{}") else "{" + name + "}")
    return "/" + "/".join(named)


def _operation(path: str, calls: list[RecordedCall]) -> Schema:
    parameters: list[Schema] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"\{(\w+)\}", path)
    ]
    given: dict[str, list[str]] = {}
    for call in calls:
        for name, value in call.query:
            given.setdefault(name, []).append(value)
    parameters += [{"name": name, "in": "query", "schema": _of_texts(values)} for name, values in sorted(given.items())]
    operation: Schema = {"parameters": parameters, "responses": _responses(calls)}
    if refusal := _find_only_refusal(calls):
        operation["x-recorded-refusal"] = str(refusal.status)
        content = operation["responses"][str(refusal.status)].get("content", {})
        for each in content.values():
            each["example"] = refusal.answer
    bodies = [call.body for call in calls if call.body is not None and call.status < 400]
    if bodies:
        schema = infer_schema(bodies)
        refused = [call for call in calls if call.status in _INVALID]
        _keep_required(schema, [(call.body or {}, " ".join(_texts_of(call.answer))) for call in refused])
        # What was not sent may be sent all the same.
        schema["additionalProperties"] = True
        operation["requestBody"] = {"content": {"application/json": {"schema": schema}}}
    return operation


def _find_only_refusal(calls: Sequence[RecordedCall]) -> RecordedCall | None:
    """Return the last call of an operation that was always refused with one status; None for any other operation.

    401 and 429 say nothing of the operation: the caller had no valid token, or called too often.
    """
    statuses = {call.status for call in calls}
    is_refused = len(statuses) == 1 and 400 <= calls[0].status < 500 and calls[0].status not in (401, 429)
    return calls[-1] if is_refused else None


def _keep_required(schema: Schema, refused: Sequence[tuple[Any, str]]) -> None:
    """Leave required what a refusal shows to be: its body lacks the field, and its answer names it.

    What all bodies had is what was sent, not what is required. `refused` are bodies with the texts of their answers.
    """
    bodies = [(cast(Schema, body), said) for body, said in refused if isinstance(body, dict)]
    needed = [
        name
        for name in cast(list[str], schema.pop("required", []))
        if any(body.get(name) is None and _is_named(name, said) for body, said in bodies)
    ]
    if needed:
        schema["required"] = needed
    for name, inner in cast(Schema, schema.get("properties", {})).items():
        _keep_required(inner, [(body[name], said) for body, said in bodies if name in body])
    if "items" in schema:
        lists = [(cast(list[Any], body), said) for body, said in refused if isinstance(body, list)]
        _keep_required(schema["items"], [(item, said) for body, said in lists for item in body])


def _is_named(name: str, said: str) -> bool:
    words = r"[\W_]*".join(map(re.escape, split_words(name)))
    return bool(words) and bool(re.search(rf"(?<![A-Za-z0-9]){words}(?![A-Za-z0-9])", said, re.IGNORECASE))


def _texts_of(answer: Any) -> Iterator[str]:
    """Yield the texts of a refusal, and the names of its objects and lists, as `email` in `{"email": […]}`."""
    if isinstance(answer, dict):
        for name, each in cast(Schema, answer).items():
            if isinstance(each, (dict, list)):
                yield str(name)
            yield from _texts_of(each)
    elif isinstance(answer, list):
        for each in cast(list[Any], answer):
            yield from _texts_of(each)
    elif isinstance(answer, str):
        yield answer


def _of_texts(values: list[str]) -> Schema:
    is_whole = all(re.fullmatch(r"-?\d{1,9}", each) for each in values)
    return {"type": "integer"} if is_whole else {"type": "string"}


def _responses(calls: list[RecordedCall]) -> Schema:
    by_status: dict[int, list[Any]] = {}
    for call in calls:
        by_status.setdefault(call.status, []).append(call.answer)
    if not any(200 <= status < 300 for status in by_status):
        by_status[200] = []
    responses: Schema = {}
    for status, answers in sorted(by_status.items()):
        known: list[Any] = [each for each in answers if isinstance(each, (dict, list))]
        known = [*{json.dumps(each, sort_keys=True, default=str): each for each in known}.values()]
        content: Schema = {"content": {"application/json": {"schema": infer_schema(known)}}} if known else {}
        file = next((call.file for call in calls if call.file and call.status == status), None)
        if file and not known:
            content = {
                "content": {file.media_type: {"schema": {"type": "string", "format": "binary"}}},
                "headers": {"Content-Length": {"schema": {"type": "integer"}, "example": file.size}},
            }
        responses[str(status)] = {"description": f"seen {len(answers)} times", **content}
    return responses


MIN_FLAGS = 2
"""Values of a flag, all the same, from which on it is the default; a single one is an example."""


def infer_schema(values: list[Any]) -> Schema:
    """Return a schema that all values fit: their types, and of objects the fields that all of them have as required.

    What was only seen without a value may have one of any type.
    """
    kinds = sorted({_kind_of(each) for each in values})
    schema: Schema = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
    if kinds == ["null"]:
        return {"x-null": True}
    objects = [cast(Schema, each) for each in values if isinstance(each, dict)]
    if objects:
        names = dict.fromkeys(name for each in objects for name in each)
        schema["properties"] = {name: infer_schema([each[name] for each in objects if name in each]) for name in names}
        required = [name for name in names if all(name in each for each in objects)]
        if required:
            schema["required"] = required
    lists: list[list[Any]] = [cast(list[Any], each) for each in values if isinstance(each, list)]
    if lists:
        schema["items"] = infer_schema([item for each in lists for item in each])
    texts = [each for each in values if isinstance(each, (str, int, float)) and not isinstance(each, bool)]
    if texts and len(str(texts[0])) <= MAX_EXAMPLE_CHARACTERS:
        schema["example"] = texts[0]
    if kinds == ["boolean"] and len({*values}) == 1:
        schema["default" if len(values) >= MIN_FLAGS else "example"] = values[0]
    if "integer" in kinds and "number" in kinds:
        wider = [kind for kind in kinds if kind != "integer"]
        schema["type"] = wider[0] if len(wider) == 1 else wider
    return schema


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    kinds: list[tuple[type, str]] = [(str, "string"), (int, "integer"), (float, "number"), (list, "array")]
    return next((name for kind, name in kinds if isinstance(value, kind)), "object")
