"""Hand-written behaviour of a GraphQL twin: root fields, computed fields and hooks around the generated operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from twindiff.kit.rows import Column, Expression, Order, Row

from .entity import Entity, Value

F = TypeVar("F", bound=Callable[..., Any])


class Root(NamedTuple):
    """A hand-written root field: `attachmentsForURL(url: String!): AttachmentConnection!`."""

    signature: str
    function: Callable[..., Any]
    writes: bool


class Computed(NamedTuple):
    """A computed field: a function of a batch of rows that returns one value per row."""

    function: Callable[..., list[Any]]
    needs: tuple[str, ...] | None
    """The columns that it reads; None for whole rows."""


class ConnectionRows(NamedTuple):
    """A function's return value for a connection: the conditions on its rows, and an order in place of the default."""

    entity: type[Entity]
    where: tuple[Expression, ...] = ()
    order: tuple[Order | Column[Any], ...] = ()


class Section:
    """The hand-written behaviour of one page of a vendor's reference; a module has `api = Section()`."""

    def __init__(self) -> None:
        self.roots: list[Root] = []
        self.computed: dict[tuple[str, str], Computed] = {}
        self.hooks: dict[tuple[str, str], Callable[..., Any]] = {}
        """Hooks by kind and entity, `("creating", "Issue")`; filters and sorts by field, `("sort", "Issue.due")`."""
        self.refused: dict[tuple[str, str], str] = {}
        """The reasons for refusing fields of inputs, by entity and field."""

    def query(self, signature: str) -> Callable[[F], F]:
        """Register a root field of Query by its SDL signature; `function(call, **arguments in snake_case)`.

        A name alone replaces the function of a generated root and keeps its signature. Arguments that the client omits
        are not passed. The function returns a row, None, a list of rows, a dict for a value object, or ConnectionRows
        for a connection.
        """
        return self._root(signature, writes=False)

    def mutation(self, signature: str) -> Callable[[F], F]:
        """Register a root field of Mutation, as with `query`; a payload is a dict by field with rows for entities."""
        return self._root(signature, writes=True)

    def _root(self, signature: str, *, writes: bool) -> Callable[[F], F]:
        def register(function: F) -> F:
            self.roots.append(Root(signature, function, writes))
            return function

        return register

    def field(self, of: type[Entity | Value], name: str, *, needs: str | None = None) -> Callable[[F], F]:
        """Register a computed field: `function(call, rows, **arguments in snake_case)` returns one value per row.

        `needs` names the columns that it reads, separated by spaces, so that only those are loaded; each row has them
        as attributes. For a value object the rows are dicts. The values are rows or None for a to-one field, and lists
        of rows or ConnectionRows for a connection. NotImplemented in place of the list means the stored relation.
        """

        def register(function: F) -> F:
            columns = None if needs is None else tuple(needs.split())
            self.computed[of.__name__, name] = Computed(function, columns)
            return function

        return register

    def filter(self, of: type[Entity], name: str) -> Callable[[F], F]:
        """Register a filter field without a column: `function(call, comparator: dict) -> Expression` on `of.row`."""
        return self._hook("filter", f"{of.__name__}.{name}")

    def sort(self, of: type[Entity], name: str) -> Callable[[F], F]:
        """Register a sort field that is not a column: `function(call, options: dict) -> Column | Order | tuple[…]`."""
        return self._hook("sort", f"{of.__name__}.{name}")

    def visible(self, of: type[Entity]) -> Callable[[F], F]:
        """Restrict the visible rows: `function(call) -> Expression | None` applies to all loads; None hides nothing."""
        return self._hook("visible", of.__name__)

    def lookup(self, of: type[Entity]) -> Callable[[F], F]:
        """Resolve other names of an entity: `function(call, given: str) -> str` returns the id for an argument."""
        return self._hook("lookup", of.__name__)

    def guard(self, names: str) -> Callable[[F], F]:
        """Before root fields (separated by spaces) run: `function(call, arguments)` raises an error to refuse one."""

        def register(function: F) -> F:
            self.hooks |= {("guard", name): function for name in names.split()}
            return function

        return register

    def before_create(self, of: type[Entity]) -> Callable[[F], F]:
        """Before an insert: `function(call, values, given)` may change `values`, by column; `given` is the input."""
        return self._hook("creating", of.__name__)

    def after_create(self, of: type[Entity]) -> Callable[[F], F]:
        """After an insert: `function(call, row, given)` returns the row if it has changed it, else None."""
        return self._hook("created", of.__name__)

    def before_update(self, of: type[Entity]) -> Callable[[F], F]:
        """Before an update: `function(call, row, changes, given)` may change `changes`, by column."""
        return self._hook("updating", of.__name__)

    def after_update(self, of: type[Entity]) -> Callable[[F], F]:
        """After an update: `function(call, before, after, given)` returns the row if it has changed it, else None."""
        return self._hook("updated", of.__name__)

    def before_archive(self, of: type[Entity]) -> Callable[[F], F]:
        """Before archiving: `function(call, row, changes, arguments)` may change `changes`, by column."""
        return self._hook("archiving", of.__name__)

    def before_unarchive(self, of: type[Entity]) -> Callable[[F], F]:
        """Before unarchiving: `function(call, row, changes, arguments)` may change `changes`, by column."""
        return self._hook("unarchiving", of.__name__)

    def before_delete(self, of: type[Entity]) -> Callable[[F], F]:
        """Before deleting: `function(call, row, changes, arguments)`; if it empties `changes`, the row is removed."""
        return self._hook("deleting", of.__name__)

    def refuse(self, of: type[Entity], names: str, why: str) -> None:
        """Refuse fields (separated by spaces) of an entity's inputs with an error, unless they are null."""
        self.refused |= {(of.__name__, name): why for name in names.split()}

    def _hook(self, what: str, name: str) -> Callable[[F], F]:
        def register(function: F) -> F:
            self.hooks[what, name] = function
            return function

        return register


Rows = list[Row]
