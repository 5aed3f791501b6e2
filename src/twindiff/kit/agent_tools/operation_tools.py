"""Tools made from a twin's operations, by their compiled signatures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response

from .argument_schemas import describe_arguments
from .result_schemas import describe_result
from .tools import MAX_TOOL_NAME_CHARACTERS, AgentTool, Send, first_sentence

if TYPE_CHECKING:
    from twindiff.kit.styles.base import Style
    from twindiff.kit.twin import Operation

_VERSION = re.compile(r"^(/api)?(/v?\d[\d.]*)?(?=/)")
"""The part of a path that a second form of the same operation may have and another may not."""
_LITERAL = re.compile(r"[^A-Za-z0-9]+")


def list_operation_tools(twin: str, style: Style, operations: Iterable[Operation]) -> list[AgentTool]:
    """A tool for each operation that takes a token; pages for people, and second paths of an operation, have none."""
    distinct = {_identity(each): each for each in reversed([*operations]) if _is_callable(each)}
    ordered = [*reversed(distinct.values())]
    return [build_tool(twin, name, style, each) for name, each in name_operations(ordered).items()]


def build_tool(twin: str, name: str, style: Style, operation: Operation) -> AgentTool:
    """The tool of an operation; its description ends with the operation's name if the tool's is another."""
    said = first_sentence(operation.declared.handler)
    described = said if operation.name in (name, said) else f"{said} ({operation.name})".strip()
    run = partial(_run, operation.declared.style or style, operation)
    bound = operation.bound
    result = describe_result(bound.returns)
    return AgentTool(name, described, describe_arguments(bound), operation.reads, run, twin, operation.name, result)


async def _run(style: Style, operation: Operation, send: Send, arguments: dict[str, Any]) -> Response:
    try:
        request = style.build_request(operation, arguments)
    except ApiError as error:
        return style.error(error)
    return await send(request)


def _is_callable(operation: Operation) -> bool:
    return not operation.declared.open and operation.declared.verb != "OPTIONS"


def _identity(operation: Operation) -> str:
    return f"{operation.declared.verb} {_VERSION.sub('', operation.declared.path)}"


def name_operations(operations: Iterable[Operation]) -> dict[str, Operation]:
    """Operations by the name of their tool, in their order.

    An RPC method keeps its name with underscores for dots. Others have the name of their handler; with the words of
    their path if that is one word, or of a shorter path too.
    """
    listed = [*operations]
    shortest = {_handler_name(each): each for each in sorted(listed, key=_count_characters, reverse=True)}
    named: dict[str, Operation] = {}
    for each in listed:
        name = _name(each, is_first=shortest[_handler_name(each)] is each)
        if name in named:
            name = f"{name}_by_{'_'.join(each.placeholders)}"
        named[_make_unique(name[:MAX_TOOL_NAME_CHARACTERS], named)] = each
    return named


def _count_characters(operation: Operation) -> int:
    return len(operation.declared.path)


def _name(operation: Operation, *, is_first: bool) -> str:
    if not operation.declared.verb:
        return _LITERAL.sub("_", operation.name)
    handler = _handler_name(operation)
    if is_first and "_" in handler:
        return handler
    literals = [part for part in _VERSION.sub("", operation.declared.path).split("/") if part and "{" not in part]
    return "_".join((handler, *(_LITERAL.sub("_", part) for part in literals)))


def _handler_name(operation: Operation) -> str:
    return operation.declared.handler.__name__.strip("_")


def _make_unique(name: str, taken: dict[str, Operation]) -> str:
    number = 2
    unique = name
    while unique in taken:
        unique = f"{name[: MAX_TOOL_NAME_CHARACTERS - 3]}_{number}"
        number += 1
    return unique
