"""Dropbox: files, folders, revisions, search, uploads, jobs, sharing and file requests by handlers."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.inspector_views import Screen, ScreenLink, ScreenTable
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding, SeedSection, Variables
from twindiff.kit.twin import Users

from .. import ShippedDraft
from . import (
    account_settings,
    accounts,
    batches,
    file_locks,
    file_requests,
    files,
    folder_archives,
    jobs,
    previews,
    revisions,
    sharing,
    tags_and_properties,
)
from .entries import add_folder, list_folder, look_for, show_time, write_file
from .recorded_sharing import find_rows
from .tables import TABLES, DropboxAccount
from .wire_style import DropboxStyle


class SeedFile(SeedSection):
    """A file, with its folders."""

    path: str
    content: str = ""


class SeedFolder(SeedSection):
    """A folder."""

    path: str


class DropboxConfig(msgspec.Struct):
    """The configuration of a Dropbox."""

    folders: list[SeedFolder] = msgspec.field(default_factory=list[SeedFolder])
    files: list[SeedFile] = msgspec.field(default_factory=list[SeedFile])


def _write(call: Call, config: DropboxConfig, people: Sequence[Person]) -> dict[str, int]:
    given = people or [Person("Agent Smith", "agent@example.com")]
    for number, person in enumerate(given):
        id = f"dbid:{number:035d}"
        call.db.add(DropboxAccount(account_id=id, email=person.email, display_name=person.name))
    wrong = [each.path for each in (*config.folders, *config.files) if not each.path.startswith("/")]
    if wrong:
        raise InvalidSeedConfig([f"the path '{each}' does not begin with '/'" for each in wrong])
    for folder in config.folders:
        if look_for(call, folder.path) is None:
            add_folder(call, folder.path)
    for file in config.files:
        write_file(call, file.path, file.content.encode())
    return {"folders": len(config.folders), "files": len(config.files)}


def _look(call: Call, path: str) -> Screen | None:
    at = f"/{path}" if path else ""
    folder = look_for(call, at) if at else None
    if at and (folder is None or folder.tag != "folder"):
        return None
    rows = list_folder(call, at.lower(), recursive=False)
    cells = [
        (
            ScreenLink(each.name, each.path_display[1:]) if each.tag == "folder" else each.name,
            "" if each.size is None else f"{each.size:,} bytes",
            show_time(each.server_modified) or "",
        )
        for each in rows
    ]
    return Screen(at or "Dropbox", tables=[ScreenTable("", ("Name", "Size", "Modified"), cells)])


draft = ShippedDraft(
    "dropbox",
    "Dropbox",
    stands_alone=True,
    pages=(
        files.api,
        files.links,
        batches.api,
        file_locks.api,
        folder_archives.api,
        jobs.files,
        revisions.api,
        previews.api,
        sharing.api,
        jobs.sharing,
        file_requests.api,
        accounts.users,
        accounts.check,
        account_settings.api,
        tags_and_properties.tags,
        tags_and_properties.properties,
    ),
    tables=TABLES,
    rows=accounts.account_rows,
    recorded_rows=find_rows,
    style=DropboxStyle,
    options={
        "users": Users(DropboxAccount, DropboxAccount.account_id, DropboxAccount.email),
        "seeding": Seeding(DropboxConfig, _write),
        "screen": _look,
        "hosts": {"api.dropboxapi.com": "", "content.dropboxapi.com": ""},
        "variables": Variables(
            tokens={"DROPBOX_ACCESS_TOKEN": "sl.{secret}", "DROPBOX_TOKEN": "sl.{secret}"},
            urls={"DROPBOX_API_URL": "", "DROPBOX_BASE_URL": ""},
        ),
    },
    unproven=("the texts of refusals of tags, properties and batches of files and members",),
)
