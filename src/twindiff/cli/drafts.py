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


def draft_twins(descriptions: Sequence[str]) -> None:
    """Have this process and its workers serve descriptions of APIs; raises CommandError for one that cannot be used."""
    if not descriptions:
        return
    from twindiff.environments.registry import DRAFTS_VARIABLE, Registry, split_drafts

    listed = os.pathsep.join(descriptions)
    known = os.environ.get(DRAFTS_VARIABLE, "")
    os.environ[DRAFTS_VARIABLE] = os.pathsep.join(filter(None, (known, listed)))
    problems = Registry.load_installed().problems
    for name, _ in split_drafts(listed):
        if name in problems:
            raise CommandError(str(problems[name]), exit_code=2)


class DraftReport(NamedTuple):
    """How sure the operations of a drafted twin are."""

    twin: str
    plans: Sequence[OperationPlan]
    left_out: Sequence[str]
    templates: Sequence[str]

    def to_json(self) -> dict[str, Any]:
        """The report as JSON: `shares` by confidence, and a line for each operation."""
        return {
            "twin": self.twin,
            "shares": dict(Counter(plan.confidence for plan in self.plans)),
            "operations": [_describe(plan) for plan in self.plans],
            "left_out": [*self.left_out],
            "templates": [*self.templates],
        }

    def to_table(self) -> RenderableType:
        """The report for a terminal."""
        from rich.console import Group

        from twindiff.cli.commands.env import facts_table
        from twindiff.cli.render import add_row, table

        counts = Counter(plan.confidence for plan in self.plans)
        facts = {"twin": f"{self.twin}, drafted from its description", "templates": ", ".join(self.templates)}
        facts |= {name: f"{count} of {len(self.plans)} operations" for name, count in sorted(counts.items())}
        shown = table("operation", "does", "confidence", "because")
        for plan in self.plans:
            line = _describe(plan)
            add_row(shown, line["operation"], line["does"], line["confidence"], _reason_of(line))
        return Group(facts_table(facts), "", shown)


def report_draft(twin: Twin) -> DraftReport | None:
    """Return the report of a drafted twin; None for one that is written in code."""
    plans: Sequence[OperationPlan] | None = getattr(twin, "plans", None)
    if plans is None:
        return None
    return DraftReport(twin.name, plans, getattr(twin, "left_out", ()), sorted(twin.templates))


def _describe(plan: OperationPlan) -> dict[str, Any]:
    return {
        "operation": plan.operation.name,
        "does": "" if plan.behaviour == "missing" else f"{plan.behaviour} {plan.role.resource}".replace("_", " "),
        "confidence": plan.confidence,
        "guessed": [*plan.guessed],
        "ignored": [*plan.query.ignored],
        "reason": plan.reason,
    }


def _reason_of(line: dict[str, Any]) -> str:
    parts = [f"guesses {', '.join(line['guessed'][:6])}"] if line["guessed"] else []
    parts += [f"ignores {', '.join(line['ignored'][:6])}"] if line["ignored"] else []
    return line["reason"] or "; ".join(parts)
