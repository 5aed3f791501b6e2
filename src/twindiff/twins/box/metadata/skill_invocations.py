"""Results of skills: cards, which are stored as metadata of the file.

https://developer.box.com/guides/skills
"""

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit import Call, Operations, Struct

from ..core.access import find_file
from ..core.errors import NotFound, SchemaValidationFailed
from ..event_delivery.event_emission import emit_item_event
from ..tables.further_tables import MetadataInstance
from ..tables.item_tables import FileVersion
from .metadata_templates import SKILL_CARDS

api = Operations(prefix="/2.0")
_KINDS = ("keyword", "timeline", "transcript", "status")


class Cards(Struct):
    """The cards that a skill has produced."""

    cards: list[dict[str, Any]]


class FileRef(Struct):
    """A reference to a file."""

    id: str
    type: Literal["file"] = "file"


class VersionRef(Struct):
    """A reference to a version of the file."""

    id: str
    type: Literal["file_version"] = "file_version"


@api.put("/skill_invocations/{skill_id}")
def replace_cards(
    call: Call,
    skill_id: str,
    status: Literal["invoked", "processing", "success", "transient_failure", "permanent_failure"],
    metadata: Cards,
    file: FileRef,
    file_version: VersionRef | None = None,
    usage: dict[str, Any] | None = None,
) -> None:
    """Replace the skill cards of a file. The status of the skill is not stored.

    https://developer.box.com/reference/put-skill-invocations-id
    """
    item = find_file(call, file.id, "edit_metadata")
    if file_version and not call.db.find(
        FileVersion, FileVersion.id == file_version.id, FileVersion.file_id == item.id
    ):
        raise NotFound.of("file_version", file_version.id)
    for card in metadata.cards:
        if card.get("type") != "skill_card" or card.get("skill_card_type") not in _KINDS:
            raise SchemaValidationFailed(f"cards: each is a skill_card of a type among {', '.join(_KINDS)}")
    scope, key = SKILL_CARDS.scope, SKILL_CARDS.template_key
    of = (MetadataInstance.item_id == item.id, MetadataInstance.item_type == "file")
    cards = (MetadataInstance.scope == scope, MetadataInstance.template_key == key)
    known, data = call.db.find(MetadataInstance, *of, *cards), {"cards": metadata.cards}
    if known:
        call.db.change(known, data=data, version=known.version + 1)
    else:
        id = call.ids.uuid()
        call.db.add(
            MetadataInstance(id=id, item_id=item.id, item_type="file", scope=scope, template_key=key, data=data)
        )
    what = "UPDATE" if known else "CREATE"
    emit_item_event(call, f"METADATA_INSTANCE_{what}", item, f"METADATA_INSTANCE.{what}D")
