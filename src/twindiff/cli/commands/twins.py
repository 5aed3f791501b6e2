"""`twindiff twins`: what the installed twins cover."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from twindiff.cli.drafts import Descriptions, Shipped, draft_twins, report_draft
from twindiff.cli.options import AsJson
from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from twindiff.environments.registry import Registry
    from twindiff.kit.twin import Operation, Twin


class Family(NamedTuple):
    """The operations of one page of a vendor's reference."""

    name: str
    reading: list[str]
    writing: list[str]


class TwinCoverage(NamedTuple):
    """The operations of a twin that do something, those that refuse every call, and the vendor's that it lacks."""

    twin: str
    style: str
    families: list[Family]
    tables: list[str]
    templates: list[str]
    lacks: list[str] | None
    refuses: list[str]
    """Operations that answer every call with the vendor's refusal; they are not covered."""
    beside: int
    """How many of the operations are addresses beside the vendor's API, such as downloads and pages of sign-in."""
    percent: float | None
    """The share of the vendor's operations that the twin has; None if they are not all known."""

    @property
    def reading(self) -> int:
        return sum(len(family.reading) for family in self.families)

    @property
    def writing(self) -> int:
        return sum(len(family.writing) for family in self.families)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(twins)


def twins(
    name: Annotated[str, typer.Argument(metavar="TWIN", help="One twin, family by family.", show_default=False)] = "",
    openapi: Descriptions = None,
    draft: Shipped = None,
    as_json: AsJson = False,
) -> None:
    """Show what the installed twins cover.

    That is operations, tables and templates; with a name, the operations of that twin family by family. For a drafted
    twin it is what each operation does and how sure that is.
    """
    from twindiff.cli.commands.env import say
    from twindiff.environments.registry import Registry

    draft_twins(openapi, draft)
    registry = Registry.load_installed()
    twin = _find_twin(name, registry) if name else None
    if twin and (report := report_draft(twin)):
        say(as_json, report.to_json(), report.to_table())
        return
    if twin:
        covered = coverage(twin)
        say(as_json, _answer(covered), _one(covered))
        return
    several = [coverage(twin) for twin in registry.twins.values()]
    say_problems(registry)
    say(as_json, [_answer(each) for each in several], _all(several) if several else "No twin is installed.")
    raise typer.Exit(bool(registry.problems))


def say_problems(registry: Registry) -> None:
    """Load every twin, and print on stderr those that do not load."""
    _ = registry.twins
    for problem in registry.problems.values():
        typer.echo(str(problem), err=True)


def _find_twin(name: str, registry: Registry) -> Twin:
    from twindiff.environments.registry import TwinNotLoaded, UnknownTwin

    try:
        return registry.get(name)
    except (UnknownTwin, TwinNotLoaded) as error:
        raise CommandError(str(error)) from None


def coverage(twin: Twin) -> TwinCoverage:
    """Return the coverage of a twin."""
    from twindiff.environments.templates import sources
    from twindiff.kit.graphql import GraphqlTwin

    is_graphql = isinstance(twin, GraphqlTwin)
    style = "GraphQL" if is_graphql else "RPC" if twin.dispatch.methods else "REST"
    served = twin.served_operations
    return TwinCoverage(
        twin.name,
        style,
        _families(served, _entity_of(twin.model.entities) if is_graphql else _page),
        sorted(table.name for table in twin.tables),
        sorted(sources(twin)),
        None if twin.missing is None else sorted(twin.missing),
        sorted(twin.refused),
        0 if style == "REST" else sum(" /" in each.name for each in served),
        twin.coverage_percent,
    )


def _families(operations: Sequence[Operation], family_of: Callable[[Operation], str]) -> list[Family]:
    families: dict[str, Family] = {}
    for operation in operations:
        name = family_of(operation)
        family = families.setdefault(name, Family(name, [], []))
        (family.reading if operation.reads else family.writing).append(operation.name)
    return sorted(families.values())


def _page(operation: Operation) -> str:
    """Return the prefix of a method's name; for REST the handler's module, one per page of the vendor's reference."""
    is_method = " " not in operation.name
    return operation.name.partition(".")[0] if is_method else operation.declared.handler.__module__.rpartition(".")[2]


def _entity_of(entities: Iterable[str]) -> Callable[[Operation], str]:
    """Return a function from a root field to the longest entity name that it begins with.

    `issueLabels` belongs to IssueLabel, not to Issue. In a mutation a verb follows the name: `initiativeUpdate` does
    not belong to InitiativeUpdate.
    """
    by_length = sorted(entities, key=len, reverse=True)

    def family(operation: Operation) -> str:
        root = _bare(operation.name).lower()
        fitting = (each for each in by_length if root.startswith(each.lower()))
        return next((each for each in fitting if operation.reads or len(root) > len(each)), "(others)")

    return family


def _all(several: Sequence[TwinCoverage]) -> Table:
    from twindiff.cli.render import add_row, table

    shown = table("twin", "style", "operations", "reading", "writing", "covers", "tables", "templates")
    for each in several:
        operations = str(each.reading + each.writing)
        numbers = (operations, str(each.reading), str(each.writing), _percent(each), str(len(each.tables)))
        add_row(shown, each.twin, each.style, *numbers, ", ".join(each.templates))
    return shown


def _percent(covered: TwinCoverage) -> str:
    return "?" if covered.percent is None else f"{covered.percent:.0f} %"


def _one(covered: TwinCoverage) -> RenderableType:
    from rich.console import Group

    from twindiff.cli.commands.env import facts_table
    from twindiff.cli.render import add_row, table

    facts = {
        "twin": covered.twin,
        "style": covered.style,
        "operations": f"{covered.reading} reading, {covered.writing} writing",
        "covers": _covers(covered),
        "tables": str(len(covered.tables)),
        "templates": ", ".join(covered.templates) or "none",
    }
    shown = table("family", "reading", "writing", "offers")
    for family in covered.families:
        names = ", ".join(_bare(name) for name in (*family.reading, *family.writing))
        add_row(shown, family.name, str(len(family.reading)), str(len(family.writing)), names)
    return Group(facts_table(facts), "", shown)


def _bare(operation: str) -> str:
    return operation.removeprefix("query ").removeprefix("mutation ")


def _covers(covered: TwinCoverage) -> str:
    if covered.lacks is None:
        return "not known: the twin has no list of its vendor's operations"
    refuses = f"always refuses {len(covered.refuses)} and " if covered.refuses else ""
    return f"{_percent(covered)} of its vendor's operations; it {refuses}lacks {len(covered.lacks)}, which --json lists"


def _answer(covered: TwinCoverage) -> dict[str, Any]:
    return {
        **covered._asdict(),
        "families": [family._asdict() for family in covered.families],
        "operations": covered.reading + covered.writing,
        "reading": covered.reading,
        "writing": covered.writing,
    }
