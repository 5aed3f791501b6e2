"""Reads an environment's journal and call log over HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from twindiff.cli.remote import Json, Remote
from twindiff.environments.registry import Registry, TwinNotLoaded
from twindiff.kit.rows import Table

PAGE = 1000
WITH_TRANSCRIPTS = 100
"""Calls per page with transcripts."""


def journal(remote: Remote, environment: str) -> list[Json]:
    """Return every record of the journal."""
    return journal_since(remote, environment, 0)


def journal_since(remote: Remote, environment: str, seq: int) -> list[Json]:
    """Return the records of the journal after a seq."""
    return _all(remote, ("env", environment, "journal"), "records", "seq", after=seq)


def calls(remote: Remote, *path: str, transcripts: bool = False, after: int = 0) -> list[Json]:
    """Return the calls with a number above `after` of an environment, `("env", id)`, or of a run, `("runs", id)`."""
    if not transcripts:
        return _all(remote, (*path, "calls"), "calls", "number", after=after)
    return _all(remote, (*path, "calls"), "calls", "number", page=WITH_TRANSCRIPTS, after=after, transcripts="true")


def _all(
    remote: Remote, path: Sequence[str], name: str, counter: str, *, page: int = PAGE, after: int = 0, **query: str
) -> list[Json]:
    entries: list[Json] = []
    while part := remote.get(*path, after=entries[-1][counter] if entries else after, limit=page, **query)[name]:
        entries += part
        if len(part) < page:
            break
    return entries


def visible(journal: list[Json]) -> list[Json]:
    """Omit changes that people need not see: bookkeeping, and updates of derived columns only."""
    registry = Registry.load_installed()
    tables = {twin: _tables(registry, twin) for twin in {record["twin"] for record in journal}}

    def news(record: Json) -> list[Json]:
        return [each for each in record["changes"] if _is_news(tables[record["twin"]].get(each["table"]), each)]

    return [{**record, "changes": news(record)} for record in journal]


def _tables(registry: Registry, twin: str) -> Mapping[str, Table]:
    """Return the tables of a twin; empty for one that is not installed here."""
    try:
        return registry.schemas[twin].tables
    except (KeyError, TwinNotLoaded):
        return {}


def _is_news(table: Table | None, change: Json) -> bool:
    """Return whether people should see a change; always true for tables of twins that are not installed here."""
    if table is None:
        return True
    before, after = change["before"], change["after"]
    if before is None or after is None:
        return table.visibility != "bookkeeping"
    differing = [name for name in after if before.get(name) != after[name]]
    return not all(name in table.columns and table.columns[name].derived for name in differing)
