"""Fills an enterprise from a configuration: users, folders with files, comments, shares.

{"folders": [{"name": "Plans", "files": [{"name": "plan.txt", "content": "…"}], "shared_with": [{"user": "Ben"}]}]}
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha1
from typing import Any

import msgspec

from twindiff.kit import Call
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding, SeedSection
from twindiff.twins.box.wire_style import BoxError

from .content.item_names import check_name
from .content.item_updates import Ref
from .content.uploads import Attributes, add_file
from .core.access import ROLES, ROOT
from .core.contents import Bytes
from .core.row_stamps import fold_name, new_id, search_text
from .core.text_extraction import text_of
from .tables.further_tables import Application, Collaboration, ContentText
from .tables.item_tables import Comment, FileContent, Folder, User


class SeedUser(SeedSection):
    """A user of the enterprise."""

    name: str
    email: str | None = None
    timezone: str | None = None


class SeedComment(SeedSection):
    """A comment of a user; `user` defaults to the agent."""

    message: str
    user: str | None = None


class SeedFile(SeedSection):
    """A text file with its comments; a comment may be given as its text alone."""

    name: str
    content: str = ""
    description: str | None = None
    comments: list[SeedComment | str] = msgspec.field(default_factory=list[SeedComment | str])


class SeedShare(SeedSection):
    """A user's access to a folder."""

    user: str
    role: str = "editor"


class SeedFolder(SeedSection):
    """A folder with its contents."""

    name: str
    description: str = ""
    files: list[SeedFile] = msgspec.field(default_factory=list[SeedFile])
    folders: list[SeedFolder] = msgspec.field(default_factory=list["SeedFolder"])
    shared_with: list[SeedShare] = msgspec.field(default_factory=list[SeedShare])


class SeedApplication(SeedSection):
    """An application with its registered public keys: PEM text by key id."""

    client_id: str
    client_secret: str
    public_keys: dict[str, str] = msgspec.field(default_factory=dict[str, str])


class BoxConfig(msgspec.Struct):
    """The configuration of an enterprise. A user may be given by name alone."""

    users: list[SeedUser | str] = []
    folders: list[SeedFolder] = []
    files: list[SeedFile] = []
    applications: list[SeedApplication] = []


