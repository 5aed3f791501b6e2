"""Search by a tree of conditions. https://developer.close.com/resources/advanced-filtering/"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .crm_kinds import KINDS, CrmKind, list_rows
from .shown_objects import SHOWN
from .wire_style import CloseError, pick_fields

api = Operations(prefix="/api/v1")
Shown = dict[str, Any]
MAX_DEPTH = 20
MAX_PAGE = 200
DEFAULT_PAGE = 100
_KINDS = {kind.name: kind for kind in KINDS if kind.name in ("lead", "contact", "opportunity", "task")}
_PARTS = {
    ("contact", "contact_email"): "emails", ("contact", "contact_phone"): "phones", ("contact", "contact_url"): "urls",
    ("lead", "contact"): "contacts", ("lead", "opportunity"): "opportunities", ("lead", "task"): "tasks",
    ("lead", "address"): "addresses",
}  # fmt: skip
"""Where an object has what belongs to it."""


@api.post("/data/search/", reads=True)
def search_data(call: Call, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Find leads, contacts, opportunities or tasks by a query, page by page; `cursor` is where the next begins."""
    query = _read_query(body.get("query"))
    kind = _find_kind(query)
    limit = body.get("_limit", DEFAULT_PAGE)
    if not isinstance(limit, int) or not 1 <= limit <= MAX_PAGE:
        raise CloseError(fields={"_limit": f"The limit must be between 1 and {MAX_PAGE}."})
    rows = [SHOWN[kind.table](call, row) for row in list_rows(call, kind)]
    matching = [each for each in rows if _meets(call, kind.name, each, query, 0)]
    most = body.get("results_limit")
    matching = _sort(matching, body.get("sort") or [])[: most if isinstance(most, int) else None]
    start = _read_cursor(body.get("cursor"))
    page = [_show_found(kind, each, body.get("_fields")) for each in matching[start : start + limit]]
    cursor = f"after-{start + limit}" if start + limit < len(matching) else None
    answer: Shown = {"data": page, "cursor": cursor}
    if body.get("include_counts"):
        answer["count"] = {"limited": len(matching), "total": len(matching)}
    return answer


def _read_query(given: Any) -> Shown:
    if not isinstance(given, dict):
        raise CloseError(fields={"query": "This field is required."})
    return cast(Shown, given)


