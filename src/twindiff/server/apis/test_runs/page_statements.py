"""Renders the statements of a prompt, each with the steps that a model did for it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, cast

from twindiff.browser.prompt_facts import list_statements

STATEMENTS_STYLE = """
.statements li{margin:.2rem 0;overflow-wrap:anywhere}.statements small{opacity:.8;white-space:nowrap}
"""
"""The style of rendered statements."""


def render_statements(facts: Mapping[str, Any]) -> str:
    """Render the numbered statements with their steps as HTML; empty unless a step says which statements it serves."""
    steps = [step for step in facts["results_json"] if step.get("statements")]
    if not steps:
        return ""
    items = ""
    for number, statement in enumerate(list_statements(facts["prompt"] or ""), 1):
        marks = " ".join(_mark(step) for step in steps if number in step["statements"])
        items += f"<li>{escape(statement.text)} <small>{marks}</small></li>"
    return f'<h2>Statements</h2><ol class="statements">{items}</ol>'


def describe_served(step: Mapping[str, Any]) -> str:
    """Return which statements a step serves, such as `statements 1, 2`; empty if it says none."""
    numbers = cast("list[int]", step.get("statements") or [])
    return f"statement{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}" if numbers else ""


def _mark(step: Mapping[str, Any]) -> str:
    sign = "<span class=ok>✓</span>" if step["passed"] else "<span class=bad>✗</span>"
    return f"{sign} step {step['step']}"
