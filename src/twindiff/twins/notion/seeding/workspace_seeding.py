"""Fills a workspace from a configuration: pages with Markdown, databases with rows, files and exports.

{"pages": [{"title": "Wiki", "content": "# Welcome"}],
 "databases": [{"title": "Tasks", "properties": {"Name": "title", "Done": "checkbox"}, "rows": [{"Name": "Buy milk"}]}]}
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, cast

import msgspec

from twindiff.kit import ApiError, Call
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding, SeedSection

from ..core.body_rules import is_list, is_object
from ..data_sources.databases import create_database
from ..pages.comments import create_comment
from ..pages.pages import create_page
from ..properties.property_types import VALUES
from ..properties.schemas import find_properties
from ..tables.agent_tables import Agent
from ..tables.content_tables import Comment, Page, User, Workspace
from ..tables.data_source_tables import Database
from ..wire_style import ValidationError
from .markdown_files import read_export, to_parts

Parent = dict[str, Any]


class SeedUser(SeedSection):
    """A person of the workspace."""

    name: str
    email: str | None = None
    timezone: str | None = None


class SeedComment(SeedSection):
    """A comment of a user; `user` defaults to the first person."""

    text: str
    user: str | None = None


class SeedPage(SeedSection):
    """A page with Markdown content, comments and what is in it."""

    title: str
    content: str = ""
    icon: str | None = None
    comments: list[SeedComment] = msgspec.field(default_factory=list[SeedComment])
    pages: list[SeedPage] = msgspec.field(default_factory=list["SeedPage"])
    databases: list[SeedDatabase] = msgspec.field(default_factory=list["SeedDatabase"])


class SeedDatabase(SeedSection):
    """A database. A property is a type or a configuration as in the API; a row holds values by name.

    A row with `content` or `comments` has its values below `values`.
    """

    title: str
    properties: dict[str, str | dict[str, Any]] = msgspec.field(default_factory=dict[str, str | dict[str, Any]])
    rows: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])


class SeedFile(SeedSection):
    """A Markdown or CSV file of a folder, by its path."""

    path: str
    content: str


class SeedExport(SeedSection):
    """An export of Notion's: a zip in Base64."""

    data: str


class SeedAgent(SeedSection):
    """A custom agent and what it says, as its row has it."""

    name: str
    description: str | None = None
    instructions: str | None = None
    answer: str | None = None
    approval: str | None = None
    failure: str | None = None
    answer_seconds: int = 0
    agent_type: Literal["custom_agent", "autofill_custom_agent", "external"] = "custom_agent"


class NotionConfig(msgspec.Struct):
    """The configuration of a workspace. A user may be given by name alone.

    `shared_with_integration` has the titles of the pages and databases that the integration sees; None is all.
    """

    users: list[SeedUser | str] = []
    pages: list[SeedPage] = []
    databases: list[SeedDatabase] = []
    files: list[SeedFile] = []
    exports: list[SeedExport] = []
    agents: list[SeedAgent] = []
    shared_with_integration: list[str] | None = None


