"""Templates: named starting states. A release or an import adds templates; it never changes one."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast
from uuid import UUID

import msgspec

from twindiff.catalog import TemplateRecord
from twindiff.catalog.stamps import new_uuid, stamp
from twindiff.kit.errors import ApiError
from twindiff.kit.rows import Expression, Table
from twindiff.kit.store import Store
from twindiff.kit.twin import Twin
from twindiff.storage import StorageEngine, Template, TemplatePayload
from twindiff.storage.cooperative import CooperativeStep, clear_in_chunks, run_to_end
from twindiff.storage.whole_catalog import WholeCatalog

from .registry import Registry, did_you_mean
from .template_hashes import LateRows, TemplateHashes

Values = dict[str, Any]
Rows = Mapping[str, Iterable[Mapping[str, Any]]]


class TemplateNotFound(ApiError):
    """template not found"""

    status = 404


class UnknownTemplate(ApiError):
    """template not found"""

    code = "template_not_found"


class InvalidTemplateId(ApiError):
    """invalid template id"""


class InvalidSeed(ApiError):
    """A template's rows do not fit the twin's tables."""


class Naming(NamedTuple):
    """A template's name, location and provenance."""

    service: str
    name: str
    origin: str
    description: str | None = None
    version: str = "v1"
    visibility: str = "public"
    location: str = ""


