"""Renders calls with request and response, one below the other: for `env log --verbose`, `--follow` and `explain`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from rich.console import Group, RenderableType
from rich.text import Text

from twindiff.cli.render import QUIET, REMOVED, counts, indent_body, merge_journal, printable

Row = Mapping[str, Any]

LETTERS_SHOWN = 1000
"""Characters of a body; `--json` prints all that is stored."""


def render_story(calls: Sequence[Row], journal: Sequence[Row]) -> RenderableType:
    """Render calls in order with their requests, responses and changes."""
    by_seq = {record["seq"]: record for record in journal}
    lines = [line for call in merge_journal(calls, journal) for line in _call(call, by_seq.get(call["seq"]))]
    return Group(*lines)


def _call(call: Row, record: Row | None) -> Iterator[RenderableType]:
    failed = call["error"] or call["status"] >= 400
    answered = printable(call["error"] or str(call["status"] or ""))
    yield Text("  ").join(
        [
            Text(call["at"][11:23], QUIET),
            Text(printable(f"{call['twin']} {call['operation']}".strip())),
            Text(answered, REMOVED if failed else ""),
            Text(f"by {printable(call['actor'])}" if call["actor"] else "", QUIET),
            Text(f"seq {call['seq']}" if call["seq"] else "", QUIET),
            counts(record),
        ]
    )
    said = call.get("transcript")
    if said:
        asked, answer = said["request"], said["answer"]
        query = f"?{asked['query']}" if asked.get("query") else ""
        yield indent_body(Text(printable(f"→ {asked['method']} {asked['path']}{query}"), QUIET))
        yield from _body(asked)
        yield indent_body(Text(f"← {answer['status']}", QUIET))
        yield from _body(answer)


def _body(message: Row) -> Iterator[RenderableType]:
    text = body_text(message)
    if text:
        yield indent_body(indent_body(Text(printable(text[:LETTERS_SHOWN]) + "…" * (len(text) > LETTERS_SHOWN))))


def body_text(message: Row) -> str:
    """Render a body for people: form fields as JSON, binary content as its size and digest."""
    body = message["body"]
    if body.get("text") is None:
        return f"{body['bytes']:,} bytes, SHA-256 {body['sha256']}" if body["bytes"] else ""
    text: str = body["text"]
    if message.get("headers", {}).get("content-type", "").startswith("application/x-www-form-urlencoded"):
        text = json.dumps(dict(parse_qsl(text, keep_blank_values=True)), ensure_ascii=False)
    return f"{text}… ({body['bytes']:,} bytes)" if body.get("is_cut") else text
