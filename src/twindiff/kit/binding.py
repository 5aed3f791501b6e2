"""Binds a handler: its signature is read once, and the parameters of each request are validated against it."""

from __future__ import annotations

import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec

from .errors import ApiError, InvalidParameter, MissingParameter
from .parameter_sources import Body, Header, Named

Naming = Literal["camel"] | None
Handler = Callable[..., Any]
N = TypeVar("N")
Invoke = Callable[[Any, Mapping[str, Any]], Any]

_BOUNDS: dict[Any, tuple[msgspec.Meta, msgspec.Meta]] = {
    int: (msgspec.Meta(ge=-(2**63)), msgspec.Meta(le=2**63 - 1)),
    float: (msgspec.Meta(ge=-sys.float_info.max), msgspec.Meta(le=sys.float_info.max)),
}
_MISSING = re.compile(r"Object missing required field `(.+?)`(?: - at `\$(.*)`)?$")
_PROBLEM = re.compile(r"(.*?)(?: - at `\$(.*)`)?$", re.DOTALL)


class Bound(NamedTuple):
    """A handler with the validator of its parameters; `invoke(call, raw)` takes raw parameters by wire name."""

    invoke: Invoke
    contract: type[msgspec.Struct]
    structured: frozenset[str]
    """Wire names of the parameters that are lists or objects; a form or query may carry them as JSON text."""
    returns: Any
    lists: frozenset[str] = frozenset()
    """Wire names of the parameters that are lists; a query or a form may repeat their names."""
    objects: frozenset[str] = frozenset()
    """Wire names of the parameters that are objects with any keys."""
    headers: tuple[tuple[str, str], ...] = ()
    """Wire names of the parameters that are headers, each with the header's name in lower case."""
    body: str = ""
    """The wire name of the parameter that is the whole body; empty if there is none."""
    is_raw: bool = False
    """Whether that parameter takes the body as bytes."""

    @property
    def names(self) -> tuple[str, ...]:
        """The wire names of all parameters, for a middleware that refuses unknown ones, as Stripe does."""
        return self.contract.__struct_encode_fields__


def bind(handler: Handler, naming: Naming = None) -> Bound:
    """Compile `handler(call, …)` to a function of the call and the raw parameters by wire name.

    Invoking it raises MissingParameter or InvalidParameter. An ApiError class in the annotation replaces the latter,
    with its docstring as the message: `limit: Annotated[int, Meta(ge=1), InvalidLimit] = 100`. `naming` is `"camel"` if
    wire names are camelCase. Raises TypeError if two parameters are the whole body.
    """
    hints = _hints(handler)
    _, *parameters = inspect.signature(handler).parameters.values()
    members = {p.name: _members(hints[p.name]) for p in parameters}
    fields = [_field(p, hints[p.name], naming) for p in parameters]
    contract = msgspec.defstruct(handler.__name__, fields, rename=naming, kw_only=True)
    wire = dict(zip(contract.__struct_fields__, contract.__struct_encode_fields__, strict=True))
    refusals = {wire[p.name]: error for p in parameters if (error := _refusal(hints[p.name]))}
    texts = {wire[name] for name in wire if str in members[name]}
    structured = frozenset(wire[name] for name in wire if _is_structured(members[name]))
    sources = _sources(hints, members, wire)
    body = f".{sources[3]}" if len(sources) > 3 else ""
    convert, unpack = msgspec.convert, msgspec.structs.astuple

    def invoke(call: Any, raw: Mapping[str, Any]) -> Any:
        try:
            given = convert(raw, contract, strict=False)
        except msgspec.ValidationError:
            given = read_again(raw)
        return handler(call, *unpack(given))

    def read_again(raw: Mapping[str, Any]) -> msgspec.Struct:
        """Convert again without the empty values of parameters that are not texts; raise the error of this attempt."""
        present = {name: value for name, value in raw.items() if value != "" or name in texts}
        try:
            return convert(present, contract, strict=False)
        except msgspec.ValidationError as error:
            refusal = _refuse(str(error), refusals, body)
            if isinstance(refusal, MissingParameter):
                refusal = MissingParameter(refusal.name, _absent(contract, present, body))
            raise refusal from None

    return Bound(invoke, contract, structured, hints.get("return"), *sources)


def _absent(contract: type[msgspec.Struct], given: Any, body: str) -> list[str]:
    """The names of required parameters that are not given: of all, or of those in the whole body."""
    fields = msgspec.structs.fields(contract)
    if body:
        whole = next(field for field in fields if field.encode_name == body[1:])
        structs = [part for part in _members(whole.type) if isinstance(part, type) and issubclass(part, msgspec.Struct)]
        if len(structs) != 1 or not isinstance(given.get(body[1:]), dict):
            return []
        fields, given = msgspec.structs.fields(structs[0]), given[body[1:]]
    return [field.encode_name for field in fields if field.required and field.encode_name not in given]


