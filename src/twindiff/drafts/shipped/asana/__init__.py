"""Asana, served from its description with an overlay and handlers of its own."""

from __future__ import annotations

from twindiff.drafts.drafting import Draft
from twindiff.kit.request_context import Middleware
from twindiff.kit.twin import Operations

from .. import ShippedDraft
from .field_selection import FieldSelection, accept_any_field
from .objects import AsanaObjects
from .task_changes import TaskChanges
from .task_lists import TaskLists


def _declare_operations(draft: Draft) -> list[Operations]:
    try:
        objects = AsanaObjects(draft)
    except KeyError:  # a description of something else
        return []
    draft.plans = [accept_any_field(plan) for plan in draft.plans]
    return [TaskLists(objects).declare(), TaskChanges(objects).declare()]


def _make_layer(draft: Draft) -> Middleware:
    return FieldSelection(draft).layer


draft = ShippedDraft(
    "asana",
    "Asana",
    stands_alone=False,
    description="https://github.com/Asana/openapi",
    unproven=(
        "the words of refusals other than those of unknown ids, absent input and lists of tasks without a scope",
    ),
    written=_declare_operations,
    layer=_make_layer,
)
