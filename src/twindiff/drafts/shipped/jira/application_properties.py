"""The properties of a site that administrators set.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-jira-settings/
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .tables import ApplicationProperty
from .wire_style import JiraError, NoSuchObject

api = Operations()
Shown = dict[str, Any]
MAX_VALUE_LETTERS = 1000


class UsualProperty(NamedTuple):
    """A property that every site has, with its usual value; `allowed` are all values if there are some."""

    id: str
    name: str
    value: str
    type: str = "string"
    allowed: tuple[str, ...] = ()


_FLAGS = ("true", "false")
_USUAL = (
    UsualProperty("jira.title", "Title", "Jira"),
    UsualProperty("jira.clone.prefix", "The prefix added to the Summary field of cloned issues", "CLONE -"),
    UsualProperty("jira.date.picker.java.format", "Date Picker Format (Java)", "d/MMM/yy"),
    UsualProperty("jira.date.picker.javascript.format", "Date Picker Format (Javascript)", "%e/%b/%y"),
    UsualProperty("jira.date.time.picker.java.format", "Date Time Picker Format (Java)", "dd/MMM/yy h:mm a"),
    UsualProperty("jira.date.time.picker.javascript.format", "Date and time (Javascript)", "%e/%b/%y %I:%M %p"),
    UsualProperty("jira.lf.date.time", "Look and feel: time", "h:mm a"),
    UsualProperty("jira.lf.date.day", "Look and feel: day", "EEEE h:mm a"),
    UsualProperty("jira.lf.date.complete", "Look and feel: date and time", "dd/MMM/yy h:mm a"),
    UsualProperty("jira.lf.date.dmy", "Look and feel: date", "dd/MMM/yy"),
    UsualProperty("jira.issue.actions.order", "Order of comments", "asc", "enum", ("asc", "desc")),
    UsualProperty("jira.view.issue.links.sort.order", "Order of linked issues", "type, status, priority"),
    UsualProperty("jira.projectkey.pattern", "Pattern of project keys", "([A-Z][A-Z]+)"),
    UsualProperty("jira.comment.collapsing.minimum.hidden", "Least number of collapsed comments", "4", "number"),
    UsualProperty("jira.table.cols.subtasks", "Columns of subtasks", "issuetype, status, assignee, progress"),
    UsualProperty("jira.option.allowunassigned", "Whether issues may be unassigned", "true", "boolean", _FLAGS),
)  # fmt: skip


def _show(call: Call, known: UsualProperty) -> Shown:
    row = call.db.find(ApplicationProperty, ApplicationProperty.id == known.id)
    about: Shown = {"id": known.id, "key": known.id, "value": row.value if row else known.value, "name": known.name}
    about |= {"desc": "", "type": known.type, "defaultValue": known.value}
    return {**about, **({"allowedValues": [*known.allowed]} if known.allowed else {})}


def _find(id: str) -> UsualProperty:
    for each in _USUAL:
        if each.id == id:
            return each
    raise NoSuchObject(f"The application property '{id}' does not exist.")


@api.get("/application-properties")
def list_properties(call: Call, key: str = "", key_filter: str = "") -> list[Shown]:
    """List the properties of the site, those that begin with a text, or the one of a key."""
    if key:
        return [_show(call, _find(key))]
    return [_show(call, each) for each in _USUAL if each.id.startswith(key_filter)]


@api.get("/application-properties/advanced-settings")
def list_advanced_settings(call: Call) -> list[Shown]:
    """List the properties that the page of advanced settings has."""
    return [_show(call, each) for each in _USUAL if not each.id.startswith("jira.lf.") and each.id != "jira.title"]


@api.put("/application-properties/{id}")
def put_property(call: Call, id: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Change a property of the site."""
    known, value = _find(id), body.get("value")
    if "id" in body and body["id"] != id:
        raise JiraError(f"The id in the body must be '{id}'.")
    if not isinstance(value, str) or len(value) > MAX_VALUE_LETTERS:
        raise JiraError(f"The value must be a text of at most {MAX_VALUE_LETTERS} characters.")
    is_number = known.type != "number" or (value.isascii() and value.isdecimal())
    if (known.allowed and value not in known.allowed) or not is_number:
        raise JiraError(f"'{value}' is no value of the application property '{id}'.")
    row = call.db.find(ApplicationProperty, ApplicationProperty.id == id)
    if row is None:
        call.db.add(ApplicationProperty(id=id, value=value))
    else:
        call.db.change(row, value=value)
    return _show(call, known)