def _hints(handler: Handler) -> dict[str, Any]:
    """The resolved annotations of a handler, as from `typing.get_type_hints`.

    A cache of compiled annotations makes this faster, since the handlers of a twin repeat a few hundred texts, such as
    `Annotated[int, Meta(ge=1)]`. Annotations that contain quoted names are left to `get_type_hints`.
    """
    names = inspect.unwrap(handler).__globals__
    hints = {
        name: eval(_compile_annotation(hint), names) if isinstance(hint, str) else hint
        for name, hint in handler.__annotations__.items()
    }
    if any(map(_is_quoted, hints.values())):
        return typing.get_type_hints(handler, include_extras=True)
    return {name: types.NoneType if hint is None else hint for name, hint in hints.items()}


def _is_quoted(hint: Any) -> bool:
    """Whether a hint contains an unresolved name in quotes."""
    if isinstance(hint, type) or typing.get_origin(hint) is Literal:
        return False
    return isinstance(hint, (str, typing.ForwardRef)) or any(map(_is_quoted, typing.get_args(hint)))


@cache
def _compile_annotation(text: str) -> types.CodeType:
    return compile(text, "<annotation>", "eval")


def _sources(hints: Mapping[str, Any], members: Mapping[str, set[Any]], wire: Mapping[str, str]) -> tuple[Any, ...]:
    """The last fields of `Bound`, from `lists` on."""
    lists = frozenset(wire[name] for name in wire if members[name] & {list, tuple, set, frozenset})
    objects = frozenset(wire[name] for name in wire if dict in members[name]) - lists
    headers = tuple((wire[name], note.name.lower()) for name in wire if (note := _note(hints[name], Header)))
    bodies = [name for name in wire if _note(hints[name], Body)]
    if len(bodies) > 1:
        raise TypeError(f"Only one parameter can be the whole body, not {' and '.join(bodies)}")
    if not bodies:
        return lists, objects, headers
    return lists, objects, headers, wire[bodies[0]], bytes in members[bodies[0]]


def _field(parameter: inspect.Parameter, hint: Any, naming: Naming) -> Any:
    """The struct field of a parameter; `from_` is `from` on the wire if names are not camelCase."""
    default = msgspec.NODEFAULT if parameter.default is parameter.empty else parameter.default
    note = _note(hint, Named)
    name = note.name if note else parameter.name.rstrip("_") if not naming else None
    return parameter.name, _with_number_bounds(hint), msgspec.field(default=default, name=name)


def _note(hint: Any, kind: type[N]) -> N | None:
    """The metadata of this kind (`Header`, `Named`, `Body`) in an annotation, or None."""
    notes = getattr(hint, "__metadata__", ())
    return next((note for note in notes if isinstance(note, kind) or note is kind), None)


def _with_number_bounds(hint: Any) -> Any:
    """The hint with bounds on its numbers, at any depth, so that a database and JSON can hold them."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint in (int, float):
        return Annotated[(hint, *_BOUNDS[hint])]
    if origin is Annotated and parts[0] in (int, float):
        return Annotated[(*parts, *_missing_bounds(parts[0], parts[1:]))]
    if origin in (typing.Union, types.UnionType):
        return typing.Union[tuple(_with_number_bounds(part) for part in parts)]  # noqa: UP007 - built at run time
    if origin in (list, dict):
        return types.GenericAlias(origin, tuple(_with_number_bounds(part) for part in parts))
    return hint


def _missing_bounds(kind: Any, notes: tuple[Any, ...]) -> list[msgspec.Meta]:
    metas = [note for note in notes if isinstance(note, msgspec.Meta)]
    low = any(meta.ge is not None or meta.gt is not None for meta in metas)
    high = any(meta.le is not None or meta.lt is not None for meta in metas)
    return [bound for bound, there in zip(_BOUNDS[kind], (low, high), strict=True) if not there]


def _refusal(hint: Any) -> type[ApiError] | None:
    for note in getattr(hint, "__metadata__", ()):
        if isinstance(note, type) and issubclass(note, ApiError):
            return note
    return next((error for part in _parts(hint) if (error := _refusal(part))), None)


def _parts(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else ()


def _members(hint: Any) -> set[Any]:
    """The types that a hint admits, without `Annotated`, `Union` and type arguments."""
    if metadata := getattr(hint, "__metadata__", None):
        return _members(hint.__origin__) if metadata else set()
    parts = _parts(hint)
    if parts:
        return set[Any]().union(*(_members(part) for part in parts))
    return {typing.get_origin(hint) or hint}


def _is_structured(members: set[Any]) -> bool:
    is_struct = any(isinstance(member, type) and issubclass(member, msgspec.Struct) for member in members)
    return str not in members and (is_struct or bool(members & {list, dict, tuple, set, frozenset, Any}))


def _refuse(problem: str, refusals: Mapping[str, type[ApiError]], body: str) -> ApiError:
    """Translate msgspec's message: `Expected `int`, got `str` - at `$.limit``; `body` is the path of the whole body."""
    missing = _MISSING.match(problem)
    if missing and (missing[2] or "") in ("", body):
        return MissingParameter(missing[1])
    text, path = _PROBLEM.fullmatch(problem).groups()  # pyright: ignore[reportOptionalMemberAccess] - matches anything
    path = path or ""
    name = (path.removeprefix(body) if f"{path}.".startswith(f"{body}.") else path).lstrip(".")
    error = refusals.get(re.split(r"[.\[]", name)[0])
    if error is None:
        return InvalidParameter(name, text)
    return error(name, text) if issubclass(error, InvalidParameter) else error()
