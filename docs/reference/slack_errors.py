"""Which errors each method of the Slack twin can answer with, found in its code.

The functions that a method's handler calls are followed through the twin's package, and the error classes that they
name are collected. What a function names need not be raised for every method that calls it, so a method may show an
error too many, and lacks none.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Twin
from twindiff.twins.slack.core.authorization import guard
from twindiff.twins.slack.tests.unraised_errors import explain_error

MAX_NAMES = 6
"""Methods that a row of the page names; of more it says how many they are."""


class MethodErrors(NamedTuple):
    """Errors that a description has and the method never answers with, and the reverse."""

    method: str
    missing: list[str]
    further: list[str]


def compare_errors(twin: Twin, described: dict[str, list[str]]) -> list[MethodErrors]:
    """Compare the errors of the described methods with those that their handlers and middleware name."""
    rows: list[MethodErrors] = []
    for name, codes in sorted(described.items()):
        operation = twin.dispatch.methods[name]
        own = find_codes(operation.declared.handler, twin.name)
        checks = {code for layer in (guard, *operation.declared.layers) for code in find_codes(layer, twin.name)}
        missing = [code for code in codes if code not in own | checks]
        rows.append(MethodErrors(name, missing, sorted(own - set(codes))))
    return rows


def find_codes(function: Any, twin: str) -> set[str]:
    """Return the codes of the errors that a function of a twin, or one that it calls, names."""
    return {error.code for each in _reach(function, f"twindiff.twins.{twin}.") for error in _errors_in(each)}


def _reach(function: Any, package: str) -> Iterator[FunctionType]:
    """Yield a function and all functions of the package that it reaches by name."""
    waiting, seen = [inspect.unwrap(function)], set[int]()
    while waiting:
        each = waiting.pop()
        if id(each) in seen or not isinstance(each, FunctionType):
            continue
        seen.add(id(each))
        yield each
        waiting += [value for value in _values_in(each) if str(getattr(value, "__module__", "")).startswith(package)]


def _errors_in(function: FunctionType) -> Iterator[type[ApiError]]:
    for value in _values_in(function):
        for each in value.values() if isinstance(value, dict) else (value,):
            if isinstance(each, type) and issubclass(each, ApiError):
                yield each


def _values_in(function: FunctionType) -> Iterator[Any]:
    """Yield the global values, attributes of modules and captured values that a function names."""
    names = set(_names_in(function.__code__))
    for name in names & function.__globals__.keys():
        value = function.__globals__[name]
        yield value
        if inspect.ismodule(value):
            yield from (getattr(value, other) for other in names if hasattr(value, other))
        if inspect.isclass(value) and not issubclass(value, ApiError):
            yield from (member for member in vars(value).values() if isinstance(member, FunctionType))
    yield from (cell.cell_contents for cell in function.__closure__ or ())


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names_in(each)


def error_pages(twin: Twin, described: dict[str, list[str]]) -> dict[str, str]:
    """Return the page of errors by its path from this folder."""
    return {"evidence/slack-errors.md": "\n".join(_page(compare_errors(twin, described), described))}


_INTRODUCTION = """# Errors of the Slack twin by method

Written by `docs/reference/generate.py`. Slack's published description of its Web API, of 2021, lists errors of each
method. They are compared with those that the code of the twin's method names, itself or through what it calls.

| | |
|---|---|
| methods compared | {methods} |
| errors described | {described} |
| named by the method | {named} |
| not named, explained below | {missing} |
| named and not in the description of 2021 | {further} |
"""


def _page(rows: list[MethodErrors], described: dict[str, list[str]]) -> Iterator[str]:
    total, missing = sum(map(len, described.values())), sum(len(row.missing) for row in rows)
    counts = {"methods": len(rows), "described": total, "named": total - missing, "missing": missing}
    yield _INTRODUCTION.format(**counts, further=sum(len(row.further) for row in rows))
    yield "## Described errors that a method does not name\n"
    yield "| error | methods | why |\n|---|---|---|"
    by_reason: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for code in row.missing:
            by_reason.setdefault((code, explain_error(row.method, code)), []).append(row.method)
    for (code, why), methods in sorted(by_reason.items()):
        names = f"{len(methods)} methods" if len(methods) > MAX_NAMES else ", ".join(f"`{each}`" for each in methods)
        yield f"| `{code}` | {names} | {why} |"
    yield "\n## Errors beyond the description\n"
    yield "The vendor's pages of today have most of them; what the function names need not be raised by every method.\n"
    yield "| method | errors |\n|---|---|"
    yield from (f"| `{row.method}` | {', '.join(f'`{each}`' for each in row.further)} |" for row in rows if row.further)
    yield ""
