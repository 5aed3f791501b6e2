"""Turns JQL into conditions on issues. https://support.atlassian.com/jira-software-cloud/docs/jql-fields/"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from twindiff.kit.call import Call
from twindiff.kit.computed_values import Item, only
from twindiff.kit.rows import Column, Expression, Items, Order, all_of, any_of, exists, not_
from twindiff.kit.store import Ordering

from .issue_fields import find_issue, find_project
from .jql_syntax import Clause, Jql, JqlFunction, JqlPart, Junction, Negation, parse_jql
from .site import find_named, find_user
from .tables import (
    Comment,
    Component,
    CustomField,
    Issue,
    IssueType,
    Priority,
    Project,
    Resolution,
    Sprint,
    Status,
    Version,
    Watcher,
)
from .wire_style import JiraError, UnservedJql

_COMPARISONS = ("<", "<=", ">", ">=")
_EQUAL = ("=", "!=", "in", "not in", "is", "is not")
_RELATIVE = re.compile(r"([+-]?\d+)\s*([wdhmyM]?)")
_SPANS = {"w": timedelta(weeks=1), "d": timedelta(days=1), "h": timedelta(hours=1), "m": timedelta(minutes=1)}


class CompiledJql(NamedTuple):
    """A query ready for the database."""

    where: tuple[Expression, ...]
    order: Ordering


def compile_jql(call: Call, text: str) -> CompiledJql:
    """Return the conditions and the order of a query; raises JiraError in Jira's words."""
    jql = parse_jql(text)
    where = (_compile(call, jql.where),) if jql.where else ()
    return CompiledJql(where, _order(call, jql))


def _compile(call: Call, part: JqlPart) -> Expression:
    if isinstance(part, Negation):
        return not_(_compile(call, part.part))
    if isinstance(part, Junction):
        parts = [_compile(call, each) for each in part.parts]
        return all_of(*parts) if part.how == "and" else any_of(*parts)
    if part.operator.startswith("was") or part.operator == "changed":
        raise UnservedJql(f"The operator '{part.operator.upper()}' of JQL is not implemented here.")
    name = _field_name(call, part.field)
    return _FIELDS[name](call, part) if name in _FIELDS else _custom(call, part, name)


def _field_name(call: Call, said: str) -> str:
    """Return the field that a query means; raises JiraError for one that does not exist."""
    word = said.lower()
    word = _ALIASES.get(word, word)
    if word in _FIELDS:
        return word
    number = re.fullmatch(r"cf\[(\d+)\]", word)
    id = f"customfield_{number[1]}" if number else word
    custom = call.db.find(CustomField, CustomField.id == id) or call.db.find(CustomField, CustomField.name.equals(said))
    if custom is None:
        raise JiraError(f"Field '{said}' does not exist or you do not have permission to view it.")
    return _ALIASES.get(custom.name.lower(), custom.id)


def _is_empty(clause: Clause) -> bool:
    value = clause.values[0]
    return clause.operator in ("is", "is not") or (
        isinstance(value, str) and value.lower() in ("empty", "null") and clause.operator in ("=", "!=")
    )


def _check(clause: Clause, *operators: str) -> None:
    if clause.operator not in operators:
        raise JiraError(f"The operator '{clause.operator}' is not supported by the '{clause.field}' field.")
    value = clause.values[0]
    if clause.operator in ("is", "is not") and not (isinstance(value, str) and value.lower() in ("empty", "null")):
        raise JiraError(f"The operator '{clause.operator}' must be followed by EMPTY or NULL.")


def _negate(clause: Clause, condition: Expression) -> Expression:
    return not_(condition) if clause.operator in ("!=", "not in", "is not", "!~") else condition


def _one_of(clause: Clause, column: Column[Any], values: list[Any]) -> Expression:
    """Return that a column has one of the values, or none of them and is not empty."""
    if clause.operator in ("!=", "not in"):
        return all_of(not_(column.in_(values)), not_(column.is_null()))
    return column.in_(values)


