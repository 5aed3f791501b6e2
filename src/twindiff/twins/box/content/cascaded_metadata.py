"""Cascading metadata: folders apply their metadata instances to the items in them and to items added later.

https://support.box.com/hc/en-us/articles/360044195873-Cascading-metadata-in-folders
"""

from __future__ import annotations

from collections.abc import Sequence

from twindiff.kit import Call

from ..core.access import chain
from ..core.folder_listing import folders_below
from ..core.preserved_versions import reschedule_disposition
from ..tables.further_tables import CascadePolicy, MetadataInstance
from ..tables.item_tables import File, Folder, Item

Key = tuple[str, str]


def find_cascaded_instance(call: Call, policy: CascadePolicy) -> MetadataInstance | None:
    """Return the folder's instance that a policy cascades, or None once that instance is deleted."""
    return call.db.find(
        MetadataInstance,
        MetadataInstance.item_id == policy.folder_id,
        MetadataInstance.item_type == "folder",
        MetadataInstance.scope == policy.scope,
        MetadataInstance.template_key == policy.template_key,
    )


def apply_cascade_policies(call: Call, item: Item) -> None:
    """Apply the cascade policies of the enclosing folders, nearest first, to a new item and its contents."""
    around = [folder.id for folder in reversed(chain(call, item.parent_id))]
    policies = call.db.rows(CascadePolicy, CascadePolicy.folder_id.in_(around)) if around else []
    for policy in sorted(policies, key=lambda each: around.index(each.folder_id)):
        inside = items_in(call, item.id) if isinstance(item, Folder) else []
        hand_down(call, policy, [(item.type, item.id), *inside])


def items_in(call: Call, folder_id: str) -> list[Key]:
    """Return the type and id of every folder and file in a folder, at any depth."""
    folders = [folder.id for level in folders_below(call, folder_id) for folder in level]
    where = (File.parent_id.in_([folder_id, *folders]), File.item_status == "active")
    files = call.db.rows(File, *where, columns=(File.id,))
    return [*(("folder", id) for id in folders), *(("file", id) for (id,) in files)]


def hand_down(call: Call, policy: CascadePolicy, items: Sequence[Key], *, overwrites: bool = False) -> None:
    """Copy the values of a policy's folder to items. Items with values of their own keep them unless `overwrites`."""
    source = find_cascaded_instance(call, policy)
    if source is None:
        return
    same = (MetadataInstance.scope == policy.scope, MetadataInstance.template_key == policy.template_key)
    rows = call.db.rows(MetadataInstance, *same, MetadataInstance.item_id.in_([id for _, id in items]))
    held = {(row.item_type, row.item_id): row for row in rows}
    made = [
        MetadataInstance(
            id=call.ids.uuid(),
            item_id=id,
            item_type=kind,
            scope=policy.scope,
            template_key=policy.template_key,
            data=source.data,
            applied_at=call.clock.iso(),
        )
        for kind, id in items
        if (kind, id) not in held
    ]
    call.db.add_all(made)
    for row in [held[key] for key in items if overwrites and key in held]:
        if row.data != source.data:
            call.db.change(row, data=source.data, version=row.version + 1)
    reschedule_disposition(call, "metadata_template")
