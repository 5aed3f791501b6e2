"""Formulas as the API keeps them: properties by id, so that renaming one breaks no formula, and in one form.

People write `prop("Name")*2+1`; kept is `({{notion:block_property:title:…}} * 2) + 1`.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from .formula_values import format_number
from .syntax import Application, Constant, PropertyReference, Tree, Variable


def write_formula(tree: Tree, reference: Callable[[str], str | None]) -> str:
    """Return the text of a tree; `reference` returns what stands for a property, None if its name stays."""
    if isinstance(tree, Constant):
        return _write_constant(tree)
    if isinstance(tree, PropertyReference):
        return reference(tree.key) or f"prop({_write_constant(Constant(tree.key))})"
    if isinstance(tree, Variable):
        return tree.name
    inner = [write_formula(each, reference) for each in tree.arguments]
    if tree.name == "list":
        return f"[{', '.join(inner)}]"
    if tree.written == ".":
        return f"{inner[0]}.{tree.name}({', '.join(inner[1:])})"
    if not tree.written:
        return f"{tree.name}({', '.join(inner)})"
    operands = [f"({text})" if _is_operator(each) else text for each, text in zip(tree.arguments, inner, strict=True)]
    if tree.written == "?":
        return f"{operands[0]} ? {operands[1]} : {operands[2]}"
    if len(operands) == 1:
        return f"{tree.written}{' ' * tree.written.isalpha()}{operands[0]}"
    return f"{operands[0]} {tree.written} {operands[1]}"


def _is_operator(tree: Tree) -> bool:
    return isinstance(tree, Application) and tree.written not in ("", ".")


def _write_constant(tree: Constant) -> str:
    if isinstance(tree.value, str):
        escaped = tree.value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return f'"{escaped}"'
    return format_number(tree.value)


def reference_to(id: str, data_source_id: str, workspace_id: str) -> str:
    """Return what stands for a property in a formula."""
    return f"{{{{notion:block_property:{quote(id, safe='~')}:{data_source_id}:{workspace_id}}}}}"
