"""Collections of a vendor that are declared rather than written: listed, created, read, changed and removed.

A `Collection` says where it is and what its objects have; a `DeclaredStyle` says how the vendor's answers look.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from types import new_class
from typing import Annotated, Any, ClassVar, NamedTuple, cast

from twindiff.kit.binding import Handler
from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.parameter_sources import Body, Named
from twindiff.kit.rows import Column, Json, Row, Timestamp, column
from twindiff.kit.twin import Operations

Shown = dict[str, Any]
ALL = ("list", "create", "get", "change", "remove")
READS = ("list", "get")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class DeclaredRow(Row):
    """An object of a declared collection; `scope` is the path of its collection, `fields` are what the vendor shows."""

    scope: Column[str]
    id: Column[str]
    fields: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


def declare_table(name: str) -> type[DeclaredRow]:
    """Return the Row class of a table of declared objects."""
    made = new_class(f"Declared_{name}", (DeclaredRow,), {"table": name, "key": ("scope", "id")})
    return cast(type[DeclaredRow], made)


class Collection(NamedTuple):
    """A collection at `path`, whose placeholders name what it belongs to.

    `name` and `plural` are the words of one object and of several in answers; `needed` are fields that a new object
    must have, and `usual` the values of those that are not given. `check` raises if what it belongs to is not there;
    `verify` raises if the fields of a new object have values that they cannot have; `above` is a declared collection to
    which it belongs. `verbs` are those of `ALL` that it has.
    """

    table: type[DeclaredRow]
    path: str
    name: str
    plural: str
    needed: Sequence[str] = ()
    usual: Mapping[str, Any] = {}
    verbs: Sequence[str] = ALL
    key: str = "id"
    check: Callable[[Call, Mapping[str, str]], object] | None = None
    verify: Callable[[Call, Shown], object] | None = None
    above: Any = None
    filters: Sequence[str] = ()
    chosen_key: str = ""
    """The field by which the client gives the id of a new object."""

    @property
    def placeholders(self) -> list[str]:
        return _PLACEHOLDER.findall(self.path)


class DeclaredStyle:
    """How a vendor's collections answer; the usual is REST with plain objects."""

    suffix = ""
    change_verb = "PUT"
    created_status = 201
    removed_status = 204
    has_numbers = True
    """Whether ids are numbers."""
    computed: ClassVar[frozenset[str]] = frozenset()
    """Fields beside `id` that bodies cannot set."""
    queries: ClassVar[Mapping[str, tuple[Any, Any]]] = {}
    """Parameters of lists: their type and default."""

    def not_found(self, kind: Collection) -> ApiError:
        raise NotImplementedError

    def refuse_missing(self, kind: Collection, names: Sequence[str]) -> ApiError:
        raise NotImplementedError

    def refuse_taken(self, kind: Collection, id: str) -> ApiError:
        raise NotImplementedError

    def new_id(self, call: Call, kind: Collection) -> str:
        return str(9_100_000 + call.db.next("declared"))

    def read(self, kind: Collection, body: Any) -> Shown:
        """Return the fields that a body gives."""
        return dict(cast(Shown, body)) if isinstance(body, dict) else {}

    def show(self, call: Call, kind: Collection, row: DeclaredRow) -> Shown:
        """Return an object."""
        return {"id": int(row.id) if self.has_numbers else row.id, **cast(Shown, row.fields)}

    def wrap(self, kind: Collection, shown: Shown) -> Any:
        """Return the answer with one object."""
        return shown

    def page(self, call: Call, kind: Collection, shown: list[Shown], given: Mapping[str, Any]) -> Any:
        """Return the answer with a page of objects; `given` are the values of placeholders and `queries`."""
        return shown

    def remove(self, kind: Collection, row: DeclaredRow) -> Any:
        """Return the answer after an object was removed."""
        return None


def find_declared(call: Call, kind: Collection, values: Mapping[str, str], id: str) -> DeclaredRow | None:
    """Return an object of a collection by id; `values` are those of the placeholders of its path."""
    table: Any = kind.table
    return call.db.find(table, table.scope == _scope(kind, values), table.id == id)


def list_declared(call: Call, kind: Collection, values: Mapping[str, str]) -> list[DeclaredRow]:
    """Return the objects of a collection in the order of creation."""
    table: Any = kind.table
    rows = call.db.rows(table, table.scope == _scope(kind, values))
    return sorted(rows, key=lambda row: (row.created_at, len(row.id), row.id))


def add_declared(
    call: Call, kind: Collection, style: DeclaredStyle, values: Mapping[str, str], given: Shown
) -> DeclaredRow:
    """Add an object to a collection. Raises the vendor's refusal of what is missing or taken."""
    missing = [name for name in kind.needed if given.get(name) in (None, "")]
    if missing:
        raise style.refuse_missing(kind, missing)
    if kind.verify is not None:
        kind.verify(call, given)
    id = str(given[kind.chosen_key]) if kind.chosen_key else style.new_id(call, kind)
    if kind.chosen_key and find_declared(call, kind, values, id):
        raise style.refuse_taken(kind, id)
    now = call.clock.iso()
    fields = {**kind.usual, **_drop_computed(style, given)}
    row = kind.table(scope=_scope(kind, values), id=id, fields=fields, created_at=now, updated_at=now)
    return call.db.add(row)


def _drop_computed(style: DeclaredStyle, given: Shown) -> Shown:
    return {name: value for name, value in given.items() if name != "id" and name not in style.computed}


def _scope(kind: Collection, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: str(values[match[1]]), kind.path)


