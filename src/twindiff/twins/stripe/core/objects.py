"""Stripe's objects: each is a row whose columns are its fields, and is shown by one function, expanded or not.

A table is declared as a `StripeObject` and made known once as a `Resource`, by which its rows are found by id, put in
place of ids that are to be expanded, listed and searched.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import Any, Generic, NamedTuple, TypeVar

from twindiff.kit import Call, Column, Row, View, column, expand
from twindiff.kit.errors import InvalidParameter, NotFound
from twindiff.kit.expansion import Include, Load
from twindiff.kit.rows import table_of
from twindiff.twins.stripe.core.wire_style import StripeError

Fields = dict[str, Any]
Fill = Callable[[Call, list[Fields]], None]
R = TypeVar("R", bound="StripeObject")

LETTERS = digits + ascii_letters
_SORTED = digits + ascii_uppercase + ascii_lowercase
_PLACES = 5
_FIRST = len(_SORTED) ** _PLACES // 2
_PAIRS = [one + other for one in _SORTED for other in _SORTED]
_ALL_PAIRS = len(_PAIRS)
AFTER_SEEDS = 1_000_001
"""The first `seq` of an environment: rows of templates have those below."""
_LONG_PREFIXES = ("sub_sched_", "tax_li_")
"""Those that begin with another one."""
_PREFIX = re.compile(r"[a-z]+(?:_[a-z]+)*?_(?=[A-Za-z0-9]|test_)")


class StripeObject(Row, omit_defaults=True):
    """What every object has; `seq` orders those of one second. As JSON it is without its defaults, for events."""

    id: Column[str]
    seq: Column[int] = column(derived=True)
    created: Column[int] = column(derived=True)


class DeferredFill(NamedTuple, Generic[R]):
    """How an event of an object is filled when somebody reads it, and not already when it is written.

    `keep` gives the other rows that the object shows; `fill` puts what was kept into the object.
    """

    keep: Callable[[Call, R], Fields]
    fill: Callable[[Fields, Fields], None]


class Resource(NamedTuple, Generic[R]):
    """A kind of objects.

    `name` is its `object`, `prefix` what its ids begin with. `spoken` and `param` are how an error names it when the id
    of a path is not there. `fill` puts into objects what they show of other rows, for several objects at once; `later`
    does so for events.
    """

    table: type[R]
    name: str
    prefix: str
    show: Callable[[R], Fields]
    spoken: str
    param: str = "id"
    id_length: int = 24
    fill: Fill | None = None
    later: DeferredFill[R] | None = None

    def missing(self, id: str, *, param: str | None = None, status: int = 404) -> StripeError:
        """That there is no such object."""
        message = f"No such {self.spoken}: '{id[:500]}'"
        param = self.param if param is None else param
        return StripeError(message, status=status, code="resource_missing", param=param)


RESOURCES: dict[str, Resource[Any]] = {}
"""All resources by the prefix of their ids, filled as their pages are imported."""

EXPANDABLE: set[str] = set()
"""Fields that hold ids of objects, as `object.field`."""

LOADS: dict[str, Callable[[Call, Sequence[str]], Mapping[str, Fields]]] = {}
"""By `object.field`: what is put in place of ids that begin as those of other objects do."""

PARTS = "None"
"""What stands there for the parts of objects, which have no `object`."""

INCLUDES: dict[str, Callable[[Call, Fields], Any]] = {}
"""By `object.field`: what an object has only when it is expanded."""

IN_PARTS: set[str] = set()
"""Fields that some parts of objects (`PartWith`) have only when they are expanded."""


def resource(
    table: type[R],
    name: str,
    prefix: str,
    show: Callable[[R], Fields],
    *,
    spoken: str = "",
    param: str = "id",
    id_length: int = 24,
    expandable: Sequence[str] = (),
    includes: Mapping[str, Callable[[Call, Fields], Any]] | None = None,
    fill: Fill | None = None,
    later: DeferredFill[R] | None = None,
) -> Resource[R]:
    """Make a kind of objects known; `expandable` are its fields that hold ids, dotted those of its parts."""
    made = Resource(table, name, prefix, show, spoken or name.replace("_", " "), param, id_length, fill, later)
    RESOURCES[prefix] = made
    EXPANDABLE.update(f"{PARTS if '.' in field else name}.{field.rpartition('.')[2]}" for field in expandable)
    INCLUDES.update({f"{name}.{field}": include for field, include in (includes or {}).items()})
    return made


def build_view(table: type[R], name: str, *hidden: str, **fields: Any) -> View[R]:
    """How a row is shown: all columns but those that are hidden, `object`, `livemode`, and further fields."""
    columns = {each: column for each, column in table_of(table).columns.items() if each not in ("seq", *hidden)}
    ordered = {"id": columns.pop("id"), "object": name, **columns, "livemode": False, **fields}
    return View(table, {each: field for each, field in ordered.items() if field is not LEFT_OUT})


def show_all(call: Call, kind: Resource[R], rows: Sequence[R]) -> list[Fields]:
    """Rows as they are shown, with what they show of others."""
    objects = [kind.show(row) for row in rows]
    if kind.fill and objects:
        kind.fill(call, objects)
    return objects


def show(call: Call, kind: Resource[R], row: R) -> Fields:
    """A row as it is shown, with what it shows of others."""
    return show_all(call, kind, [row])[0]


class FilledObject(dict[str, Any]):
    """An object that notes in `show_filled` what is put into it."""

    def __init__(self, fields: Fields) -> None:
        super().__init__(fields)
        self.filled: Fields = {}

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        self.filled[name] = value


def show_filled(call: Call, kind: Resource[R], row: R) -> FilledObject:
    """A row as it is shown, with a note of what it shows of others."""
    object = FilledObject(kind.show(row))
    if kind.fill:
        kind.fill(call, [object])
    return object


class PartWith(dict[str, Any]):
    """A part of an object, with what it has only when it is expanded, by field; their names are in `IN_PARTS`."""

    def __init__(self, fields: Fields, **includes: Callable[[Call], Any]) -> None:
        super().__init__(fields)
        self.includes = includes


LEFT_OUT: Any = object()
"""Given to `build_view` for a field that these objects do not have, as `livemode=LEFT_OUT`."""


def render_unmanaged_payments(row: Any) -> Fields:
    """That the shop sells for itself, and Stripe not for it."""
    return {"enabled": False}


def now(call: Call) -> int:
    """The time at which an object is made or changed, in seconds; that of a test clock while work is done under it."""
    return call.memo.get("now") or call.clock.unix()


def new(call: Call, kind: Resource[R], **fields: Any) -> R:
    """Write an object with an id of its own; `created` and `id` may be given."""
    fields["seq"] = number = call.db.next("stripe_objects", at_least=AFTER_SEEDS)
    fields["id"] = fields.get("id") or _build_id(call, number, kind.prefix, kind.id_length)
    if "created" not in fields:
        fields["created"] = now(call)
    return call.db.add(kind.table(**fields))


def new_id(call: Call, prefix: str, length: int = 24) -> str:
    """What nobody can guess, in Stripe's letters."""
    return call.ids.new(prefix, length, LETTERS)


