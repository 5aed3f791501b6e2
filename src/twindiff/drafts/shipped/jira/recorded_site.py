"""Finds what a Jira site must have had before recorded calls: projects, issues, priorities, transitions and people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ...recorded_needs import is_reading
from ...recordings import RecordedCall
from .site import site_rows

Shown = dict[str, Any]
_ISSUE = re.compile(r"/rest/(?:api|agile)/[\w.]+/issue/([^/]+)")
_KEY = re.compile(r"([A-Z][A-Z0-9_]+)-(\d+)")
_BEGIN = "2026-01-01T00:00:00.000000"
_SCHEMES = {"priority": "priorities", "issuetype": "issue_types", "resolution": "resolutions", "status": "statuses"}


def find_site(calls: Sequence[RecordedCall]) -> Mapping[str, list[Shown]]:
    """Return the rows of what calls that were done name or show, and none of them makes."""
    site = _SiteRows()
    for call in calls:
        site.read(call)
    return {table: [*rows.values()] for table, rows in site.tables.items()}


class _SiteRows:
    """Collects rows by table and key."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Shown]] = {}
        self._made: set[str] = set()
        """Ids and keys of the issues that calls made."""
        self._known = {table: {str(row.get("name")).lower() for row in rows} for table, rows in site_rows().items()}

    def read(self, call: RecordedCall) -> None:
        """Note what a call shows; one that was refused names fields only, whose project is there all the same."""
        body, answer = _object(call.body), _object(call.answer)
        fields = _object(body.get("fields"))
        problems = _object(answer.get("errors"))
        is_done = call.status < 300
        if fields and (is_done or (problems and "project" not in problems)):
            self._add_project(_object(fields.get("project")), str(answer.get("key") or ""))
            self._add_names({name: each for name, each in fields.items() if name not in problems})
        named = _ISSUE.search(call.path)
        if named and is_done:
            self._add_issue(named[1])
            self._add_transition(_object(body.get("transition")))
        if is_done and call.verb == "POST" and "key" in answer:
            self._made |= {str(answer["key"]), str(answer.get("id"))}
        elif is_done and is_reading(call):
            for each in _issues_in(call.answer):
                self._add_shown(each)

    def _add(self, table: str, key: str, row: Shown) -> None:
        self.tables.setdefault(table, {}).setdefault(key, row)

    def _add_project(self, given: Shown, made: str) -> None:
        """Add a project that is named by id or key; the key of an issue that is made in it has the project's."""
        key = _KEY.fullmatch(made)
        name = str(given.get("key") or (key[1] if key else "")).upper()
        if not name and "id" in given:
            name = f"P{given['id']}"
        number = str(given.get("id") or 10_000 + len(self.tables.get("projects", ())))
        is_new = name and name not in [row["key"] for row in self.tables.get("projects", {}).values()]
        if is_new:
            self._add("projects", number, {"id": number, "key": name, "name": given.get("name") or name})

    def _add_names(self, fields: Shown) -> None:
        for name, table in _SCHEMES.items():
            said = _object(fields.get(name))
            text = str(said.get("name") or "")
            if text and text.lower() not in self._known[table]:
                number = str(said.get("id") or 20_000 + len(self.tables.get(table, ())))
                more: Shown = {"sequence": int(number)} if table == "priorities" else {}
                more |= {"transition_id": number} if table == "statuses" else {}
                self._add(table, text.lower(), {"id": number, "name": text, **more})

    def _add_transition(self, given: Shown) -> None:
        id = str(given.get("id") or "")
        if id and id not in [row["transition_id"] for row in site_rows()["statuses"]]:
            row = {"id": f"9{id}", "name": f"Status {id}", "category": "indeterminate", "transition_id": id}
            self._add("statuses", f"status {id}", row)

    def _add_issue(self, said: str) -> None:
        """Add an issue of which no more is known than its id or key."""
        known = {name for row in self.tables.get("issues", {}).values() for name in (row["id"], row["key"])}
        key = _KEY.fullmatch(said)
        if said in self._made | known or not (key or said.isdecimal()):
            return
        project, number = (key[1], int(key[2])) if key else ("OLD", int(said))
        self._add_project({"key": project}, "")
        row: Shown = {
            "id": str(10_000_000 + number) if key else said,
            "key": f"{project}-{number}",
            "project_key": project,
            "number": number,
            "summary": said,
            "issue_type": "Task",
            "status": "To Do",
            "created": _BEGIN,
            "updated": _BEGIN,
        }
        self._add("issues", str(row["key"]), row)

    def _add_shown(self, shown: Shown) -> None:
        fields = _object(shown.get("fields"))
        if str(shown["key"]) in self._made:
            return
        self._add_project(_object(fields.get("project")), str(shown["key"]))
        self._add_names(fields)
        self._add_issue(str(shown["key"]))
        row = self.tables.get("issues", {}).get(str(shown["key"]))
        if row is None:
            return
        row["id"] = str(shown["id"])
        texts = {name: fields[name] for name in ("summary", "labels") if fields.get(name) is not None}
        plain = {"description": fields["description"]} if isinstance(fields.get("description"), str) else {}
        row |= {**texts, **plain}
        for name, column in (("issuetype", "issue_type"), ("status", "status"), ("priority", "priority")):
            row |= {column: named["name"]} if (named := _object(fields.get(name))) else {}


def _issues_in(answer: Any) -> Iterator[Shown]:
    shown = _object(answer)
    listed: list[Any] = shown.get("issues") or [shown]
    yield from (cast(Shown, each) for each in listed if isinstance(each, dict) and {"id", "key", "fields"} <= {*each})


def _object(value: Any) -> Shown:
    return cast(Shown, value) if isinstance(value, dict) else {}
