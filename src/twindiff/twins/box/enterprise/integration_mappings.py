"""Integration mappings: the folder that holds the files of a Slack or Teams channel.

https://developer.box.com/guides/integration-mappings
"""

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit import UNSET, Call, Operations, Struct, UnsetType, revise
from twindiff.kit.rows import Expression
from twindiff.twins.box.wire_style import BadRequest, marker_page

from ..core.access import acting_user, find_folder, require_admin, rights, user_of
from ..core.errors import NotFound
from ..core.folder_listing import rows_from
from ..core.row_stamps import format_instant, new_id
from ..tables.administration_tables import IntegrationMapping
from ..tables.item_tables import Folder
from ..views.item_views import Shown, folder_mini, user_mini
from .users import enterprise_of

api = Operations(prefix="/2.0")
Partner = Literal["slack", "teams"]


class SlackItem(Struct):
    """A Slack channel, in the workspace or organization in which Box is installed."""

    id: str
    type: Literal["channel"]
    slack_workspace_id: str | None = None
    slack_org_id: str | None = None

    def to_partner_item(self) -> Shown:
        """Return the channel as a mapping stores it."""
        place = {"slack_workspace_id": self.slack_workspace_id, "slack_org_id": self.slack_org_id}
        return {"type": self.type, "id": self.id, **place}


class TeamsItem(Struct):
    """A Teams channel or team."""

    id: str
    type: Literal["channel", "team"]
    tenant_id: str
    team_id: str

    def to_partner_item(self) -> Shown:
        """Return the channel or team as a mapping stores it."""
        return {"type": self.type, "id": self.id, "tenant_id": self.tenant_id, "team_id": self.team_id}


class BoxItem(Struct):
    """A reference to the folder of a mapping."""

    id: str
    type: Literal["folder"] = "folder"


class SlackOptions(Struct):
    """The options of a Slack mapping."""

    is_access_management_disabled: bool = False


def _mapping_object(call: Call, row: IntegrationMapping) -> Shown:
    folder = call.db.get(Folder, row.box_item_id)
    shown: Shown = {
        "type": row.type,
        "id": row.id,
        "integration_type": row.integration_type,
        "partner_item": row.partner_item,
        "created_at": format_instant(row.created_at),
        "modified_at": format_instant(row.modified_at or row.created_at),
    }
    if row.integration_type == "teams":
        return {**shown, "is_overridden_by_manual_mapping": False, "box_item": {"type": "folder", "id": folder.id}}
    return {
        **shown,
        "is_manually_created": row.is_manually_created,
        "options": {"is_access_management_disabled": row.is_access_management_disabled},
        "created_by": user_mini(call, row.created_by_id),
        "modified_by": user_mini(call, row.modified_by_id or row.created_by_id),
        "box_item": folder_mini(folder),
    }


def _find(call: Call, partner: Partner, id: str) -> IntegrationMapping:
    require_admin(call)
    here = IntegrationMapping.integration_type == partner
    row = call.db.find(IntegrationMapping, IntegrationMapping.id == id, here)
    if row is None:
        raise NotFound.of("integration_mapping", id)
    return row


def _is(partner: Partner, partner_item_id: str, box_item_id: str) -> list[Expression]:
    where: list[Expression] = [IntegrationMapping.integration_type == partner]
    where += [IntegrationMapping.partner_item_id == partner_item_id] if partner_item_id else []
    return where + ([IntegrationMapping.box_item_id == box_item_id] if box_item_id else [])


def _folder_for(call: Call, partner: Partner, folder_id: str, but: str = "") -> Folder:
    """Return the folder of a mapping; raise NotFound, or BadRequest with Box's code for the reason."""
    folder = find_folder(call, folder_id)
    if "set_share_access" not in rights(call, folder):
        raise BadRequest.of("SERVICE_ACCOUNT_IS_NOT_A_COOWNER_OR_OWNER", "box_item", "The folder must be one's own.")
    owner = user_of(call, folder.owned_by_id)
    if owner and enterprise_of(owner)["id"] != enterprise_of(acting_user(call))["id"]:
        raise BadRequest.of("BOX_FOLDER_EXTERNALLY_OWNED", "box_item", "The folder belongs to another enterprise.")
    mapped = call.db.find(IntegrationMapping, *_is(partner, "", folder.id), IntegrationMapping.id != but)
    if partner == "teams" and mapped:
        raise BadRequest.of("FOLDER_ALREADY_MAPPED", "box_item", "The folder is mapped already.")
    return folder


def _map(call: Call, partner: Partner, item: SlackItem | TeamsItem, folder_id: str, **columns: Any) -> Shown:
    """Create a mapping of a partner item that has none, and render it."""
    require_admin(call)
    if call.db.find(IntegrationMapping, *_is(partner, item.id, "")):
        code = f"{item.type.upper()}_ALREADY_MAPPED"
        raise BadRequest.of(code, "partner_item", f"The {item.type} is mapped already.")
    made = IntegrationMapping(
        id=new_id(call, 8),
        integration_type=partner,
        partner_item=item.to_partner_item(),
        partner_item_id=item.id,
        box_item_id=_folder_for(call, partner, folder_id).id,
        created_by_id=call.actor,
        created_at=call.clock.iso(),
        **columns,
    )
    return _mapping_object(call, call.db.add(made))


