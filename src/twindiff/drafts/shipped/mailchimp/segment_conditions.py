"""Conditions of saved segments: addresses, merge fields and static segments, which are also tags.

https://mailchimp.com/developer/marketing/docs/alternative-schemas/#segment-condition-schemas
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from twindiff.kit.call import Call

from ..number_ids import read_number_id
from .tables import MailchimpMember, MailchimpMergeField, MailchimpSegment
from .wire_style import MailchimpError

MAX_CONDITIONS = 100
Shown = dict[str, Any]
_COMPARED: dict[str, Callable[[str, str], bool]] = {
    "is": lambda text, wanted: text == wanted,
    "not": lambda text, wanted: text != wanted,
    "contains": lambda text, wanted: wanted in text,
    "notcontain": lambda text, wanted: wanted not in text,
    "starts": lambda text, wanted: text.startswith(wanted),
    "ends": lambda text, wanted: text.endswith(wanted),
    "greater": lambda text, wanted: text > wanted,
    "less": lambda text, wanted: text < wanted,
}
_BLANK = {"blank": True, "blank_not": False}
_ADDRESS_FIELDS = ("EMAIL", "merge0")
_SERVED = ("EmailAddress", "TextMerge", "SelectMerge", "StaticSegment")


def read_options(call: Call, list_id: str, given: Any) -> Shown:
    """Return the options of a saved segment. Raises MailchimpError, with 501 for a condition that is not served."""
    options = cast(Shown, given) if isinstance(given, dict) else None
    conditions: Any = options.get("conditions", []) if options is not None else None
    match = options.get("match", "any") if options is not None else None
    if match not in ("any", "all"):
        raise MailchimpError(400, "options.match: Data did not match any of the following: any, all")
    if not isinstance(conditions, list) or not 1 <= len(cast(list[Any], conditions)) <= MAX_CONDITIONS:
        raise MailchimpError(400, f"options.conditions: Schema describes array of 1 to {MAX_CONDITIONS} conditions")
    read = [_read_condition(call, list_id, each) for each in cast(list[Any], conditions)]
    return {"match": match, "conditions": read}


def meets_options(call: Call, options: Shown, member: MailchimpMember) -> bool:
    """Return whether a member meets the conditions of a saved segment, any or all of them."""
    met = (_meets(call, each, member) for each in options["conditions"])
    return all(met) if options["match"] == "all" else any(met)


def _read_condition(call: Call, list_id: str, given: Any) -> Shown:
    condition = cast(Shown, given) if isinstance(given, dict) else {}
    kind, field, op, value = (condition.get(name) for name in ("condition_type", "field", "op", "value"))
    if kind is None and isinstance(field, str):
        kinds = {**dict.fromkeys(_ADDRESS_FIELDS, "EmailAddress"), "static_segment": "StaticSegment"}
        kind = kinds.get(field, "TextMerge")
    if not isinstance(kind, str) or not isinstance(field, str) or not isinstance(op, str):
        raise MailchimpError(400, "options.conditions: a condition has a condition_type, a field and an op")
    if kind not in _SERVED:
        raise MailchimpError(501, f"Segments by conditions of the type {kind[:100]} are not served")
    made = {"condition_type": kind, "field": field, "op": op, "value": value}
    if kind == "StaticSegment":
        _check_static(call, list_id, made)
        return {**made, "value": int(str(value))}
    ops = {**_COMPARED, **({} if kind == "EmailAddress" else _BLANK)}
    if op not in ops:
        raise MailchimpError(400, f"options.conditions: op is none of {', '.join(ops)}")
    if op not in _BLANK and not isinstance(value, (str, int, float)):
        raise MailchimpError(400, "options.conditions: value: Schema describes string")
    if not _is_field(call, list_id, kind, field):
        raise MailchimpError(400, f"options.conditions: there is no field {field[:100]} of the type {kind}")
    return made if op not in _BLANK else {name: made[name] for name in ("condition_type", "field", "op")}


def _is_field(call: Call, list_id: str, kind: str, field: str) -> bool:
    if kind == "EmailAddress":
        return field in _ADDRESS_FIELDS
    rows = call.db.rows(MailchimpMergeField, MailchimpMergeField.list_id == list_id)
    return field in [each.tag for each in rows]


def _check_static(call: Call, list_id: str, condition: Shown) -> None:
    if condition["field"] != "static_segment" or condition["op"] not in ("static_is", "static_not"):
        raise MailchimpError(400, "options.conditions: a static_segment has the op static_is or static_not")
    text = str(condition["value"])
    number = read_number_id(text)
    if not number:
        raise MailchimpError(400, "options.conditions: value: Schema describes integer")
    row = call.db.find(MailchimpSegment, MailchimpSegment.id == number, MailchimpSegment.list_id == list_id)
    is_tag = any(text in _list_tags(each) for each in call.db.rows(MailchimpMember, MailchimpMember.list_id == list_id))
    if (row is None and not is_tag) or (row is not None and row.options):
        raise MailchimpError(400, f"options.conditions: there is no static segment or tag {text}")


def _list_tags(member: MailchimpMember) -> list[str]:
    return [str(each.get("id")) for each in cast(list[Shown], member.tags)]


def _meets(call: Call, condition: Shown, member: MailchimpMember) -> bool:
    op, value = condition["op"], condition.get("value")
    if condition["condition_type"] == "StaticSegment":
        row = call.db.find(MailchimpSegment, MailchimpSegment.id == value)
        is_in = str(value) in _list_tags(member) or (row is not None and member.id in row.member_ids)
        return is_in == (op == "static_is")
    merged: Shown = member.merge_fields
    is_address = condition["condition_type"] == "EmailAddress"
    held = member.email_address if is_address else merged.get(condition["field"])
    text = "" if held is None else str(held).lower()
    return (text == "") == _BLANK[op] if op in _BLANK else _COMPARED[op](text, str(value).lower())