class TemplateStore:
    """The templates of a server; new ones are added to the catalog of this process."""

    def __init__(self, engine: StorageEngine, catalog: Store, whole: WholeCatalog, registry: Registry) -> None:
        self._engine = engine
        self._catalog = catalog
        self._whole = whole
        self._registry = registry
        self._hashes = TemplateHashes()
        self._built_in: dict[tuple[str, str], Template] = {}
        """The built-in templates that have been requested, by twin and name."""

    def write_built_in(self) -> None:
        """Add the templates that installed twins ship as files; templates written by code are added on first use."""
        with self._engine.transaction():
            for twin in self._registry.twins.values():
                self._complete_all(twin, sources(twin).keys() - twin.templates.keys())

    def _complete(self, service: str, name: str, recorded: list[TemplateRecord]) -> bool:
        """Add a twin's built-in template of a name unless it is recorded; returns whether it was added.

        It is checked every time, since a transaction that added it may have been rolled back.
        """
        key = (service, name)
        if key in self._built_in and self._built_in[key].hash in [record.hash for record in recorded]:
            return False
        twin = self._registry.get(service)
        source = sources(twin).get(name)
        if source is None:
            return False
        start = self._built_in_payload(twin, name, source)
        self._built_in[key] = start.template
        if start.template.hash in [record.hash for record in recorded]:
            return False
        with self._engine.transaction():
            naming = Naming(service, name, "built-in", twin.descriptions.get(name))
            self._record(naming, run_to_end(self.keep(twin, start)), recorded)
        return True

    def prepare(self, twin: Twin, name: str) -> Generator[CooperativeStep, None, None]:
        """Add a twin's built-in template in advance; its rows are read and checked in a worker thread."""
        source = sources(twin).get(name)
        if source is None or (twin.name, name) in self._built_in:
            return
        made: list[TemplatePayload] = []
        yield lambda: made.append(self._built_in_payload(twin, name, source))
        stored = yield from self.keep(twin, made[0])
        self._built_in[twin.name, name] = stored
        recorded = self._list_recorded(twin.name, name)
        if stored.hash not in [record.hash for record in recorded]:
            self._record(Naming(twin.name, name, "built-in", twin.descriptions.get(name)), stored, recorded)

    def _built_in_payload(self, twin: Twin, name: str, source: Callable[[], Rows]) -> TemplatePayload:
        """Return a built-in template; if its hash is cached, its rows are read only when needed."""
        schema, package = self._registry.schemas[twin.name], self._registry.package(twin)
        known = self._hashes.find(schema, package, name)
        if known:
            rows = LateRows(lambda: full_rows(twin, source()))
            return TemplatePayload(Template(known, schema.hash, {}), rows, is_built_in=True)
        start = self.start(twin, full_rows(twin, source()))._replace(is_built_in=True)
        self._hashes.keep(schema, package, name, start.template.hash)
        return start

    def add(self, twin: Twin, name: str, rows: Rows, *, origin: str, description: str | None = None) -> TemplateRecord:
        """Store rows under a name, unless the newest template of that name has the same content. Raises InvalidSeed."""
        stored = run_to_end(self.keep(twin, self.start(twin, full_rows(twin, rows))))
        return self.name(twin, name, stored, origin=origin, description=description)

    def start(self, twin: Twin, full: Mapping[str, list[Values]]) -> TemplatePayload:
        """Create a template of full rows without storing it; safe in any thread."""
        schema = self._registry.schemas[twin.name]
        return TemplatePayload(Template(schema.content_hash(full, {}), schema.hash, {}), full)

    def keep(self, twin: Twin, start: TemplatePayload) -> Generator[CooperativeStep, None, Template]:
        """Store a template without a name, in parts; consumes its rows."""
        yield from self._engine.keep_template(twin.name, start)
        made = start.rows.made if isinstance(start.rows, LateRows) else start.rows
        yield lambda: [clear_in_chunks(rows) for rows in made.values()]
        return start.template

    def name(
        self, twin: Twin, name: str, template: Template, *, origin: str, description: str | None = None
    ) -> TemplateRecord:
        """Name a stored template, unless the newest template of that name has the same content."""
        return self._record(Naming(twin.name, name, origin, description), template, self.history(twin.name, name))

    def _record(self, naming: Naming, stored: Template, recorded: list[TemplateRecord]) -> TemplateRecord:
        if recorded and recorded[0].hash == stored.hash:
            return recorded[0]
        now = stamp()
        return self._catalog.add(
            TemplateRecord(
                template_id=new_uuid(),
                service=naming.service,
                name=naming.name,
                hash=stored.hash,
                schema_name=naming.location or naming.name,
                created=now.micros,
                created_at=now.iso,
                version=naming.version,
                description=naming.description,
                origin=naming.origin,
                visibility=naming.visibility,
                counters=stored.counters,
            )
        )

    def copy(self, template: Template, naming: Naming) -> TemplateRecord:
        """Record an environment's present content as a template, at a free location made of service and name."""
        location = re.sub(r"\s+", "_", f"{naming.service}_{naming.name}".lower())
        taken = self._newest(TemplateRecord.schema_name == location)
        location = f"{location}_{new_uuid()[:8]}" if taken else location
        return self._record(naming._replace(location=location), template, self.history(naming.service, naming.name))

    def list(self) -> list[TemplateRecord]:
        """Return the newest template of every service and name, newest first; unreadable built-in ones are omitted."""
        newest: dict[tuple[str, str], TemplateRecord] = {}
        with self._engine.transaction():
            for twin in self._registry.twins.values():
                self._complete_all(twin, sources(twin))
        for record in self._whole.newest(TemplateRecord):
            newest.setdefault((record.service, record.name), record)
        return [*newest.values()]

    def _complete_all(self, twin: Twin, names: Iterable[str]) -> None:
        """Add a twin's built-in templates of these names; an unreadable one only fails when it is requested by name."""
        for name in sorted(names):
            with suppress(InvalidSeed):
                self.history(twin.name, name)

    def get(self, template_id: str) -> TemplateRecord:
        try:
            key = str(UUID(template_id))
        except ValueError:
            raise InvalidTemplateId(f"invalid template id: '{template_id}' is not a UUID") from None
        return self._whole.get(TemplateRecord, key, missing=TemplateNotFound)

    def find_named(self, service: str, name: str) -> TemplateRecord:
        """Return the newest template of a name; raises UnknownTemplate with the nearest name."""
        twin = self._registry.get(service)
        versions = self.history(twin.name, name)
        if not versions:
            known = sorted({record.name for record in self.list() if record.service == twin.name})
            raise UnknownTemplate(
                f"template not found: {twin.name} has no template '{name}'. It has: {', '.join(known)}."
                f"{did_you_mean(name, known)}"
            )
        return versions[0]

    def meant(self, text: str) -> TemplateRecord:
        """Return the newest template given as `service:name`, by name alone or by id; raises UnknownTemplate."""
        service, colon, name = text.partition(":")
        if colon:
            return self.find_named(service, name)
        likely = self._registry.find(text.partition("_")[0])  # most names begin with their twin's
        if likely and (versions := self.history(likely.name, text)):
            return versions[0]
        matches = [each[0] for twin in self._registry.twins if (each := self.history(twin, text))]
        if len(matches) > 1:
            names = " or ".join(f"{each.service}:{each.name}" for each in matches)
            raise UnknownTemplate(f"several templates are named '{text}': say {names}")
        located = matches[0] if matches else self.find_at(text) or self._with_id(text)
        if located:
            return located
        near = did_you_mean(text, sorted(each.name for each in self.list()))
        raise UnknownTemplate(f"template not found: '{text}'; name one, or say service:name.{near}")

    def _with_id(self, text: str) -> TemplateRecord | None:
        with suppress(InvalidTemplateId, TemplateNotFound):
            return self.get(text)
        return None

    def find_at(self, schema_name: str) -> TemplateRecord | None:
        """Return the newest template at a location, or None."""
        for twin in self._registry.twins.values():
            if schema_name in sources(twin):
                self.history(twin.name, schema_name)
        return self._newest(TemplateRecord.schema_name == schema_name)

    def holding(self, service: str, hash: str) -> TemplateRecord | None:
        """Return the newest template with this content hash, or None."""
        here = TemplateRecord.service == service, TemplateRecord.hash == hash
        template = self._newest(*here)
        if template is None:
            twin = self._registry.get(service)
            self._complete_all(twin, sources(twin))
            template = self._newest(*here)
        return template

    def _newest(self, *where: Expression) -> TemplateRecord | None:
        records = self._whole.newest(TemplateRecord, *where, limit=1)
        return records[0] if records else None

    def history(self, service: str, name: str) -> list[TemplateRecord]:
        """Return all templates that have had a name, newest first; raises InvalidSeed if the twin's own is invalid."""
        recorded = self._list_recorded(service, name)
        return self._list_recorded(service, name) if self._complete(service, name, recorded) else recorded

    def _list_recorded(self, service: str, name: str) -> list[TemplateRecord]:
        return self._whole.newest(TemplateRecord, TemplateRecord.service == service, TemplateRecord.name == name)


