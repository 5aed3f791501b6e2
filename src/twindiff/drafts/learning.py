"""Writes the description of an API from recorded traffic, for vendors that publish none.

Recordings are HAR files, VCR cassettes (YAML), and JSON Lines of sessions: `{"steps": [{"method", "path", "query",
"body", "status", "response"}]}`. What is learnt is what was seen: paths, parameters, fields and their types.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qsl, unquote, urlsplit

import yaml

from .documents import MAX_JSON_BYTES, DescriptionError, Schema
from .names import singular, snake

MAX_CALLS = 50_000
MIN_VALUES = 12
"""Different words at a place of a path, with the same words after it, from which on the place is a parameter."""
MAX_EXAMPLE_CHARACTERS = 60
_VERSION = re.compile(r"\d{1,2}(\.\d{1,2}){1,2}|v\w{1,3}(\.\w{1,2})*")
_ID = re.compile(r"\d+|[0-9a-fA-F-]{16,}|(?=.*\d)(?=.*[A-Za-z])[\w-]{8,}|[^/]*(@|%40|%2F|%20)[^/]*")


class RecordedCall(NamedTuple):
    """A request of a recording with its answer; bodies are JSON values, or None."""

    verb: str
    host: str
    path: str
    query: tuple[tuple[str, str], ...]
    body: Any
    status: int
    answer: Any


def learn_description(paths: Iterable[Path]) -> Schema:
    """Return an OpenAPI document of what recordings show. Raises DescriptionError with what is wrong with a file."""
    calls = [call for path in paths for call in read_recording(path)][:MAX_CALLS]
    if not calls:
        raise DescriptionError("The recordings have no calls with JSON.")
    templates = _templates(calls)
    described: dict[str, dict[str, list[RecordedCall]]] = {}
    for call in calls:
        described.setdefault(templates[call.path], {}).setdefault(call.verb.lower(), []).append(call)
    host = next((call.host for call in calls if call.host), "")
    return {
        "openapi": "3.1.0",
        "info": {"title": host.partition("://")[2] or "Recorded API", "version": "recorded"},
        "servers": [{"url": host or "https://api.example.com"}],
        "paths": {
            path: {verb: _operation(path, of_verb) for verb, of_verb in sorted(verbs.items())}
            for path, verbs in sorted(described.items())
        },
    }


def read_recording(path: Path) -> Iterator[RecordedCall]:
    """Yield the calls of a recording in order. Raises DescriptionError."""
    try:
        if path.stat().st_size > MAX_JSON_BYTES:
            raise DescriptionError(f"{path.name} is larger than {MAX_JSON_BYTES:,} bytes.")
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        if len(data) > 10 * MAX_JSON_BYTES:
            raise DescriptionError(f"{path.name} is larger than {10 * MAX_JSON_BYTES:,} bytes when unpacked.")
        text = data.decode()
        name = path.name.removesuffix(".gz")
        if name.endswith((".yml", ".yaml")):
            loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
            yield from _of_cassette(yaml.load(text, loader))
        elif name.endswith(".jsonl"):
            yield from _of_sessions([json.loads(line) for line in text.splitlines() if line.strip()])
        else:
            yield from _of_har(json.loads(text))
    except OSError as error:
        raise DescriptionError(f"{path.name} cannot be read: {error}.") from None
    except (yaml.YAMLError, ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        if isinstance(error, DescriptionError):
            raise
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DescriptionError(f"{path.name} is no recording: {said}.") from None


def _of_har(document: Any) -> Iterator[RecordedCall]:
    """Yield the calls of an HTTP Archive. http://www.softwareishard.com/blog/har-12-spec/"""
    entries: list[Any] = document["log"]["entries"]
    for entry in entries:
        request: Schema = entry["request"]
        response: Schema = entry["response"]
        sent: Schema = request.get("postData") or {}
        content: Schema = response.get("content") or {}
        body, answer = _parse(sent.get("text")), _parse(content.get("text"))
        yield _call(request["method"], request["url"], body, int(response["status"]), answer)


def _of_cassette(document: Any) -> Iterator[RecordedCall]:
    """Yield the calls of a VCR cassette, of Ruby's VCR or of vcrpy."""
    interactions: list[Any] = document.get("http_interactions") or document["interactions"]
    for each in interactions:
        request: Schema = each["request"]
        response: Schema = each["response"]
        status: Any = response["status"]
        yield _call(
            str(request["method"]).upper(),
            request["uri"],
            _parse(_text_of(request.get("body"))),
            int(cast(Schema, status)["code"] if isinstance(status, dict) else status),
            _parse(_text_of(response.get("body"))),
        )


def _of_sessions(lines: list[Any]) -> Iterator[RecordedCall]:
    blobs: Schema = lines[0].get("blobs", {}) if lines else {}
    for session in lines:
        steps: Any = session.get("steps")
        listed: list[Any] = cast(list[Any], steps) if isinstance(steps, list) else []
        for step in listed:
            yield _of_step(cast(Schema, step), blobs, str(session.get("host") or ""))


def _without_marks(answer: Any) -> Any:
    """Return an answer, or None for one of which the recording holds only a mark, such as `$omitted_json`."""
    is_mark = isinstance(answer, dict) and any(name.startswith("$") for name in cast(Schema, answer))
    return None if is_mark else cast(Any, answer)


def _of_step(step: Schema, blobs: Schema, host: str) -> RecordedCall:
    answer: Any = step.get("response")
    if isinstance(answer, dict) and "$blob" in answer:
        answer = blobs.get(str(cast(Schema, answer)["$blob"]))
    pairs: list[Any] = step.get("query") or []
    query = tuple((str(name), unquote(str(value))) for name, value in pairs)
    verb, path = str(step["method"]).upper(), str(step["path"])
    host = str(step.get("host") or host)
    return RecordedCall(verb, host, path, query, step.get("body"), int(step["status"]), _without_marks(answer))


def _call(verb: str, url: str, body: Any, status: int, answer: Any) -> RecordedCall:
    parts = urlsplit(url)
    query = tuple(parse_qsl(parts.query, keep_blank_values=True))
    return RecordedCall(verb.upper(), f"{parts.scheme}://{parts.netloc}", parts.path, query, body, status, answer)


def _text_of(body: Any) -> str | None:
    if isinstance(body, Mapping):
        inner: Any = cast(Schema, body).get("string")
        return None if inner is None else str(inner)
    return None if body is None else str(body)


def _parse(text: Any) -> Any:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError, TypeError):
        pairs = parse_qsl(str(text)) if re.fullmatch(r"[\w.\[\]%+-]+=[^\s{}]*", str(text)) else []
        return dict(pairs) or None


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
    bodies = [call.body for call in calls if call.body is not None and call.status < 400]
    if bodies:
        operation["requestBody"] = {"content": {"application/json": {"schema": infer_schema(bodies)}}}
    return operation


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
        content: Schema = {"content": {"application/json": {"schema": infer_schema(known)}}} if known else {}
        responses[str(status)] = {"description": f"seen {len(answers)} times", **content}
    return responses


def infer_schema(values: list[Any]) -> Schema:
    """Return a schema that all values fit: their types, and of objects the fields that all of them have as required."""
    kinds = sorted({_kind_of(each) for each in values})
    schema: Schema = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
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
    flags = {each for each in values if isinstance(each, bool)}
    if kinds == ["boolean"] and len(flags) == 1:
        schema["default"] = flags.pop()
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
