"""Reads and writes the objects of a drafted twin: lookup, creation with conventional values, change, removal."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from functools import partial
from string import ascii_letters, digits
from types import MappingProxyType
from typing import Any, cast
from urllib.parse import quote

from twindiff.kit.call import Call
from twindiff.kit.errors import AlreadyExists, ApiError, InvalidParameter, NotFound
from twindiff.kit.rows import Expression, Row

from .answers import AnswerBuilder, ShownRow
from .computed_fields import ComputedFields, compile_computed
from .conditions import equals, is_whole
from .documents import Schema
from .names import family_of, snake
from .object_merging import Changing, ObjectMerger, merge_objects
from .overlay import Overlay, Refusal, ResourceOverlay, StateMachine
from .placeholders import fill_placeholders, look_up
from .resources import KEY_NAMES, LINK_FIELDS, PathRole, fields_for
from .schemas import SchemaSet
from .tables import StoredResource
from .values import make_time

STATES = ("status", "state", "phase", "stage")
INITIAL_STATES = (
    "open",
    "opened",
    "active",
    "pending",
    "new",
    "todo",
    "draft",
    "queued",
    "created",
    "enabled",
    "scheduled",
)
FIRST_NUMBER = 1001
"""The number of the first object that calls create; templates number theirs below it."""
MAX_KEYS_TRIED = 100
RANDOM_LETTERS = 64
"""The length of the placeholder `$random`, such as a token."""
MYSELF = ("me", "@me", "self", "~")
"""Keys by which paths name the caller, who is the first of the users."""
_EXTERNAL_KEYS = ("external_id", "externalid", "unique_external_id", "email")
"""Fields by which clients say which object they mean, before those of the vendor."""
SINGLE = "self"
"""The key of what a path without an id holds at most once."""
_EPOCH_MILLISECONDS = 1_420_070_400_000
"""The first instant of 2015, from which snowflakes count."""
_UPDATED = ("updated", "modified", "last_modified", "last_edited", "date_updated")
_CREATED = ("created", "date_created", *_UPDATED)
_NO_TIME = ("_by", "_id", "_by_name", "_from", "_via", "_ip", "_by_id")
"""Ends of names that begin as those of times do and say by whom or how it was done."""
MAKERS = ("author", "creator", "created_by")
"""Fields that say who made an object."""
_PERSONS = frozenset(
    [
        "assignee",
        "owner",
        "author",
        "creator",
        "created_by",
        "updated_by",
        "reporter",
        "requester",
        "completed_by",
        "reviewer",
        "bot",
        "mention",
    ]
)


_EMPTY_VALUES: tuple[Any, ...] = (None, "", 0, False, [], {})
"""What a field is that has lost its value: the first of these that fits its schema."""


class StateConflict(ApiError):
    """The object is in a state in which this cannot be done."""

    status = 409


class NotUnique(AlreadyExists):
    """Another object has this value already."""


class StoredObjects:
    """The objects of a drafted twin; each method takes the resource's table and the call."""

    def __init__(
        self,
        stored: Mapping[str, StoredResource],
        overlay: Overlay,
        schemas: SchemaSet,
        addresses: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`addresses` are the paths of objects by the name of their resource, with one placeholder."""
        self._addresses = addresses
        self._stored, self._overlay, self._schemas = stored, overlay, schemas
        self._builder, self._merger = AnswerBuilder(schemas), ObjectMerger(schemas)
        self.by_table = {each.table: each for each in stored.values()}
        self._defaults: dict[str, Mapping[str, Any]] = {}
        self.computed: dict[str, ComputedFields] = {}
        for table, about in overlay.resources.items():
            kept = self.by_table[table]
            self.computed[table] = compile_computed(about, kept, self.by_table)
            kept.computed.update(self.computed[table].columns)

    def about(self, stored: StoredResource) -> ResourceOverlay:
        """What the overlay says of a resource."""
        return self._overlay.resources.get(stored.table) or _PLAIN

    # -- reading ---------------------------------------------------------------------------------------------------

    def find(self, stored: StoredResource, role: PathRole, call: Call, given: Mapping[str, Any]) -> Row:
        """Return the row that a path names; raises NotFound."""
        wanted = given[role.key] if role.key else SINGLE
        by_snake = {snake(name): name for name in stored.columns}
        named = fields_for(role.key, stored.resource.name, by_snake) if role.key else [stored.resource.key]
        others = [by_snake[name] for name in KEY_NAMES if name in by_snake]
        below = self.conditions_above(stored, role, given)
        for field in dict.fromkeys([*named, stored.resource.key, *self.about(stored).aliases, *others]):
            rows = self.rows_with(call, stored, field, wanted, below)
            if rows:
                return rows[0]
        mine = self.find_caller(stored, call) if wanted in MYSELF else None
        if mine is not None:
            return mine
        raise NotFound(stored.resource.name.replace("_", " "), wanted)

    def find_referred(self, call: Call, stored: StoredResource, reference: Any) -> Row:
        """Return the row to which a field refers by its key, alone or in an object; raises NotFound."""
        key = (
            cast(Mapping[str, Any], reference).get(stored.resource.key) if isinstance(reference, Mapping) else reference
        )
        rows = self.rows_with(call, stored, stored.resource.key, key) if key is not None else []
        if not rows:
            raise NotFound(stored.resource.name.replace("_", " "), key)
        return rows[0]

    def find_caller(self, stored: StoredResource, call: Call) -> Row | None:
        """Return the row of the user that a call acts as, or else the first of all; None if there are none."""
        mine = self.rows_with(call, stored, stored.resource.key, call.actor) if call.actor else []
        return next(iter(mine or call.db.rows(stored.row, order=getattr(stored.row, stored.order), limit=1)), None)

    def find_user_key(self, call: Call) -> Any:
        """Return the key of the user that a call acts as; None if the API has no users."""
        stored = self._stored.get("user")
        row = self.find_caller(stored, call) if stored else None
        return getattr(row, stored.key.name) if stored and row is not None else None

    def find_same(
        self, stored: StoredResource, call: Call, body: Mapping[str, Any], where: Sequence[Expression]
    ) -> Row | None:
        """Return the row with the key of a body, or else with the first identifying field that it gives.

        Rows that do not meet `where` are others, as are those that have only a later identifying field in common.
        """
        by_snake = {snake(name): name for name in stored.columns}
        named = [by_snake[each] for each in (*_EXTERNAL_KEYS, *KEY_NAMES) if each in by_snake]
        field = next((each for each in (stored.resource.key, *named) if body.get(each) is not None), None)
        rows = self.rows_with(call, stored, field, body[field], where) if field else []
        return rows[0] if rows else None

    def name_by(self, stored: StoredResource, role: PathRole, row: Row, given: Any) -> Any:
        """Return the value by which what stands below a row refers to it: its key, or what the path names it by."""
        by_snake = {snake(name): name for name in stored.columns}
        field = next(iter(fields_for(role.key, stored.resource.name, by_snake)), stored.resource.key)
        value = getattr(row, stored.columns[field])
        return given if value is None or isinstance(value, (dict, list)) else value

    def find_event(self, stored: StoredResource, call: Call) -> dict[str, Any]:
        """Return the state to which the event leads that a request names; raises InvalidParameter for another."""
        states, body = self.about(stored).states, call.memo.get("body")
        given = cast(Mapping[str, Any], body).get(states.by) if states and isinstance(body, Mapping) else None
        if states is None or given is None:
            return {}
        if str(given) not in states.events:
            raise InvalidParameter(states.by, f"does not have a valid value; {', '.join(states.events)} are")
        return {states.field: states.events[str(given)]}

    def change_list(self, stored: StoredResource, row: Row, field: str, given: Any, *, is_added: bool) -> list[Any]:
        """Return the list of a field with further items, each once, or without them; items may be given by id."""
        now = cast(list[Any], getattr(row, stored.columns[field]) or [])
        listed = cast(list[Any], given) if isinstance(given, list) else [] if given is None else [given]
        items = [item for each in listed for item in self._as_items(stored, field, each)]
        named = [_identify(each) for each in items]
        kept = [each for each in now if is_added or _identify(each) not in named]
        known = [_identify(each) for each in kept]
        return kept + [each for each in items if is_added and _identify(each) not in known]

    def _as_items(self, stored: StoredResource, field: str, given: Any) -> list[Any]:
        related: Any = cast(Any, given) if isinstance(given, dict) else self.as_relation(stored, field, given)
        return cast(list[Any], related) if isinstance(related, list) else [related]

    def rows_with(
        self, call: Call, stored: StoredResource, field: str, wanted: Any, where: Sequence[Expression] = ()
    ) -> list[Row]:
        """Return the first of the rows in which a field that is no object has a value."""
        column = stored.column(field)
        if column.kind == "json":
            return []
        value: Any = str(wanted)
        if column.kind in ("integer", "float"):
            if not is_whole(value):
                return []
            value = int(value)
        elif column.kind == "boolean":
            return []
        return call.db.rows(stored.row, column == value, *where, limit=1)

    def conditions_above(self, stored: StoredResource, role: PathRole, given: Mapping[str, Any]) -> list[Expression]:
        """Return the conditions that an object stands below what a path names above it."""
        conditions: list[Expression] = []
        for placeholder in role.parents:
            if placeholder in stored.parents:
                conditions.append(stored.column(placeholder) == str(given[placeholder]))
                continue
            field = stored.field_above(placeholder)
            conditions += [equals(stored.column(field), given[placeholder])] if field else []
        return conditions

    def is_there(self, stored: StoredResource) -> list[Expression]:
        """Return the condition that an object is not deleted, where deleting sets a flag."""
        flag = self.about(stored).soft_delete
        return [stored.column(flag) != True] if flag in stored.columns else []  # noqa: E712 - an expression

    def fields_of(self, call: Call, stored: StoredResource, rows: Sequence[Row]) -> list[dict[str, Any]]:
        """Return the fields of rows, computed ones too, by the vendor's names; those without a value are left out."""
        plain = [self.plain_fields(stored, row) for row in rows]
        computed = self.computed.get(stored.table)
        return (
            plain
            if not (computed and (computed.columns or computed.texts or computed.objects))
            else self._compute(call, stored, computed, rows, plain)
        )

    def plain_fields(self, stored: StoredResource, row: Row) -> dict[str, Any]:
        """Return the stored fields of a row by the vendor's names."""
        return {field: value for field, column in stored.columns.items() if (value := getattr(row, column)) is not None}

    def _compute(
        self,
        call: Call,
        stored: StoredResource,
        computed: ComputedFields,
        rows: Sequence[Row],
        plain: list[dict[str, Any]],
    ) -> list[dict[str, Any]]:
        values: dict[Any, tuple[Any, ...]] = {}
        keys = [getattr(row, stored.key.name) for row in rows]
        if computed.columns and keys:
            columns = (stored.key, *computed.columns.values())
            values = {each[0]: each[1:] for each in call.db.rows(stored.row, stored.key.in_(keys), columns=columns)}
        for row, key, fields in zip(rows, keys, plain, strict=True):
            above = {name: getattr(row, column) for name, column in stored.parents.items()}
            fields |= dict(zip(computed.columns, values.get(key, ()), strict=False))
            written = self._written_fields(stored)
            for field, text in computed.texts.items():
                if field in fields and field not in written:
                    continue
                made = fill_placeholders(text, lambda name, seen=(fields, above): look_up(name, *seen))
                _put_inside(fields, field.split("."), made)
            for field, (table, reference) in computed.objects.items():
                key = fill_placeholders(reference, lambda name, seen=(fields, above): look_up(name, *seen))
                fields[field] = None if key is None else self._find_by_key(call, self.by_table[table], key)
        return plain

    def _find_by_key(self, call: Call, stored: StoredResource, key: Any) -> dict[str, Any] | None:
        """Return the stored fields of the object with a key; None if there is none."""
        rows = self.rows_with(call, stored, stored.resource.key, key)
        return self.plain_fields(stored, rows[0]) if rows else None

    def _written_fields(self, stored: StoredResource) -> Container[str]:
        """Return the fields that requests may give; a computed text that stands in a row beside them was seeded."""
        return self._schemas.count_fields(stored.resource.written)

    def find_related(self, call: Call, name: str, value: Any) -> Mapping[str, Any] | None:
        """Return the fields of the object to which a field with a value refers; None if there is none."""
        if isinstance(value, (Mapping, list, bool)) or value is None:
            return None
        is_person = bool({snake(name), family_of(name)} & _PERSONS)
        kinds = [each for each in (family_of(name), "user" if is_person else "") if each in self._stored]
        related = (self._find_once(call, self._stored[kind], value) for kind in kinds)
        return next((each for each in related if each is not None), None)

    def _find_once(self, call: Call, stored: StoredResource, key: Any) -> Mapping[str, Any] | None:
        """Return the fields of the object with a key, which a call looks up once; None if there is none."""
        memo = call.memo.setdefault("related", {})
        at = (stored.resource.name, str(key))
        if at not in memo:
            rows = self.rows_with(call, stored, stored.resource.key, key)
            memo[at] = self.fields_of(call, stored, rows)[0] if rows else None
        return memo[at]

    def show(self, call: Call, stored: StoredResource, fields: Mapping[str, Any], schema: Schema) -> Any:
        """Return an object's fields in a schema of an answer."""
        seed = f"{stored.resource.name}/{fields.get(stored.resource.key, '')}"
        shown = ShownRow({**self._link(call, stored, fields, schema), **fields}, seed)
        return self._builder.show(call, shown, schema, partial(self.find_related, call))

    def _link(self, call: Call, stored: StoredResource, fields: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
        """Return the field with the links of an object, of which `self` is known; {} if its schema has none."""
        properties, path = self._schemas.properties(schema), self._addresses.get(stored.resource.name, "")
        name = next((each for each in LINK_FIELDS if each in properties), "")
        own = self._schemas.properties(properties.get(name)).get("self")
        key = fields.get(stored.resource.key)
        if own is None or not path or key is None:
            return {}
        address = call.base_url + re.sub(r"\{\w+\}", quote(str(key), safe=""), path)
        is_object = self._schemas.type_of(own) == "object"
        return {name: {"self": {"href": address} if is_object else address}}

    def show_alone(self, call: Call, stored: StoredResource, fields: Mapping[str, Any]) -> Any:
        """Return an object's fields as the answer that shows the most of them does."""
        shown = [(self._schemas.list_fields(each).keys(), each) for each in stored.resource.shown]
        schema = max(shown, key=lambda each: (len(each[0] & fields.keys()), len(each[0])))[1] if shown else {}
        return self.show(call, stored, fields, schema)

    # -- writing ---------------------------------------------------------------------------------------------------

    def make(
        self, stored: StoredResource, role: PathRole, call: Call, given: Mapping[str, Any], body: Mapping[str, Any]
    ) -> Row:
        """Store a new object: what the body gives, then what stands above it, defaults, its state and times."""
        about = self.about(stored)
        defaults = fill_placeholders(about.defaults, partial(self.look_up, call, given))
        fields: dict[str, Any] = {**defaults, **{n: merge_objects(defaults.get(n), value) for n, value in body.items()}}
        if about.states and about.states.initial is not None:
            fields.setdefault(about.states.field, about.states.initial)
        above = self._place_below(stored, role, given, fields)
        for field, schema in stored.schemas.items():
            if field not in fields:
                value = self._initial(call, stored, field, schema, [given[each] for each in role.parents])
                if value is not None:
                    fields[field] = value
        key = stored.resource.key
        if fields.get(key) is None:
            fields[key] = given[role.key] if role.key else self._new_key(stored, call)
        if stored.key.kind == "integer" and not isinstance(fields[key], int):
            fields[key] = call.db.next(f"{stored.resource.name}_id", at_least=FIRST_NUMBER)
        self._check_unique(stored, call, fields, None)
        columns = {stored.columns[name]: self._fit(stored, name, value) for name, value in fields.items()}
        columns[stored.order] = call.db.next("creation")
        return call.db.add(stored.row(**{**columns, **above}), taken=AlreadyExists)

    def _place_below(
        self, stored: StoredResource, role: PathRole, given: Mapping[str, Any], fields: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the columns that say what stands above an object; a field that says so is set instead."""
        above: dict[str, Any] = {}
        for placeholder in role.parents:
            if placeholder in stored.parents:
                above[stored.parents[placeholder]] = str(given[placeholder])
                continue
            if field := stored.field_above(placeholder):
                fields.setdefault(field, self.as_relation(stored, field, given[placeholder]))
        return above

    def store_seed(self, call: Call, stored: StoredResource, given: Mapping[str, Any]) -> Row:
        """Store an object of a seed: `given` are its fields and the placeholders above it by name."""
        above = {name: given[name] for name in stored.parents if name in given}
        role = PathRole(stored.resource.name, "collection", tuple(above))
        return self.make(stored, role, call, above, {n: v for n, v in given.items() if n in stored.columns})

    def change(
        self,
        stored: StoredResource,
        row: Row,
        call: Call,
        body: Mapping[str, Any],
        changing: Changing = "merge",
        absent: Mapping[str, Any] = MappingProxyType({}),
    ) -> Row:
        """Store fields in a row, and the time of the change if there is something to change.

        `changing` says how objects inside fields change. `absent` are the values of the fields that a body lacks which
        replaces the object; see `values_without`.

        Raises StateConflict for a state that may not follow, and NotUnique.
        """
        values = {
            stored.columns[name]: self._change_field(stored, row, name, value, changing)
            for name, value in body.items()
            if name != stored.resource.key
        }
        values |= {stored.columns[name]: value for name, value in absent.items() if name not in body}
        values = {column: value for column, value in values.items() if getattr(row, column) != value}
        unset = {stored.columns[n] for n in absent or () if n not in body and getattr(row, stored.columns[n]) is None}
        values = {each: value for each, value in values.items() if each not in unset or value not in _EMPTY_VALUES}
        if not values:
            return row
        self._check_state(stored, row, values)
        self._check_unique(stored, call, {name: body[name] for name in body if stored.columns[name] in values}, row)
        for field, schema in stored.schemas.items():
            if snake(field).startswith(_UPDATED) and not snake(field).endswith(_NO_TIME):
                values.setdefault(stored.columns[field], self._fit(stored, field, self._now(call, field, schema)))
        return call.db.change(row, **values)

    def values_without(
        self, stored: StoredResource, role: PathRole, call: Call, given: Mapping[str, Any], schema: Schema
    ) -> dict[str, Any]:
        """Return what the fields that a schema of bodies has are, each for a body that lacks it and replaces an object.

        It is what they are in a new object, or the empty value of their type, which `change` stores only in place of
        another. Those that the vendor sets, and those that say what stands above, are left out.
        """
        by_snake = {snake(name): name for name in stored.columns}
        settable = {
            by_snake[snake(name)]: each
            for name, each in self._schemas.list_fields(schema).items()
            if snake(name) in by_snake
        }
        declared = self.about(stored).defaults
        told_at_creation = {name for name, each in declared.items() if fill_placeholders(each, lambda _: None) != each}
        settable = {
            name: each
            for name, each in settable.items()
            if name not in told_at_creation and self._is_replaced(stored, role, name, each)
        }
        defaults = {name: declared[name] for name in settable if name in declared}
        values = fill_placeholders(defaults, partial(self.look_up, call, given))
        for name, each in settable.items():
            if values.get(name) is None:
                own = self._schemas.flatten(each).get("default")
                if own is None and snake(name) in STATES and not self._has_default(stored, name):
                    continue
                known = self._initial(call, stored, name, stored.schemas[name]) if own is None else own
                values[name] = self._empty_value(stored, name) if known is None else self._fit(stored, name, known)
        return values

    def _has_default(self, stored: StoredResource, name: str) -> bool:
        """Return whether the description says what a field is in a new object."""
        shown = self._schemas.flatten(stored.schemas[name]).get("default")
        return shown is not None or self._given_defaults(stored).get(name) is not None

    def _change_field(self, stored: StoredResource, row: Row, name: str, value: Any, changing: Changing) -> Any:
        """Return what a field holds after a change."""
        if value is None and changing == "patch" and name in stored.schemas:
            return self._empty_value(stored, name)
        changed = self._merger.change(changing, stored.schemas.get(name, {}), getattr(row, stored.columns[name]), value)
        return self._fit(stored, name, changed)

    def _is_replaced(self, stored: StoredResource, role: PathRole, name: str, given: Schema) -> bool:
        """Return whether a body that replaces an object and lacks a field takes its value away."""
        about, computed = self.about(stored), self.computed.get(stored.table)
        above = {stored.field_above(placeholder) for placeholder in (*role.parents, *stored.resource.above)}
        derived = {*stored.computed, *(computed.texts if computed else ()), *(computed.objects if computed else ())}
        states = (about.states.field,) if about.states else ()
        own = {*above, *derived, *states, *stored.resource.aliases, *about.aliases, about.soft_delete, *MAKERS}
        is_set = name not in own and name in stored.schemas and not is_time_of_record(name)
        is_key = name == stored.resource.key or snake(name) in (*KEY_NAMES[:6], "number", "iid")
        flagged = any(self._schemas.is_flagged(each, "readOnly") for each in (given, stored.schemas.get(name, {})))
        return is_set and not is_key and not flagged

    def _empty_value(self, stored: StoredResource, name: str) -> Any:
        """Return what a field without a value is: null, or the empty value of its type where answers must show one."""
        schema = stored.schemas[name]
        if all(name not in self._schemas.shown_fields(each) for each in stored.resource.shown):
            return None
        return next((each for each in _EMPTY_VALUES if self._schemas.fits(schema, each)), None)

    def is_copied(self, stored: StoredResource, field: str) -> bool:
        """Return whether the copy of an object has a field of it: not its key, its times, or what must be unique."""
        own = (stored.resource.key, *self.about(stored).unique, *MAKERS)
        return field not in own and snake(field) not in ("number", "iid") and not is_time_of_record(field)

    def time_state(self, stored: StoredResource, call: Call, before: Any, after: Any) -> dict[str, Any]:
        """Return the time of a state (`closed_at`), and nothing as that of the state that is undone (`reopen`)."""
        by_snake = {snake(name): name for name in stored.schemas}
        came, left = (by_snake.get(f"{snake(str(each))}_at") for each in (after, before))
        is_undone = left is not None and after in INITIAL_STATES
        return {
            **({left: None} if left and is_undone else {}),
            **({came: self._now(call, came, stored.schemas[came])} if came else {}),
        }

    def remove(self, stored: StoredResource, row: Row, call: Call) -> None:
        """Remove a row, or set the flag that says that it is deleted."""
        flag = self.about(stored).soft_delete
        if flag:
            self.change(stored, row, call, {flag: True})
        else:
            call.db.remove(row)

    def _check_state(self, stored: StoredResource, row: Row, values: Mapping[str, Any]) -> None:
        """Raise StateConflict if the values by column hold a state that may not follow."""
        states = self.about(stored).states
        if states and stored.columns[states.field] in values:
            check_move(states, getattr(row, stored.columns[states.field]), values[stored.columns[states.field]])

    def _check_unique(self, stored: StoredResource, call: Call, fields: Mapping[str, Any], own: Row | None) -> None:
        for field in self.about(stored).unique:
            if fields.get(field) is not None:
                taken = call.db.find(stored.row, equals(stored.column(field), fields[field]), *self.is_there(stored))
                if taken is not None and taken != own:
                    raise NotUnique(
                        f"There is a {stored.resource.name.replace('_', ' ')} with this {field} already: "
                        f"'{fields[field]}'",
                        name=field,
                    )

    def look_up(self, call: Call, given: Mapping[str, Any], name: str) -> Any:
        """Return what a placeholder of an overlay stands for.

        It is a parameter, a field of the body, `now`, `actor`, `me` (the key of the acting user), `random`, or by
        `table.field` a field of what is above.
        """
        body = call.memo.get("body")
        fields: Mapping[str, Any] = cast(Mapping[str, Any], body) if isinstance(body, Mapping) else {}
        known = look_up(name, given, fields, call.memo.get("above", {}))
        if known is not None:
            return known
        if name == "random":
            return call.ids.new("", RANDOM_LETTERS, ascii_letters + digits)
        if name == "me":
            return self.find_user_key(call)
        times: dict[str, Any] = {"now": call.clock.iso()[:19] + "Z", "unix_now": call.clock.unix()}
        return {**times, "actor": call.actor}.get(name)

    def as_relation(self, stored: StoredResource, field: str, value: Any) -> Any:
        """Return the key of another object as a field holds it: an id, an object, or a list of objects."""
        schema = stored.schemas.get(field, {})
        kind = self._schemas.type_of(schema)
        if kind == "array":
            return [self._as_object(self._schemas.items(schema), value)]
        if kind == "object":
            return self._as_object(schema, value)
        return parse_whole(str(value), value) if kind == "integer" else value

    def _as_object(self, schema: Schema, value: Any) -> Any:
        properties = self._schemas.properties(schema)
        key = next((each for each in KEY_NAMES if each in properties), "")
        return {key: value} if key else value

    def _initial(
        self, call: Call, stored: StoredResource, field: str, schema: Schema, above: Sequence[Any] = ()
    ) -> Any:
        """Return the value of a new object's field that is known by convention; None if none is.

        Numbers count below what stands `above`.
        """
        flat, name = self._schemas.flatten(schema), snake(field)
        default = flat.get("default", self._given_defaults(stored).get(field))
        if default is not None:
            return default
        if name in MAKERS:
            return self._find_maker(call, stored, field, schema)
        choices = flat.get("enum") or ()
        if name in STATES and choices:
            usual = [each for each in INITIAL_STATES if each in choices]
            return usual[0] if usual else choices[0]
        if is_time_of_record(field):
            return self._now(call, field, schema)
        if name in ("number", "iid") and self._schemas.type_of(schema) == "integer":
            return call.db.next("_".join([stored.resource.name, "number", *map(str, above)]))
        if name in ("object", "resource_type") and len(choices) == 1:
            return choices[0]
        return None

    def _given_defaults(self, stored: StoredResource) -> Mapping[str, Any]:
        """Return the defaults that the schemas of bodies have for fields."""
        known = self._defaults.get(stored.table)
        if known is None:
            given = [each for schema in stored.resource.written for each in self._schemas.list_fields(schema).items()]
            flat = [(name, self._schemas.flatten(schema).get("default")) for name, schema in reversed(given)]
            known = self._defaults[stored.table] = {name: value for name, value in flat if value is not None}
        return known

    def _find_maker(self, call: Call, stored: StoredResource, field: str, schema: Schema) -> Any:
        """Return who makes an object: the caller, if the field holds one of the people that the API has."""
        people = self._stored.get(self._schemas.family(schema) or "user")
        row = self.find_caller(people, call) if people else None
        return self.as_relation(stored, field, getattr(row, people.key.name)) if people and row is not None else None

    def _now(self, call: Call, field: str, schema: Schema) -> Any:
        """Return the time as a field holds it; None if it holds no time."""
        kind = self._schemas.type_of(schema)
        if kind in ("integer", "number"):
            return call.clock.unix()
        return make_time(self._schemas.flatten(schema), field, call.clock)

    def _new_key(self, stored: StoredResource, call: Call) -> Any:
        """Return a key that no row has, in the form that the overlay or the field's schema says."""
        for _ in range(MAX_KEYS_TRIED):
            key = self._make_key(stored, call)
            if not self.rows_with(call, stored, stored.resource.key, key):
                return key
        raise AlreadyExists(f"All ids that were tried for a new {stored.resource.name} are taken; make them longer.")

    def _make_key(self, stored: StoredResource, call: Call) -> Any:
        usual = self._overlay.id if stored.resource.key in KEY_NAMES[:3] else None
        form = self.about(stored).id or usual
        counter = f"{stored.resource.name}_id"
        if form is None:
            schema = stored.schemas.get(stored.resource.key, {})
            return self._builder.make_key(schema, stored.resource.name, call.db.next(counter, at_least=FIRST_NUMBER))
        match form.kind:
            case "uuid":
                return form.prefix + call.ids.uuid()
            case "number":
                key = call.db.next(counter, at_least=form.first)
            case "snowflake":
                milliseconds = max(call.clock.micros // 1000 - _EPOCH_MILLISECONDS, 0)
                key = call.db.next("snowflake", at_least=milliseconds << 22)
            case _:
                return call.ids.new(form.prefix, max(1, min(form.length, 64)), form.alphabet)
        return key if stored.key.kind == "integer" and not form.prefix else f"{form.prefix}{key}"

    def _is_emptied(self, schema: Schema) -> bool:
        """Return whether null makes a field empty: a text that answers never show as null."""
        is_text = self._schemas.type_of(schema) == "string" and not self._schemas.allows_null(schema)
        return is_text and "format" not in self._schemas.flatten(schema) and self._schemas.fits(schema, "")

    def _fit(self, stored: StoredResource, field: str, value: Any) -> Any:
        """Return a value as the column of a field holds it."""
        kind = stored.column(field).kind
        if value is None and field in stored.schemas and self._is_emptied(stored.schemas[field]):
            return ""
        if kind == "text" and not isinstance(value, str):
            return None if value is None else str(value)
        if kind == "integer" and (isinstance(value, bool) or not isinstance(value, int)):
            return parse_whole(str(value), None)
        if kind == "float":
            return float(value) if isinstance(value, (int, float)) else None
        return value if kind != "boolean" or isinstance(value, bool) else None


_PLAIN = ResourceOverlay()


def _put_inside(fields: dict[str, Any], path: Sequence[str], value: Any) -> None:
    """Set what stands at a path of objects, in copies of those that there are."""
    name, *rest = path
    if rest:
        known: Any = fields.get(name)
        inner = {**cast(Mapping[str, Any], known)} if isinstance(known, Mapping) else {}
        _put_inside(inner, rest, value)
        value = inner
    fields[name] = value


def _identify(item: Any) -> str:
    """Return what tells an item of a list from others: its key, or itself."""
    fields: Mapping[str, Any] = cast(Mapping[str, Any], item) if isinstance(item, Mapping) else {}
    return str(next((fields[key] for key in KEY_NAMES if fields.get(key) is not None), cast(Any, item)))


def check_move(states: StateMachine, now: Any, wanted: Any) -> None:
    """Raise StateConflict if a state may not follow another."""
    if states.moves and wanted not in states.moves.get(str(now), ()):
        following = ", ".join(map(repr, states.moves.get(str(now), ()))) or "nothing"
        said = f"{states.field} is {now!r}, after which {wanted!r} cannot come; {following} can."
        raise refuse_state(states.refusal, said)


def refuse_state(refusal: Refusal | None, said: str) -> StateConflict:
    """Return the error of a state change that is refused."""
    if refusal is None:
        return StateConflict(said)
    return StateConflict(refusal.message or said, status=refusal.status, code=refusal.code)


def is_time_of_record(field: str) -> bool:
    """Return whether a field's name says that it holds when an object was created or last changed."""
    return snake(field).startswith(_CREATED) and not snake(field).endswith(_NO_TIME)


def parse_whole(text: str, otherwise: Any = "") -> Any:
    """Return a text as an integer of at most 18 digits; otherwise `otherwise`, or the text itself."""
    return int(text) if is_whole(text) else text if otherwise == "" else otherwise
