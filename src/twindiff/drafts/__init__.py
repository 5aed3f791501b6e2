"""Drafted twins: stateful twins that are served from a description of an API, without code.

A description (OpenAPI, Swagger, Google Discovery) is read into resources with tables (`resources`, `tables`), a plan
says for each operation what it does and how sure that is (`plan`), and an interpreter does it (`interpreter`). What a
person knows beyond the description stands in an overlay (`overlay`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .drafting import DraftedTwin


def read_drafted_twin(path: Path, name: str) -> DraftedTwin:
    """Return the twin of the description in a file, with the overlay `<file>.twin.yaml` beside it if there is one.

    Raises DescriptionError with what is wrong with either. What it needs is imported when it is called, since most
    processes serve no drafted twin.
    """
    from . import drafting

    return drafting.read_drafted_twin(path, name)
