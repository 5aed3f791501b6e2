"""Customers and their needs.  https://linear.app/docs/customer-requests"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, all_of
from twindiff.kit.graphql import ConnectionRows, Section, entity_operations
from twindiff.kit.graphql.errors import EntityNotFound, InvalidInput
from twindiff.kit.rows import Expression

from ..core.counts import tally
from ..core.rich_text import document_of, read_text_input
from ..model.customers import Customer, CustomerNeed, CustomerStatus, CustomerTier
from ..model.issues import Issue
from ..projects.projects import workspace

api = Section()

PUBLIC_DOMAINS = frozenset(
    (
        "aol.com",
        "gmail.com",
        "gmx.de",
        "googlemail.com",
        "hotmail.com",
        "icloud.com",
        "live.com",
        "msn.com",
        "outlook.com",
        "proton.me",
        "protonmail.com",
        "yahoo.com",
    )
)
"""Domains of email that anyone can have an address at; Linear does not list them."""
_STATUSES = (("Active", "active", "#5e6ad2"), ("Inactive", "inactive", "#95a2b3"))


@api.query("customers")
def customers(call: Call, sorts: list[dict[str, Any]] | None = None) -> ConnectionRows:
    """List the customers of the workspace."""
    return ConnectionRows(Customer)


@api.before_create(Customer)
def create_customer(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set the URL and the default status of a new customer; raise InvalidInput for an empty name."""
    if not values["name"].strip():
        raise InvalidInput("name: a customer needs a name.")
    _check_sources(call, given, None)
    short = values["id"].replace("-", "")[:12]
    values["slugId"] = short
    values["url"] = f"https://linear.app/{workspace(call)}/customer/{short}"
    values["statusId"] = values.get("statusId") or _status(call)


