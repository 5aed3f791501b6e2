"""Behaviour that differs from plain list, get, create, update, archive and delete, beside the declarations."""

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
    """A function of a batch of rows that gives one value per row."""

    function: Callable[..., list[Any]]
    needs: tuple[str, ...] | None
    """The columns it reads; None when it wants whole rows."""


class ConnectionRows(NamedTuple):
    """What a function returns for a connection: which rows, and an order to page them in instead of the usual one."""

    entity: type[Entity]
    where: tuple[Expression, ...] = ()
    order: tuple[Order | Column[Any], ...] = ()


class Section:
    """What one page of a vendor's reference does by hand; module-level `api = Section()`, as with REST twins."""

    def __init__(self) -> None:
        self.roots: list[Root] = []
        self.computed: dict[tuple[str, str], Computed] = {}
        self.hooks: dict[tuple[str, str], Callable[..., Any]] = {}
        """By what is hooked and of which entity: `("creating", "Issue")`; filters and sorts add the field's name."""
        self.refused: dict[tuple[str, str], str] = {}
        """Fields of inputs that cannot be kept, by entity and name, with the reason."""

    def query(self, signature: str) -> Callable[[F], F]:
        """A root field of Query, its signature as SDL; `function(call, **arguments in snake_case)`.

        A name alone replaces what a generated root does and keeps its signature. Arguments that were not given are not
        passed. Return a row, None, a list of rows, a dict for a value object, or Matches for a connection.
        """
        return self._root(signature, writes=False)

    def mutation(self, signature: str) -> Callable[[F], F]:
        """A root field of Mutation, likewise; a payload is a dict by field, entities in it are rows."""
        return self._root(signature, writes=True)

    def _root(self, signature: str, *, writes: bool) -> Callable[[F], F]:
        def register(function: F) -> F:
            self.roots.append(Root(signature, function, writes))
            return function

        return register

    def field(self, of: type[Entity | Value], name: str, *, needs: str | None = None) -> Callable[[F], F]:
        """A computed field: `function(call, rows, **arguments in snake_case)` gives a list with one value per row.

        `needs` names the columns it reads (fewer are then loaded); each row has them as attributes. For a value object
        the rows are dicts. A to-one field gives rows or None, a connection lists of rows or Matches.
        """

        def register(function: F) -> F:
            columns = None if needs is None else tuple(needs.split())
            self.computed[of.__name__, name] = Computed(function, columns)
            return function

        return register

    def filter(self, of: type[Entity], name: str) -> Callable[[F], F]:
        """A filter field that is no column: `function(call, comparator: dict) -> Expression` over `of.row`."""
        return self._hook("filter", f"{of.__name__}.{name}")

    def sort(self, of: type[Entity], name: str) -> Callable[[F], F]:
        """A sort field that is no column: `function(call, options: dict) -> Column | Order | tuple[…]`."""
        return self._hook("sort", f"{of.__name__}.{name}")

    def visible(self, of: type[Entity]) -> Callable[[F], F]:
        """Who sees what: `function(call) -> Expression | None` joins every load of the entity; None hides nothing."""
        return self._hook("visible", of.__name__)

    def lookup(self, of: type[Entity]) -> Callable[[F], F]:
        """Other names of an entity: `function(call, given: str) -> str` gives the id wherever the API takes one."""
        return self._hook("lookup", of.__name__)

    def creating(self, of: type[Entity]) -> Callable[[F], F]:
        """Before an insert: `function(call, values, given)`; `values` by column may change, `given` is the input."""
        return self._hook("creating", of.__name__)

    def after_create(self, of: type[Entity]) -> Callable[[F], F]:
        """After an insert: `function(call, row, given) -> row | None`."""
        return self._hook("created", of.__name__)

    def updating(self, of: type[Entity]) -> Callable[[F], F]:
        """Before an update: `function(call, row, changes, given)`; `changes` by column may be changed."""
        return self._hook("updating", of.__name__)

    def after_update(self, of: type[Entity]) -> Callable[[F], F]:
        """After an update: `function(call, before, after, given) -> row | None`."""
        return self._hook("updated", of.__name__)

    def archiving(self, of: type[Entity]) -> Callable[[F], F]:
        """Before archiving: `function(call, row, changes, arguments)`."""
        return self._hook("archiving", of.__name__)

    def unarchiving(self, of: type[Entity]) -> Callable[[F], F]:
        """Before unarchiving: `function(call, row, changes, arguments)`."""
        return self._hook("unarchiving", of.__name__)

    def deleting(self, of: type[Entity]) -> Callable[[F], F]:
        """Before deleting: `function(call, row, changes, arguments)`; emptied changes delete the row for good."""
        return self._hook("deleting", of.__name__)

    def refuse(self, of: type[Entity], names: str, why: str) -> None:
        """Refuse fields of an entity's inputs rather than drop what they say; null says nothing."""
        self.refused |= {(of.__name__, name): why for name in names.split()}

    def _hook(self, what: str, name: str) -> Callable[[F], F]:
        def register(function: F) -> F:
            self.hooks[what, name] = function
            return function

        return register


Rows = list[Row]
