"""Drafted twins: stateful twins that are served from a description of an API, without code.

A description (OpenAPI, Swagger, Google Discovery) is read into resources with tables (`resources`, `tables`), a plan
says for each operation what it does and how sure that is (`plan`), and an interpreter does it (`interpreter`). What a
person knows beyond the description stands in an overlay (`overlay`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .documents import DescriptionError as DescriptionError
    from .drafting import Draft as Draft
    from .drafting import DraftedTwin as DraftedTwin
    from .drafting import read_draft as read_draft

_EXPORTS = {
    "Draft": "drafting",
    "DraftedTwin": "drafting",
    "DescriptionError": "documents",
    "read_draft": "drafting",
}


def __getattr__(name: str) -> Any:
    """Import an export on first use, since most processes serve no drafted twin."""
    if name in _EXPORTS:
        return getattr(import_module(f".{_EXPORTS[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
