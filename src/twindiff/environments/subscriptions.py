"""Subscribers to an environment's events: webhooks of its settings, or rows of twins whose vendor has an API for it."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from twindiff.catalog import WebhookRecord
from twindiff.catalog.stamps import new_uuid, stamp
from twindiff.kit.errors import ApiError, NotServed
from twindiff.kit.events import OVER_SOCKETS, Subscription, Webhooks
from twindiff.kit.rows import Row, Table, table_of
from twindiff.kit.store import Store
from twindiff.kit.twin import Twin
from twindiff.storage import CatalogStore, OperationContext, StorageEngine
from twindiff.storage.backoff import describe_error
from twindiff.storage.journal import JournalRecord

from .environments import LoadedEnvironment
from .registry import did_you_mean

log = logging.getLogger("twindiff")

MAX_URL_CHARACTERS = 2000
MAX_SECRET_CHARACTERS = 200
READ_AHEAD = 1_000
"""Journal records read to find out who subscribed when an event happened."""
MAX_SUBSCRIPTIONS = 100
"""Webhooks in the settings of one environment."""


class InvalidWebhook(ApiError):
    """A webhook cannot be like this."""


class WebhookNotFound(ApiError):
    """The environment has no such webhook."""

    status = 404


class SubscriptionRows:
    """A twin's subscription rows as they were after each of some records."""

    def __init__(self, table: Table, rows: Iterable[Row], records: Iterable[JournalRecord]) -> None:
        self._table = table
        self._rows = {tuple(getattr(row, name) for name in table.key): row for row in rows}
        mine = [record for record in records if record.to is None]
        self._changes = [(record.seq, each) for record in mine for each in record.changes if each.table == table.name]

    def at(self, seq: int) -> list[Row]:
        """Return the rows as they were after a record, by undoing the later changes."""
        rows = dict(self._rows)
        for changed, (_, key, before, _) in reversed(self._changes):
            if changed <= seq:
                break
            rows.pop(key, None)
            if before is not None:
                rows[key] = self._table.row(**before)
        return list(rows.values())