def _refuse_value(clause: Clause, value: str) -> JiraError:
    return JiraError(f"The value '{value}' does not exist for the field '{clause.field}'.")


def _match_named(
    column: Column[Any], find: Callable[[Call, str], Any], attribute: str
) -> Callable[[Call, Clause], Expression]:
    def compile_named(call: Call, clause: Clause) -> Expression:
        _check(clause, *_EQUAL)
        if _is_empty(clause):
            return _negate(clause, column.is_null())
        values: list[Any] = []
        for value in _texts(call, clause):
            row = find(call, value)
            if row is None:
                raise _refuse_value(clause, value)
            values.append(getattr(row, attribute))
        return _one_of(clause, column, values)

    return compile_named


def _texts(call: Call, clause: Clause) -> list[str]:
    texts: list[str] = []
    for value in clause.values:
        if isinstance(value, JqlFunction):
            texts += _call_function(call, clause, value)
        else:
            texts.append(value)
    return texts


def _call_function(call: Call, clause: Clause, function: JqlFunction) -> list[str]:
    name = function.name
    if name == "currentuser":
        return [call.actor]
    if name in ("standardissuetypes", "subtaskissuetypes"):
        is_sub = name.startswith("sub")
        return [each.name for each in call.db.rows(IssueType) if (each.hierarchy_level < 0) == is_sub]
    if name in ("releasedversions", "unreleasedversions"):
        wanted = name == "releasedversions"
        keys = [argument.upper() for argument in function.arguments]
        rows = call.db.rows(Version)
        return [each.name for each in rows if each.released == wanted and (not keys or each.project_key in keys)]
    if name in (
        "now",
        "startofday",
        "startofweek",
        "startofmonth",
        "startofyear",
        "endofday",
        "endofweek",
        "endofmonth",
        "endofyear",
    ):
        return [_instant(call, function).isoformat()]
    raise UnservedJql(f"The function '{name}' of JQL is not implemented here for the field '{clause.field}'.")


def _instant(call: Call, function: JqlFunction) -> datetime:
    now = call.clock.now.replace(tzinfo=None)
    shift = function.arguments[0] if function.arguments else ""
    if function.name == "now":
        return now
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    unit = function.name.removeprefix("startof").removeprefix("endof")
    start = {
        "day": day,
        "week": day - timedelta(days=(day.weekday() + 1) % 7),
        "month": day.replace(day=1),
        "year": day.replace(month=1, day=1),
    }[unit]
    if shift:
        start = _shift(start, shift, unit)
    if function.name.startswith("endof"):
        return _shift(start, "1", unit) - timedelta(microseconds=1)
    return start


