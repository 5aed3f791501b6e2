"""Bulk actions on the leads that a query finds: change them, delete them. They are done at once here.

https://developer.close.com/resources/bulk-actions/
"""

from __future__ import annotations

from typing import Any

from twindiff.kit.errors import MissingOperation
from twindiff.kit.twin import Operations

from ..document_collections import DocumentCollection, DocumentRequest, Shown, declare_operation, serve_collections
from .crm_kinds import KINDS
from .crm_objects import change_object, list_rows, remove_object
from .lead_queries import meets_query
from .organization_collections import OrganizationDocuments
from .shown_objects import SHOWN
from .wire_style import CloseError

api = Operations()
_LEAD = next(kind for kind in KINDS if kind.name == "lead")
_EDITS = ("set_lead_status", "set_custom_field", "clear_custom_field")


def _collection(name: str) -> DocumentCollection:
    return DocumentCollection(
        table="bulk_actions", path=f"/api/v1/bulk_action/{name}/", item="{id}/", style=OrganizationDocuments(),
        name="bulk action", serves=frozenset(["list", "read"]),
    )  # fmt: skip


COLLECTIONS = {name: _collection(name) for name in ("delete", "edit", "email", "sequence_subscription")}
serve_collections(api, COLLECTIONS.values())


def _find_leads(request: DocumentRequest, given: Shown) -> list[Any]:
    """Return the leads that the query of an action finds. Raises what is not served or not valid."""
    if given.get("s_query"):
        raise MissingOperation("This drafted twin has bulk actions by `query` only, not by `s_query`.")
    query, limit = given.get("query", ""), given.get("results_limit")
    if not isinstance(query, str):
        raise CloseError(fields={"query": "This field must be a text."})
    call = request.call
    rows = [row for row in list_rows(call, _LEAD) if not query or meets_query(SHOWN[_LEAD.table](call, row), query)]
    return rows[:limit] if isinstance(limit, int) and not isinstance(limit, bool) and limit >= 0 else rows


def _finish(request: DocumentRequest, name: str, given: Shown, count: int) -> Shown:
    row = COLLECTIONS[name].add(request, {**given, "status": "done", "n_leads": count, "n_leads_processed": count})
    return row.fields


def _delete_leads(request: DocumentRequest) -> Any:
    """Delete the leads that a query finds."""
    given = request.read_object()
    rows = _find_leads(request, given)
    for row in rows:
        remove_object(request.call, row)
    return _finish(request, "delete", given, len(rows))


def _edit_leads(request: DocumentRequest) -> Any:
    """Set the status or a custom field of the leads that a query finds."""
    given = request.read_object()
    if given.get("type") not in _EDITS:
        raise CloseError(fields={"type": f"This field must be one of: {', '.join(_EDITS)}."})
    needed = "lead_status_id" if given["type"] == "set_lead_status" else "custom_field_id"
    if not given.get(needed):
        raise CloseError(fields={needed: "This field is required."})
    change: Shown = {"status_id": given[needed]}
    if needed == "custom_field_id":
        value = given.get("custom_field_value") if given["type"] == "set_custom_field" else None
        change = {f"custom.{given[needed]}": value}
    rows = _find_leads(request, given)
    for row in rows:
        change_object(request.call, _LEAD, row, change)
    return _finish(request, "edit", given, len(rows))


def _refuse(_request: DocumentRequest) -> Any:
    """Refuse to write to many contacts, which this twin does not do."""
    raise MissingOperation("This drafted twin sends no e-mails in bulk.")


declare_operation(api, "POST /api/v1/bulk_action/delete/", _delete_leads)
declare_operation(api, "POST /api/v1/bulk_action/edit/", _edit_leads)
declare_operation(api, "POST /api/v1/bulk_action/email/", _refuse)
declare_operation(api, "POST /api/v1/bulk_action/sequence_subscription/", _refuse)
