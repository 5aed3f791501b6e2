"""Recognises operations that create several objects at once, by their paths, bodies and answers."""

from __future__ import annotations

import re

from .documents import OperationDescription, Schema
from .names import singular, snake
from .resources import ENVELOPES, MIN_COMMON_FIELDS, Envelope, find_list_in
from .schemas import SchemaSet
from .tables import StoredResource

ALL_OR_NOTHING = "all_or_nothing"
"""The guess that no object of a list is created if one of them is refused."""
MAX_CREATED_OBJECTS = 1_000
"""The most objects of one request."""
_TELLING_OF_EACH = re.compile(r"error|errors|failed|failures|failed_\w+|\w+_errors|not_created|unprocessed\w*")


def find_obstacle(
    operation: OperationDescription,
    stored: StoredResource,
    answer: Envelope | None,
    schemas: SchemaSet,
    holders: tuple[str, ...],
) -> str:
    """Return why an operation is not known to create a list of objects of a resource; empty if it is.

    Its body must be such a list, or hold one and require nothing beside it, and its answer must show the created ones.
    """
    resource = stored.resource.name
    listed = find_list_in(schemas, operation.body, holders)
    is_own = answer is not None and any(each is answer.schema for each in stored.resource.shown)
    own = schemas.list_fields(answer.schema) if answer and is_own else {}
    elsewhere = schemas.count_fields(stored.resource.shown)
    shown = {snake(name) for name, times in elsewhere.items() if times > (name in own)}
    if listed is None or not _has_name_of_list(listed) or not _is_given(listed.schema, shown, schemas):
        return f"its body holds no list of {resource} objects"
    is_list = answer is not None and answer.is_list and _has_name_of_list(answer)
    if answer is None or not is_list or not _is_shown(answer.schema, shown, stored, schemas):
        return f"its answer does not show the {resource} objects that are created"
    beside = schemas.needed_fields(operation.body or {}) - {listed.field}
    if listed.field and beside:
        return f"what '{min(beside)}' beside the list says is not known"
    return ""


def tells_of_each(operation: OperationDescription, schemas: SchemaSet) -> bool:
    """Return whether answers say of each object of a list whether it was stored, so that some may be and others not."""
    names = {snake(name) for name in schemas.properties(operation.answer)}
    return "207" in operation.responses or any(_TELLING_OF_EACH.fullmatch(name) for name in names)


def _has_name_of_list(envelope: Envelope) -> bool:
    """Return whether a list is the whole, or its property is named as such, unlike the `tree` of a Git tree."""
    name = snake(envelope.field.rpartition(".")[2])
    return not name or name in ENVELOPES or singular(name) != name


def _is_given(item: Schema, shown: set[str], schemas: SchemaSet) -> bool:
    """Return whether the items of a body are objects of a resource: answers show what they must have, and most else."""
    fields = {snake(name) for name in schemas.list_fields(item)}
    secret = {snake(name) for name, each in schemas.properties(item).items() if schemas.is_flagged(each, "writeOnly")}
    needed = {snake(name) for name in schemas.needed_fields(item)} - secret
    return bool(fields) and needed <= shown and len(fields & shown) >= MIN_COMMON_FIELDS * len(fields - secret)


def _is_shown(item: Schema, shown: set[str], stored: StoredResource, schemas: SchemaSet) -> bool:
    """Return whether the items of an answer are objects of a resource: they show its key and have its fields."""
    fields = {snake(name) for name in schemas.list_fields(item)}
    is_named = stored.resource.key_is_own or snake(stored.resource.key) in fields
    return is_named and len(fields & shown) >= MIN_COMMON_FIELDS * len(fields | shown)
