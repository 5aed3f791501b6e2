"""Stripe's objects: each is a row whose columns are its fields, rendered by one function, optionally expanded.

A table is declared as a `StripeObject` and registered once as a `Resource`. Through it, rows are found by id, expanded,
listed and searched.
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
"""First `seq` of objects made in an environment; rows of templates have lower ones."""
_LONG_PREFIXES = ("sub_sched_", "tax_li_")
"""Id prefixes that start with another resource's prefix."""
_PREFIX = re.compile(r"[a-z]+(?:_[a-z]+)*?_(?=[A-Za-z0-9]|test_)")


class StripeObject(Row, omit_defaults=True):
    """Base of all objects; `seq` orders objects of the same second. Its JSON in events omits default values."""

    id: Column[str]
    seq: Column[int] = column(derived=True)
    created: Column[int] = column(derived=True)


class DeferredFill(NamedTuple, Generic[R]):
    """How an event's object is filled when the event is read, rather than when it is written.

    `keep` returns the related data that the object includes; `fill` sets it in the rendered object.
    """

    keep: Callable[[Call, R], Fields]
    fill: Callable[[Fields, Fields], None]


class Resource(NamedTuple, Generic[R]):
    """A kind of object.

    `name` is its `object` field, and `prefix` starts its ids. `spoken` and `param` name it in the error of a missing
    id, and `mode` ends that error.
    `fill` sets the related data in several rendered objects at once; `later` does so for events.
    """

    table: type[R]
    name: str
    prefix: str
    show: Callable[[R], Fields]
    spoken: str
    param: str = "id"
    id_length: int = 24
    mode: str = ""
    fill: Fill | None = None
    later: DeferredFill[R] | None = None

    def missing(self, id: str, *, param: str | None = None, status: int = 404) -> StripeError:
        """Build the error of a missing object."""
        message = f"No such {self.spoken}: '{id[:500]}'{self.mode}"
        param = self.param if param is None else param
        return StripeError(message, status=status, code="resource_missing", param=param)


RESOURCES: dict[str, Resource[Any]] = {}
"""All resources by id prefix, registered as their modules are imported."""

EXPANDABLE: set[str] = set()
"""Expandable fields, which hold ids of objects, as `object.field`."""

LOADS: dict[str, Callable[[Call, Sequence[str]], Mapping[str, Fields]]] = {}
"""Loaders by `object.field`, for fields whose ids have the prefix of another resource."""

PARTS = "None"
"""Stands for the object's name in `EXPANDABLE` and includes, for nested objects without an `object` field."""

INCLUDES: dict[str, Callable[[Call, Fields], Any]] = {}
"""Functions by `object.field` that compute a field which is present only when expanded."""

IN_PARTS: set[str] = set()
"""Fields of nested objects (`PartWith`) that are present only when expanded."""


def resource(
    table: type[R],
    name: str,
    prefix: str,
    show: Callable[[R], Fields],
    *,
    spoken: str = "",
    param: str = "id",
    id_length: int = 24,
    mode: str = "",
    expandable: Sequence[str] = (),
    includes: Mapping[str, Callable[[Call, Fields], Any]] | None = None,
    fill: Fill | None = None,
    later: DeferredFill[R] | None = None,
) -> Resource[R]:
    """Register a kind of object and return it.

    `expandable` lists its fields that hold ids; those of nested objects have a dot, as in `item.price`. `includes` maps
    fields that exist only when expanded to functions that compute them.
    """
    made = Resource(table, name, prefix, show, spoken or name.replace("_", " "), param, id_length, mode, fill, later)
    RESOURCES[prefix] = made
    EXPANDABLE.update(f"{PARTS if '.' in field else name}.{field.rpartition('.')[2]}" for field in expandable)
    INCLUDES.update({f"{name}.{field}": include for field, include in (includes or {}).items()})
    return made


def build_view(table: type[R], name: str, *hidden: str, **fields: Any) -> View[R]:
    """Build the rendering of a table's rows: the columns not in `hidden`, `object`, `livemode` and the given `fields`.

    A field is a constant or a function of the row; `LEFT_OUT` removes it.
    """
    columns = {each: column for each, column in table_of(table).columns.items() if each not in ("seq", *hidden)}
    ordered = {"id": columns.pop("id"), "object": name, **columns, "livemode": False, **fields}
    return View(table, {each: field for each, field in ordered.items() if field is not LEFT_OUT})


def show_all(call: Call, kind: Resource[R], rows: Sequence[R]) -> list[Fields]:
    """Render rows, including related data."""
    objects = [kind.show(row) for row in rows]
    if kind.fill and objects:
        kind.fill(call, objects)
    return objects


def show(call: Call, kind: Resource[R], row: R) -> Fields:
    """Render a row, including related data."""
    return show_all(call, kind, [row])[0]


class FilledObject(dict[str, Any]):
    """A rendered object that records what is set on it; see `show_filled`."""

    def __init__(self, fields: Fields) -> None:
        super().__init__(fields)
        self.filled: Fields = {}

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        self.filled[name] = value


