"""Tags of files, templates of properties, and the properties of files.

https://www.dropbox.com/developers/documentation/http/documentation#file_properties-properties-add
"""

from __future__ import annotations

import re
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .entries import Shown, find_entry
from .tables import DropboxEntry, DropboxProperties, DropboxTag, DropboxTemplate
from .wire_style import DropboxError

tags = Operations(prefix="/2/files/tags")
properties = Operations(prefix="/2/file_properties")
MAX_TAGS = 20
MAX_TAG_CHARACTERS = 32
_TAG = re.compile(r"\w{1,32}")


# -- tags --------------------------------------------------------------------------------------------------------------


def _list_tags(call: Call, entry: DropboxEntry) -> list[DropboxTag]:
    rows = call.db.rows(DropboxTag, DropboxTag.entry_id == entry.id)
    return sorted(rows, key=lambda row: row.position)


@tags.post("/add")
def post_add_tag(call: Call, path: str, tag_text: str) -> None:
    """Add a tag to a file or folder; one that it has stays."""
    entry = find_entry(call, path)
    if not _TAG.fullmatch(tag_text):
        raise DropboxError("other")
    known = _list_tags(call, entry)
    if tag_text.lower() in [row.tag_text for row in known]:
        return
    if len(known) >= MAX_TAGS:
        raise DropboxError("too_many_tags")
    call.db.add(DropboxTag(entry_id=entry.id, tag_text=tag_text.lower(), position=call.db.next("tag")))


@tags.post("/remove")
def post_remove_tag(call: Call, path: str, tag_text: str) -> None:
    """Take a tag from a file or folder."""
    entry = find_entry(call, path)
    row = next((each for each in _list_tags(call, entry) if each.tag_text == tag_text.lower()), None)
    if row is None:
        raise DropboxError("tag_not_present")
    call.db.remove(row)


@tags.post("/get", reads=True)
def post_get_tags(call: Call, paths: list[str]) -> Shown:
    """Return the tags of files and folders by path."""
    listed = [{"path": path, "tags": _show_tags(call, find_entry(call, path))} for path in paths]
    return {"paths_to_tags": listed}


def _show_tags(call: Call, entry: DropboxEntry) -> list[Shown]:
    return [{".tag": "user_generated_tag", "tag_text": row.tag_text} for row in _list_tags(call, entry)]


# -- templates ---------------------------------------------------------------------------------------------------------


def _find_template(call: Call, template_id: str) -> DropboxTemplate:
    row = call.db.find(DropboxTemplate, DropboxTemplate.template_id == template_id)
    if row is None:
        raise DropboxError("template_not_found", template_not_found=template_id)
    return row


def _show_template(row: DropboxTemplate) -> Shown:
    return {"name": row.name, "description": row.description, "fields": row.fields}


def _read_template_fields(given: list[dict[str, Any]]) -> list[Shown]:
    """Return the fields of a template. Raises DropboxError for two of one name."""
    fields: list[Shown] = []
    for each in given:
        kind: Any = each.get("type") or "string"
        tag = cast(Shown, kind).get(".tag") if isinstance(kind, dict) else kind
        names = {"name": str(each.get("name") or ""), "description": str(each.get("description") or "")}
        fields.append({**names, "type": {".tag": str(tag)}})
    if len({each["name"] for each in fields}) < len(fields):
        raise DropboxError("conflicting_property_names")
    return fields


@properties.post("/templates/add_for_user")
def post_add_template(call: Call, name: str, description: str, fields: list[dict[str, Any]]) -> Shown:
    """Add a template of properties."""
    made = _read_template_fields(fields)
    id = f"ptid:{call.ids.new('', 22)}"
    row = DropboxTemplate(template_id=id, name=name, description=description, fields=made, position=call.db.next("t"))
    return {"template_id": call.db.add(row).template_id}


@properties.post("/templates/get_for_user", reads=True)
def post_get_template(call: Call, template_id: str) -> Shown:
    """Return a template."""
    return _show_template(_find_template(call, template_id))


@properties.post("/templates/list_for_user", reads=True)
def post_list_templates(call: Call) -> Shown:
    """List the ids of the templates."""
    return {"template_ids": [row.template_id for row in call.db.rows(DropboxTemplate, order=DropboxTemplate.position)]}


@properties.post("/templates/update_for_user")
def post_update_template(
    call: Call,
    template_id: str,
    name: str | None = None,
    description: str | None = None,
    add_fields: list[dict[str, Any]] | None = None,
) -> Shown:
    """Rename a template, describe it otherwise, or add fields to it."""
    row = _find_template(call, template_id)
    fields = _read_template_fields([*cast(list[Shown], row.fields), *(add_fields or [])])
    about = row.description if description is None else description
    call.db.change(row, name=name or row.name, description=about, fields=fields)
    return {"template_id": row.template_id}


