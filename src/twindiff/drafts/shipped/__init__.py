"""Drafts that come with Twindiff: what we know of vendors beyond their descriptions, and handlers of our own.

Each package below has a `draft`. Descriptions of others are not here: the user brings them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from twindiff.kit.gateways import EventGateway
from twindiff.kit.request_context import Middleware
from twindiff.kit.rows import Row, table_of
from twindiff.kit.suggestions import did_you_mean
from twindiff.kit.twin import Operations, Rows

from ..documents import ApiDescription, DescriptionError, describe
from ..drafting import Draft, DraftedTwin, shape_of
from ..merging import read_descriptions
from ..overlay import Overlay
from ..proposals import propose_seeds
from ..recordings import RecordedCall
from ..wire_style import DraftStyle

NAMES = (
    "airtable",
    "asana",
    "close",
    "discord",
    "dropbox",
    "freshdesk",
    "gitlab",
    "hubspot",
    "intercom",
    "jira",
    "linkedin",
    "mailchimp",
    "pipedrive",
    "salesforce",
    "sendgrid",
    "shopify",
    "twilio",
    "zendesk",
)


class ShippedDraft(NamedTuple):
    """A draft of a vendor that comes with Twindiff.

    `description` says where the vendor publishes its description; it is empty if there is none to bring. A draft that
    `stands_alone` is served without one, by its handlers and by `own`, a description that we wrote.
    """

    name: str
    label: str
    stands_alone: bool
    description: str = ""
    own: bool = False
    pages: Sequence[Operations] = ()
    again: Sequence[Operations] = ()
    """The operations of `pages` at further paths, such as those of another version."""
    tables: Sequence[type[Row]] = ()
    rows: Callable[[], Rows] | None = None
    style: type[DraftStyle] = DraftStyle
    options: Mapping[str, Any] = {}
    """Further arguments of the Twin."""
    samples: tuple[str, ...] = ()
    """Tables whose `rows` are samples, which give way to what a recording shows."""
    written: Callable[[Draft], Sequence[Operations]] | None = None
    """Returns further operations, whose handlers work on the tables of the description."""
    gateway: Callable[[Draft], EventGateway] | None = None
    """Returns the vendor's gateway."""
    layer: Callable[[Draft], Middleware] | None = None
    """Returns middleware around all operations, over the tables of the description."""
    unproven: tuple[str, ...] = ()
    """What neither a recording nor the vendor's documentation shows, for the draft's page."""
    recorded_rows: Callable[[Sequence[RecordedCall]], Mapping[str, list[dict[str, Any]]]] | None = None
    """Returns the rows of the handlers' tables that must have been there before calls of a recording."""

    @property
    def written_count(self) -> int:
        """The number of operations that handlers serve."""
        return sum(len(page.listed) for page in self.pages)

    def twin(self, paths: Sequence[Path] = (), recorded: Sequence[RecordedCall] = ()) -> DraftedTwin:
        """Return the twin, with the operations of the descriptions in `paths`.

        Its template `NAME_base` also has what must have been there before the `recorded` calls.

        Raises DescriptionError if it needs a description, or for one that cannot be used.
        """
        if not paths and not self.stands_alone:
            raise DescriptionError(
                f"{self.label} is served from its description, which is not shipped. Download it from"
                f" {self.description}, then: --draft {self.name}=FILE"
            )
        draft = Draft(
            self._describe(paths), self.name, self.overlay(), self.tables, is_partial=bool(paths) or not self.own
        )
        rows = self.rows
        if recorded:
            seeds = propose_seeds(recorded, draft)
            draft = draft.with_seeds(seeds) if seeds else draft
            rows = partial(self._rows_before, recorded)
        own = self.written(draft) if self.written else ()
        gateway = self.gateway(draft) if self.gateway else None
        layers = (self.layer(draft),) if self.layer else ()
        pages = (*self.pages, *self.again, *own)
        # Of a vendor's several descriptions some may be missing, so that an unknown path may be one of the vendor's.
        more: dict[str, Any] = {"is_whole": False, **self.options}
        twin = draft.twin(*pages, rows=rows, style=self.style, gateway=gateway, layers=layers, **more)
        described = {shape_of(plan.operation.name) for plan in twin.plans}
        names = [f"{each.verb} {each.path}" for page in (*self.pages, *own) for each in page.listed]
        twin.beside = [name for name in names if shape_of(name) not in described]
        return twin

    def _rows_before(self, recorded: Sequence[RecordedCall]) -> Rows:
        """Return the rows of every template; those that must have been there before calls replace them by key."""
        rows = dict(self.rows()) if self.rows else {}
        keys = {table.name: table.key for table in map(table_of, self.tables)}
        for table, added in self.recorded_rows(recorded).items() if self.recorded_rows else ():
            usual = () if added and table in self.samples else rows.get(table, ())
            by_key = {tuple(row.get(name) for name in keys[table]): row for row in (*usual, *added)}
            rows[table] = [*by_key.values()]
        return rows

    def _describe(self, paths: Sequence[Path]) -> ApiDescription:
        if paths:
            return read_descriptions(paths)
        if self.own:
            return describe(msgspec.yaml.decode(self._resource("description.yaml")))
        return ApiDescription(self.label, {}, (), {}, (), ())

    def overlay(self) -> Overlay:
        """Return what we know of the vendor beyond its description."""
        text = self._resource("overlay.yaml")
        return msgspec.yaml.decode(text, type=Overlay) if text else Overlay()

    def _resource(self, name: str) -> bytes:
        file = files(__name__) / self.name / name
        return file.read_bytes() if file.is_file() else b""


def find_shipped(name: str) -> ShippedDraft:
    """Return the shipped draft of a name; raises DescriptionError with the nearest name."""
    if name not in NAMES:
        raise DescriptionError(
            f"There is no shipped draft '{name}'.{did_you_mean(name, set(NAMES))} Drafts: {', '.join(NAMES)}."
        )
    return import_module(f".{name}", __name__).draft
