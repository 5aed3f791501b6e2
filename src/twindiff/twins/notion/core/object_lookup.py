"""Finds pages, blocks, databases and data sources by id, with Notion's errors for those that are not there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from twindiff.kit import Call, RequestContext, Row

from ..tables.content_tables import Block, Page, User
from ..tables.data_source_tables import Database, DataSource
from ..tables.workspace_tables import CustomEmoji
from ..wire_style import ObjectNotFound, RestrictedResource, ValidationError
from .api_version import DATA_SOURCES, has_data_sources, web_url
from .body_rules import as_uuid, invalid_at

R = TypeVar("R", bound=Row)
N = TypeVar("N", "Page", "Block", "Database", "DataSource")
Node = Page | Block | Database
"""Whatever stands among the children of a page or a block."""
MAX_DEPTH = 100
SHARED = 'Make sure the relevant pages and databases are shared with your integration "{name}".'
NO_BOT = User(id="00000000-0000-4000-8000-0000000000b0", name="Integration", type="bot")


def find_bot(call: Call) -> User:
    """Return the bot that a request acts as: the caller, or the first bot of a person or of the workspace."""
    bot = call.memo.get("bot")
    if bot is None:
        actor = call.db.find(User, User.id == call.actor)
        if actor is None or actor.type != "bot":
            bots = call.db.rows(User, User.type == "bot", order=User.id)
            actor = next((each for each in bots if each.owner_id == call.actor), bots[0] if bots else NO_BOT)
        bot = call.memo["bot"] = actor
    return bot


def require_capability(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Middleware that raises RestrictedResource if the integration lacks the capability that an operation declares."""
    wanted = exchange.operation.declared.scope
    capabilities = find_bot(call).capabilities if wanted else None
    if capabilities is not None and wanted not in capabilities:
        raise RestrictedResource(f"Insufficient permissions for this endpoint: the integration lacks {wanted}.")
    return proceed()


def parse_id(value: str, name: str, place: str = "path") -> str:
    """Return an id in its usual form; raise ValidationError for a text that is none."""
    id = as_uuid(value)
    if id is None:
        raise ValidationError(f"{place} failed validation: " + invalid_at(f"{place}.{name}", "a valid uuid", value))
    return id


def not_found(call: Call, kind: str, id: str, advice: str = SHARED) -> ObjectNotFound:
    """Return the error for an object that the integration cannot see."""
    bot = find_bot(call)
    message = f"Could not find {kind} with ID: {id}. {advice.format(name=bot.name or '')}".strip()
    return ObjectNotFound(message, additional_data={"integration_id": bot.id})


def is_visible(call: Call, node: Node | DataSource) -> bool:
    """Return whether a row is shared with the bot, itself or with what it is in."""
    shared = find_bot(call).shared_with
    return shared is None or any(each.id in shared for each in walk_up(call, node))


def find_visible(call: Call, table: type[N], id: str) -> N | None:
    """Return the row with an id, None if there is none that the bot sees."""
    row = call.db.find(table, table.id == id)
    return row if row is not None and is_visible(call, row) else None


def find_row(call: Call, table: type[R], id: str, kind: str) -> R:
    """Return a row by its id; raise ObjectNotFound."""
    row = call.db.find(table, table.id == id)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
    if row is None or (isinstance(row, Page | Block | Database | DataSource) and not is_visible(call, row)):
        raise not_found(call, kind, id)
    return row


def find_page(call: Call, id: str) -> Page:
    """Return a page; raise ObjectNotFound, or ValidationError for the id of a database."""
    page = find_visible(call, Page, id)
    if page is None:
        if find_visible(call, Database, id):
            raise ValidationError(
                f"Provided ID {id} is a database, not a page. Use the retrieve database API instead: "
                "https://developers.notion.com/reference/retrieve-a-database"
            )
        raise not_found(call, "page", id)
    return page


def find_node(call: Call, id: str, kind: str = "block") -> Node:
    """Return the block, page or database with an id; raise ObjectNotFound."""
    node = find_visible(call, Block, id) or find_visible(call, Page, id) or find_visible(call, Database, id)
    if node is None:
        raise not_found(call, kind, id)
    return node