class _Writer:
    """Writes the parts of a configuration and collects problems."""

    def __init__(self, call: Call, known: dict[str, str]) -> None:
        self.call = call
        self.known = known
        self.problems: list[str] = []
        self.files = self.folders = 0

    def folder(self, part: SeedFolder, parent: str, path: str) -> None:
        """Create a folder with everything in it."""
        if not self._may_be_called(part.name, f"{path}.name"):
            return
        now, folder_id = self.call.clock.iso(), new_id(self.call)
        people: dict[str, Any] = {
            "created_by_id": self.call.actor,
            "owned_by_id": self.call.actor,
            "modified_by_id": self.call.actor,
        }
        row = Folder(
            id=folder_id,
            name=part.name,
            description=part.description,
            parent_id=parent,
            etag="0",
            sequence_id="0",
            created_at=now,
            modified_at=now,
            folded_name=fold_name(part.name),
            search_text=search_text(part.name, part.description, None),
            **people,
        )
        self.call.db.add(row)
        self.folders += 1
        for number, file in enumerate(part.files):
            self.file(file, row, f"{path}.files[{number}]")
        for number, folder in enumerate(part.folders):
            self.folder(folder, folder_id, f"{path}.folders[{number}]")
        for number, share in enumerate(part.shared_with):
            self._share(share, folder_id, f"{path}.shared_with[{number}]")

    def file(self, part: SeedFile, folder: Folder, path: str) -> None:
        """Create a file with its comments."""
        if not self._may_be_called(part.name, f"{path}.name"):
            return
        said = Attributes(name=part.name, parent=Ref(id=folder.id), description=part.description)
        file = add_file(self.call, folder, said, self._store_content(part))
        kept = self.call.db.find(FileContent, FileContent.version_id == file.file_version_id)
        if kept:
            self.call.db.change(kept, content=b64encode(part.content.encode()).decode())
        self.files += 1
        for number, given in enumerate(part.comments):
            self._comment(
                SeedComment(given) if isinstance(given, str) else given, file.id, f"{path}.comments[{number}]"
            )

    def _comment(self, part: SeedComment, file_id: str, path: str) -> None:
        if part.user is not None and part.user not in self.known:
            self._refuse_user(part.user, path)
            return
        now, author = self.call.clock.iso(), self.known[part.user] if part.user else self.call.actor
        row = Comment(id=new_id(self.call, 9), message=part.message, file_id=file_id, item_id=file_id)
        self.call.db.add(msgspec.structs.replace(row, created_by_id=author, created_at=now, modified_at=now))

    def _refuse_user(self, name: str, path: str) -> None:
        self.problems.append(f"{path}.user: '{name}' is not among the users; there are {', '.join(self.known)}")

    def _store_content(self, part: SeedFile) -> Bytes:
        """Store the text of a file for searches and return its content; the bytes go into the version's row."""
        data = part.content.encode()
        held = Bytes("", sha1(data, usedforsecurity=False).hexdigest(), len(data))
        text = text_of(data, part.name)
        if text and self.call.db.find(ContentText, ContentText.sha_1 == held.sha_1) is None:
            self.call.db.add(ContentText(sha_1=held.sha_1, text=text))
        return held

    def _share(self, part: SeedShare, folder_id: str, path: str) -> None:
        if part.user not in self.known:
            self._refuse_user(part.user, path)
        elif part.role not in ROLES:
            self.problems.append(f"{path}.role: '{part.role}' is no role; there are {', '.join(ROLES)}")
        else:
            whom: dict[str, Any] = {"accessible_by_id": self.known[part.user], "created_by_id": self.call.actor}
            row = Collaboration(id=new_id(self.call, 11), item_id=folder_id, item_type="folder", role=part.role, **whom)
            self.call.db.add(row)

    def _may_be_called(self, name: str, path: str) -> bool:
        try:
            check_name(name)
        except BoxError as error:
            self.problems.append(f"{path}: {error}")
            return False
        return True


def write(call: Call, config: BoxConfig, people: Sequence[Person]) -> dict[str, int]:
    """Fill an enterprise that has no files; raise InvalidSeedConfig for unknown users, roles or invalid names.

    Returns the numbers of `users`, `folders` and `files`.
    """
    known = {person.name: _join(call, person, is_first=not number) for number, person in enumerate(people)}
    call.actor = next(iter(known.values()))
    root = Folder(id=ROOT, name="All Files", description="", owned_by_id=call.actor, folded_name="all files")
    if call.db.find(Folder, Folder.id == ROOT) is None:
        call.db.add(root)
    writer = _Writer(call, known)
    for number, folder in enumerate(config.folders):
        writer.folder(folder, ROOT, f"folders[{number}]")
    for number, file in enumerate(config.files):
        writer.file(file, root, f"files[{number}]")
    for part in config.applications:
        call.db.add(
            Application(
                user_id=call.actor,
                public_keys=part.public_keys or None,
                client_id=part.client_id,
                client_secret=part.client_secret,
            )
        )
    if writer.problems:
        raise InvalidSeedConfig(writer.problems)
    return {"users": len(known), "folders": writer.folders, "files": writer.files}


def _join(call: Call, person: Person, *, is_first: bool) -> str:
    """Create a user and return the id. The first user, who is the agent, is the administrator."""
    now = call.clock.iso()
    user = User(
        id=new_id(call, 11),
        name=person.name,
        login=person.email,
        timezone=person.timezone,
        role="admin" if is_first else "user",
        created_at=now,
        modified_at=now,
    )
    return call.db.add(user).id


seeding = Seeding(BoxConfig, write)