class _Writer:
    """Writes the parts of a configuration and collects problems."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.problems: list[str] = []
        self.counts = {"pages": 0, "databases": 0}

    def write_all(self, pages: list[SeedPage], databases: list[SeedDatabase], parent: Parent, path: str) -> None:
        """Create pages and databases in a parent."""
        for number, page in enumerate(pages):
            self._page(page, parent, f"{path}pages[{number}]")
        for number, database in enumerate(databases):
            self._database(database, parent, f"{path}databases[{number}]")

    def _page(self, part: SeedPage, parent: Parent, path: str) -> None:
        body: dict[str, Any] = {
            "parent": parent,
            "properties": {"title": [{"text": {"content": part.title}}]},
            "markdown": part.content,
        }
        if part.icon:
            body["icon"] = {"type": "emoji", "emoji": part.icon}
        page = self._try(path, lambda: create_page(self.call, body))
        if page:
            self.counts["pages"] += 1
            self._comment(page["id"], part.comments, path)
            self.write_all(part.pages, part.databases, {"page_id": page["id"]}, f"{path}.")

    def _try(self, path: str, make: Any) -> Any:
        try:
            return make()
        except ApiError as error:
            self.problems.append(f"{path}: {error}")
            return None

    def _database(self, part: SeedDatabase, parent: Parent, path: str) -> None:
        properties: dict[str, dict[str, Any]] = {
            name: {each: {}} if isinstance(each, str) else each for name, each in part.properties.items()
        }
        if not any("title" in each for each in properties.values()):
            properties = {"Name": {"title": {}}, **properties}
        title = [{"text": {"content": part.title}}]
        kind = next(iter(parent))
        initial = {"properties": properties}
        body: dict[str, Any] = {"parent": {"type": kind, **parent}, "title": title, "initial_data_source": initial}
        made = self._try(path, lambda: create_database(self.call, body))
        if not made:
            return
        self.counts["databases"] += 1
        source = made["data_sources"][0]["id"]
        for number, row in enumerate(part.rows):
            self._row(row, source, f"{path}.rows[{number}]")

    def _row(self, row: dict[str, Any], source: str, path: str) -> None:
        values = cast(dict[str, Any], row["values"]) if is_object(row.get("values")) else row
        content = str(row.get("content", "")) if "values" in row else ""
        body = {"parent": {"data_source_id": source}, "properties": self._values(values, source), "markdown": content}
        page = self._try(path, lambda: create_page(self.call, body))
        if page:
            self.counts["pages"] += 1
            given: Any = row.get("comments", []) if "values" in row else []
            comments = self._try(f"{path}.comments", lambda: self._read_comments(given))
            self._comment(page["id"], comments or [], path)

    def _read_comments(self, given: Any) -> list[SeedComment]:
        try:
            return msgspec.convert(given, list[SeedComment])
        except msgspec.ValidationError as error:
            raise ValidationError(str(error)) from None

    def _comment(self, page: str, comments: Sequence[SeedComment], path: str) -> None:
        """Comment on a page, as the authors of the comments."""
        for number, each in enumerate(comments):
            user = self.call.db.find(User, User.name == each.user) if each.user else None
            if each.user and user is None:
                self.problems.append(f"{path}.comments[{number}].user: '{each.user}' is not among the users")
                continue
            body = {"parent": {"page_id": page}, "rich_text": [{"text": {"content": each.text}}]}
            made = self._try(f"{path}.comments[{number}]", partial(create_comment, self.call, body))
            if made and (author := user.id if user else self.call.actor):
                self.call.db.change(self.call.db.get(Comment, made["id"]), created_by=author)

    def _values(self, values: dict[str, Any], source: str) -> dict[str, Any]:
        kinds = {each.name: each.type for each in find_properties(self.call, source)}
        return {name: self._value(kinds.get(name, ""), value) for name, value in values.items()}

    def _value(self, kind: str, value: Any) -> Any:
        """Return a value as a request has it: people and pages may be given by name."""
        if is_object(value) or kind not in VALUES:
            return value
        if kind in ("title", "rich_text"):
            return {kind: [{"text": {"content": str(value)}}]}
        if kind in ("select", "status"):
            return {kind: {"name": value}}
        if kind == "date":
            return {kind: {"start": value}}
        several: list[Any] = value if is_list(value) else [value]
        if kind == "multi_select":
            return {kind: [{"name": each} for each in several]}
        if kind == "people":
            return {kind: [{"id": self._find(User, User.name == each, each)} for each in several]}
        if kind == "relation":
            return {kind: [{"id": self._find(Page, Page.title == each, each)} for each in several]}
        return {kind: value}

    def find_titles(self, titles: list[str]) -> list[str]:
        """Return the ids of the pages and databases with these titles."""
        ids: list[str] = []
        for number, title in enumerate(titles):
            titled = [row.id for table in (Page, Database) for row in self.call.db.rows(table, table.title == title)]
            if not titled:
                self.problems.append(f"shared_with_integration[{number}]: there is no page or database '{title}'")
            ids += titled
        return ids

    def _find(self, table: type[Any], where: Any, name: Any) -> str:
        row = self.call.db.find(table, where)
        if row is None:
            raise ValidationError(f"'{name}' is neither a person nor a page of the configuration so far")
        return row.id


def write(call: Call, config: NotionConfig, people: Sequence[Person]) -> dict[str, int]:
    """Fill a workspace, whose integration is that of its template; raise InvalidSeedConfig for what cannot be used.

    Returns the numbers of `users`, `pages` and `databases`.
    """
    if not call.db.rows(Workspace, limit=1):
        call.db.add(Workspace(id=call.ids.uuid(), name="Workspace"))
    known = [call.db.add(User(id=call.ids.uuid(), name=each.name, email=each.email)) for each in people]
    bots = call.db.rows(User, User.type == "bot", order=User.id, limit=1)
    bot = bots[0] if bots else call.db.add(User(id=call.ids.uuid(), name="Integration", type="bot"))
    call.actor = known[0].id if known else bot.id
    writer = _Writer(call)
    pages, databases = _read_files(config, writer.problems)
    writer.write_all([*config.pages, *pages], [*config.databases, *databases], {"workspace": True}, "")
    for each in config.agents:
        made: dict[str, Any] = {"created_by": call.actor, "created_time": call.clock.iso()}
        call.db.add(Agent(id=call.ids.uuid(), **msgspec.structs.asdict(each), **made))
    if config.shared_with_integration is not None:
        call.db.change(bot, shared_with=writer.find_titles(config.shared_with_integration))
    if writer.problems:
        raise InvalidSeedConfig(writer.problems)
    return {"users": len(known), **writer.counts}


def _read_files(config: NotionConfig, problems: list[str]) -> tuple[list[SeedPage], list[SeedDatabase]]:
    files = {part.path: part.content for part in config.files}
    for number, part in enumerate(config.exports):
        try:
            files |= read_export(b64decode(part.data, validate=True))
        except ValueError as error:
            problems.append(f"exports[{number}].data: {error}")
    pages, databases = to_parts(files)
    return msgspec.convert(pages, list[SeedPage]), msgspec.convert(databases, list[SeedDatabase])


seeding = Seeding(NotionConfig, write)
