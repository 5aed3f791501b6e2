"""Creates issues and projects from templates.

https://linear.app/docs/issue-templates · https://linear.app/docs/project-templates
"""

from __future__ import annotations

from typing import Any

import msgspec

from twindiff.kit import Call
from twindiff.kit.graphql.errors import InvalidInput
from twindiff.kit.json_values import read_json

from ..model.documents import Template

FIELDS = {
    "issue": ("title", "description", "priority", "stateId", "assigneeId", "projectId", "estimate", "dueDate"),
    "project": ("description", "content", "icon", "color", "priority", "leadId", "startDate", "targetDate"),
}
"""The fields that a template provides, by its type."""


def fill_in(
    call: Call, values: dict[str, Any], given: dict[str, Any], kind: str = "issue", default: str | None = None
) -> None:
    """Fill fields that `given` omits from its `templateId`, or from the template `default` with `useDefaultTemplate`.

    Changes `values` and `given` in place. Raises InvalidInput for a template of another type.
    """
    wanted = given.get("templateId") or (default if given.get("useDefaultTemplate") else None)
    if not wanted:
        return
    template = call.db.find(Template.row, Template.row.id == wanted)
    if template is None or template.type != kind:
        raise InvalidInput(f"templateId: there is no such template of {kind}s.")
    data = _object(template.templateData)
    for name in FIELDS[kind]:
        if values.get(name) is None and data.get(name) is not None:
            values[name] = data[name]
    values["lastAppliedTemplateId"] = template.id
    if given.get("labelIds") is None and data.get("labelIds"):
        given["labelIds"] = data["labelIds"]


def _object(data: Any) -> dict[str, Any]:
    try:
        value = read_json(data) if isinstance(data, str) else data
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType] - JSON's edge