def _object(value: Any) -> Shown:
    return cast(Shown, value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []


def _read_cursor(given: Any) -> int:
    match = re.fullmatch(r"after-(\d{1,9})", str(given)) if given else None
    if given and match is None:
        raise CloseError(fields={"cursor": "The cursor is not valid."})
    return int(match[1]) if match else 0


def _find_kind(query: Shown) -> CrmKind:
    """Return the kind of objects that a query names; raises CloseError."""
    queries = [query, *map(_read_query, _list(query.get("queries")))]
    named = [str(each.get("object_type")) for each in queries if each.get("type") == "object_type"]
    if not named or named[0] not in _KINDS:
        raise CloseError(fields={"query": f"A query has an object_type of: {', '.join(_KINDS)}."})
    return _KINDS[named[0]]


def _sort(matching: list[Shown], orders: Any) -> list[Shown]:
    for each in map(_read_query, reversed(_list(orders))):
        name = str(_object(each.get("field")).get("field_name"))
        matching = sorted(
            matching, key=lambda one, name=name: str(one.get(name) or ""), reverse=each.get("direction") == "desc"
        )
    return matching


def _show_found(kind: CrmKind, shown: Shown, asked: Any) -> Shown:
    """Return an object as a search shows it: its ids, and the fields that are asked for."""
    fields = _object(asked).get(kind.name)
    ids = {"__object_type": kind.name, "id": shown["id"]}
    if "lead_id" in shown:
        ids["lead_id"] = shown["lead_id"]
    return {**ids, **(pick_fields(shown, ",".join(map(str, _list(fields)))) if fields else {})}


def _meets(call: Call, name: str, shown: Mapping[str, Any], query: Shown, depth: int) -> bool:
    """Return whether an object meets a query. Raises CloseError for one of a type that is not known."""
    if depth > MAX_DEPTH:
        raise CloseError(fields={"query": f"A query nests at most {MAX_DEPTH} deep."})
    is_met = _is_true(call, name, shown, query, depth)
    return is_met != bool(query.get("negate"))


def _is_true(call: Call, name: str, shown: Mapping[str, Any], query: Shown, depth: int) -> bool:
    kind = query.get("type")
    inner = [_read_query(each) for each in _list(query.get("queries"))]
    if kind == "and":
        return all(_meets(call, name, shown, each, depth + 1) for each in inner)
    if kind == "or":
        return any(_meets(call, name, shown, each, depth + 1) for each in inner)
    if kind in ("object_type", "match_all"):
        return kind == "match_all" or query.get("object_type") == name
    if kind == "id":
        return shown.get("id") == query.get("value")
    if kind == "text":
        return str(query.get("value", "")).lower() in str(shown).lower()
    if kind == "has_related":
        related = str(query.get("related_object_type"))
        parts = _find_related(call, name, shown, related)
        return any(_meets(call, related, each, _read_query(query.get("related_query")), depth + 1) for each in parts)
    if kind == "field_condition":
        return _meets_condition(shown, query)
    raise CloseError(fields={"query": f"The type '{kind}' of a query is not known."})


def _find_related(call: Call, name: str, shown: Mapping[str, Any], related: str) -> list[Mapping[str, Any]]:
    if related == "lead" and "lead_id" in shown:
        lead = _KINDS["lead"]
        return [SHOWN[lead.table](call, row) for row in list_rows(call, lead) if row.id == shown["lead_id"]]
    place = _PARTS.get((name, related))
    if place is None:
        raise CloseError(fields={"query": f"A {name} has no related '{related}'."})
    return cast(list[Mapping[str, Any]], shown.get(place) or [])


def _meets_condition(shown: Mapping[str, Any], query: Shown) -> bool:
    field, condition = _object(query.get("field")), _object(query.get("condition"))
    name = str(field.get("field_name") or f"custom.{field.get('custom_field_id')}")
    value: Any = shown.get(name)
    wanted, kind = condition.get("value"), condition.get("type")
    values = _list(value) or [value]
    if kind == "exists":
        return value not in (None, "", [])
    if kind == "text":
        return any(_has_text(str(each or ""), str(wanted or ""), str(condition.get("mode"))) for each in values)
    if kind in ("term", "reference"):
        terms = _list(condition.get("values") or condition.get("object_ids"))
        return any(each in terms for each in values)
    if kind == "boolean":
        return bool(value) == wanted
    if kind == "number_range":
        ends = [each if isinstance(each := condition.get(name), (int, float)) else None for name in ("gte", "lte")]
        is_number = isinstance(value, (int, float))
        low, high = ends
        return is_number and (low is None or value >= low) and (high is None or value <= high)
    if kind == "moment_range":
        ends = [_object(condition.get(each)).get("value") for each in ("on_or_after", "before")]
        return bool(value) and str(value) >= str(ends[0] or "") and (not ends[1] or str(value) < str(ends[1]))
    raise CloseError(fields={"query": f"The type '{kind}' of a condition is not known."})


def _has_text(text: str, wanted: str, mode: str) -> bool:
    """Return whether a text has words, as its modes say: `exact_value`, `phrase`, `beginning_of_words`, else all."""
    known, words = text.lower(), wanted.lower()
    if mode == "exact_value":
        return known == words
    if mode == "beginning_of_words":
        return all(re.search(rf"(?<!\w){re.escape(each)}", known) for each in words.split())
    parts = [words] if mode == "phrase" else words.split()
    return bool(parts) and all(re.search(rf"(?<![\w.@+-]){re.escape(each)}(?![\w@+-])", known) for each in parts)
