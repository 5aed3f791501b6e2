"""Folders of Markdown, and Notion's exports (zips of Markdown and CSV), as pages and databases of a configuration.

A folder beside a page of the same name holds its child pages; a CSV file is a database, and the folder beside it holds
the content of its rows. https://www.notion.com/help/export-your-content
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any
from zipfile import BadZipFile, ZipFile

Part = dict[str, Any]
Files = Mapping[str, str]
MAX_FILES = 5000
MAX_BYTES = 50_000_000
MAX_OPTIONS = 12
_ID = re.compile(r"[ -]+[0-9a-f]{32}(?=$|[./])")
_DATE_FORMS = ("%Y-%m-%d", "%B %d, %Y", "%m/%d/%Y", "%B %d, %Y %I:%M %p")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_URL = re.compile(r"https?://\S+")


def read_export(data: bytes) -> dict[str, str]:
    """Return the Markdown and CSV files in an export; raise ValueError for bytes that are none."""
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            files: dict[str, str] = {}
            for info in archive.infolist()[:MAX_FILES]:
                if sum(map(len, files.values())) + info.file_size > MAX_BYTES:
                    raise ValueError("The export is too large")
                if info.filename.endswith(".zip"):
                    files |= read_export(archive.read(info))
                elif info.filename.endswith((".md", ".csv")) and not info.filename.endswith("_all.csv"):
                    files[info.filename] = archive.read(info).decode("utf-8-sig", "replace")
            return files
    except (BadZipFile, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"The export is not a zip: {error}") from None


def to_parts(files: Files) -> tuple[list[Part], list[Part]]:
    """Return the pages and the databases in files, each with those below it."""
    named = {_ID.sub("", path): text for path, text in files.items()}
    tree = _Tree(named)
    return tree.read_level("")


class _Tree:
    """Files by path, of which each is read once."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    def _names(self, folder: str) -> list[str]:
        """Return the names of the pages, databases and folders in a folder."""
        inside = (path.removeprefix(folder) for path in self._files if path.startswith(folder))
        names = (PurePosixPath(path.split("/")[0]) for path in inside)
        return list(dict.fromkeys(name.stem if name.suffix in (".md", ".csv") else name.name for name in names))

    def read_level(self, folder: str) -> tuple[list[Part], list[Part]]:
        """Return the pages and the databases in a folder, which ends in a slash."""
        pages: list[Part] = []
        databases: list[Part] = []
        for name in self._names(folder):
            if f"{folder}{name}.csv" in self._files:
                databases.append(self._read_database(folder, name))
            else:
                pages.append(self._read_page(folder, name))
        return pages, databases

    def _read_page(self, folder: str, name: str) -> Part:
        title, content = _split_title(self._files.get(f"{folder}{name}.md", ""), name)
        inner = re.sub(r"^\[.*?\]\([^)]*\.(?:md|csv)\)\s*$", "", content, flags=re.MULTILINE)
        pages, databases = self.read_level(f"{folder}{name}/")
        return {"title": title, "content": inner.strip(), "pages": pages, "databases": databases}

    def _read_database(self, folder: str, name: str) -> Part:
        rows = list(csv.reader(io.StringIO(self._files[f"{folder}{name}.csv"])))
        header, *body = rows or [["Name"]]
        contents: dict[str, str] = {}
        for path, text in self._files.items():
            if path.startswith(f"{folder}{name}/") and path.endswith(".md"):
                title, content = _split_title(text, PurePosixPath(path).stem)
                contents[title] = _drop_values(content, header)
        columns = {each: _infer([row[at] for row in body if at < len(row)]) for at, each in enumerate(header) if at}
        shown: list[Part] = []
        for row in body:
            cells = {key: value for key, value in zip(header, row, strict=False) if value}
            values = {key: _to_value(columns.get(key, "title"), value) for key, value in cells.items()}
            shown.append({"values": values, "content": contents.get(row[0], "") if row else ""})
        return {"title": name, "properties": {header[0]: "title", **columns}, "rows": shown}


def _split_title(text: str, name: str) -> tuple[str, str]:
    match = re.match(r"\s*# (.+)\n?", text)
    return (match[1].strip(), text[match.end() :]) if match else (name, text)


def _drop_values(content: str, header: list[str]) -> str:
    """Return the content of a row's page without the values at its beginning."""
    lines = content.strip().split("\n")
    while lines and any(lines[0].startswith(f"{name}: ") for name in header):
        lines.pop(0)
    return "\n".join(lines).strip()


def _infer(values: list[str]) -> str:
    """Return the type of a column by its values."""
    full = [value for value in values if value]
    if not full:
        return "rich_text"
    for kind, test in _TESTS.items():
        if all(test(value) for value in full):
            return kind
    distinct = {*full}
    is_choice = len(distinct) <= MAX_OPTIONS and len(distinct) < len(full) and all(len(each) < 40 for each in distinct)
    if is_choice:
        return "multi_select" if any(", " in each for each in distinct) else "select"
    return "rich_text"


def _parse_date(text: str) -> str | None:
    for form in _DATE_FORMS:
        try:
            at = datetime.strptime(text, form)  # noqa: DTZ007 - a date without a zone
        except ValueError:
            continue
        return at.date().isoformat() if "%I" not in form else at.isoformat(timespec="minutes")
    return None


def _to_value(kind: str, text: str) -> Any:
    if kind == "checkbox":
        return text == "Yes"
    if kind == "number":
        return float(text) if "." in text else int(text)
    if kind == "multi_select":
        return text.split(", ")
    return _parse_date(text) if kind == "date" else text


_TESTS: dict[str, Callable[[str], object]] = {
    "checkbox": lambda value: value in ("Yes", "No"),
    "number": _NUMBER.fullmatch,
    "date": _parse_date,
    "url": _URL.fullmatch,
}
"""The types that a column has if the test holds for all of its values."""