def find_database(call: Call, id: str) -> Database:
    """Return a database; raise ObjectNotFound, or ValidationError for the id of a page."""
    database = find_visible(call, Database, id)
    if database is None and find_visible(call, Page, id):
        raise ValidationError(
            f"Provided ID {id} is a page, not a database. Use the retrieve page API instead: "
            "https://developers.notion.com/reference/retrieve-a-page"
        )
    return database or find_row(call, Database, id, "database")


def find_data_source(call: Call, id: str) -> DataSource:
    """Return a data source; raise ObjectNotFound."""
    return find_row(call, DataSource, id, "data_source")


def list_data_sources(call: Call, database_id: str) -> list[DataSource]:
    """Return the data sources of a database that are not in the trash, in order."""
    mine = DataSource.database_id == database_id, ~DataSource.in_trash
    return call.db.rows(DataSource, *mine, order=(DataSource.position, DataSource.id))


def only_data_source(call: Call, database: Database) -> DataSource:
    """Return the data source of a database; raise ValidationError if it has several."""
    rows = list_data_sources(call, database.id)
    if not rows:
        raise not_found(call, "database", database.id)
    check_single_source(call, rows)
    return rows[0]


def check_single_source(call: Call, rows: list[DataSource]) -> None:
    """Raise ValidationError for several data sources of a database, where a request means its only one.

    https://developers.notion.com/docs/upgrade-guide-2025-09-03
    """
    if len(rows) > 1:
        advice = ": name one of them by data_source_id." if has_data_sources(call) else "."
        raise ValidationError(
            f"Databases with multiple data sources are not supported in this API version{advice}",
            additional_data={
                "error_type": "multiple_data_sources_for_database",
                "database_id": rows[0].database_id,
                "child_data_source_ids": [each.id for each in rows],
                "minimum_api_version": DATA_SOURCES,
            },
        )


def find_parent(call: Call, node: Node | DataSource) -> Node | DataSource | None:
    """Return the row above another; None for one at the top of the workspace."""
    if isinstance(node, DataSource):
        return call.db.find(Database, Database.id == node.database_id)
    tables = {"page_id": Page, "block_id": Block, "data_source_id": DataSource}
    table: Any = tables.get(node.parent_type)
    return call.db.find(table, table.id == node.parent_id) if table else None


def walk_up(call: Call, node: Node | DataSource) -> Iterator[Node | DataSource]:
    """Yield a row, then what it is in, then what that is in, up to the top of the workspace."""
    above: Node | DataSource | None = node
    for _ in range(MAX_DEPTH):
        if above is None:
            return
        yield above
        above = find_parent(call, above)


def is_trashed(call: Call, node: Node | DataSource) -> bool:
    """Return whether a row is in the trash, itself or with what it is in."""
    return any(each.in_trash for each in walk_up(call, node))


def find_page_above(call: Call, node: Node | DataSource) -> Page | None:
    """Return the page that a row is on: itself, if it is one."""
    return next((each for each in walk_up(call, node) if isinstance(each, Page)), None)


def check_editable(call: Call, node: Node | DataSource) -> None:
    """Raise ValidationError for what is in the trash."""
    if is_trashed(call, node):
        if isinstance(node, Page) and not node.in_trash:
            advice = "You must unarchive the ancestor before editing page."
            raise ValidationError(f"Can't edit page on block with an archived ancestor. {advice}")
        kind = "block" if isinstance(node, Block | Page) else "database"
        raise ValidationError(f"Can't edit {kind} that is archived. You must unarchive the {kind} before editing.")


def find_mentioned(call: Call, kind: str, id: str) -> tuple[dict[str, Any], str, str | None]:
    """Return the object, the name and the address of a page, a database or an emoji that a text mentions."""
    if kind == "custom_emoji":
        emoji = call.db.find(CustomEmoji, CustomEmoji.id == id)
        name = emoji.name if emoji else ""
        return {"id": id, "name": name, "url": emoji.url if emoji else ""}, f":{name}:", None
    tables: dict[str, Any] = {"page": Page, "database": Database, "data_source": DataSource}
    row = call.db.find(tables[kind], tables[kind].id == id)
    if isinstance(row, Database):
        row = call.db.find(DataSource, DataSource.database_id == row.id) or row
    return {"id": id}, (row.title if row else "") or "Untitled", web_url(call, id)