@properties.post("/templates/remove_for_user")
def post_remove_template(call: Call, template_id: str) -> None:
    """Remove a template with the properties of files that are of it."""
    row = _find_template(call, template_id)
    for each in call.db.rows(DropboxProperties, DropboxProperties.template_id == row.template_id):
        call.db.remove(each)
    call.db.remove(row)


# -- properties --------------------------------------------------------------------------------------------------------


def _read_group(call: Call, group: dict[str, Any]) -> tuple[str, list[Shown]]:
    """Return the template and the fields of a group. Raises DropboxError for a field that the template lacks."""
    template = _find_template(call, str(group.get("template_id") or ""))
    known = [each["name"] for each in cast(list[Shown], template.fields)]
    given: Any = group.get("fields") or []
    fields = [cast(Shown, each) for each in cast(list[Any], given) if isinstance(each, dict)]
    if any(each.get("name") not in known for each in fields):
        raise DropboxError("does_not_fit_template")
    made = [{"name": str(each["name"]), "value": str(each.get("value") or "")} for each in fields]
    return template.template_id, made


def _find_group(call: Call, entry: DropboxEntry, template_id: str) -> DropboxProperties | None:
    table = DropboxProperties
    return call.db.find(table, table.entry_id == entry.id, table.template_id == template_id)


@properties.post("/properties/add")
def post_add_properties(call: Call, path: str, property_groups: list[dict[str, Any]]) -> None:
    """Add groups of properties to a file; each is of a template of its own."""
    entry = find_entry(call, path)
    read = [_read_group(call, each) for each in property_groups]
    if len({template for template, _ in read}) < len(read):
        raise DropboxError("duplicate_property_groups")
    if any(_find_group(call, entry, template) for template, _ in read):
        raise DropboxError("property_group_already_exists")
    for template, fields in read:
        call.db.add(DropboxProperties(entry_id=entry.id, template_id=template, fields=fields))


@properties.post("/properties/overwrite")
def post_overwrite_properties(call: Call, path: str, property_groups: list[dict[str, Any]]) -> None:
    """Replace groups of properties of a file, or add them."""
    entry = find_entry(call, path)
    for template, fields in [_read_group(call, each) for each in property_groups]:
        known = _find_group(call, entry, template)
        if known is None:
            call.db.add(DropboxProperties(entry_id=entry.id, template_id=template, fields=fields))
        else:
            call.db.change(known, fields=fields)


@properties.post("/properties/update")
def post_update_properties(call: Call, path: str, update_property_groups: list[dict[str, Any]]) -> None:
    """Add, change or remove fields of a file's groups of properties."""
    entry = find_entry(call, path)
    for each in update_property_groups:
        group = {"template_id": each.get("template_id"), "fields": each.get("add_or_update_fields")}
        template, changes = _read_group(call, group)
        known = _find_group(call, entry, template)
        if known is None:
            raise DropboxError("property_group_lookup/other")
        removed: Any = each.get("remove_fields") or []
        values = {field["name"]: field for field in (*cast(list[Shown], known.fields), *changes)}
        call.db.change(known, fields=[field for name, field in values.items() if name not in removed])


@properties.post("/properties/remove")
def post_remove_properties(call: Call, path: str, property_template_ids: list[str]) -> None:
    """Remove groups of properties from a file."""
    entry = find_entry(call, path)
    for each in property_template_ids:
        template = _find_template(call, each)
        known = _find_group(call, entry, template.template_id)
        if known is None:
            raise DropboxError("property_group_lookup/other")
        call.db.remove(known)


@properties.post("/properties/search", reads=True)
def post_search_properties(call: Call, queries: list[dict[str, Any]], template_filter: Any = None) -> Shown:
    """Find files whose property has a text."""
    matches: list[Shown] = []
    for row in call.db.rows(DropboxProperties):
        if any(_fits(each, cast(list[Shown], row.fields)) for each in queries):
            entry = call.db.get(DropboxEntry, row.entry_id)
            groups = [{"template_id": row.template_id, "fields": row.fields}]
            matches.append({"id": entry.id, "path": entry.path_lower, "is_deleted": False, "property_groups": groups})
    return {"matches": matches}


def _fits(query: dict[str, Any], fields: list[Shown]) -> bool:
    mode: Any = query.get("mode") or {}
    name = cast(Shown, mode).get("field_name") if isinstance(mode, dict) else None
    word = str(query.get("query") or "").lower()
    return any((name is None or each["name"] == name) and word in each["value"].lower() for each in fields)
