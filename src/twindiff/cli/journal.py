"""An environment's journal and call log over HTTP."""

from __future__ import annotations

from collections.abc import Mapping

from twindiff.cli.remote import Json, Remote
from twindiff.environments.registry import Registry, TwinNotLoaded
from twindiff.kit.rows import Table

PAGE = 1000


def journal(remote: Remote, environment: str) -> list[Json]:
    """Every record of the journal."""
    return _all(remote, environment, "journal", "records", "seq")


def calls(remote: Remote, environment: str) -> list[Json]:
    """Every call of the log."""
    return _all(remote, environment, "calls", "calls", "number")


def _all(remote: Remote, environment: str, route: str, name: str, counter: str) -> list[Json]:
    found: list[Json] = []
    while page := remote.get("env", environment, route, after=found[-1][counter] if found else 0, limit=PAGE)[name]:
        found += page
        if len(page) < PAGE:
            break
    return found


def visible(journal: list[Json]) -> list[Json]:
    """The journal without what is no news to people: bookkeeping, and updates of derived columns alone."""
    registry = Registry.installed()
    tables = {twin: _tables(registry, twin) for twin in {record["twin"] for record in journal}}

    def news(record: Json) -> list[Json]:
        return [each for each in record["changes"] if _is_news(tables[record["twin"]].get(each["table"]), each)]

    return [{**record, "changes": news(record)} for record in journal]


def _tables(registry: Registry, twin: str) -> Mapping[str, Table]:
    """The tables of a twin; none of one that this machine does not have."""
    try:
        return registry.schemas[twin].tables
    except (KeyError, TwinNotLoaded):
        return {}


def _is_news(table: Table | None, change: Json) -> bool:
    """What belongs to a twin that this machine does not have is news."""
    if table is None:
        return True
    before, after = change["before"], change["after"]
    if before is None or after is None:
        return table.visibility != "bookkeeping"
    differing = [name for name in after if before.get(name) != after[name]]
    return not all(name in table.columns and table.columns[name].derived for name in differing)