def show_filled(call: Call, kind: Resource[R], row: R) -> FilledObject:
    """Render a row; the result's `filled` has the related data set on it, by field."""
    object = FilledObject(kind.show(row))
    if kind.fill:
        kind.fill(call, [object])
    return object


class PartWith(dict[str, Any]):
    """A nested object with fields that are present only when expanded; their names are in `IN_PARTS`."""

    def __init__(self, fields: Fields, **includes: Callable[[Call], Any]) -> None:
        super().__init__(fields)
        self.includes = includes


LEFT_OUT: Any = object()
"""Passed to `build_view` for a field that these objects lack, as in `livemode=LEFT_OUT`."""


def render_unmanaged_payments(row: Any) -> Fields:
    """Render `managed_payments` as disabled: the shop is the merchant of record."""
    return {"enabled": False}


def now(call: Call) -> int:
    """Return the current Unix timestamp, or that of the test clock whose jobs are running."""
    return call.memo.get("now") or call.clock.unix()


def new(call: Call, kind: Resource[R], **fields: Any) -> R:
    """Create an object; `created` and `id` are generated unless given."""
    fields["seq"] = number = call.db.next("stripe_objects", at_least=AFTER_SEEDS)
    fields["id"] = fields.get("id") or _build_id(call, number, kind.prefix, kind.id_length)
    if "created" not in fields:
        fields["created"] = now(call)
    return call.db.add(kind.table(**fields))


def new_id(call: Call, prefix: str, length: int = 24) -> str:
    """Return an unpredictable id or secret in Stripe's alphabet."""
    return call.ids.new(prefix, length, LETTERS)


def object_id(call: Call, prefix: str, length: int = 24) -> str:
    """Return an id in Stripe's form; ids of one kind sort in the order of their creation, as at Stripe.

    An index by id therefore grows at its end.
    """
    return _build_id(call, call.db.next("stripe_objects", at_least=AFTER_SEEDS), prefix, length)


def _build_id(call: Call, number: int, prefix: str, length: int) -> str:
    """Return the id of the object with a sequence number."""
    high, low = divmod(_FIRST + number, _ALL_PAIRS)
    return call.ids.new(f"{prefix}1{_first_letters(high)}{_PAIRS[low]}", length - 1 - _PLACES, LETTERS)


@lru_cache
def _first_letters(high: int) -> str:
    """Return all but the last two letters of the order part, which thousands of objects share."""
    first, middle = divmod(high, _ALL_PAIRS)
    return _SORTED[first % len(_SORTED)] + _PAIRS[middle]


def find(call: Call, kind: Resource[R], id: str) -> R | None:
    """Return the object with an id, or None."""
    try:
        return call.db.get(kind.table, id)
    except NotFound:
        return None


def retrieve(call: Call, kind: Resource[R], id: str, *, param: str | None = None, status: int = 404) -> R:
    """Return the object with an id from a path or parameter; raises StripeError if it does not exist.

    Most references in parameters fail with 400: `retrieve(call, PRICES, id, param="price", status=400)`.
    """
    row = find(call, kind, id)
    if row is None:
        raise kind.missing(id, param=param, status=status)
    return row


def refer(call: Call, kind: Resource[R], id: str, param: str, status: int = 400) -> R:
    """Return the object that a parameter refers to; raises StripeError if it is missing or deleted."""
    row = retrieve(call, kind, id, param=param, status=status)
    if getattr(row, "deleted", False):
        raise kind.missing(id, param=param, status=status)
    return row


def prefix_of(id: str) -> str:
    """Return the prefix of an id; for `sub_sched_…` it is not `sub_`."""
    match = _PREFIX.match(id)
    longer = (each for each in _LONG_PREFIXES if id.startswith(each))
    return next(longer, match[0] if match else "")


def expand_objects(call: Call, value: Any, paths: Sequence[str]) -> Any:
    """Replace the ids at the given paths by objects, as `expand[]` requests."""

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
        expand(value, paths, loads, includes=includes, is_left_out=_is_left_out)
    except InvalidParameter as error:
        if error.problem.endswith("(total_count)."):
            raise StripeError("This property cannot be included (total_count)") from None
        raise StripeError(error.problem + _instead(value, paths, error.problem)) from None
    return value


def _is_left_out(fields: Fields, name: str) -> bool:
    """Return whether the stub of a deleted object lacks a field that its kind has."""
    kind = RESOURCES.get(prefix_of(fields["id"])) if fields.get("deleted") is True else None
    if kind is None or name in fields:
        return False
    qualified = f"{kind.name}.{name}"
    return qualified in EXPANDABLE or qualified in INCLUDES or name in table_of(kind.table).columns


def _included_in_part(call: Call, name: str, part: Fields) -> Any:
    if isinstance(part, PartWith) and name in part.includes:
        return part.includes[name](call)
    raise InvalidParameter("expand", f"This property cannot be expanded ({name}).")


def _instead(value: Fields, paths: Sequence[str], problem: str) -> str:
    """Return a hint for an expansion of a list that should name its `data`."""
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