def _check_above(call: Call, kind: Collection, style: DeclaredStyle, values: Mapping[str, str]) -> None:
    if kind.check is not None:
        kind.check(call, values)
    above: Collection | None = kind.above
    if above is not None:
        last = kind.placeholders[len(above.placeholders)]
        if find_declared(call, above, values, str(values[last])) is None:
            raise style.not_found(above)
        _check_above(call, above, style, values)


def _get(call: Call, kind: Collection, style: DeclaredStyle, values: Mapping[str, str]) -> DeclaredRow:
    _check_above(call, kind, style, values)
    row = find_declared(call, kind, values, str(values[kind.key]))
    if row is None:
        raise style.not_found(kind)
    return row


def declare_collections(api: Operations, style: DeclaredStyle, kinds: Sequence[Collection]) -> None:
    """Declare the operations of collections."""
    for kind in kinds:
        member = f"{kind.path}/{{{kind.key}}}{style.suffix}"
        if "list" in kind.verbs:
            api.get(kind.path + style.suffix)(_make_list(kind, style))
        if "create" in kind.verbs:
            api.post(kind.path + style.suffix, status=style.created_status)(_make_create(kind, style))
        if "get" in kind.verbs:
            api.get(member)(_make_get(kind, style))
        if "change" in kind.verbs:
            declare = api.put if style.change_verb == "PUT" else api.patch
            declare(member)(_make_change(kind, style))
        if "remove" in kind.verbs:
            api.delete(member, status=style.removed_status)(_make_remove(kind, style, kinds))


def _make_list(kind: Collection, style: DeclaredStyle) -> Handler:
    def answer(call: Call, given: Mapping[str, Any]) -> Any:
        _check_above(call, kind, style, given)
        shown = [style.show(call, kind, row) for row in list_declared(call, kind, given)]
        for name in kind.filters:
            if given.get(name) is not None:
                shown = [each for each in shown if str(each.get(name)) == given[name]]
        return style.page(call, kind, shown, given)

    filters = dict.fromkeys(kind.filters, (str, None))
    return _bind(f"list {kind.plural}", kind.placeholders, {**style.queries, **filters}, answer)


def _make_create(kind: Collection, style: DeclaredStyle) -> Handler:
    def answer(call: Call, given: Mapping[str, Any]) -> Any:
        _check_above(call, kind, style, given)
        row = add_declared(call, kind, style, given, style.read(kind, given["body"]))
        return style.wrap(kind, style.show(call, kind, row))

    return _bind(f"create {kind.name}", kind.placeholders, {}, answer, has_body=True)


def _make_get(kind: Collection, style: DeclaredStyle) -> Handler:
    def answer(call: Call, given: Mapping[str, Any]) -> Any:
        return style.wrap(kind, style.show(call, kind, _get(call, kind, style, given)))

    return _bind(f"get {kind.name}", [*kind.placeholders, kind.key], {}, answer)


def _make_change(kind: Collection, style: DeclaredStyle) -> Handler:
    def answer(call: Call, given: Mapping[str, Any]) -> Any:
        row, changes = _get(call, kind, style, given), style.read(kind, given["body"])
        empty = [name for name in kind.needed if name in changes and changes[name] in (None, "")]
        if empty:
            raise style.refuse_missing(kind, empty)
        fields: Shown = {**row.fields, **_drop_computed(style, changes)}
        if kind.chosen_key in row.fields:
            fields[kind.chosen_key] = row.fields[kind.chosen_key]
        if kind.verify is not None:
            kind.verify(call, fields)
        changed = call.db.change(row, fields=fields, updated_at=call.clock.iso())
        return style.wrap(kind, style.show(call, kind, changed))

    return _bind(f"change {kind.name}", [*kind.placeholders, kind.key], {}, answer, has_body=True)


def _make_remove(kind: Collection, style: DeclaredStyle, kinds: Sequence[Collection]) -> Handler:
    tables: list[Any] = [each.table for each in kinds if each.path.startswith(f"{kind.path}/{{")]

    def answer(call: Call, given: Mapping[str, Any]) -> Any:
        row = _get(call, kind, style, given)
        for table in tables:
            for below in call.db.rows(table, table.scope.starts(f"{row.scope}/{row.id}/")):
                call.db.remove(below)
        call.db.remove(row)
        return style.remove(kind, row)

    return _bind(f"remove {kind.name}", [*kind.placeholders, kind.key], {}, answer)


def _bind(
    name: str,
    placeholders: Sequence[str],
    queries: Mapping[str, tuple[Any, Any]],
    answer: Callable[[Call, Mapping[str, Any]], Any],
    *,
    has_body: bool = False,
) -> Handler:
    """Return a handler with the signature `handler(call, placeholder…, query=default…, body=None)`."""
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("call", positional)]
    hints: dict[str, Any] = {"call": Call, "return": Any}
    for each in placeholders:
        parameters.append(inspect.Parameter(f"path_{each}", positional))
        hints[f"path_{each}"] = Annotated[str, Named(each)]
    for each, (kind, default) in queries.items():
        parameters.append(inspect.Parameter(f"query_{each}", positional, default=default))
        hints[f"query_{each}"] = Annotated[kind | None if default is None else kind, Named(each)]
    if has_body:
        parameters.append(inspect.Parameter("body", positional, default=None))
        hints["body"] = Annotated[Any, Body]
    names = [*placeholders, *queries, *(["body"] if has_body else [])]

    def handler(call: Call, *values: Any) -> Any:
        return answer(call, dict(zip(names, values, strict=True)))

    handler.__name__ = re.sub(r"\W", "_", name)
    handler.__doc__ = f"{name.capitalize()}."
    handler.__annotations__ = hints
    handler.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess]
    return handler
