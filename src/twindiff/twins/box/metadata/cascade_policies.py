"""Cascade policies: metadata of a folder that is applied to everything in it and to items added later.

https://developer.box.com/guides/metadata/cascades
"""

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit import Call, Operations
from twindiff.twins.box.wire_style import marker_page

from ..content.cascaded_metadata import find_cascaded_instance, hand_down, items_in
from ..core.access import ROOT, acting_user, find_folder
from ..core.errors import Forbidden, InstanceTupleNotFound, NotFound, TupleAlreadyExists
from ..core.folder_listing import rows_from
from ..enterprise.users import enterprise_of
from ..tables.further_tables import CascadePolicy
from ..tables.item_tables import Folder
from .metadata_templates import find_template, full_scope

api = Operations(prefix="/2.0/metadata_cascade_policies")
Shown = dict[str, Any]


def _policy_object(call: Call, policy: CascadePolicy) -> Shown:
    return {
        "id": policy.id,
        "type": "metadata_cascade_policy",
        "owner_enterprise": {"type": "enterprise", "id": enterprise_of(acting_user(call))["id"]},
        "parent": {"type": "folder", "id": policy.folder_id},
        "scope": policy.scope,
        "templateKey": policy.template_key,
    }


def _folder(call: Call, folder_id: str, *needed: Any) -> Folder:
    if folder_id == ROOT:
        raise Forbidden("The root folder has no metadata.")
    return find_folder(call, folder_id, *needed)


def _find(call: Call, id: str, *needed: Any) -> CascadePolicy:
    policy = call.db.find(CascadePolicy, CascadePolicy.id == id)
    if policy is None:  # Box's page also names `instance_not_found` here, which its OpenAPI description does not have
        raise NotFound.of("metadata_cascade_policy", id)
    _folder(call, policy.folder_id, *needed)
    return policy


@api.get("")
def list_policies(
    call: Call, folder_id: str, owner_enterprise_id: str = "", marker: str = "", offset: int = 0
) -> Shown:
    """List the cascade policies of a folder.

    https://developer.box.com/reference/get-metadata-cascade-policies
    """
    folder = _folder(call, folder_id)
    if owner_enterprise_id not in ("", enterprise_of(acting_user(call))["id"]):
        return marker_page([], 100, None)
    here = CascadePolicy.folder_id == folder.id
    rows, more = rows_from(call, marker, 100, CascadePolicy, here, order=CascadePolicy.id)
    return marker_page([_policy_object(call, row) for row in rows[max(offset, 0) :]], 100, more)


@api.post("", status=201)
def create_policy(
    call: Call,
    folder_id: str,
    scope: str,
    templateKey: str,  # noqa: N803 - Box's name
) -> Shown:
    """Cascade a folder's metadata to everything in it. Items that already have an instance keep it.

    https://developer.box.com/reference/post-metadata-cascade-policies
    """
    folder = _folder(call, folder_id, "edit_metadata")
    if find_template(call, scope, templateKey) is None:
        raise InstanceTupleNotFound(f"There is no template '{templateKey[:100]}' in the scope '{scope[:100]}'")
    named = {"folder_id": folder.id, "scope": full_scope(call, scope), "template_key": templateKey}
    policy = CascadePolicy(id=call.ids.uuid(), **named)
    if find_cascaded_instance(call, policy) is None:
        raise InstanceTupleNotFound("The folder has no such metadata to hand down; apply the template to it first")
    call.db.add(policy, taken=TupleAlreadyExists)
    hand_down(call, policy, items_in(call, folder.id))
    return _policy_object(call, policy)


@api.get("/{metadata_cascade_policy_id}")
def get_policy(call: Call, metadata_cascade_policy_id: str) -> Shown:
    """Get a cascade policy.

    https://developer.box.com/reference/get-metadata-cascade-policies-id
    """
    return _policy_object(call, _find(call, metadata_cascade_policy_id))


@api.delete("/{metadata_cascade_policy_id}", status=204)
def delete_policy(call: Call, metadata_cascade_policy_id: str) -> None:
    """Delete a cascade policy. Instances that it has already applied stay.

    https://developer.box.com/reference/delete-metadata-cascade-policies-id
    """
    call.db.remove(_find(call, metadata_cascade_policy_id, "edit_metadata"))


@api.post("/{metadata_cascade_policy_id}/apply", status=202)
def apply_policy(
    call: Call, metadata_cascade_policy_id: str, conflict_resolution: Literal["none", "overwrite"]
) -> None:
    """Apply a cascade policy again, either over existing instances or only to items without one.

    https://developer.box.com/reference/post-metadata-cascade-policies-id-apply
    """
    policy = _find(call, metadata_cascade_policy_id, "edit_metadata")
    hand_down(call, policy, items_in(call, policy.folder_id), overwrites=conflict_resolution == "overwrite")