def sources(twin: Twin) -> dict[str, Callable[[], Rows]]:
    """Return functions that read the rows of a twin's built-in templates, by name: by code, or from files."""
    seeds = sorted(twin.seeds.glob("*.json")) if twin.seeds else ()
    return {path.stem: partial(_read, path) for path in seeds} | twin.templates


def unreadable(twin: Twin) -> list[str]:
    """Describe the problems of a twin's built-in templates."""
    problems: list[str] = []
    for name, source in sources(twin).items():
        try:
            full_rows(twin, source())
        except InvalidSeed as error:
            problems.append(f"the template {name} cannot be loaded: {error}")
    return problems


def _read(path: Path) -> Rows:
    try:
        return msgspec.json.decode(path.read_bytes())
    except msgspec.DecodeError as error:
        raise InvalidSeed(f"{path} is no JSON: {error}") from None


def full_rows(twin: Twin, rows: object) -> dict[str, list[Values]]:
    """Check rows against a twin's tables and fill in defaults; raises InvalidSeed naming table, row and column."""
    tables = {table.name: table for table in twin.tables}
    if not isinstance(rows, Mapping):
        raise InvalidSeed("a template is an object: {table: [row, …]}")
    if twin.completes:
        try:
            rows = twin.completes(cast(dict[str, Any], {**rows}))
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise InvalidSeed(f"{twin.name} cannot read these rows: {error}") from None
    full: dict[str, list[Values]] = {}
    for name, values in cast(Mapping[str, object], rows).items():
        if name not in tables:
            raise InvalidSeed(f"{twin.name} has no table '{name}'.{did_you_mean(name, tables)}")
        full[name] = _full_table(tables[name], values)
    return full


def _full_table(table: Table, rows: object) -> list[Values]:
    if not isinstance(rows, list | tuple):
        raise InvalidSeed(f"{table.name} must be a list of rows")
    full = [_full_row(table, number, row) for number, row in enumerate(cast(list[object], rows))]
    for columns in (table.key, *table.unique):
        _refuse_repeated(table.name, columns, full)
    return full


def _full_row(table: Table, number: int, row: object) -> Values:
    where = f"{table.name}[{number}]"
    if not isinstance(row, Mapping):
        raise InvalidSeed(f"{where} is not an object")
    given = {**cast(Mapping[str, Any], row)}
    unknown = [column for column in given if column not in table.columns]
    if unknown:
        raise InvalidSeed(f"{where} has no column '{unknown[0]}'.{did_you_mean(unknown[0], table.columns)}")
    try:
        return msgspec.structs.asdict(msgspec.convert(given, table.row))
    except msgspec.ValidationError as error:
        raise InvalidSeed(f"{where}: {error}") from None


def _refuse_repeated(table: str, columns: tuple[str, ...], rows: list[Values]) -> None:
    """Require keys and unique columns to be unique; NULL never equals another NULL."""
    seen: set[tuple[Any, ...]] = set()
    for number, row in enumerate(rows):
        values = tuple(row[column] for column in columns)
        if values in seen:
            raise InvalidSeed(f"{table}[{number}]: {', '.join(columns)} = {', '.join(map(repr, values))} is used twice")
        if None not in values:
            seen.add(values)