def object_id(call: Call, prefix: str, length: int = 24) -> str:
    """An id in Stripe's form; as Stripe's, those of one kind begin in the order in which they are made.

    So an index by id grows at its end, instead of being written all over.
    """
    return _build_id(call, call.db.next("stripe_objects", at_least=AFTER_SEEDS), prefix, length)


def _build_id(call: Call, number: int, prefix: str, length: int) -> str:
    """The id of the object that has a number in the order in which they are made."""
    high, low = divmod(_FIRST + number, _ALL_PAIRS)
    return call.ids.new(f"{prefix}1{_first_letters(high)}{_PAIRS[low]}", length - 1 - _PLACES, LETTERS)


@lru_cache
def _first_letters(high: int) -> str:
    """All but the last two letters of a place, which are the same for thousands of objects."""
    first, middle = divmod(high, _ALL_PAIRS)
    return _SORTED[first % len(_SORTED)] + _PAIRS[middle]


def find(call: Call, kind: Resource[R], id: str) -> R | None:
    """The object with an id, or None."""
    try:
        return call.db.get(kind.table, id)
    except NotFound:
        return None


def retrieve(call: Call, kind: Resource[R], id: str, *, param: str | None = None, status: int = 404) -> R:
    """The object that a path or a parameter names; raises that there is no such object.

    Most references by parameters are refused with 400: `retrieve(call, PRICES, id, param="price", status=400)`.
    """
    row = find(call, kind, id)
    if row is None:
        raise kind.missing(id, param=param, status=status)
    return row


def refer(call: Call, kind: Resource[R], id: str, param: str, status: int = 400) -> R:
    """The object that a parameter names; a deleted one is missing."""
    row = retrieve(call, kind, id, param=param, status=status)
    if getattr(row, "deleted", False):
        raise kind.missing(id, param=param, status=status)
    return row


def prefix_of(id: str) -> str:
    """What an id begins with; of `sub_sched_…` that is not `sub_`."""
    match = _PREFIX.match(id)
    longer = (each for each in _LONG_PREFIXES if id.startswith(each))
    return next(longer, match[0] if match else "")


def expand_objects(call: Call, value: Any, paths: Sequence[str]) -> Any:
    """A value with objects in place of the ids at the paths, as `expand[]` asks."""

    def load(ids: Sequence[str]) -> Mapping[str, Fields]:
        by_prefix: defaultdict[str, list[str]] = defaultdict(list)
        for id in ids:
            by_prefix[prefix_of(id)].append(id)
        return {id: each for prefix, some in by_prefix.items() for id, each in _objects(call, prefix, some).items()}

    loads: dict[str, Load] = dict.fromkeys(EXPANDABLE, load)
    loads |= {name: partial(given, call) for name, given in LOADS.items()}
    includes: dict[str, Include] = {name: _including(call, include) for name, include in INCLUDES.items()}
    includes |= {f"{PARTS}.{name}": partial(_included_in_part, call, name) for name in IN_PARTS}
    try:
        expand(value, paths, loads, includes=includes)
    except InvalidParameter as error:
        raise StripeError(error.problem + _instead(value, paths, error.problem)) from None
    return value


def _included_in_part(call: Call, name: str, part: Fields) -> Any:
    if isinstance(part, PartWith) and name in part.includes:
        return part.includes[name](call)
    raise InvalidParameter("expand", f"This property cannot be expanded ({name}).")


def _instead(value: Fields, paths: Sequence[str], problem: str) -> str:
    """What may have been meant where a list is asked for what its objects have."""
    path = next((each for each in paths if problem.endswith(f"({each}).")), "")
    is_list = value.get("object") in ("list", "search_result") and path and not path.startswith("data.")
    return f" You may want to try expanding 'data.{path}' instead." if is_list else ""


def _including(call: Call, include: Callable[[Call, Fields], Any]) -> Include:
    return lambda fields: include(call, fields)


def _objects(call: Call, prefix: str, ids: Sequence[str]) -> dict[str, Fields]:
    kind = RESOURCES.get(prefix)
    if kind is None:
        return {}
    objects = show_all(call, kind, call.db.rows(kind.table, kind.table.id.in_(ids)))
    return {each["id"]: each for each in objects}
