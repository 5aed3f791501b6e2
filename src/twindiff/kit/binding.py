"""A handler's signature is its contract: read once, then every request is checked against it."""

from __future__ import annotations

import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from .errors import ApiError, InvalidParameter, MissingParameter

Naming = Literal["camel"] | None
Handler = Callable[..., Any]
Invoke = Callable[[Any, Mapping[str, Any]], Any]

_BOUNDS: dict[Any, tuple[msgspec.Meta, msgspec.Meta]] = {
    int: (msgspec.Meta(ge=-(2**63)), msgspec.Meta(le=2**63 - 1)),
    float: (msgspec.Meta(ge=-sys.float_info.max), msgspec.Meta(le=sys.float_info.max)),
}
_MISSING = re.compile(r"Object missing required field `(.+?)`(?: - at `\$(.*)`)?$")
_PROBLEM = re.compile(r"(.*?)(?: - at `\$(.*)`)?$", re.DOTALL)


class Bound(NamedTuple):
    """A handler ready to be called with raw parameters."""

    invoke: Invoke
    contract: type[msgspec.Struct]
    structured: frozenset[str]
    """Wire names of the parameters that are lists or objects; a form carries those as JSON text."""
    returns: Any


def bind(handler: Handler, naming: Naming = None) -> Bound:
    """Compile `handler(call, …)` to a function of the call and the raw parameters by wire name.

    Raises MissingParameter or InvalidParameter, or the ApiError class that stands in the parameter's annotation:
    `limit: Annotated[int, Meta(ge=1), InvalidLimit] = 100`.
    """
    hints = typing.get_type_hints(handler, include_extras=True)
    _, *parameters = inspect.signature(handler).parameters.values()
    fields = [_field(p, hints[p.name]) for p in parameters]
    contract = msgspec.defstruct(handler.__name__, fields, rename=naming, kw_only=True)
    wire = {f.name: f.encode_name for f in msgspec.structs.fields(contract)}
    refusals = {wire[p.name]: error for p in parameters if (error := _refusal(hints[p.name]))}
    texts = {wire[p.name] for p in parameters if str in _members(hints[p.name])}
    structured = frozenset(wire[p.name] for p in parameters if _is_structured(hints[p.name]))
    convert, unpack = msgspec.convert, msgspec.structs.astuple

    def invoke(call: Any, raw: Mapping[str, Any]) -> Any:
        try:
            given = convert(raw, contract, strict=False)
        except msgspec.ValidationError:
            given = read_again(raw)
        return handler(call, *unpack(given))

    def read_again(raw: Mapping[str, Any]) -> msgspec.Struct:
        """An empty value of a parameter that is no text counts as absent; else say what is wrong."""
        present = {name: value for name, value in raw.items() if value != "" or name in texts}
        try:
            return convert(present, contract, strict=False)
        except msgspec.ValidationError as error:
            raise _refuse(str(error), refusals) from None

    return Bound(invoke, contract, structured, hints.get("return"))


def _field(parameter: inspect.Parameter, hint: Any) -> Any:
    """The struct field of a parameter."""
    kind = _bounded(hint)
    if parameter.default is parameter.empty:
        return parameter.name, kind
    return parameter.name, kind, parameter.default


def _bounded(hint: Any) -> Any:
    """A hint whose numbers are those a database and JSON can hold, wherever they stand in it."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint in (int, float):
        return Annotated[(hint, *_BOUNDS[hint])]
    if origin is Annotated and parts[0] in (int, float):
        return Annotated[(*parts, *_missing_bounds(parts[0], parts[1:]))]
    if origin in (typing.Union, types.UnionType):
        return typing.Union[tuple(_bounded(part) for part in parts)]  # noqa: UP007 - built at run time
    if origin in (list, dict):
        return types.GenericAlias(origin, tuple(_bounded(part) for part in parts))
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
    """The plain types that a hint admits."""
    if metadata := getattr(hint, "__metadata__", None):
        return _members(hint.__origin__) if metadata else set()
    parts = _parts(hint)
    if parts:
        return set[Any]().union(*(_members(part) for part in parts))
    return {typing.get_origin(hint) or hint}


def _is_structured(hint: Any) -> bool:
    members = _members(hint)
    return str not in members and bool(members & {list, dict, tuple, set, frozenset, Any})


def _refuse(problem: str, refusals: Mapping[str, type[ApiError]]) -> ApiError:
    """Translate msgspec's message: `Expected `int`, got `str` - at `$.limit``."""
    missing = _MISSING.match(problem)
    if missing and not missing[2]:
        return MissingParameter(missing[1])
    text, path = _PROBLEM.fullmatch(problem).groups()  # pyright: ignore[reportOptionalMemberAccess] - matches anything
    name = (path or "").lstrip(".")
    error = refusals.get(re.split(r"[.\[]", name)[0])
    return error(f"{name}: {text}") if error else InvalidParameter(name, text)
