"""What the modules of the package declare, read once for all rules of the house."""

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "twindiff"


class Function(NamedTuple):
    """A function of a module, with how many lines it takes."""

    name: str
    lines: int
    is_property: bool


class Declarations(NamedTuple):
    """What stands in a module; each of the `names` of parameters and variables has its line."""

    functions: list[Function]
    classes: list[str]
    constants: list[str]
    names: list[tuple[str, int]]


@cache
def declarations_of(path: Path) -> Declarations:
    """Parse a module; a tree of all of them would take hundreds of megabytes."""
    tree = ast.parse(path.read_text())
    declared = Declarations([], [], [*_constants(tree)], [])
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                declared.functions.append(Function(node.name, lines, _is_property(node)))
            case ast.ClassDef(name=name):
                declared.classes.append(name)
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.MatchAs(name=str(name)):
                declared.names.append((name, node.lineno))
            case _:
                pass
    return declared


def _constants(tree: ast.Module) -> list[str]:
    targets = [
        target
        for node in tree.body
        for target in (node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)])
    ]
    return [each.id for each in targets if isinstance(each, ast.Name)]


def _is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {each.id for each in function.decorator_list if isinstance(each, ast.Name)}
    return not names.isdisjoint({"property", "cached_property"})
