"""`twindiff explain`: the smallest reason why a run failed, and the operation behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twindiff.cli.commands.env import remote_of, say
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from twindiff.checks import Explanation, Nearest
    from twindiff.cli.remote import Json, Remote

UNKNOWN_OPERATION = "unknown_operation"
MISSING_OPERATION = "missing_operation"
SIGNS = {"added": "+", "removed": "-", "changed": "~"}
COLUMNS_BESIDE = 3
"""Identifying columns shown beside those that differ."""
MANY = 10_000


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(explain)


def explain(
    run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="The id of a judged run, or how it begins.", show_default=False),
    ],
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="With its calls: what each asked and was answered.")
    ] = False,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Show why a run failed.

    That is the nearest row, what differs in it, and which operation made it so.

    All of it stays when the environment is gone.

    Exits with 0 if it passed, 1 if it failed, 2 if there is no such run or it has not been judged.
    """
    import msgspec
    from rich.console import Group

    from twindiff.checks import Explanation
    from twindiff.cli.call_story import render_story
    from twindiff.cli.journal import calls

    remote = remote_of(base_url, api_key)
    run = _full_run(remote, run)
    result = _result(remote, run)
    explanations = sorted(msgspec.convert(result["explanations"], list[Explanation]), key=how_much)
    made = calls(remote, "runs", run, transcripts=verbose or as_json)
    refused = [] if result["passed"] else made
    unknown, lacking = (_count_refused(refused, each) for each in (UNKNOWN_OPERATION, MISSING_OPERATION))
    kept = {name: result.get(name, []) for name in ("runId", "passed", "score", "warnings")}
    answer = {**kept, "explanations": msgspec.to_builtins(explanations), "unknownOperations": unknown}
    answer |= {"missingOperations": lacking, "calls": made}
    shown = _render_result(result, explanations, unknown, lacking)
    say(as_json, answer, Group(shown, "", render_story(made, [])) if verbose and made else shown)
    raise typer.Exit(0 if result["passed"] else 1)


def _full_run(remote: Remote, given: str) -> str:
    from twindiff.cli.commands.runs import full_run

    try:
        return full_run(remote, given)
    except CommandError as problem:
        raise CommandError(str(problem), exit_code=2) from None


def _result(remote: Remote, run: str) -> Json:
    """Return the result of a judged run; raises CommandError for any other."""
    try:
        result = remote.get("results", run)
    except CommandError as problem:
        raise CommandError(str(problem), exit_code=2) from None
    if result["score"] is None:
        raise CommandError(f"Run '{run}' has not been judged yet; evaluateRun does that.", exit_code=2)
    return result


def how_much(why: Explanation) -> tuple[int, int]:
    """Return a sort key: by how many columns, or rows, an assertion is missed; without a nearest row it sorts last."""
    if not why.nearest:
        return MANY, why.assertion
    return len(why.nearest[0].differs) or len(why.nearest), why.assertion


def _count_refused(calls: Sequence[Json], error: str) -> dict[str, int]:
    """Count the agent's calls with this error, by operation."""
    return dict(Counter(call["operation"] for call in calls if call["error"] == error))


def _times(tried: dict[str, int]) -> str:
    return ", ".join(f"{name}{f' ({times} times)' if times > 1 else ''}" for name, times in tried.items())


def _render_result(
    result: Json, explanations: Sequence[Explanation], unknown: dict[str, int], lacking: dict[str, int]
) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    from twindiff.cli.render import CHANGED, QUIET, printable

    score = result["score"]
    word, style = ("passed", "bold green") if result["passed"] else ("failed", "bold red")
    held = f"  {score['passed']} of {score['total']} assertions hold"
    lines: list[RenderableType] = [Text.assemble((word, style), held)]
    nothing = not any(result["diff"].values())
    if nothing and not result["passed"]:
        lines.append(Text("Nothing happened: the run changed no row.", CHANGED))
    for why in explanations:
        lines += ["", *_block(why, explanations, brief=nothing and not why.nearest)]
    if unknown:
        lines += ["", Text(f"Tried, though no twin has it: {printable(_times(unknown))}", QUIET)]
    if lacking:
        said = f"Tried, though the twin lacks it: {printable(_times(lacking))}"
        lines += ["", Text(said, QUIET)]
    lines += [Text(f"Warning: {printable(warning)}", CHANGED) for warning in result.get("warnings", [])]
    return Group(*lines)


