"""Creating an issue from a template.  https://linear.app/docs/issue-templates"""

from __future__ import annotations

from typing import Any

import msgspec

from twindiff.kit import Call
from twindiff.kit.graphql.errors import InvalidInput

from .model.documents import Template

FIELDS = ("title", "description", "priority", "stateId", "assigneeId", "projectId", "estimate", "dueDate")


def fill_in(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Take what was not given from the template that was named; raises InvalidInput for one that is no issue's."""
    if not given.get("templateId"):
        return
    template = call.db.find(Template.row, Template.row.id == given["templateId"])
    if template is None or template.type != "issue":
        raise InvalidInput("templateId: there is no such template of issues.")
    data = _object(template.templateData)
    for name in FIELDS:
        if values.get(name) is None and data.get(name) is not None:
            values[name] = data[name]
    values["lastAppliedTemplateId"] = template.id
    if given.get("labelIds") is None and data.get("labelIds"):
        given["labelIds"] = data["labelIds"]


def _object(data: Any) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(data) if isinstance(data, str) else data
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType] - JSON's edge
