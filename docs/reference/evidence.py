"""Pages that say on what evidence the behaviour of each twin rests; `generate.py` writes them."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from twindiff.kit.twin import Operation, Twin
from twindiff.twins.linear.core.input_rules import RULES
from twindiff.twins.slack.core.text_limits import TEXT_LIMITS

HERE = Path(__file__).parent
SOURCES: dict[str, dict[str, Any]] = json.loads((HERE / "evidence_sources.json").read_text())
KINDS = {
    "recording": "an answer of the vendor to the operation was recorded",
    "specification": "the vendor's published specification or own client has the operation",
    "documentation": "the code names the vendor's page",
    "report": "the code names a public report",
    "knowledge": "none of these",
}
_URL = re.compile(r"https://[^\s)>\"']+")
_REPORTS = ("github.com", "stackoverflow.com")
_UNSAID = re.compile(
    r"[^.|;]*\b(?:no page (?:says|tells|explains)|does not say how|does not say by|not documented|no source)\b[^.|;]*"
)
_INTRODUCTION = """# Evidence for the {name} twin

Written by `docs/reference/generate.py` from the code and `evidence_sources.json`.

An operation counts under the strongest evidence that there is for it: for the operation, not for each of its rules. A
recording or specification shows names, parameters and shapes. What an operation refuses and changes rests on its page,
on reports, or on knowledge of the vendor.
"""


class Evidence(NamedTuple):
    """Operations by the kind of their strongest evidence."""

    by_kind: dict[str, list[str]]

    @property
    def counts(self) -> dict[str, int]:
        return {kind: len(self.by_kind.get(kind, [])) for kind in KINDS}


def evidence_pages(twins: Sequence[Twin]) -> dict[str, str]:
    """Return the page of each twin by its path from this folder."""
    return {f"evidence/{twin.name}.md": "\n".join(_page(twin)) for twin in twins}


def evidence_of(twin: Twin) -> Evidence:
    """Sort the operations of a twin by their strongest evidence; those that refuse every call are left out."""
    known = {kind: set(names) for kind, names in SOURCES.get(twin.name, {}).items()}
    by_kind: dict[str, list[str]] = {}
    for operation in twin.dispatch.operations:
        if operation.name not in twin.refused:
            by_kind.setdefault(_kind(operation, known), []).append(operation.name)
    return Evidence(by_kind)


def _kind(operation: Operation, known: dict[str, set[str]]) -> str:
    name = re.sub(r"\{[^}]*\}", "{}", operation.name)
    for kind in ("recording", "specification"):
        if name in known.get(kind, ()):
            return kind
    urls = _URL.findall(_written(operation))
    if any(not _is_report(url) for url in urls):
        return "documentation"
    return "report" if urls else "knowledge"


def _written(operation: Operation) -> str:
    """Return what a handler and its module say of themselves."""
    handler = operation.declared.handler
    module = sys.modules.get(handler.__module__)
    return f"{inspect.getdoc(handler) or ''}\n{inspect.getdoc(module) or ''}"


def _is_report(url: str) -> bool:
    return any(f"//{host}/" in url for host in _REPORTS)


def _page(twin: Twin) -> Iterator[str]:
    found, names = (
        evidence_of(twin),
        {"slack": "Slack", "linear": "Linear", "calendar": "Google Calendar", "github": "GitHub"},
    )
    yield _INTRODUCTION.format(name=names.get(twin.name, twin.name.capitalize()))
    yield "| evidence | operations | what it means |\n|---|---|---|"
    yield from (f"| {kind} | {found.counts[kind]} | {meaning} |" for kind, meaning in KINDS.items())
    yield ""
    yield from _list("Operations that rest on knowledge only", found.by_kind.get("knowledge", []))
    yield from _refusals(twin)
    yield from _rules(twin.name)
    yield from _list("What the twin's page says that no source says", _find_unsaid(twin), code=False)


def _list(title: str, items: Sequence[str], *, code: bool = True) -> Iterator[str]:
    yield f"## {title}\n"
    shown = [f"- `{each}`" if code else f"- {each}" for each in sorted(items)]
    yield "\n".join(shown or ["None."]) + "\n"


NEAREST = {
    "report": "the function names a public report",
    "page": "the function names the vendor's page",
    "module": "only its module names a page, which may not mention the refusal",
    "knowledge": "neither",
}


def _refusals(twin: Twin) -> Iterator[str]:
    """Yield how near a source stands to the places that refuse a request, and the functions without any."""
    places = list(find_refusals(_folder(twin)))
    counts = Counter(kind for _, kind in places)
    yield "## Refusals\n"
    yield "Each `raise` in the twin's code, by the source that stands nearest to it.\n"
    yield "| source | refusals | what it means |\n|---|---|---|"
    yield from (f"| {kind} | {counts[kind]} | {meaning} |" for kind, meaning in NEAREST.items())
    yield ""
    alone = {place for place, kind in places if kind == "knowledge"}
    yield from _list("Functions that refuse on knowledge only", sorted(alone))


def find_refusals(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the function of every `raise` below a folder, with the kind of the nearest source."""
    for path in sorted(folder.rglob("*.py")):
        if "tests" in path.parts or "seeds" in path.parts:
            continue
        tree = ast.parse(path.read_text())
        module = ast.get_docstring(tree) or ""
        for function in (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)):
            kind = _nearest(ast.get_docstring(function) or "", module)
            count = sum(isinstance(each, ast.Raise) and each.exc is not None for each in ast.walk(function))
            yield from [(f"{path.relative_to(folder)} {function.name}", kind)] * count


def _nearest(function: str, module: str) -> str:
    urls = _URL.findall(function)
    if urls:
        return "report" if all(map(_is_report, urls)) else "page"
    return "module" if _URL.search(module) else "knowledge"


def _folder(twin: Twin) -> Path:
    return (twin.seeds or HERE).parent


def _rules(name: str) -> Iterator[str]:
    """Yield the declared rules of a twin by their sources, and those that rest on knowledge only."""
    rules = declared_rules(name)
    yield "## Declared rules\n"
    if not rules:
        yield "This twin declares no table of rules with sources.\n"
        return
    counts = Counter(source for _, source in rules)
    yield "| source | rules |\n|---|---|"
    yield from (f"| {source} | {count} |" for source, count in sorted(counts.items()))
    yield ""
    yield from _list("Rules that rest on knowledge only", [rule for rule, source in rules if source == "knowledge"])


def declared_rules(name: str) -> list[tuple[str, str]]:
    """Return the rules that a twin declares in a table, each with its source."""
    if name == "slack":
        return [(f"{', '.join(each.methods)}: {each.parameter}", each.source) for each in TEXT_LIMITS]
    return [(_name_rule(rule), rule.source) for rule in RULES] if name == "linear" else []


def _name_rule(rule: Any) -> str:
    fields = getattr(rule, "field", None) or " ".join(rule.fields)
    return f"{type(rule).__name__} {rule.entity}: {fields}"


def _find_unsaid(twin: Twin) -> list[str]:
    """Return the statements of a twin's README that name no source because there is none."""
    text = (_folder(twin) / "README.md").read_text()
    return list(dict.fromkeys(" ".join(each.split()) for each in _UNSAID.findall(text)))
