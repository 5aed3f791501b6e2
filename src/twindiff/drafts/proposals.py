"""Proposes an overlay of what recorded traffic shows: forms of ids, defaults, error bodies, objects that were there.

A person reads it before it is used: it holds what one account's recordings had in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from .documents import Schema, describe
from .drafting import Draft
from .learning import MAX_CALLS, RecordedCall, read_recording
from .names import snake
from .plan import OperationPlan
from .resources import Envelope
from .tables import StoredResource, fields_above

MAX_SEEDS = 200
"""Objects of a table that are proposed as seeds."""
MIN_CREATED = 2
"""Objects that must have been created with a value before it is proposed as a default."""
_MESSAGE = re.compile(r"message|detail|description|title|reason|error|text", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_PREFIXED = re.compile(r"([A-Za-z]{1,8}[_-])([0-9A-Za-z]{6,40})")
_KINDS: Mapping[str, tuple[type, ...]] = {"text": (str,), "integer": (int,), "float": (int, float), "boolean": (bool,)}


def propose_overlay(paths: Iterable[Path], document: Schema) -> Schema:
    """Return the content of an overlay for a document that was learnt from recordings. Raises DescriptionError."""
    calls = [call for path in paths for call in read_recording(path)][:MAX_CALLS]
    return _Proposer(Draft(describe(document), "learnt")).propose(calls)


def propose_seeds(calls: Iterable[RecordedCall], draft: Draft) -> dict[str, list[Schema]]:
    """Return the objects that calls show and do not create, as rows by table of a draft."""
    return _Proposer(draft).propose(calls).get("seeds", {})


def write_overlay(overlay: Schema) -> str:
    """Return an overlay as YAML."""
    return str(yaml.safe_dump(overlay, sort_keys=False, allow_unicode=True, width=120))


class _Proposer:
    """Collects what calls show of the resources of a draft."""

    def __init__(self, draft: Draft) -> None:
        shapes = [(re.sub(r"\\\{\w+\\\}", "([^/]+)", re.escape(plan.operation.path)), plan) for plan in draft.plans]
        self._plans = [(re.compile(shape), plan) for shape, plan in shapes]
        self._created: dict[str, list[tuple[Schema, Schema]]] = {}
        self._seeds: dict[str, dict[str, Schema]] = {}
        self._own: set[tuple[str, str]] = set()
        self._errors: dict[str, list[Schema]] = {}

    def propose(self, calls: Iterable[RecordedCall]) -> Schema:
        for call in calls:
            match = self._find_plan(call)
            if match is not None:
                self._read_call(call, *match)
        resources = {table: about for table, made in self._created.items() if (about := _describe_created(made))}
        bodies = {status: body for status, bodies in sorted(self._errors.items()) if (body := _join_bodies(bodies))}
        seeds = {table: [*rows.values()] for table, rows in self._seeds.items() if rows}
        overlay: Schema = {"errors": {"bodies": bodies} if bodies else {}, "resources": resources, "seeds": seeds}
        return {name: part for name, part in overlay.items() if part}

    def _find_plan(self, call: RecordedCall) -> tuple[OperationPlan, dict[str, str]] | None:
        for shape, plan in self._plans:
            found_path = shape.fullmatch(call.path) if plan.operation.verb == call.verb else None
            if found_path:
                names = re.findall(r"\{(\w+)\}", plan.operation.path)
                return plan, dict(zip(names, found_path.groups(), strict=True))
        return None

    def _read_call(self, call: RecordedCall, plan: OperationPlan, given: Mapping[str, str]) -> None:
        if call.status >= 400:
            answer: Any = call.answer
            if isinstance(answer, dict) and call.status < 500:
                self._errors.setdefault(str(call.status), []).append(cast(Schema, answer))
            return
        if plan.stored is None or plan.answer is None or call.answer is None:
            return
        for shown in _objects_in(plan.answer, call.answer):
            key = shown.get(plan.stored.resource.key)
            if key is None:
                continue
            at = (plan.stored.table, str(key))
            if plan.behaviour == "create":
                self._own.add(at)
                body = _objects_in(plan.body, call.body)[:1] if plan.body and call.body else []
                self._created.setdefault(plan.stored.table, []).append((body[0] if body else {}, shown))
            elif at not in self._own and plan.behaviour in ("list", "read"):
                self._add_seed(plan, plan.stored, str(key), shown, given)

    def _add_seed(
        self, plan: OperationPlan, stored: StoredResource, key: str, shown: Schema, given: Mapping[str, str]
    ) -> None:
        rows = self._seeds.setdefault(stored.table, {})
        if key not in rows and len(rows) >= MAX_SEEDS:
            return
        row = {name: value for name, value in shown.items() if name in stored.columns and _fits(stored, name, value)}
        for placeholder in plan.role.parents:
            if placeholder in stored.parents:
                row[placeholder] = given[placeholder]
            for field in fields_above(placeholder, stored.columns)[:1]:
                if _fits(stored, field, given[placeholder]) and stored.column(field).kind == "text":
                    row.setdefault(field, given[placeholder])
        rows[key] = {**row, **rows.get(key, {})}


def _fits(stored: StoredResource, name: str, value: Any) -> bool:
    kinds = _KINDS.get(stored.column(name).kind)
    is_flag = isinstance(value, bool)
    return value is not None and (kinds is None or (isinstance(value, kinds) and is_flag == (bool in kinds)))


def _objects_in(envelope: Envelope, value: Any) -> list[Schema]:
    """Return the objects that stand in an answer or a body."""
    if envelope.field:
        value = cast(Schema, value).get(envelope.field) if isinstance(value, dict) else None
    listed: list[Any] = cast(list[Any], value) if isinstance(value, list) else [value]
    return [cast(Schema, each) for each in listed if isinstance(each, dict)]


def _describe_created(made: list[tuple[Schema, Schema]]) -> Schema:
    """Return the form of the ids of created objects, and the values that all of them had and no request gave."""
    about: Schema = {}
    first = made[0][1]
    key = next((name for name in ("id", "gid", "sid", "uuid", "key") if name in first), "")
    form = _read_form([shown[key] for _, shown in made if shown.get(key) is not None]) if key else None
    if form:
        about["id"] = form
    given = {snake(name) for body, _ in made for name in body}
    if len(made) >= MIN_CREATED:
        defaults = {
            name: value
            for name, value in first.items()
            if name != key
            and snake(name) not in given
            and isinstance(value, (bool, int, str))
            and all(shown.get(name) == value for _, shown in made)
            and not re.search(r"(_at|_on|At|_id|Id|url|uri|date|time)$", name)
        }
        if defaults:
            about["defaults"] = defaults
    return about


def _read_form(ids: list[Any]) -> Schema | None:
    """Return the form of ids; None for one that needs no saying."""
    texts = [str(each) for each in ids]
    if all(_UUID.fullmatch(each) for each in texts):
        return {"kind": "uuid"}
    if all(each.isdecimal() and len(each) <= 18 for each in texts):
        return {"kind": "number", "first": max(map(int, texts)) + 1}
    prefixed = [_PREFIXED.fullmatch(each) for each in texts]
    prefixes = {each[1] for each in prefixed if each}
    if all(prefixed) and len(prefixes) == 1 and len(texts) >= MIN_CREATED:
        return {"prefix": prefixes.pop(), "length": len(cast(re.Match[str], prefixed[0])[2])}
    return None


def _join_bodies(bodies: list[Schema]) -> Schema | None:
    """Return the usual body of refusals with `$message` for texts that differ; None if their shapes differ."""
    shapes = [tuple(sorted(each)) for each in bodies]
    usual = max(sorted(set(shapes)), key=shapes.count)
    alike = [each for each, shape in zip(bodies, shapes, strict=True) if shape == usual]
    return {name: _join_values(name, [each[name] for each in alike]) for name in alike[0]} or None


def _join_values(name: str, values: list[Any]) -> Any:
    """Return the value that all bodies have, `$message` for a text that differs, or else the first."""
    first: Any = values[0]
    if isinstance(first, dict) and all(isinstance(each, dict) and each.keys() == first.keys() for each in values):
        return {str(inner): _join_values(str(inner), [each[inner] for each in values]) for inner in cast(Schema, first)}
    is_same = len(values) > 1 and all(each == first for each in values)
    if isinstance(first, str) and not is_same and _MESSAGE.search(name):
        return "$message"
    return f"$${first[1:]}" if isinstance(first, str) and first.startswith("$") else cast(Any, first)
