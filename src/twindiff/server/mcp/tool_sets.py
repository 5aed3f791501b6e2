"""The tools of an MCP server: chosen by level and profile, listed once, found by name and by words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from twindiff.kit.agent_tools import AgentTool
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Request, json_answer
from twindiff.kit.suggestions import did_you_mean
from twindiff.kit.twin import Twin

from .json_rpc import INVALID_PARAMS, RpcError

Level = Literal["core", "all", "read"]
Profile = Literal["vendor", "operations"]
LEVELS: tuple[Level, ...] = ("core", "all", "read")
PROFILES: tuple[Profile, ...] = ("vendor", "operations")

MAX_TOOLS_WITHOUT_SEARCH = 60
"""With more tools than this there is a tool that searches them."""
MAX_CORE_TOOLS = 40
"""The most core tools of a twin that names none: those with the shortest names."""
MAX_TOOLS_FOUND = 8
SEARCH_TOOL = "search_tools"
CALL_TOOL = "call_tool"
SEARCH_HINT = f"Find one with {SEARCH_TOOL}."
LIST_HINT = "The method tools/list names them."

Json = dict[str, Any]


class InvalidToolChoice(ApiError):
    """The query chooses no tools."""


class ToolChoice(NamedTuple):
    """Which tools a client wants; `profile` is empty for the default, the vendor's own tools where there are any."""

    level: Level = "core"
    profile: Profile | Literal[""] = ""


def read_choice(request: Request) -> ToolChoice:
    """The tools that a query chooses by `tools` and `profile`; raises InvalidToolChoice."""
    given = request.query_parameters()
    level, profile = given.get("tools", "core"), given.get("profile", "")
    for name, value, known in (("tools", level, LEVELS), ("profile", profile or "vendor", PROFILES)):
        if value not in known:
            near = did_you_mean(value, known)
            raise InvalidToolChoice(f"{name} is one of {', '.join(known)}, not '{value[:100]}'.{near}")
    return ToolChoice(level, profile)


class ToolSet:
    """The tools that can be called by name, and those of them that are listed."""

    def __init__(self, callable_tools: Iterable[AgentTool], listed: Iterable[AgentTool]) -> None:
        self.tools = {tool.name: tool for tool in callable_tools}
        self.listed = [*listed]
        self.has_search = len(self.tools) > MAX_TOOLS_WITHOUT_SEARCH
        wire = [tool.to_wire() for tool in self.listed]
        reads = all(tool.reads for tool in self.tools.values())
        self.encoded = msgspec.Raw(msgspec.json.encode([*wire, *(_describe_search(reads) if self.has_search else ())]))

    def find(self, name: str) -> AgentTool:
        """The tool of a name; raises RpcError, with the most similar name."""
        tool = self.tools.get(name)
        if tool is None:
            near = did_you_mean(name, self.tools) or f" {SEARCH_HINT if self.has_search else LIST_HINT}"
            raise RpcError(INVALID_PARAMS, f"There is no tool '{name[:100]}'.{near}")
        return tool

    def search(self, query: str) -> list[AgentTool]:
        """The tools whose names and descriptions have most words of a query, the best first."""
        words = query.lower().replace("_", " ").split()
        ranked = [(_score(tool, words), tool) for tool in self.tools.values()]
        best = sorted((each for each in ranked if each[0]), key=lambda each: (-each[0], len(each[1].name)))
        return [tool for _, tool in best[:MAX_TOOLS_FOUND]]


def _score(tool: AgentTool, words: Sequence[str]) -> int:
    name, said = f"{tool.name} {tool.operation}".lower(), tool.description.lower()
    return sum(3 * (word in name) + (word.rstrip("s") in said) for word in words)


def build_tool_set(twins: Sequence[Twin], choice: ToolChoice, *, prefixed: bool) -> ToolSet:
    """The tools of twins; with `prefixed`, a tool's name begins with its twin's."""
    callable_tools: list[AgentTool] = []
    listed: list[AgentTool] = []
    for twin in twins:
        every, shown = _choose(twin, choice)
        if prefixed:
            every, shown = (_with_prefix(twin.name, each) for each in (every, shown))
        callable_tools += every
        listed += shown
    return ToolSet(callable_tools, listed)


def _choose(twin: Twin, choice: ToolChoice) -> tuple[list[AgentTool], list[AgentTool]]:
    """The tools of a twin that can be called, and those that are listed."""
    level = choice.level
    if twin.vendor_tools and choice.profile != "operations" and (own := twin.vendor_tools.list_tools(twin)):
        kept = [tool for tool in own if tool.reads or level != "read"]
        return kept, kept
    every = [tool for tool in twin.operation_tools if tool.reads or level != "read"]
    return every, _choose_core(twin, every) if level == "core" else every


def _choose_core(twin: Twin, every: list[AgentTool]) -> list[AgentTool]:
    core = twin.vendor_tools.core if twin.vendor_tools else ()
    if core:
        return [tool for tool in every if tool.operation in core]
    if len(every) <= MAX_TOOLS_WITHOUT_SEARCH:
        return every
    shortest = {tool.name for tool in sorted(every, key=lambda tool: len(tool.operation))[:MAX_CORE_TOOLS]}
    return [tool for tool in every if tool.name in shortest]


def _with_prefix(prefix: str, tools: Iterable[AgentTool]) -> list[AgentTool]:
    begins = f"{prefix}_"
    return [tool if tool.name.startswith(begins) else tool._replace(name=begins + tool.name) for tool in tools]


def read_search(tools: ToolSet, arguments: Json) -> Any:
    """The response of the search tool."""
    return json_answer([tool.to_wire() for tool in tools.search(str(arguments.get("query", "")))])


def _describe_search(reads: bool) -> tuple[Json, ...]:
    """The tools that search and call tools; `reads` is whether all of those only read."""
    return (
        {
            "name": SEARCH_TOOL,
            "description": "Find tools by words; each comes with the schema of its arguments. Call one with call_tool.",
            "inputSchema": {
                "type": "object",
                "properties": {"query": {"type": "string", "description": "Words, such as: archive channel"}},
                "required": ["query"],
            },
            "annotations": {"readOnlyHint": True, "destructiveHint": False},
        },
        {
            "name": CALL_TOOL,
            "description": "Call any tool by its name, also one that is not listed.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
                "required": ["name"],
            },
            "annotations": {"readOnlyHint": reads, "destructiveHint": False},
        },
    )