def _change(call: Call, row: IntegrationMapping, box_item: BoxItem | UnsetType | None, **columns: Any) -> Shown:
    """Change the folder of a mapping and render it."""
    partner: Any = row.integration_type
    folder = _folder_for(call, partner, box_item.id, row.id).id if isinstance(box_item, BoxItem) else UNSET
    stamp = {"modified_at": call.clock.iso(), "modified_by_id": call.actor}
    return _mapping_object(call, revise(call.db, row, stamp=stamp, box_item_id=folder, **columns))


@api.get("/integration_mappings/slack")
def list_slack(
    call: Call,
    marker: str = "",
    limit: int = 100,
    partner_item_type: Literal["channel"] | None = None,
    partner_item_id: str = "",
    box_item_id: str = "",
    box_item_type: Literal["folder"] | None = None,
    is_manually_created: bool | None = None,
) -> Shown:
    """List the mappings of Slack channels.

    https://developer.box.com/reference/get-integration-mappings-slack
    """
    require_admin(call)
    where = _is("slack", partner_item_id, box_item_id)
    if is_manually_created is not None:
        where.append(IntegrationMapping.is_manually_created == is_manually_created)
    rows, more = rows_from(call, marker, limit, IntegrationMapping, *where, order=IntegrationMapping.id)
    return marker_page([_mapping_object(call, row) for row in rows], limit, more)


@api.post("/integration_mappings/slack", status=201)
def create_slack(call: Call, partner_item: SlackItem, box_item: BoxItem, options: SlackOptions | None = None) -> Shown:
    """Map a Slack channel to a folder.

    https://developer.box.com/reference/post-integration-mappings-slack
    """
    if bool(partner_item.slack_workspace_id) == bool(partner_item.slack_org_id):
        said = "A channel is of a workspace or of an organization, by one of the two ids."
        raise BadRequest.of("invalid_parameter", "partner_item", said)
    disabled = bool(options and options.is_access_management_disabled)
    return _map(call, "slack", partner_item, box_item.id, is_access_management_disabled=disabled)


@api.put("/integration_mappings/slack/{integration_mapping_id}")
def update_slack(
    call: Call,
    integration_mapping_id: str,
    box_item: BoxItem | UnsetType = UNSET,
    options: SlackOptions | UnsetType = UNSET,
) -> Shown:
    """Change the folder or the options of a Slack mapping.

    https://developer.box.com/reference/put-integration-mappings-slack-id
    """
    row = _find(call, "slack", integration_mapping_id)
    disabled = UNSET if options is UNSET else options.is_access_management_disabled
    return _change(call, row, box_item, is_access_management_disabled=disabled)


@api.delete("/integration_mappings/slack/{integration_mapping_id}", status=204)
def delete_slack(call: Call, integration_mapping_id: str) -> None:
    """Delete a Slack mapping.

    https://developer.box.com/reference/delete-integration-mappings-slack-id
    """
    call.db.remove(_find(call, "slack", integration_mapping_id))


@api.get("/integration_mappings/teams")
def list_teams(
    call: Call,
    partner_item_type: Literal["channel", "team"] | None = None,
    partner_item_id: str = "",
    box_item_id: str = "",
    box_item_type: Literal["folder"] | None = None,
) -> Shown:
    """List the mappings of Teams channels and teams.

    https://developer.box.com/reference/get-integration-mappings-teams
    """
    require_admin(call)
    rows = call.db.rows(IntegrationMapping, *_is("teams", partner_item_id, box_item_id), order=IntegrationMapping.id)
    kinds = ("channel", "team") if partner_item_type is None else (partner_item_type,)
    return {"entries": [_mapping_object(call, row) for row in rows if row.partner_item["type"] in kinds]}


@api.post("/integration_mappings/teams", status=201)
def create_teams(call: Call, partner_item: TeamsItem, box_item: BoxItem) -> Shown:
    """Map a Teams channel or team to a folder that has no other Teams mapping.

    https://developer.box.com/reference/post-integration-mappings-teams
    """
    return _map(call, "teams", partner_item, box_item.id)


@api.put("/integration_mappings/teams/{integration_mapping_id}")
def update_teams(call: Call, integration_mapping_id: str, box_item: BoxItem | UnsetType = UNSET) -> Shown:
    """Change the folder of a Teams mapping.

    https://developer.box.com/reference/put-integration-mappings-teams-id
    """
    return _change(call, _find(call, "teams", integration_mapping_id), box_item)


@api.delete("/integration_mappings/teams/{integration_mapping_id}", status=204)
def delete_teams(call: Call, integration_mapping_id: str) -> None:
    """Delete a Teams mapping.

    https://developer.box.com/reference/delete-integration-mappings-teams-id
    """
    call.db.remove(_find(call, "teams", integration_mapping_id))