class Subscriptions:
    """The subscriptions of all environments."""

    def __init__(self, engine: StorageEngine, catalog: CatalogStore) -> None:
        self._engine = engine
        self._catalog = catalog
        self._logged: set[str] = set()
        """Rows that could not be read, as the log says it."""

    def prepare(
        self, environment: LoadedEnvironment, twin: Twin, url: str, events: Iterable[str], secret: str | None
    ) -> WebhookRecord:
        """Create a webhook record without storing it; raises InvalidWebhook."""
        names = list(dict.fromkeys(events))
        _refuse_unfit(twin, url, names, secret or "")
        if len(self.list(environment.id)) >= MAX_SUBSCRIPTIONS:
            raise InvalidWebhook(f"an environment has at most {MAX_SUBSCRIPTIONS} webhooks; delete one first")
        now = stamp()
        return WebhookRecord(
            webhook_id=new_uuid(),
            environment_id=environment.id,
            twin=twin.name,
            url=url,
            events=names,
            secret=secret or environment.tokens.signing.get(twin.name) or secrets.token_hex(16),
            start_seq=self._engine.seq(environment.id),
            created=now.micros,
            created_at=now.iso,
        )

    def add(self, record: WebhookRecord) -> None:
        self._catalog.add(record)

    def over_sockets(self, environment_id: str, twin: str) -> WebhookRecord | None:
        """Return the webhook that delivers over sockets, or None."""
        return next((each for each in self.list(environment_id) if (each.twin, each.url) == (twin, OVER_SOCKETS)), None)

    def list(self, environment_id: str) -> list[WebhookRecord]:
        """Return the webhooks of an environment's settings, in order of creation."""
        return self._catalog.rows(
            WebhookRecord, WebhookRecord.environment_id == environment_id, order=WebhookRecord.created
        )

    def remove(self, environment_id: str, webhook_id: str) -> WebhookRecord:
        """Delete a webhook; raises WebhookNotFound."""
        webhook = next((each for each in self.list(environment_id) if each.webhook_id == webhook_id), None)
        if webhook is None:
            raise WebhookNotFound(f"the environment has no webhook '{webhook_id}'")
        self._catalog.remove(webhook)
        return webhook

    def set_up(self, environment: LoadedEnvironment, twin: str) -> list[tuple[Subscription, int]]:
        """Return the subscriptions of the settings, each with the seq after which it receives events."""
        mine = [each for each in self.list(environment.id) if each.twin == twin]
        return [(subscription_of(each, environment), each.start_seq) for each in mine]

    def rows(self, webhooks: Webhooks, db: Store) -> list[Row]:
        """Return a twin's subscription rows."""
        return list(db.rows(webhooks.table)) if webhooks.table else []

    def rows_during(
        self, environment: LoadedEnvironment, twin: str, webhooks: Webhooks, records: Sequence[JournalRecord]
    ) -> Callable[[int], list[Row]]:
        """Return a function from the seq of one of `records` to the twin's subscription rows after it.

        Other records may have been written meanwhile; beyond `READ_AHEAD` of them, the current rows are used.
        """
        if webhooks.table is None:
            return lambda seq: []
        rows = self._engine.read(environment.id, twin, lambda moment: self.rows(webhooks, moment.db), at=0)
        first = records[0].seq
        since = self._engine.records(environment.id, first, records[-1].seq + READ_AHEAD)
        return SubscriptionRows(table_of(webhooks.table), rows, [each for each in since if each.twin == twin]).at

    def in_rows(self, webhooks: Webhooks, rows: Iterable[Row], db: Store) -> list[Subscription]:
        """Return the subscriptions that rows of a twin define; a row that the twin cannot read defines none."""
        subscribed = [self._read_row(webhooks.subscription, row, db) for row in rows] if webhooks.subscription else []
        return [each for each in subscribed if each is not None]

    def _read_row(self, read: Callable[[Any, Store], Subscription | None], row: Row, db: Store) -> Subscription | None:
        try:
            return read(row, db)
        except NotServed:
            raise
        except Exception as error:  # noqa: BLE001 - an error in the twin, which must not hold up other subscribers
            said = f"A subscription of table {table_of(type(row)).name} set aside: {describe_error(error)}"
            if said not in self._logged:
                self._logged.add(said)
                log.warning(said)
            return None

    def find(self, environment: LoadedEnvironment, twin: str, subscription_id: str) -> Subscription | None:
        """Return a subscription as it is now, or None."""
        set_up = [each for each, _ in self.set_up(environment, twin) if each.id == subscription_id]
        webhooks = environment.twins[twin].webhooks
        if set_up or webhooks is None or webhooks.subscription is None:
            return set_up[0] if set_up else None

        def work(moment: OperationContext) -> list[Subscription]:
            return self.in_rows(webhooks, self.rows(webhooks, moment.db), moment.db)

        in_rows = self._engine.read(environment.id, twin, work, at=0)
        return next((each for each in in_rows if each.id == subscription_id), None)

    def are_among(self, twin: Twin, tables: frozenset[str]) -> bool:
        """Return whether a twin keeps its subscriptions in one of these tables."""
        table = twin.webhooks.table if twin.webhooks else None
        return table is not None and table_of(table).name in tables


def subscription_of(record: WebhookRecord, environment: LoadedEnvironment) -> Subscription:
    """Return a webhook of the settings in the form that twins use."""
    events = tuple(cast("list[str]", record.events))
    tokens = environment.tokens
    actor = tokens.users.get(record.twin, tokens.actor)
    return Subscription(record.webhook_id, record.url, record.secret, events, actor, of_settings=True)


def _refuse_unfit(twin: Twin, url: str, events: list[str], secret: str) -> None:
    if twin.webhooks is None:
        raise InvalidWebhook(f"the {twin.name} twin sends no events yet")
    if twin.webhooks.no_settings:
        raise InvalidWebhook(twin.webhooks.no_settings)
    names = twin.webhooks.names
    for each in events if names is not None else ():
        if names is not None and each not in names:
            raise InvalidWebhook(f"{twin.name} has no event '{each}'.{did_you_mean(each, sorted(names))}")
    if len(secret) > MAX_SECRET_CHARACTERS:
        raise InvalidWebhook(f"a secret has at most {MAX_SECRET_CHARACTERS} letters")
    if url != OVER_SOCKETS:
        refuse_unfit_url(url)
    elif twin.webhooks.sockets is None:
        raise InvalidWebhook(f"{twin.name} sends no events over sockets; give an http or https URL")


def refuse_unfit_url(url: str) -> None:
    """Raise InvalidWebhook for a URL that no web server can have."""
    import httpx  # loading it takes a quarter of the server's start, and many servers never need it

    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        raise InvalidWebhook(f"'{url[:100]}' is no URL") from None
    if parsed.port is not None and not 0 < parsed.port < 65536:
        raise InvalidWebhook(f"{parsed.port} is no port: one lies between 1 and 65535")
    if len(url) > MAX_URL_CHARACTERS or parsed.scheme not in ("http", "https") or not parsed.host or parsed.userinfo:
        raise InvalidWebhook(
            f"a webhook needs an http or https URL of at most {MAX_URL_CHARACTERS} letters, without a user"
        )
