"""Drafted twins on the command line: which descriptions to serve, and how sure each operation is."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from twindiff.drafts.plan import OperationPlan
    from twindiff.kit.twin import Twin

Descriptions = Annotated[
    list[str] | None,
    typer.Option(
        "--openapi",
        metavar="[NAME=]FILE",
        help="A description of an API (OpenAPI, Swagger, Discovery, GraphQL) to serve as a drafted twin; repeatable.",
    ),
]

Shipped = Annotated[
    list[str] | None,
    typer.Option(
        "--draft",
        metavar="NAME[=FILE]",
        help="A shipped draft to serve (`twindiff drafts ls`), with the file or folder of the vendor's description"
        " where it needs one; may be repeated.",
    ),
]


def draft_twins(descriptions: Sequence[str] | None, shipped: Sequence[str] | None = None) -> None:
    """Have this process and its workers serve descriptions of APIs and shipped drafts.

    Raises CommandError for one that cannot be used.
    """
    if not descriptions and not shipped:
        return
    from twindiff.environments.registry import (
        DRAFTS_VARIABLE,
        SHIPPED_VARIABLE,
        Registry,
        split_drafts,
        split_shipped,
    )

    listed = _extend_variable(DRAFTS_VARIABLE, descriptions or ())
    named = _extend_variable(SHIPPED_VARIABLE, shipped or ())
    problems = Registry.load_installed().problems
    for name in (*(each for each, _ in split_drafts(listed)), *(each for each, _ in split_shipped(named))):
        if name in problems:
            raise CommandError(str(problems[name]), exit_code=2)


def _extend_variable(variable: str, added: Sequence[str]) -> str:
    """Add entries to a list in an environment variable, and return them as a list."""
    listed = os.pathsep.join(added)
    if listed:
        os.environ[variable] = os.pathsep.join(filter(None, (os.environ.get(variable, ""), listed)))
    return listed


class DraftReport(NamedTuple):
    """How sure the operations of a drafted twin are."""

    twin: str
    is_described: bool
    left_out: Sequence[str]
    templates: Sequence[str]
    lines: Sequence[dict[str, Any]]
    """What each operation does, and how sure that is."""

    @property
    def shares(self) -> dict[str, int]:
        """The number of operations by confidence."""
        return dict(sorted(Counter(line["confidence"] for line in self.lines).items()))

    def to_json(self) -> dict[str, Any]:
        """The report as JSON: `shares` by confidence, and a line for each operation."""
        return {
            "twin": self.twin,
            "shares": self.shares,
            "operations": [*self.lines],
            "left_out": [*self.left_out],
            "templates": [*self.templates],
        }

    def to_table(self) -> RenderableType:
        """The report for a terminal."""
        from rich.console import Group

        from twindiff.cli.commands.env import facts_table
        from twindiff.cli.render import add_row, table

        drafted = "drafted from its description" if self.is_described else "served by handlers"
        facts = {"twin": f"{self.twin}, {drafted}", "templates": ", ".join(self.templates)}
        facts |= {name: f"{count} of {len(self.lines)} operations" for name, count in self.shares.items()}
        shown = table("operation", "does", "confidence", "because")
        for line in self.lines:
            add_row(shown, line["operation"], line["does"], line["confidence"], reason_of(line))
        return Group(facts_table(facts), "", shown)


def report_draft(twin: Twin) -> DraftReport | None:
    """Return the report of a drafted twin; None for one that is written in code."""
    plans: Sequence[OperationPlan] | None = getattr(twin, "plans", None)
    if plans is None:
        return None
    beside: dict[str, Any] = {"does": "", "confidence": "written", "guessed": [], "ignored": [], "reason": ""}
    lines = [*map(_describe, plans), *({"operation": each, **beside} for each in getattr(twin, "beside", ()))]
    return DraftReport(twin.name, bool(plans), getattr(twin, "left_out", ()), sorted(twin.templates), lines)


def _describe(plan: OperationPlan) -> dict[str, Any]:
    return {
        "operation": plan.operation.name,
        "does": "" if plan.behaviour == "missing" else f"{plan.behaviour} {plan.role.resource}".replace("_", " "),
        "confidence": plan.confidence,
        "guessed": [*plan.guessed],
        "ignored": [*plan.query.ignored],
        "reason": plan.reason,
    }


def reason_of(line: dict[str, Any]) -> str:
    """Return why an operation is not wholly derived, in a few words."""
    parts = [f"guesses {', '.join(line['guessed'][:6])}"] if line["guessed"] else []
    parts += [f"ignores {', '.join(line['ignored'][:6])}"] if line["ignored"] else []
    return line["reason"] or "; ".join(parts)