@api.before_update(Customer)
def update_customer(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate the domains and the main source of a changed customer."""
    _check_sources(call, given, row)


def _check_sources(call: Call, given: dict[str, Any], customer: Any) -> None:
    """Raise InvalidInput for a main source that is no external id, and for public domains and those of others."""
    ids = customer.externalIds if customer and given.get("externalIds") is None else given.get("externalIds")
    if given.get("mainSourceId") and given["mainSourceId"] not in (ids or ()):
        raise InvalidInput("mainSourceId must be one of externalIds.")
    domains = {each.casefold() for each in given.get("domains") or ()}
    if public := domains & PUBLIC_DOMAINS:
        raise InvalidInput(f"domains: '{min(public)}' is a public email domain.")
    row = Customer.row
    others = (
        call.db.rows(row, row.archivedAt.is_null(), row.id != customer.id if customer else all_of()) if domains else []
    )
    if taken := domains & {each.casefold() for other in others for each in other.domains or ()}:
        raise InvalidInput(f"domains: another customer has '{min(taken)}'.")


def _status(call: Call) -> str:
    """Return the id of the first status. A workspace without statuses gets the default ones."""
    row, now = CustomerStatus.row, call.clock.iso()
    statuses = call.db.rows(row, row.archivedAt.is_null(), order=row.position, limit=1)
    if statuses:
        return statuses[0].id
    made = [
        call.db.add(
            row(
                id=call.ids.uuid(),
                name=name.lower(),
                displayName=name,
                type=kind,
                color=color,
                position=float(position),
                createdAt=now,
                updatedAt=now,
            )
        )
        for position, (name, kind, color) in enumerate(_STATUSES)
    ]
    return made[0].id


def _in_order(entity: Any) -> None:
    """Register the hook for new statuses or tiers: name and display name default to each other, position to the end."""

    @api.before_create(entity)
    def create(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:  # pyright: ignore[reportUnusedFunction]
        name: str = given.get("name") or given["displayName"]
        values["name"] = given.get("name") or name.lower()
        values["displayName"] = given.get("displayName") or name
        row = entity.row
        if entity is CustomerTier and call.db.find(row, row.name.equals(values["name"]), row.archivedAt.is_null()):
            raise InvalidInput(f"name: there is one with the name '{values['name']}' already.")
        if given.get("position") is None:
            last = call.db.rows(entity.row, order=-entity.row.position, limit=1)
            values["position"] = last[0].position + 1.0 if last else 0.0


_in_order(CustomerStatus)
_in_order(CustomerTier)


@api.before_delete(CustomerStatus)
def delete_status(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Raise InvalidInput for a status that customers have, and for the last one."""
    status = CustomerStatus.row
    if _is_used(call, Customer.row.statusId == row.id):
        raise InvalidInput("id: customers have this status.")
    if not call.db.find(status, status.id != row.id, status.archivedAt.is_null()):
        raise InvalidInput("id: this is the last status.")


@api.before_delete(CustomerTier)
def delete_tier(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Raise InvalidInput for a tier that customers have."""
    if _is_used(call, Customer.row.tierId == row.id):
        raise InvalidInput("id: customers have this tier.")


def _is_used(call: Call, condition: Expression) -> bool:
    return call.db.find(Customer.row, condition, Customer.row.archivedAt.is_null()) is not None


@api.query("customerNeed")
def customer_need(call: Call, id: str | None = None, hash: str | None = None) -> Any:
    """Get a need by its id, or by the hash at the end of its URL; raise EntityNotFound."""
    row = CustomerNeed.row
    need = call.db.find(row, row.id.starts(hash)) if hash else None
    if id is None and need is None:
        raise EntityNotFound("CustomerNeed", hash or "")
    return need or entity_operations.find(call, CustomerNeed, id or "")


@api.before_create(CustomerNeed)
def create_need(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set the project, creator and text of a new need; raise InvalidInput unless it names an issue or a project."""
    _known_elsewhere(call, values, given)
    if not (values.get("issueId") or values.get("projectId")):
        raise InvalidInput("issueId: a need belongs to an issue or a project.")
    if given.get("issueId") and given.get("projectId"):
        raise InvalidInput("projectId: a need of an issue is one of the issue's project; name one of them.")
    if values.get("issueId"):
        values["projectId"] = call.db.get(Issue.row, values["issueId"]).projectId
    values["creatorId"] = call.actor
    _write(values, given)


@api.before_update(CustomerNeed)
def update_need(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Apply a text given as a document, and set the project of a need to that of its new issue."""
    _known_elsewhere(call, changes, given)
    if given.get("id") not in (None, row.id):
        raise InvalidInput("id: a need keeps the id that it has.")
    if changes.get("issueId"):
        changes["projectId"] = call.db.get(Issue.row, changes["issueId"]).projectId
    _write(changes, given)


def move_needs(call: Call, issue: Any) -> None:
    """Move an issue's needs to the issue's project."""
    need = CustomerNeed.row
    for each in call.db.rows(need, need.issueId == issue.id):
        call.db.change(each, projectId=issue.projectId)


def _known_elsewhere(call: Call, columns: dict[str, Any], given: dict[str, Any]) -> None:
    """Resolve `customerExternalId`, a customer's id in another system; raise InvalidInput if no customer has it."""
    external = given.get("customerExternalId")
    if not external:
        return
    row = Customer.row
    active = call.db.rows(row, row.archivedAt.is_null())
    customer = next((each for each in active if external in each.externalIds), None)
    if customer is None:
        raise InvalidInput(f"customerExternalId: no customer is known elsewhere as '{external}'.")
    columns["customerId"] = customer.id


def _write(columns: dict[str, Any], given: dict[str, Any]) -> None:
    columns.pop("bodyData", None)
    if given.get("body") is not None and given.get("bodyData") is not None:
        raise InvalidInput("bodyData: give the text or the document, and not both.")
    if given.get("attachmentUrl"):
        columns["url"] = given["attachmentUrl"]
    body = read_text_input(given)
    if body is not None:
        columns |= {"body": body, "bodyData": document_of(body), "content": body}


@api.mutation("customerNeedUpdate")
def customer_need_update(
    call: Call, id: str, input: dict[str, Any], clear_attachment: bool | None = None
) -> dict[str, Any]:
    """Update a need, and on request the priority of the other needs of its issue."""
    row = entity_operations.find(call, CustomerNeed, id)
    changed = entity_operations.update(call, CustomerNeed, row, input)
    related: list[Any] = []
    if input.get("applyPriorityToRelatedNeeds") and changed.issueId:
        need = CustomerNeed.row
        others = call.db.rows(need, need.issueId == changed.issueId, need.id != changed.id)
        related = [call.db.change(each, priority=changed.priority, updatedAt=call.clock.iso()) for each in others]
    return {"need": changed, "updatedRelatedNeeds": related}


@api.field(Issue, "customerTicketCount", needs="id")
def customer_ticket_count(call: Call, rows: list[Any]) -> list[int]:
    """Return the number of customer needs of each issue."""
    need = CustomerNeed.row
    return tally(call, need.issueId, rows)


@api.field(Customer, "approximateNeedCount", needs="id")
def approximate_need_count(call: Call, rows: list[Any]) -> list[float]:
    """Return the number of needs of each customer."""
    need = CustomerNeed.row
    return [float(count) for count in tally(call, need.customerId, rows, need.archivedAt.is_null())]


@api.mutation("customerMerge(sourceCustomerId: String!, targetCustomerId: String!): CustomerPayload!")
def customer_merge(call: Call, source_customer_id: str, target_customer_id: str) -> dict[str, Any]:
    """Merge one customer into another: move its needs and external ids, then archive it."""
    source, target = (entity_operations.find(call, Customer, each) for each in (source_customer_id, target_customer_id))
    if source.id == target.id:
        raise InvalidInput("targetCustomerId: a customer cannot be merged with itself.")
    need, now = CustomerNeed.row, call.clock.iso()
    for row in call.db.rows(need, need.customerId == source.id):
        call.db.change(row, customerId=target.id, updatedAt=now)
    call.db.change(source, archivedAt=now, updatedAt=now)
    joined = {
        name: list(dict.fromkeys([*getattr(target, name), *getattr(source, name)]))
        for name in ("domains", "externalIds")
    }
    return {"customer": call.db.change(target, updatedAt=now, **joined)}
