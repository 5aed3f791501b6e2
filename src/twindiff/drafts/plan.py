"""Decides what a drafted twin does for each operation, and how sure that is. See docs/design/drafted-twins.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from .bulk_creation import ALL_OR_NOTHING, find_obstacle
from .documents import ApiDescription, OperationDescription, Schema
from .listing import COUNTS, ListQuery, declare_list, read_list_query
from .names import snake, split_words
from .overlay import OperationOverlay, Overlay, Refusal
from .resources import (
    KEY_NAMES,
    LINK_FIELDS,
    REMOVALS,
    Envelope,
    PathRole,
    ResourceMap,
    find_body,
    find_envelope,
    find_list_in,
    literal_of,
)
from .schemas import SchemaSet
from .stored_objects import MAKERS
from .tables import StoredResource

Behaviour = Literal[
    "list",
    "count",
    "create",
    "create_many",
    "copy",
    "upsert",
    "read",
    "update",
    "replace",
    "delete",
    "act",
    "file",
    "refuse",
    "missing",
    "written",
]
Confidence = Literal["written", "derived", "partly", "not served"]
SHOWING: frozenset[Behaviour] = frozenset(
    ("list", "create", "create_many", "copy", "upsert", "read", "update", "replace", "act")
)
"""The behaviours whose answers show objects."""
COPYING = (("copy",), ("duplicate",), ("clone",))
"""Actions that create an object like the one that the path names."""
STATES = ("status", "state", "phase", "stage")
MERGE = "merge"
"""The guess of a PUT that keeps the fields that its body lacks, though nothing says that it does."""
_UNDECLARED = OperationOverlay()
_WHOLE_GUESSES: Mapping[Behaviour, tuple[str, ...]] = {"file": ("bytes",), "refuse": ("refusal",)}
"""The guesses of behaviours of which the whole answer is a guess."""
_MADE_BY_CONVENTION = frozenset(
    [
        "created",
        "updated",
        "modified",
        "last_modified",
        "created_at",
        "updated_at",
        "modified_at",
        "date_created",
        "date_updated",
        "created_time",
        "last_edited_time",
        "object",
        "type",
        "resource_type",
        "kind",
        "number",
        "iid",
        "self",
    ]
)
"""Fields that are filled by convention, not guessed."""


class ActionEffect(NamedTuple):
    """What an action sets in a row: a state or flag, further fields, and items of lists."""

    field: str
    value: object
    allowed: tuple[object, ...] = ()
    """The values from which it may be set; any if there are none."""
    further: Mapping[str, Any] = {}
    """Further fields that are set, with placeholders."""
    refusal: Refusal | None = None
    """The answer where another value stands."""
    added: Mapping[str, Any] = {}
    """Items that are added to lists, with placeholders, by field."""
    removed: Mapping[str, Any] = {}


class OperationPlan(NamedTuple):
    """What a drafted twin does for an operation."""

    operation: OperationDescription
    behaviour: Behaviour
    role: PathRole
    stored: StoredResource | None
    answer: Envelope | None
    """Where the object or the list stands in the answer."""
    body: Envelope | None
    query: ListQuery
    change: ActionEffect | None
    guessed: tuple[str, ...]
    """Fields of the answer whose values are made up unless a request gave them."""
    reason: str = ""
    """Why it is not served."""
    declared: OperationOverlay = _UNDECLARED
    """What the overlay says of it."""

    @property
    def status(self) -> int:
        """The status of its success."""
        return self.declared.status or self.operation.status

    @property
    def confidence(self) -> Confidence:
        """How sure its answers are."""
        if self.behaviour == "written":
            return "written"
        if self.behaviour == "missing":
            return "not served"
        return "partly" if self.guessed or self.query.ignored else "derived"


def plan_operations(
    description: ApiDescription, resource_map: ResourceMap, stored: Mapping[str, StoredResource], overlay: Overlay
) -> list[OperationPlan]:
    """Return the plan of each operation of a description."""
    return [_plan(operation, resource_map, stored, overlay) for operation in description.operations]


def _plan(
    operation: OperationDescription, resource_map: ResourceMap, stored: Mapping[str, StoredResource], overlay: Overlay
) -> OperationPlan:
    schemas, role = resource_map.schemas, resource_map.roles[operation.path]
    declared = overlay.operations.get(operation.name, _UNDECLARED)
    named = role.resource if role.key else ""
    if declared.table:
        role = role._replace(resource=next(name for name, each in stored.items() if each.table == declared.table))
    kept = stored.get(role.resource)
    names = (role.resource, kept.resource.table if kept else "", snake(literal_of(operation.path)))
    lists, holders = overlay.list_of(operation.name), overlay.holders(operation.name)
    answer = find_envelope(schemas, operation.answer, names, holders)
    body = find_body(schemas, operation.body, names, holders)
    change = find_declared_change(overlay, operation.name) or (
        find_state_change(role.action, kept.schemas, schemas) if kept and role.kind == "action" else None
    )
    behaviour, reason = _behaviour_of(operation, role, answer, kept, change, schemas, declared)
    if behaviour == "create_many":
        body = find_list_in(schemas, operation.body, holders)
    if not declared.by and not _names_object(operation, declared, role, named):
        behaviour, reason = "missing", f"neither its path nor `by` of the overlay names a {role.resource}"
    is_counted = behaviour in ("list", "count")
    query = read_list_query(operation, kept.schemas, schemas) if is_counted and kept else ListQuery()
    if lists and behaviour == "list":
        query = declare_list(query, lists)
    guessed = list_guesses(answer, kept, schemas) if behaviour in SHOWING else ()
    if behaviour == "read" and not _is_told(operation.path, role, resource_map, stored):
        behaviour, reason = "missing", f"which {role.resource} it is is not known"
    if kept:
        makers = {name for name in MAKERS if name in kept.schemas and schemas.family(kept.schemas[name]) in stored}
        known = makers | _declared_fields(overlay, kept.table) | _fields_above(role, kept)
        known |= {*declared.set, *((*change.further, *change.added) if change else ())}
        guessed = tuple(name for name in guessed if name not in known)
    if behaviour == "missing" and operation.recorded_refusal and is_routable(operation.path):
        behaviour, reason = "refuse", ""
    guessed = (*_list_assumptions(operation, behaviour, declared), *_WHOLE_GUESSES.get(behaviour, guessed))
    plan = OperationPlan(operation, behaviour, role, kept, answer, body, query, change, guessed, reason, declared)
    return _plan_put(plan, body, overlay, resource_map) if body is not None and operation.verb == "PUT" else plan


def _list_assumptions(
    operation: OperationDescription, behaviour: Behaviour, declared: OperationOverlay
) -> Iterator[str]:
    """Yield the guesses about an operation as a whole."""
    if operation.is_implied and behaviour != "missing":
        yield "operation"
    if behaviour == "create_many" and not declared.does:
        yield ALL_OR_NOTHING


def _plan_put(plan: OperationPlan, body: Envelope, overlay: Overlay, resource_map: ResourceMap) -> OperationPlan:
    """Return the plan of a PUT, which replaces an object unless it is said, or is to be guessed, that it merges."""
    if plan.behaviour != "update" or plan.declared.does or overlay.put == "merges":
        return plan
    if not overlay.put and _takes_parts(plan, body, resource_map):
        return plan._replace(guessed=(*plan.guessed, MERGE))
    return plan._replace(behaviour="replace")


def _takes_parts(plan: OperationPlan, body: Envelope, resource_map: ResourceMap) -> bool:
    """Return whether the body of a PUT is a part of the object: creating one needs a field that it has and may lack.

    A path that has PATCH as well has that for parts. What names the object stands in the path, and need not be said.
    """
    if resource_map.has_verb(plan.operation.path, "PATCH"):
        return False
    schemas, resource = resource_map.schemas, resource_map.resources[plan.role.resource]
    names = {snake(each) for each in (resource.key, plan.role.key, *plan.role.parents)}
    needed = {each for each in resource.needed if snake(each) not in names} & schemas.list_fields(body.schema).keys()
    return bool(needed - schemas.needed_fields(body.schema))


def _is_told(path: str, role: PathRole, resource_map: ResourceMap, stored: Mapping[str, StoredResource]) -> bool:
    """Return whether it is known which object a path without its id is about, as `/orders/{id}/customer`.

    Where objects of its kind have ids, one below another object is that to which a field of the other refers.
    """
    is_single = role.kind == "single" and role.parents and not role.action
    if not is_single or not resource_map.has_members(role.resource) or not resource_map.is_only_read(path):
        return True
    above = max((each for each in resource_map.members if path.startswith(f"{each}/")), key=len, default="")
    kept = stored.get(resource_map.members[above].resource) if above else None
    return kept is not None and find_relation(path, kept) is not None


def find_relation(path: str, above: StoredResource) -> str | None:
    """Return the field of what stands above by which a path without an id refers to another object."""
    word = snake(literal_of(path))
    by_snake = {snake(name): name for name in above.columns}
    return next((by_snake[each] for each in (word, f"{word}_id") if each in by_snake), None)


def _names_object(operation: OperationDescription, declared: OperationOverlay, role: PathRole, named: str) -> bool:
    """Return whether a path names the object that the overlay has an operation read, change or delete.

    `named` is the kind of the object that the path names. A path that names none is of one such as `/me`, unless it is
    posted to.
    """
    if declared.does not in ("read", "update", "replace", "delete"):
        return True
    return named == role.resource if named else declared.does == "read" or operation.verb != "POST"


def find_declared_change(overlay: Overlay, operation: str) -> ActionEffect | None:
    """Return what an operation changes, if the overlay says so."""
    each = overlay.actions.get(operation)
    if each is None:
        return None
    return ActionEffect(each.field, each.to, tuple(each.from_), each.set, each.refusal, each.add, each.remove)


def _fields_above(role: PathRole, kept: StoredResource) -> set[str]:
    """Return the fields that hold what a path names above an object."""
    return {field for placeholder in role.parents if (field := kept.field_above(placeholder))}


def _declared_fields(overlay: Overlay, table: str) -> set[str]:
    """Return the fields of new objects of which the overlay says what they hold."""
    about = overlay.resources.get(table)
    seeded = {field for row in overlay.seeds.get(table, ()) for field in row}
    if about is None:
        return seeded
    return seeded | {*about.defaults, *about.computed, *((about.states.field,) if about.states else ())}


def _behaviour_of(
    operation: OperationDescription,
    role: PathRole,
    answer: Envelope | None,
    kept: StoredResource | None,
    change: ActionEffect | None,
    schemas: SchemaSet,
    declared: OperationOverlay,
) -> tuple[Behaviour, str]:
    """Return what an operation does, or `missing` with the reason."""
    if not is_routable(operation.path):
        return "missing", "a segment of its path names two things"
    if operation.is_ambiguous:
        return "missing", "other operations have its address"
    if kept is None:
        return "missing", "nothing that is stored has this path"
    if declared.does:
        return _as_declared(declared.does, operation, answer, schemas, declared.object)
    if declared.table and role.kind == "action" and change is None:
        return "missing", "the overlay does not say what it does"
    if operation.answer is None and operation.verb == "GET":
        return ("file", "") if operation.file else ("missing", "its answer has no JSON body")
    if change is not None or role.kind == "action":
        return _of_action(operation, role, answer, change, schemas)
    if role.kind == "bulk" or (role.kind == "collection" and _takes_list(operation, answer, schemas)):
        obstacle = find_obstacle(operation, kept, answer, schemas, (declared.object,))
        return ("missing", obstacle) if obstacle else ("create_many", "")
    if role.kind in ("collection", "search", "upsert"):
        return _of_collection(operation, role, answer, kept, schemas)
    return _of_object(operation, role, answer, schemas)


def _as_declared(
    does: Behaviour, operation: OperationDescription, answer: Envelope | None, schemas: SchemaSet, holder: str
) -> tuple[Behaviour, str]:
    """Return what the overlay says that an operation does, or `missing` if its lists cannot be found."""
    if does in ("list", "create_many") and not (answer and answer.is_list):
        return "missing", "its answer holds no list of objects"
    if does == "create_many" and find_list_in(schemas, operation.body, (holder,)) is None:
        return "missing", "its body holds no list of objects"
    return does, ""


def _takes_list(operation: OperationDescription, answer: Envelope | None, schemas: SchemaSet) -> bool:
    """Return whether what is posted to a collection is a list, or is answered with one."""
    if operation.verb != "POST" or operation.body is None:
        return False
    return bool(answer and answer.is_list) or schemas.type_of(operation.body) == "array"


def _of_action(
    operation: OperationDescription,
    role: PathRole,
    answer: Envelope | None,
    change: ActionEffect | None,
    schemas: SchemaSet,
) -> tuple[Behaviour, str]:
    if change is not None:
        return "act", ""
    words = split_words(role.action)
    if operation.verb == "POST" and words in COPYING and schemas.family(answer and answer.schema) == role.resource:
        return "copy", ""
    is_whole = words[:1] == ("delete",) and len(words) == 2 and not schemas.properties(operation.answer)
    if operation.verb == "DELETE" and (is_whole or snake(role.action) in REMOVALS):
        return "delete", ""
    is_object = operation.body is not None and schemas.family(operation.body) == role.resource
    if operation.verb in ("PATCH", "PUT") and words[:1] == ("update",) and is_object:
        return "update", ""
    return "missing", f"what '{role.action}' changes is not known"


def list_query_fields(operation: OperationDescription, kept: StoredResource) -> Mapping[str, str]:
    """Return the fields of an object by the parameters of the query that give them, where no body is described."""
    if operation.body is not None or operation.verb not in ("POST", "PUT", "PATCH"):
        return {}
    by_snake = {snake(name): name for name in kept.columns}
    named = [each.name for each in operation.parameters if each.place == "query"]
    return {name: by_snake[snake(name)] for name in named if snake(name) in by_snake}


def _of_collection(
    operation: OperationDescription,
    role: PathRole,
    answer: Envelope | None,
    kept: StoredResource,
    schemas: SchemaSet,
) -> tuple[Behaviour, str]:
    if role.kind == "upsert":
        return ("upsert", "") if operation.body is not None else ("missing", "its body is not described")
    if role.kind == "search":
        is_read = operation.verb in ("GET", "POST") and answer is not None and answer.is_list
        return ("list", "") if is_read else ("missing", "its answer holds no list of objects")
    if operation.verb == "GET":
        return ("list", "") if answer and answer.is_list else ("missing", "its answer holds no list of objects")
    if operation.body is not None and schemas.type_of(operation.body) == "array":
        return "missing", f"what {operation.verb} of a list does is not known"
    is_given = operation.body is not None or bool(list_query_fields(operation, kept))
    if operation.verb == "POST" and is_given and not (answer and answer.is_list):
        return "create", ""
    return "missing", f"{operation.verb} of a whole collection is not known"


def _of_object(
    operation: OperationDescription, role: PathRole, answer: Envelope | None, schemas: SchemaSet
) -> tuple[Behaviour, str]:
    if operation.verb == "GET":
        if role.action == "count" and COUNTS & {snake(name) for name in schemas.properties(operation.answer)}:
            return "count", ""
        if answer and answer.is_list and role.kind == "single":
            return "missing", "its list is of nothing that is stored"
        return ("read", "") if answer and schemas.properties(answer.schema) else ("missing", "its answer has no fields")
    if role.kind == "single" and operation.verb == "POST":
        return "missing", f"what POST of '{literal_of(operation.path)}' does is not known"
    if operation.body is not None and schemas.type_of(operation.body) == "array":
        return "missing", f"what {operation.verb} of a list does is not known"
    return ("delete", "") if operation.verb == "DELETE" else ("update", "")


def is_routable(path: str) -> bool:
    """Return whether each segment of a path names at most one thing, unlike `{base}...{head}`."""
    return all(segment.count("{") <= 1 for segment in path.split("/"))


def list_guesses(answer: Envelope | None, kept: StoredResource | None, schemas: SchemaSet) -> tuple[str, ...]:
    """Return the fields that every answer has and that neither bodies, nor keys, nor conventions fill."""
    if answer is None or kept is None:
        return ()
    holder = answer.schema
    if schemas.is_json_api(holder):
        holder = schemas.properties(holder)["attributes"]
    required = schemas.required_fields(holder)
    written = schemas.count_fields(kept.resource.written)
    known = {*written, kept.resource.key, *KEY_NAMES[:6]}
    properties = schemas.properties(holder)
    return tuple(
        name
        for name in properties
        if name in required
        and name not in known
        and snake(name) not in _MADE_BY_CONVENTION
        and not snake(name).endswith(("_at", "_time", "_date"))
        and not schemas.allows_null(properties[name])
        and "default" not in schemas.flatten(properties[name])
        and snake(name) not in STATES
        and not _is_link_to_itself(name, properties[name], schemas)
    )


def _is_link_to_itself(name: str, schema: Schema, schemas: SchemaSet) -> bool:
    """Return whether a field has links of which only that to the object itself must be there."""
    return name in LINK_FIELDS and "self" in schemas.properties(schema) and schemas.required_fields(schema) <= {"self"}


def find_state_change(action: str, fields: Mapping[str, Schema], schemas: SchemaSet) -> ActionEffect | None:
    """Return what an action sets: the state that is the action's result, or a flag of that name; None if unknown.

    `close` sets `status` to `closed` and `send` to `sent` if the field's enumeration has that state; `archive` sets the
    flag `archived` or `is_archived`, and `unarchive` clears it.
    """
    word = (split_words(action) or ("",))[0]
    for name, schema in fields.items():
        choices = schemas.flatten(schema).get("enum") or ()
        if snake(name) in STATES:
            for value in choices:
                if isinstance(value, str) and _is_result_of(word, snake(value)):
                    return ActionEffect(name, value)
    undone = word.removeprefix("un") if word.startswith("un") else ""
    for name, schema in fields.items():
        flag = snake(name).removeprefix("is_")
        if schemas.type_of(schema) == "boolean" and _is_result_of(undone or word, flag):
            return ActionEffect(name, not undone)
    return None


_RESULTS_OF_VERBS = {
    "send": "sent",
    "sell": "sold",
    "build": "built",
    "run": "running",
    "begin": "begun",
    "withdraw": "withdrawn",
    "hold": "held",
    "reopen": "open",
    "open": "open",
}
"""States that are not the verb with an ending."""


def _is_result_of(verb: str, state: str) -> bool:
    """Return whether a state is the verb's: `closed` of `close`, `paid` of `pay`, `canceled` and `cancelled`."""
    if not verb:
        return False
    if _RESULTS_OF_VERBS.get(verb) == state:
        return True
    stem = re.sub(r"(e|y)$", "", verb)
    return bool(re.fullmatch(f"{re.escape(stem)}(e|i|{re.escape(stem[-1:])})?(d|ed)", state))