def _shift(at: datetime, said: str, unit: str) -> datetime:
    match = _RELATIVE.fullmatch(said.strip())
    if match is None:
        raise JiraError(f"The value '{said}' is not a valid increment.")
    count, letter = int(match[1]), match[2] or {"day": "d", "week": "w", "month": "M", "year": "y"}[unit]
    try:
        if letter in _SPANS:
            return at + count * _SPANS[letter]
        months = at.year * 12 + at.month - 1 + count * (12 if letter == "y" else 1)
        return at.replace(year=months // 12, month=months % 12 + 1, day=min(at.day, 28))
    except (OverflowError, ValueError):
        raise JiraError(f"The value '{said}' is not a valid increment.") from None


def read_instant(call: Call, field: str, said: str) -> datetime:
    """Return the time of `2026-01-31`, `2026/01/31 09:30` or `-7d`; raises JiraError."""
    relative = _RELATIVE.fullmatch(said.strip())
    if relative and (relative[2] or said.strip()[:1] in "+-"):
        letter = relative[2] or "m"
        now = call.clock.now.replace(tzinfo=None)
        return _shift(now, said.strip() if relative[2] else said.strip() + letter, "day")
    try:
        return datetime.fromisoformat(said.replace("/", "-")).replace(tzinfo=None)
    except ValueError:
        raise JiraError(
            f"Date value '{said}' for field '{field}' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm',"
            " 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'."
        ) from None


def _time(column: Column[Any], *, whole_days: bool = False) -> Callable[[Call, Clause], Expression]:
    def compile_time(call: Call, clause: Clause) -> Expression:
        _check(clause, *_COMPARISONS, *_EQUAL)
        if _is_empty(clause):
            return _negate(clause, column.is_null())
        instants = [read_instant(call, clause.field, each) for each in _texts(call, clause)]
        values = [at.date().isoformat() if whole_days else at.isoformat() for at in instants]
        if clause.operator in _COMPARISONS:
            return {
                "<": column < values[0],
                "<=": column <= values[0],
                ">": column > values[0],
                ">=": column >= values[0],
            }[clause.operator]
        return _one_of(clause, column, values)

    return compile_time


def _text(*columns: Column[Any]) -> Callable[[Call, Clause], Expression]:
    def compile_text(call: Call, clause: Clause) -> Expression:
        _check(clause, "~", "!~", "is", "is not", *(("=", "!=") if columns == (Issue.summary,) else ()))
        if _is_empty(clause):
            return _negate(clause, all_of(*(column.is_null() for column in columns)))
        words = [_stem(word) for word in re.findall(r"[^\s*?]+", _texts(call, clause)[0].strip('"'))]
        return _negate(clause, all_of(*(any_of(*(column.resembles(word) for column in columns)) for word in words)))

    return compile_text


def _stem(word: str) -> str:
    """Return the stem of a word, which other forms of it begin with: `crashes` finds `crashed`."""
    return re.sub(r"(es|ed|ing|s)$", "", word) if len(word) > 5 else word


def _all_texts(call: Call, clause: Clause) -> Expression:
    _check(clause, "~", "!~")
    positive = clause._replace(operator="~")
    inside = _text(Issue.summary, Issue.description, Issue.environment)(call, positive)
    return _negate(clause, any_of(inside, _comment(call, positive)))


def _comment(call: Call, clause: Clause) -> Expression:
    _check(clause, "~", "!~")
    words = [_stem(word) for word in re.findall(r"[^\s*?]+", _texts(call, clause)[0].strip('"'))]
    return _negate(
        clause, exists(Comment, Comment.issue_key == Issue.key, *(Comment.body.resembles(word) for word in words))
    )


def _match_list(column: Column[Any], table: Any = None) -> Callable[[Call, Clause], Expression]:
    """Return the condition of a list of names; names that `table` has not are refused."""

    def compile_listed(call: Call, clause: Clause) -> Expression:
        _check(clause, *_EQUAL)
        filled = exists(Items(column))
        if _is_empty(clause):
            return filled if clause.operator in ("is not", "!=") else not_(filled)
        names = _texts(call, clause)
        if table is not None:
            rows = [(value, find_named(call, table, value)) for value in names]
            for value, row in rows:
                if row is None:
                    raise _refuse_value(clause, value)
            names = [row.name for _, row in rows]
        is_listed = any_of(*(exists(Items(column), Item.value == name) for name in names))
        return all_of(not_(is_listed), filled) if clause.operator in ("!=", "not in") else is_listed

    return compile_listed


def _sprint(call: Call, clause: Clause) -> Expression:
    _check(clause, *_EQUAL)
    if _is_empty(clause):
        return _negate(clause, Issue.sprint_id.is_null())
    states = {"opensprints": "active", "closedsprints": "closed", "futuresprints": "future"}
    ids: list[int] = []
    for value in clause.values:
        if isinstance(value, JqlFunction):
            if value.name not in states:
                raise UnservedJql(f"The function '{value.name}' of JQL is not implemented here.")
            ids += [each.id for each in call.db.rows(Sprint, Sprint.state == states[value.name])]
            continue
        rows = call.db.rows(Sprint, Sprint.id == int(value)) if value.isdecimal() else []
        rows = rows or call.db.rows(Sprint, Sprint.name.equals(value))
        if not rows:
            raise _refuse_value(clause, value)
        ids += [each.id for each in rows]
    return _one_of(clause, Issue.sprint_id, ids)


def _key(call: Call, clause: Clause) -> Expression:
    _check(clause, *_EQUAL, *_COMPARISONS)
    issues = [(value, find_issue(call, value)) for value in _texts(call, clause)]
    for value, issue in issues:
        if issue is None:
            raise JiraError(f"An issue with key '{value}' does not exist for field '{clause.field}'.")
    if clause.operator in _COMPARISONS:
        issue = issues[0][1]
        assert issue is not None
        number = Issue.number
        bounds = {
            "<": number < issue.number,
            "<=": number <= issue.number,
            ">": number > issue.number,
            ">=": number >= issue.number,
        }
        return all_of(Issue.project_key == issue.project_key, bounds[clause.operator])
    return _one_of(clause, Issue.key, [issue.key for _, issue in issues if issue])


def _category(call: Call, clause: Clause) -> Expression:
    _check(clause, *_EQUAL)
    keys = {
        "to do": "new", "new": "new", "2": "new", "done": "done", "3": "done", "complete": "done",
        "in progress": "indeterminate", "indeterminate": "indeterminate", "4": "indeterminate",
    }  # fmt: skip
    wanted: list[str] = []
    for value in _texts(call, clause):
        if value.lower() not in keys:
            raise _refuse_value(clause, value)
        wanted.append(keys[value.lower()])
    names = [each.name for each in call.db.rows(Status, Status.category.in_(wanted))]
    return _one_of(clause, Issue.status, names)


def _priority(call: Call, clause: Clause) -> Expression:
    if clause.operator not in _COMPARISONS:
        return _match_named(Issue.priority, lambda call, said: find_named(call, Priority, said), "name")(call, clause)
    row = find_named(call, Priority, _texts(call, clause)[0])
    if row is None:
        raise _refuse_value(clause, _texts(call, clause)[0])
    column, at = Priority.sequence, row.sequence
    where = {"<": column > at, "<=": column >= at, ">": column < at, ">=": column <= at}[clause.operator]
    return Issue.priority.in_([each.name for each in call.db.rows(Priority, where)])


def _resolution(call: Call, clause: Clause) -> Expression:
    if [str(value).lower() for value in clause.values] == ["unresolved"]:
        return _negate(clause, Issue.resolution.is_null())
    return _match_named(Issue.resolution, lambda call, said: find_named(call, Resolution, said), "name")(call, clause)


def _watcher(call: Call, clause: Clause) -> Expression:
    _check(clause, *_EQUAL)
    accounts = [user.account_id for value in _texts(call, clause) if (user := find_user(call, value))]
    return _negate(clause, exists(Watcher, Watcher.issue_key == Issue.key, Watcher.account_id.in_(accounts)))


def _number(column: Column[Any]) -> Callable[[Call, Clause], Expression]:
    def compile_number(call: Call, clause: Clause) -> Expression:
        _check(clause, *_EQUAL, *_COMPARISONS)
        if _is_empty(clause):
            return _negate(clause, column.is_null())
        try:
            values = [float(each) for each in _texts(call, clause)]
        except ValueError:
            raise _refuse_value(clause, str(clause.values[0])) from None
        if clause.operator in _COMPARISONS:
            return {
                "<": column < values[0],
                "<=": column <= values[0],
                ">": column > values[0],
                ">=": column >= values[0],
            }[clause.operator]
        return _one_of(clause, column, values)

    return compile_number


def _custom(call: Call, clause: Clause, id: str) -> Expression:
    column = Issue.custom_fields.json(id)
    _check(clause, *_EQUAL, *_COMPARISONS, "~", "!~")
    if _is_empty(clause):
        return _negate(clause, column.is_null())
    field = call.db.get(CustomField, id)
    if field.type == "number":
        return _number(column)(call, clause)
    if clause.operator in ("~", "!~"):
        return _negate(clause, column.resembles(_texts(call, clause)[0]))
    return _one_of(clause, column, _texts(call, clause))


_ALIASES = {
    "id": "key", "issue": "key", "issuekey": "key", "type": "issuetype", "issue type": "issuetype",
    "fix version": "fixversion", "affects version": "affectedversion", "createddate": "created",
    "updateddate": "updated", "resolved": "resolutiondate", "due": "duedate", "due date": "duedate",
    "epic link": "parent", "story points": "story point estimate", "labels": "labels", "label": "labels",
    "status category": "statuscategory", "fixversions": "fixversion", "components": "component",
}  # fmt: skip
_FIELDS: dict[str, Callable[[Call, Clause], Expression]] = {
    "key": _key,
    "project": _match_named(
        Issue.project_key,
        lambda call, said: find_project(call, said) or call.db.find(Project, Project.name.equals(said)),
        "key",
    ),
    "summary": _text(Issue.summary),
    "description": _text(Issue.description),
    "environment": _text(Issue.environment),
    "text": _all_texts,
    "textfields": _all_texts,
    "comment": _comment,
    "status": _match_named(Issue.status, lambda call, said: find_named(call, Status, said), "name"),
    "statuscategory": _category,
    "issuetype": _match_named(Issue.issue_type, lambda call, said: find_named(call, IssueType, said), "name"),
    "priority": _priority,
    "resolution": _resolution,
    "assignee": _match_named(Issue.assignee, find_user, "account_id"),
    "reporter": _match_named(Issue.reporter, find_user, "account_id"),
    "creator": _match_named(Issue.creator, find_user, "account_id"),
    "labels": _match_list(Issue.labels),
    "component": _match_list(Issue.components, Component),
    "fixversion": _match_list(Issue.fix_versions, Version),
    "affectedversion": _match_list(Issue.versions, Version),
    "created": _time(Issue.created),
    "updated": _time(Issue.updated),
    "resolutiondate": _time(Issue.resolution_date),
    "duedate": _time(Issue.due_date, whole_days=True),
    "sprint": _sprint,
    "parent": _match_named(Issue.parent, find_issue, "key"),
    "watcher": _watcher,
    "story point estimate": _number(Issue.story_points),
    "originalestimate": _number(Issue.original_estimate_seconds),
    "remainingestimate": _number(Issue.remaining_estimate_seconds),
}
_ORDERS: dict[str, Column[Any]] = {
    "key": Issue.number, "project": Issue.project_key, "summary": Issue.summary, "issuetype": Issue.issue_type,
    "assignee": Issue.assignee, "reporter": Issue.reporter, "resolution": Issue.resolution, "created": Issue.created,
    "updated": Issue.updated, "resolutiondate": Issue.resolution_date, "duedate": Issue.due_date,
    "rank": Issue.rank, "sprint": Issue.sprint_id, "story point estimate": Issue.story_points,
    "status": only(Status.id, Status, Status.name == Issue.status),
    "priority": only(Priority.sequence, Priority, Priority.name == Issue.priority),
}  # fmt: skip


def _order(call: Call, jql: Jql) -> Ordering:
    """Return the order of a query; without one, the newest first."""
    terms: list[Column[Any] | Order] = []
    for said, direction in jql.order:
        word = said.lower()
        name = "rank" if word == "rank" else _field_name(call, said)
        column = _ORDERS.get(name)
        if column is None:
            raise JiraError(f"Field '{said}' is not orderable.")
        descends = direction == "desc" or (not direction and name in ("created", "updated", "priority"))
        if name == "key":
            terms.append(Issue.project_key)
        # A higher priority has a lower number, and a higher one comes last in an ascending order.
        if name == "priority":
            descends = not descends
        terms.append(Order(column, descends, "last" if not descends else "first"))
    return tuple(terms) if terms else (-Issue.created, -Issue.number)
