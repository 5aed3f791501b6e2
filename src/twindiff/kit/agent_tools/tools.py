"""A tool that a model can call, and the sender of the vendor's requests that it consists of."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from twindiff.kit.http import Request, Response

Schema = dict[str, Any]
Send = Callable[[Request], Awaitable[Response]]
"""Sends one request of the vendor's API to the twin."""
MAX_TOOL_NAME_CHARACTERS = 64
"""The longest name of a tool that the APIs of models take."""

_DESTRUCTIVE_WORDS = "delete|remove|cancel|void|revoke|purge|kick|terminate|uninstall|trash|tear|reset|rewind"
_DESTRUCTIVE = re.compile(rf"(^|[^a-z])({_DESTRUCTIVE_WORDS})|Delete|Remove", re.ASCII)


class AgentTool(NamedTuple):
    """A tool: what a model reads of it, and what it does.

    `run(send, arguments)` sends requests and returns the response that the model gets; an error of the vendor is
    returned as well.
    """

    name: str
    description: str
    schema: Schema
    """The JSON schema of its arguments, an object."""
    reads: bool
    """Whether it only reads."""
    run: Callable[[Send, dict[str, Any]], Awaitable[Response]]
    twin: str = ""
    """The name of its twin."""
    operation: str = ""
    """The name of the operation that it calls; empty if that depends on its arguments."""
    result: Schema | None = None
    """The JSON schema of its result, an object; None if it is not known."""

    @property
    def is_destructive(self) -> bool:
        """Whether it may remove something, by the words of its name and description."""
        return not self.reads and bool(_DESTRUCTIVE.search(f"{self.name} {self.description}"))

    def to_wire(self) -> Schema:
        """The tool as MCP's `tools/list` describes it."""
        known = {"outputSchema": self.result} if self.result else {}
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.schema,
            **known,
            "annotations": {"readOnlyHint": self.reads, "destructiveHint": self.is_destructive},
        }


def first_sentence(function: Callable[..., Any]) -> str:
    """The first sentence of a function's docstring; empty without one."""
    paragraph = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", paragraph, maxsplit=1)[0]
