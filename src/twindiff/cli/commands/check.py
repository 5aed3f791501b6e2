"""`twindiff check`: judges a diff by a spec without a server."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, cast

import typer

if TYPE_CHECKING:
    from twindiff.checks import KnownTables, Verdict


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(check)


def check(
    spec: Annotated[Path, typer.Argument(help="The spec: a JSON file in the assertion language.")],
    diff: Annotated[Path, typer.Argument(help="The diff, alone or in a whole answer of diffRun or results.")],
    history: Annotated[
        Path | None,
        typer.Option(help="The run's history, which `response`, `by` and `after` need.", show_default=False),
    ] = None,
    twin: Annotated[
        list[str] | None,
        typer.Option(help="The twin whose tables the spec names; may be given several times.", show_default=False),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Take warnings for mistakes: exit with 2.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, as it is when piped.")] = False,
) -> None:
    """Judge a diff by a spec, offline.

    The tables and columns that the spec names are looked up in the installed twins that have the diff's tables. Names
    that they do not have are refused in version 1 of the language and warned of in 0.1.

    Exits with 0 if it passed, 1 if it failed, 2 if a file is no good.
    """
    import msgspec

    verdict = _evaluate(spec, diff, history, twin or [])
    for warning in verdict.warnings:
        typer.echo(f"Warning: {spec}: {_printable(warning)}", err=True)
    if strict and verdict.warnings:
        raise typer.Exit(2)
    if as_json or not sys.stdout.isatty():
        typer.echo(json.dumps(msgspec.to_builtins(verdict), indent=2))
    else:
        from twindiff.cli import render

        render.show(render.verdict(verdict))
    raise typer.Exit(0 if verdict.passed else 1)


def _evaluate(spec: Path, diff: Path, history: Path | None, twins: Sequence[str]) -> Verdict:
    from twindiff.checks import DiffError, HistoryError, SpecError, evaluate
    from twindiff.environments.registry import UnknownTwin

    try:
        past = read_json(history) if history else None
        changes = diff_of(read_json(diff))
        return evaluate(read_json(spec), changes, past, known_tables(changes, twins))
    except SpecError as error:
        _refuse(f"{spec}: {error}")
    except DiffError as error:
        _refuse(f"{diff}: {error}")
    except UnknownTwin as error:
        _refuse(str(error))
    except HistoryError as error:
        _refuse(f"{history}: {error}" if history else f"{spec}: {error} Give it with --history.")


def known_tables(diff: object, twins: Sequence[str]) -> KnownTables | None:
    """Return the tables of these twins; without any, of the installed twins that the diff may belong to, else None."""
    from twindiff.checks import known_to
    from twindiff.environments.registry import Registry

    registry = Registry.load_installed()
    schemas = [registry.schemas[registry.get(name).name] for name in twins] or [
        schema for schema in registry.schemas.values() if _tables_of(diff) <= schema.tables.keys()
    ]
    return known_to(tuple(schemas)) if schemas else None


def _tables_of(diff: object) -> set[object]:
    """Return the tables that a diff names, even if it is otherwise invalid."""
    lists = cast("dict[str, object]", diff).values() if isinstance(diff, dict) else ()
    rows = [row for each in lists if isinstance(each, list) for row in cast("list[object]", each)]
    tables = (cast("dict[str, object]", row).get("__table__") for row in rows if isinstance(row, dict))
    return {table for table in tables if isinstance(table, str)}


def read_json(path: Path) -> object:
    """Read a file as strict JSON; anything else exits with 2 and one line that describes the error."""
    try:
        return json.loads(
            path.read_bytes().decode("utf-8-sig"),
            object_pairs_hook=_without_duplicates,
            parse_constant=_not_a_number,
            parse_float=_finite,
        )
    except OSError as error:
        _refuse(f"{path}: {error.strerror or error}. Give the path of a JSON file.")
    except UnicodeDecodeError as error:
        _refuse(f"{path}: not UTF-8 at byte {error.start}. Save the file as UTF-8.")
    except RecursionError:
        _refuse(f"{path}: nested too deeply.")
    except ValueError as error:
        _refuse(f"{path}: not JSON: {error}.")


def diff_of(answer: object) -> object:
    """Extract the diff from a complete API response."""
    if not isinstance(answer, dict) or "diff" not in answer:
        return cast("object", answer)
    diff = cast("dict[str, object]", answer)["diff"]
    if diff is None:
        from twindiff.checks import DiffError

        raise DiffError("the answer's diff is null. Call diffRun or evaluateRun first.")
    return diff


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"key {json.dumps(twice)} appears twice in one object")
    return members


def _not_a_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"the number {digits} is too large")
    return number


def _refuse(line: str) -> NoReturn:
    typer.echo(" ".join(_printable(line).split()), err=True)
    raise typer.Exit(2)


def _printable(text: str) -> str:
    """Escape lone surrogates, which JSON can contain and no terminal can print."""
    return text.encode("utf-8", "backslashreplace").decode()
