"""Answers with the fields that `opt_fields` names. https://developers.asana.com/docs/inputoutput-options"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from twindiff.drafts.drafting import Draft
from twindiff.drafts.placeholders import value_at
from twindiff.drafts.plan import OperationPlan
from twindiff.kit.call import Call
from twindiff.kit.errors import InvalidParameter
from twindiff.kit.http import ValueResponse
from twindiff.kit.request_context import RequestContext

MAX_SELECTED_FIELDS = 200
MAX_SELECTED_DEPTH = 6
MAY_BE_NULL = (
    "assignee", "assignee_section", "completed_by", "current_status", "current_status_update", "owner", "parent",
    "team",
)  # fmt: skip
"""Objects that a selection shows as null where there is none, as Asana does although its description has no null."""
FieldTree = dict[str, Any]
"""The fields to show, each with those inside it: `{assignee: {name: {}}}`."""


class FieldSelection:
    """Shows of each object what a request selects; without a selection lists have the compact form."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._members = {
            plan.stored.resource.name: (plan.stored, plan.operation.name)
            for plan in draft.plans
            if plan.stored is not None and plan.role.kind == "member" and plan.operation.verb == "GET"
        }

    def layer(self, exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
        """Answer with the selected fields. Raises InvalidParameter for too many or too deep ones."""
        tree = read_field_tree(_list_selected(exchange, call))
        answer = proceed()
        value = answer.value if isinstance(answer, ValueResponse) else answer
        if not tree or not isinstance(value, dict) or "data" not in value:
            return answer
        shown = cast(dict[str, Any], value)
        selected = {**shown, "data": self._select(call, shown["data"], tree)}
        return answer._replace(value=selected) if isinstance(answer, ValueResponse) else selected

    def _select(self, call: Call, shown: Any, tree: FieldTree) -> Any:
        if isinstance(shown, list):
            return [self._select(call, each, tree) for each in cast(list[Any], shown)]
        if not isinstance(shown, dict):
            return shown
        known = cast(dict[str, Any], shown)
        whole = self._find_whole(call, known)
        selected = {"gid": known["gid"]} if "gid" in known else {}
        for name, inner in tree.items():
            if name in whole:
                selected[name] = self._select(call, whole[name], inner) if inner else _shorten(whole[name])
        return selected

    def _find_whole(self, call: Call, shown: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return all fields of an object that is shown, which may be its compact form."""
        stored, operation = self._members.get(str(shown.get("resource_type")), (None, ""))
        if stored is None or "gid" not in shown:
            return shown
        known: dict[tuple[str, str], Mapping[str, Any]] = call.memo.setdefault("whole_objects", {})
        at = (stored.table, str(shown["gid"]))
        if at not in known:
            row = call.db.find(stored.row, stored.key == at[1])
            data: dict[str, Any] = self._draft.show(call, row, operation)["data"] if row is not None else {}
            known[at] = {**dict.fromkeys(name for name in MAY_BE_NULL if name in stored.columns), **shown, **data}
        return known[at]


def accept_any_field(plan: OperationPlan) -> OperationPlan:
    """Return a plan whose `opt_fields` may name any field, where the description lists some of them."""
    schema = {"type": "array", "items": {"type": "string"}}
    parameters = [
        each._replace(schema=schema) if each.name == "opt_fields" else each for each in plan.operation.parameters
    ]
    return plan._replace(operation=plan.operation._replace(parameters=tuple(parameters)))


def read_field_tree(paths: Sequence[str]) -> FieldTree:
    """Return the fields that paths such as `assignee.name` select. Raises InvalidParameter."""
    if len(paths) > MAX_SELECTED_FIELDS:
        raise InvalidParameter("opt_fields", f"at most {MAX_SELECTED_FIELDS} fields may be selected")
    tree: FieldTree = {}
    for path in paths:
        names = [name for name in path.split(".") if name and name != "this"]
        if len(names) > MAX_SELECTED_DEPTH:
            raise InvalidParameter("opt_fields", f"'{path[:100]}' is more than {MAX_SELECTED_DEPTH} levels deep")
        at = tree
        for name in names:
            at = at.setdefault(name, {})
    return tree


def _list_selected(exchange: RequestContext, call: Call) -> list[str]:
    """Return the paths in the query, or in `options.fields` of a body."""
    given: Any = exchange.request.query_parameters().get("opt_fields")
    if given is None and exchange.request.verb != "GET" and exchange.request.body[:1] == b"{":
        given = value_at(exchange.style.body(exchange.request), "options.fields")
    listed = cast(list[Any], given) if isinstance(given, list) else [given] if given else []
    return [part.strip() for each in listed for part in str(each).split(",") if part.strip()]


def _shorten(value: Any) -> Any:
    """Return a value in which objects are named by `gid` and `resource_type` alone."""
    if isinstance(value, list):
        return [_shorten(each) for each in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    fields = cast(dict[str, Any], value)
    if "gid" in fields and "resource_type" in fields:
        return {"gid": fields["gid"], "resource_type": fields["resource_type"]}
    return {name: _shorten(each) for name, each in fields.items()}
