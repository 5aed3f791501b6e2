"""Proposes an overlay of what recorded traffic shows: forms of ids, defaults, error bodies, objects that were there.

A person reads it before it is used: it holds what one account's recordings had in common.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import unquote

import yaml

from .documents import Schema, describe
from .drafting import Draft
from .learning import read_calls
from .listing import LIMITS
from .names import snake
from .placeholders import value_at
from .plan import OperationPlan
from .recorded_puts import RecordedPuts
from .recordings import RecordedCall
from .resources import Envelope
from .tables import StoredResource, fields_above

MAX_SEEDS = 200
"""Objects of a table that are proposed as seeds."""
MAX_LINK_DEPTH = 2
"""How deep in objects links are looked for."""
MIN_CREATED = 2
"""Objects that must have been created before the prefix of their ids is proposed."""
_MESSAGE = re.compile(r"message|detail|description|title|reason|error|text", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_PREFIXED = re.compile(r"([A-Za-z]{1,8}[_-])([0-9A-Za-z]{6,64})")
_BOTH_CASES = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_KINDS: Mapping[str, tuple[type, ...]] = {"text": (str,), "integer": (int,), "float": (int, float), "boolean": (bool,)}


def propose_overlay(paths: Iterable[Path], document: Schema, host: str = "") -> Schema:
    """Return the content of an overlay for a document that was learnt from recordings. Raises DescriptionError."""
    return _Proposer(Draft(describe(document), "learnt")).propose(read_calls(paths, host).calls)


def propose_seeds(calls: Iterable[RecordedCall], draft: Draft) -> dict[str, list[Schema]]:
    """Return the objects that calls show and do not create, as rows by table of a draft."""
    return _Proposer(draft).propose(calls).get("seeds", {})


class OverlayLine(NamedTuple):
    """A part of a proposed overlay that a person accepts or not."""

    place: tuple[str, ...]
    """Where it stands, such as `("resources", "orders", "defaults", "status")`."""
    said: str
    """What it does, in a sentence."""


def list_lines(overlay: Schema) -> list[OverlayLine]:
    """Return what a proposed overlay says, line by line, in its order."""
    lines = [
        OverlayLine(("errors", "bodies", status), f"Refusals with {status} have the body {json.dumps(body)}.")
        for status, body in overlay.get("errors", {}).get("bodies", {}).items()
    ]
    if "put" in overlay:
        lines.append(OverlayLine(("put",), "PUT keeps the fields that its body lacks."))
    for table, about in overlay.get("resources", {}).items():
        if "id" in about:
            lines.append(OverlayLine(("resources", table, "id"), f"Ids of {table} are {json.dumps(about['id'])}."))
        for part, what in (("defaults", "if no request gives it"), ("computed", "made of other fields")):
            for name, value in about.get(part, {}).items():
                said = f"{name} of {table} is {json.dumps(value)}, {what}."
                lines.append(OverlayLine(("resources", table, part, name), said))
    for name, about in overlay.get("operations", {}).items():
        for part, value in about.items():
            lines.append(OverlayLine(("operations", name, part), f"{name}: {part} {json.dumps(value)}."))
    for table, rows in overlay.get("seeds", {}).items():
        lines.append(OverlayLine(("seeds", table), f"{len(rows)} {table} are there at first."))
    return lines


def drop_line(overlay: Schema, place: tuple[str, ...]) -> None:
    """Take what stands at a place out of an overlay, with what then is empty."""
    first, rest = place[0], place[1:]
    if rest:
        drop_line(overlay[first], rest)
    if not rest or not overlay[first]:
        del overlay[first]


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
        self._shown: dict[str, list[tuple[str, Schema]]] = {}
        """The objects of each table that answers showed, with their keys."""
        self._pages: dict[str, list[Any]] = {}
        """The answers of each list to requests that gave no size."""
        self._beside: dict[str, list[Schema]] = {}
        """What stands beside the list in the answers of each list, as JSON texts with placeholders."""
        self._seen: dict[tuple[str, str], set[str]] = {}
        """The fields that answers showed of each seed, also those without a value: what they were at first counts."""
        self._own: set[tuple[str, str]] = set()
        self._errors: dict[str, list[Schema]] = {}
        self._puts = RecordedPuts(draft.schemas)
        self._resources = draft.overlay.resources

    def propose(self, calls: Iterable[RecordedCall]) -> Schema:
        for call in calls:
            match = self._find_plan(call)
            if match is not None:
                self._read_call(call, *match)
        links = {table: fields for table, shown in self._shown.items() if (fields := _find_links(shown))}
        limits = {name: _read_limit(envelopes) for name, envelopes in self._pages.items()}
        operations: Schema = {name: {"lists": {"default_limit": limit}} for name, limit in limits.items() if limit}
        for name, forms in self._beside.items():
            if common := _find_beside(forms):
                operations.setdefault(name, {})["answer"] = common
        resources = {table: about for table, made in self._created.items() if (about := _describe_created(made))}
        for table, fields in links.items():
            resources.setdefault(table, {})["computed"] = fields
        bodies = {status: body for status, bodies in sorted(self._errors.items()) if (body := _join_bodies(bodies))}
        self._name_parents_by_key()
        self._subtract_counted()
        seeds = {table: [*rows.values()] for table, rows in self._seeds.items() if rows}
        overlay: Schema = {
            "errors": {"bodies": bodies} if bodies else {},
            "put": "merges" if self._puts.are_merged else "",
            "resources": resources,
            "operations": operations,
            "seeds": seeds,
        }
        return {name: part for name, part in overlay.items() if part}

    def _subtract_counted(self) -> None:
        """Have fields that an overlay counts say in a seed only how many there are beside the seeds themselves."""
        for table, rows in self._seeds.items():
            about = self._resources.get(table)
            counts = {name: each for name, each in about.computed.items() if "count" in each} if about else {}
            for row in rows.values():
                for field in counts.keys() & row.keys():
                    row[field] = max(0, int(row[field]) - self._count_seeds(counts[field], row))

    def _count_seeds(self, definition: Schema, row: Schema) -> int:
        """Return how many seeds a computed count of a row counts, by its plain conditions."""
        given = cast(Schema, definition.get("where") or {})
        wanted: Schema = {
            name: row.get(value[1:]) if isinstance(value, str) and value.startswith("$") else value
            for name, value in given.items()
        }
        seeds = self._seeds.get(str(definition["count"]), {}).values()
        return sum(all(str(each.get(name)) == str(value) for name, value in wanted.items()) for each in seeds)

    def _name_parents_by_key(self) -> None:
        """Replace other names of what stands above seeds, such as the path of a project, by its key."""
        members = {plan.role.key: plan.stored for _, plan in self._plans if plan.role.kind == "member" and plan.stored}
        keys: dict[tuple[str, str], str] = {}
        for table, rows in self._seeds.items():
            for key, row in rows.items():
                keys |= {(table, str(value)): key for value in row.values() if isinstance(value, str) and "/" in value}
        for rows in self._seeds.values():
            for row in rows.values():
                for placeholder in [name for name in row if name in members]:
                    other = unquote(str(row[placeholder]))
                    row[placeholder] = keys.get((members[placeholder].table, other), row[placeholder])

    def _find_plan(self, call: RecordedCall) -> tuple[OperationPlan, dict[str, str]] | None:
        path = call.path.rstrip("/") or "/"
        for shape, plan in self._plans:
            found_path = shape.fullmatch(path) if plan.operation.verb == call.verb else None
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
        self._puts.read_request(call, plan, given)
        if plan.stored is None or plan.answer is None or call.answer is None:
            return
        if plan.behaviour == "list":
            self._read_page(call, plan, plan.answer, given)
        for shown in _objects_in(plan.answer, call.answer):
            key = _key_of(plan.stored, shown, given)
            if key is None:
                continue
            at = (plan.stored.table, str(key))
            self._puts.note_shown(at, shown)
            if shown.get(plan.stored.resource.key) is not None:
                self._shown.setdefault(plan.stored.table, []).append((plan.stored.resource.key, shown))
            if plan.behaviour in ("create", "upsert"):
                self._own.add(at)
                body = _objects_in(plan.body, call.body)[:1] if plan.body and call.body else []
                self._puts.note_created(at, body[0] if body else {})
                self._created.setdefault(plan.stored.table, []).append((body[0] if body else {}, shown))
            elif at not in self._own and plan.behaviour in ("list", "read"):
                self._add_seed(plan, plan.stored, str(key), shown, given)

    def _read_page(self, call: RecordedCall, plan: OperationPlan, envelope: Envelope, given: Mapping[str, str]) -> None:
        """Note how many objects a page of a list has, and what stands beside them."""
        if not LIMITS & {snake(name) for name, _ in call.query}:
            self._pages.setdefault(plan.operation.name, []).append(call.answer)
        whole: Any = call.answer
        if envelope.field and isinstance(whole, dict):
            holder = envelope.field.partition(".")[0]
            beside = {
                name: _place_parameters(json.dumps(each), given)
                for name, each in cast(Schema, whole).items()
                if isinstance(each, (list, dict)) and name != holder
            }
            self._beside.setdefault(plan.operation.name, []).append(beside)

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
        own = {stored.resource.key: key} if stored.resource.key_is_own else {}
        seen = self._seen.setdefault((stored.table, key), set())
        rows[key] = {**own, **{name: row[name] for name in row if name not in seen}, **rows.get(key, {})}
        if plan.role.kind == "single" and not plan.role.parents:
            # What a path without an id shows, such as `/user`, is the first of its kind.
            self._seeds[stored.table] = {key: rows[key], **rows}
        seen |= shown.keys()


def _key_of(stored: StoredResource, shown: Schema, given: Mapping[str, str]) -> Any:
    """Return the key of an object; one that only paths name has that of what stands above it, with its name."""
    resource = stored.resource
    name = next((shown[each] for each in sorted(resource.aliases) if shown.get(each) is not None), None)
    if resource.key_is_own and name is not None:
        return "/".join([*(given[each] for each in stored.parents if each in given), str(name)])
    return shown.get(resource.key)


def _fits(stored: StoredResource, name: str, value: Any) -> bool:
    kinds = _KINDS.get(stored.column(name).kind)
    is_flag = isinstance(value, bool)
    return value is not None and (kinds is None or (isinstance(value, kinds) and is_flag == (bool in kinds)))


def _objects_in(envelope: Envelope, value: Any) -> list[Schema]:
    """Return the objects that stand in an answer or a body."""
    value = value_at(value, envelope.field)
    listed: list[Any] = cast(list[Any], value) if isinstance(value, list) else [value]
    listed = [value_at(each, envelope.inner) for each in listed]
    return [cast(Schema, each) for each in listed if isinstance(each, dict)]


def _describe_created(made: list[tuple[Schema, Schema]]) -> Schema:
    """Return the form of the ids of created objects, and the values that all of them had and no request gave."""
    about: Schema = {}
    first = made[0][1]
    key = next((name for name in ("id", "gid", "sid", "uuid", "key") if name in first), "")
    made = [*{str(shown.get(key, number)): (body, shown) for number, (body, shown) in enumerate(made)}.values()]
    form = _read_form([shown[key] for _, shown in made if shown.get(key) is not None]) if key else None
    if form:
        about["id"] = form
    defaults = {
        name: common
        for name in first
        if name != key
        and (common := _find_common(name, [(body.get(name), shown.get(name)) for body, shown in made])) is not _NOTHING
    }
    if defaults:
        about["defaults"] = defaults
    return about


def _place_parameters(text: str, given: Mapping[str, str]) -> str:
    for name, value in given.items():
        text = text.replace(value, f"${{{name}}}") if len(value) >= MIN_KEY_CHARACTERS else text
    return text


def _find_beside(forms: list[Schema]) -> Schema:
    """Return what all answers of a list have beside it, such as links; pages, which differ, are left out."""
    names = [name for name in forms[0] if len({each.get(name) for each in forms}) == 1 and len(forms) > 1]
    return {name: json.loads(forms[0][name]) for name in names if _has_link(forms[0][name])}


def _has_link(text: str) -> bool:
    return bool(re.search(r'"(https?://|/)[^"]', text))


def _read_limit(envelopes: list[Any]) -> int:
    """Return the size of pages that answers of a list say, if they all say the same; 0 otherwise."""
    said = {limit for each in envelopes for limit in _limits_in(each)}
    return said.pop() if len(said) == 1 else 0


def _limits_in(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        for name, each in cast(Schema, value).items():
            if snake(name) in LIMITS - {"count", "size"} and isinstance(each, int) and each > 0:
                yield each
            yield from _limits_in(each)


MIN_CREATIONS = 2
"""Objects whose creation gave no value of a field, from which on the value that they have is a default."""


class _Nothing:
    """Stands for values that have nothing in common."""


_NOTHING = _Nothing()
_VARYING = re.compile(r"(_at|_on|At|_id|Id|^id|url|uri|href|date|time|key|token|email|name)$")
"""Names of fields whose values tell objects apart, or times."""


def _find_common(name: str, made: list[tuple[Any, Any]]) -> Any:
    """Return the value that created objects have wherever the request gave none; `_NOTHING` if there is none.

    What fewer than `MIN_CREATIONS` show may be that of the one object only.
    """
    if any(isinstance(each, dict) for _, each in made):
        objects = [(body, cast(Schema, shown)) for body, shown in made if isinstance(shown, dict)]
        names = dict.fromkeys(each for _, shown in objects for each in shown)
        common = {
            each: value
            for each in names
            if (value := _find_common(each, [(_within(body, each), shown.get(each)) for body, shown in objects]))
            is not _NOTHING
        }
        return common or _NOTHING
    values = [shown for body, shown in made if body is None]
    if len(values) < MIN_CREATIONS or _VARYING.search(name) or any(each != values[0] for each in values):
        return _NOTHING
    is_plain = isinstance(values[0], (bool, int, float, str)) or values[0] == []
    return values[0] if is_plain else _NOTHING


def _within(body: Any, name: str) -> Any:
    return cast(Schema, body).get(name) if isinstance(body, dict) else None


MIN_KEY_CHARACTERS = 3
"""Characters of a key from which on a text that contains it is a link that is made of it."""


def _find_links(shown: list[tuple[str, Schema]]) -> Schema:
    """Return the texts of objects that are made of their keys, such as their addresses, as computed fields."""
    forms: dict[str, set[str]] = {}
    for key_name, each in shown:
        key = str(each[key_name])
        keys = {name: str(value) for name, value in each.items() if name == key_name or name.endswith(("_id", "Id"))}
        named = sorted(
            ((value, name) for name, value in keys.items() if len(value) >= MIN_KEY_CHARACTERS),
            key=lambda pair: (-len(pair[0]), pair[1] != key_name),
        )
        for path, text in _texts_of(each, "", 0):
            is_made = len(key) >= MIN_KEY_CHARACTERS and path not in keys and key in text and "$" not in text
            form = text
            for value, name in named:
                form = form.replace(value, f"${{{name}}}")
            forms.setdefault(path, set()).add(form if is_made else "")
    links = {path: texts.pop() for path, texts in forms.items() if len(texts) == 1}
    defined = {path: _define_link(form) for path, form in sorted(links.items()) if re.match(r"https?://|/|\[", form)}
    return {path: each for path, each in defined.items() if each}


def _define_link(form: str) -> Schema:
    """Return the definition of a computed field of a text, or of a list of objects; nothing for other values."""
    if not form.startswith("["):
        return {"text": form}
    try:
        return {"value": json.loads(form)}
    except ValueError:
        return {}


def _texts_of(value: Schema, above: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the paths and the texts of an object, and of those that it holds."""
    for name, each in value.items():
        if isinstance(each, str):
            yield above + name, each
        elif isinstance(each, list) and each and all(isinstance(item, dict) for item in cast(list[Any], each)):
            yield above + name, json.dumps(each)
        elif isinstance(each, dict) and depth < MAX_LINK_DEPTH and "." not in name:
            yield from _texts_of(cast(Schema, each), f"{above}{name}.", depth + 1)


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
        letters = "".join(each[2] for each in prefixed if each)
        form: Schema = {"prefix": prefixes.pop(), "length": len(cast(re.Match[str], prefixed[0])[2])}
        return form if letters == letters.lower() else {**form, "alphabet": _BOTH_CASES}
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
