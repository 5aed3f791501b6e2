"""Web links: URLs that are stored in folders like files.

https://developer.box.com/reference/resources/web-link
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import UNSET, Call, Header, Operations, UnsetType
from twindiff.kit.links import split_url
from twindiff.twins.box.wire_style import BadRequest, wanted_fields

from ..core.access import ROOT, find_folder, find_web_link, look_at
from ..core.row_stamps import fold_name, new_id, search_text
from ..event_delivery.event_emission import emit_item_event
from ..sharing.shared_links import SharedLink
from ..tables.item_tables import WebLink
from ..views.item_views import item_object
from .item_names import check_free, check_name
from .item_updates import Changes, Description, ParentReference, Ref, check_etag, update
from .trash_lifecycle import trash

api = Operations(prefix="/2.0")


def _check_url(url: str) -> str:
    if not url.lower().startswith(("http://", "https://")) or not split_url(url).netloc or len(url) > 2048:
        raise BadRequest.of("invalid_parameter", "url", f"Invalid value '{url[:100]}'. It must be an http(s) address.")
    return url


@api.post("/web_links", status=201)
def create_web_link(
    call: Call, url: str, parent: Ref, name: str | None = None, description: Description | None = None, fields: str = ""
) -> dict[str, Any]:
    """Create a web link in a folder. Its name defaults to its URL.

    https://developer.box.com/reference/post-web-links
    """
    target = find_folder(call, str(parent.id), "upload")
    _check_url(url)
    called = check_name(name) if name else url.replace("/", "").replace("\\", "")[:255]
    owner = call.actor if target.id == ROOT else target.owned_by_id
    check_free(call, target.id, called, owner)
    now = call.clock.iso()
    made = WebLink(
        id=new_id(call),
        name=called,
        url=url,
        description=description or "",
        parent_id=target.id,
        created_by_id=call.actor,
        modified_by_id=call.actor,
        owned_by_id=owner,
        etag="0",
        sequence_id="0",
        created_at=now,
        modified_at=now,
        folded_name=fold_name(called),
        search_text=search_text(called, description, None),
    )
    call.db.add(made)
    emit_item_event(call, "ITEM_CREATE", made)
    return item_object(call, made, wanted_fields(fields))


@api.get("/web_links/{web_link_id}")
def get_web_link(call: Call, web_link_id: str, fields: str = "") -> dict[str, Any]:
    """Get a web link. For one in the trash, `item_status` is `trashed`.

    https://developer.box.com/reference/get-web-links-id
    """
    return item_object(call, look_at(call, WebLink, web_link_id), wanted_fields(fields))


@api.put("/web_links/{web_link_id}")
def update_web_link(
    call: Call,
    web_link_id: str,
    fields: str = "",
    url: str | UnsetType = UNSET,
    name: str | UnsetType = UNSET,
    description: str | UnsetType | None = UNSET,
    parent: ParentReference | UnsetType | None = UNSET,
    tags: list[str] | UnsetType | None = UNSET,
    collections: list[Ref] | UnsetType | None = UNSET,
    shared_link: SharedLink | UnsetType | None = UNSET,
    if_match: Annotated[str, Header("If-Match")] = "",
) -> dict[str, Any]:
    """Update the given fields of a web link.

    https://developer.box.com/reference/put-web-links-id
    """
    link = find_web_link(call, web_link_id)
    check_etag(link, if_match)
    changes = Changes(
        name=name, description=description, parent=parent, tags=tags, collections=collections, shared_link=shared_link
    )
    if url is not UNSET:
        find_web_link(call, web_link_id, "edit")
        changes.more = {"url": _check_url(url)}
    return item_object(call, update(call, link, changes), wanted_fields(fields))


@api.delete("/web_links/{web_link_id}", status=204)
def delete_web_link(call: Call, web_link_id: str, if_match: Annotated[str, Header("If-Match")] = "") -> None:
    """Move a web link to the trash.

    https://developer.box.com/reference/delete-web-links-id
    """
    link = find_web_link(call, web_link_id, "delete")
    check_etag(link, if_match)
    trash(call, link)