def _block(why: Explanation, others: Sequence[Explanation], *, brief: bool) -> Iterator[RenderableType]:
    """Render what was expected, and the rows that show the difference."""
    from rich.text import Text

    from twindiff.cli.render import QUIET, REMOVED, indent_body, printable

    expected, _, reason = why.text.partition(f"got {why.got}. ")
    yield Text.assemble(("✗ ", REMOVED), (f"{why.assertion}  ", QUIET), f"{printable(expected)}got {why.got}.")
    if brief:
        return
    if not why.nearest or not (why.nearest[0].differs or why.nearest[0].diff_type):
        yield indent_body(indent_body(Text(printable(reason))))
    for near in _rows_of(why):
        number = _shown_under(near, others)
        seen = Text.assemble(_what(near), (f"the row that is shown under {number}", QUIET))
        yield indent_body(indent_body(seen if number else _row(near)))


def _rows_of(why: Explanation) -> list[Nearest]:
    """Return the rows to show: the nearest one where something differs, else all that count against the assertion."""
    is_one = why.nearest and why.nearest[0].differs and not why.nearest[0].diff_type
    return why.nearest[:1] if is_one else why.nearest


def _shown_under(stray: Nearest, others: Sequence[Explanation]) -> int | None:
    """Return the number of the assertion that shows a closed-world row as a near one, or None."""
    if stray.diff_type is None:
        return None
    return next((why.assertion for why in others for near in _rows_of(why) if _are_one(stray, near, why)), None)


def _are_one(stray: Nearest, near: Nearest, why: Explanation) -> bool:
    """Return whether two are the same row, shortened to different columns; both include ids."""
    same = [near.row[name] == value for name, value in stray.row.items() if name in near.row]
    names = (stray.entity, (stray.entity or "").rpartition(".")[2])
    return near.diff_type is None and why.entity in names and near.blame == stray.blame and bool(same) and all(same)


def _row(near: Nearest) -> RenderableType:
    """Render one row: its identifying columns, the columns that differ, and the operation behind them."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from twindiff.checks.value_words import short
    from twindiff.cli.render import QUIET, add_row, indent_body, printable

    differ = {item.path for item in near.differs}
    telling = [(name, value) for name, value in near.row.items() if value is not None and name not in differ]
    most = COLUMNS_BESIDE if differ else len(telling)
    columns = "  ".join(f"{name} {short(value)}" for name, value in telling[:most])
    differing = Table.grid(padding=(0, 2, 0, 0))
    for item in near.differs:
        add_row(differing, item.path, _describe_difference(item))
    lines: list[RenderableType] = [Text.assemble(_what(near), (printable(columns), QUIET))]
    if near.differs:
        lines.append(indent_body(differing))
    if near.blame:
        lines.append(Text(f"made so by {printable(near.blame.words)}"))
    return Group(*lines)


def _what(near: Nearest) -> Text:
    from rich.text import Text

    from twindiff.cli.render import ADDED, CHANGED, REMOVED, printable

    if near.diff_type is None:
        return Text("")
    style = {"added": ADDED, "removed": REMOVED, "changed": CHANGED}[near.diff_type]
    return Text(f"{SIGNS[near.diff_type]} {printable(near.entity or '')}  ", style)


def _describe_difference(item: Any) -> str:
    """Describe a difference without its column name, which is printed before it."""
    from twindiff.checks.value_words import difference_words

    return difference_words(item).removeprefix(f"{item.path} ")
