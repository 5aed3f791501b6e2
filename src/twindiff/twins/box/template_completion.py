"""Completes the rows of templates with derived values: case-folded names and texts for searches.

Instants may have an offset. A version may bring its bytes as Base64 text in `content`. Its `local_path`, the origin of
the bytes, is dropped.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable
from typing import Any

from twindiff.kit.rows import table_of

from .core.contents import type_of
from .core.row_stamps import fold_name, naive, search_text
from .core.text_extraction import text_of
from .tables.administration_tables import TABLES as ADMINISTRATION
from .tables.barrier_tables import TABLES as BARRIERS
from .tables.further_tables import TABLES
from .tables.governance_tables import TABLES as GOVERNANCE

Rows = dict[str, Any]
_NAMED_ONCE = ("box_shield_information_barrier_segments", "box_shield_lists", "box_archives")
_ITEMS = ("box_files", "box_folders", "box_web_links")
_INSTANTS = {
    table.name: [name for name, column in table.columns.items() if column.kind == "timestamp"]
    for table in map(table_of, (*TABLES, *ADMINISTRATION, *GOVERNANCE, *BARRIERS))
}


def complete_rows(rows: Rows) -> Rows:
    """Return a template's rows by table, completed with the columns they omit."""
    full = {table: [_plain(table, row) for row in given] for table, given in rows.items()}
    versions = full.get("box_file_versions", [])
    for version in versions:
        _bring_content(full, version)
    newest = _newest(versions)
    for file in full.get("box_files", []):
        if file.get("file_version_id") is None and file["id"] in newest:
            file["file_version_id"] = newest[file["id"]]
    for table in _ITEMS:
        for item in full.get(table, []):
            _name(item)
            if table != "box_web_links" and item.get("modified_at") and not item.get("content_modified_at"):
                item["content_modified_at"] = item["modified_at"]
    for row in (row for table in _NAMED_ONCE for row in full.get(table, [])):
        row["folded_name"] = fold_name(row["name"])
    return full


def _plain(table: str, row: Any) -> Rows:
    """Return a row with its instants in the form of columns."""
    plain = dict(row)
    for name in _INSTANTS.get(table, ()):
        if isinstance(plain.get(name), str):
            plain[name] = naive(plain[name])
    return plain


def _bring_content(full: Rows, version: Rows) -> None:
    version.pop("local_path", None)
    content = version.pop("content", None)
    version["version_number"] = int(version.get("version_number", 1))
    if content is None:
        return
    name, version_id = version.get("name") or "", version["id"]
    held = {"id": version_id, "version_id": version_id, "content": content, "content_type": type_of(name)}
    full.setdefault("box_file_contents", []).append(held)
    texts = full.setdefault("box_content_texts", [])
    if all(text["sha_1"] != version.get("sha_1") for text in texts) and (text := text_of(b64decode(content), name)):
        texts.append({"sha_1": version.get("sha_1"), "text": text})


def _newest(versions: Iterable[Rows]) -> dict[str, str]:
    """Return the id of the version with the highest number, by file."""
    ordered = sorted(versions, key=lambda version: version["version_number"])
    return {version["file_id"]: version["id"] for version in ordered}


def _name(item: Rows) -> None:
    name = item.get("name") or ""
    item["folded_name"] = fold_name(name)
    item["search_text"] = search_text(name, item.get("description"), item.get("tags"))
