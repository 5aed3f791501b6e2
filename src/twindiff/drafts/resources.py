"""Finds the resources of an API by convention: what is stored, under which paths, and how one is told from another.

`/users/{user_id}/orders` is a collection and `/users/{user_id}/orders/{id}` its member. Both are of the resource that
the name of their schema says, or else the last word of the path.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Literal, NamedTuple

from twindiff.kit.suggestions import did_you_mean

from .documents import BASE, ApiDescription, DescriptionError, OperationDescription, Schema
from .names import plural, singular, snake, split_words
from .overlay import Overlay
from .schemas import SchemaSet

KEY_NAMES = ("id", "gid", "sid", "uuid", "uid", "guid", "key", "slug", "login", "name", "code", "number", "email")
"""Fields by which an object is identified, the best first."""
_ENDING = re.compile(r"\.(json|xml)$")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_BULK_PATHS = (r"(.+)[/:]([^/:]+)", r"(.+)/([^/]+/[^/]+)")
"""A collection and what is done with it: `/books/create_many`, `/books:batchCreate`, `/books/batch/create`."""
LINK_FIELDS = ("_links", "links")
"""Fields with the links of an object, as HAL and JSON:API name them."""
ENVELOPES = ("data", "result", "results", "items", "values", "entries", "list", "records", "response", "objects")
"""Properties with the object or the list of an answer."""


OWN_KEY = "$own"
"""What an overlay gives as the key of objects whose names are unique only below what stands above them."""
SEARCH_WORDS = frozenset(["search", "query", "find", "filter", "list", "autocomplete"])
"""Last words of paths below a collection that list what of it a request asks for."""


UPSERT_WORDS = frozenset(["create_or_update", "createorupdate", "upsert", "update_or_create"])
"""Last words of paths below a collection that change what a request names, or create it."""
BULK_CREATIONS = frozenset(
    ["create_many", "create_multiple", "batch_create", "bulk_create", "create_batch", "create_bulk"]
)
"""Last words of paths below a collection that create several objects: `/create_many`, `/batch/create`."""
REMOVALS = frozenset(["delete", "hard_delete", "destroy", "permanent", "permanently", "permanent_delete", "purge"])
"""Last words of paths below a member by which DELETE removes it."""


_CREATING = (("create",), ("add",), ("insert",))


class Envelope(NamedTuple):
    """Where in an answer or a body the object or the list stands."""

    field: str
    """The property that holds it, or the path of one inside another, as in `data.items`; empty if it is the whole."""
    schema: Schema
    """The schema of the object, or of the list's items."""
    is_list: bool
    inner: str = ""
    """The property of each item that holds the object, beside what the list says of it, such as a score."""


MIN_COMMON_FIELDS = 0.5
"""The share of the fields of two collections that both have if they hold the same kind of objects."""


class Resource:
    """A kind of object that is stored."""

    def __init__(self, name: str, table: str = "") -> None:
        self.name, self.table = name, table or plural_of(name)
        self.is_renamed = False
        """Whether the overlay gives its table another name."""
        self.key = ""
        """The field that identifies one: that by which a path looks it up."""
        self.key_is_own = False
        """Whether the key is no field of the schema, but only stands in paths."""
        self.aliases: set[str] = set()
        """Other fields by which a path may look it up."""
        self.shown: list[Schema] = []
        """The schemas in which answers show it."""
        self.written: list[Schema] = []
        """The schemas in which bodies give it."""
        self.parents: set[str] = set()
        """Placeholders of paths above it that no field of it holds."""
        self.above: set[str] = set()
        """All placeholders of paths above it."""
        self.creatable = False
        self.needed: set[str] = set()
        """Fields that a body must have that creates one."""


def plural_of(name: str) -> str:
    """Return the name of the table of a resource."""
    *first, last = name.split("_")
    return "_".join([*first, plural(last)])


PathKind = Literal["collection", "member", "search", "upsert", "bulk", "action", "single"]
"""`search`, `upsert` and `bulk` (several objects are created) stand below a collection, `action` below a member;
`single` is one object, such as `/me`."""


class PathRole(NamedTuple):
    """What a path is about."""

    resource: str
    kind: PathKind
    parents: tuple[str, ...] = ()
    """The placeholders above the resource."""
    key: str = ""
    """The placeholder of the member."""
    action: str = ""
    """The last word of an action, or of a path that names one object, such as `me`."""


def find_envelope(
    schemas: SchemaSet, schema: Schema | None, names: tuple[str, ...] = (), declared: tuple[str, ...] = ()
) -> Envelope | None:
    """Return where an object or a list stands in a schema; None for a schema of neither.

    `names` are further names of the property that may hold it, such as those of the resource; a `declared` one does.
    """
    if schema is None:
        return None
    kind = schemas.type_of(schema)
    if kind == "array":
        return Envelope("", schemas.items(schema), is_list=True)
    properties = schemas.properties(schema)
    for name in declared:
        if name in properties:
            inner, is_list = properties[name], schemas.type_of(properties[name]) == "array"
            return Envelope(name, schemas.items(inner) if is_list else inner, is_list)
    if kind != "object" and not properties:
        return None
    lists = [name for name, each in properties.items() if schemas.type_of(each) == "array"]
    is_object = any(name in properties for name in KEY_NAMES[:6])
    known = [] if is_object else [name for name in lists if snake(name) in (*ENVELOPES, *names)]
    holds_list = known or (lists if len(lists) == 1 and _looks_like_page(properties, lists[0]) else [])
    if holds_list:
        return _open_items(schemas, holds_list[0], schemas.items(properties[holds_list[0]]))
    return _find_object(schemas, schema, names)


def _find_object(schemas: SchemaSet, schema: Schema, names: tuple[str, ...]) -> Envelope:
    """Return where an object stands in a schema, or the list that an object inside it holds."""
    properties = schemas.properties(schema)
    is_object = any(name in properties for name in KEY_NAMES[:6])
    if schemas.is_json_api(properties.get("data")):
        return Envelope("data", properties["data"], is_list=False)
    embedded = None if is_object else find_envelope(schemas, properties.get("_embedded"), names)
    if embedded and embedded.is_list and embedded.field:
        return embedded._replace(field=f"_embedded.{embedded.field}")
    objects = [name for name, each in properties.items() if schemas.type_of(each) == "object"]
    wrapped = [name for name in objects if snake(name) in ("data", "result", *names)]
    if wrapped and len(properties) <= 3 and not is_object:
        nested = find_envelope(schemas, properties[wrapped[0]], names)
        if nested and nested.is_list and nested.field:
            return nested._replace(field=f"{wrapped[0]}.{nested.field}")
        return Envelope(wrapped[0], properties[wrapped[0]], is_list=False)
    return Envelope("", schema, is_list=False)


def _open_items(schemas: SchemaSet, field: str, item: Schema) -> Envelope:
    """Return the envelope of a list, whose items may hold the object in the property `item`, `node` or `resource`."""
    properties = schemas.properties(item)
    inner = next((name for name in ("item", "node", "resource") if name in properties), "")
    is_wrapped = inner and not set(KEY_NAMES[:6]) & set(properties) and schemas.properties(properties[inner])
    return Envelope(field, properties[inner], True, inner) if is_wrapped else Envelope(field, item, is_list=True)


def find_body(
    schemas: SchemaSet, schema: Schema | None, names: tuple[str, ...], declared: tuple[str, ...]
) -> Envelope | None:
    """Return where the object stands in a body; a list in it is one of its fields, unlike in an answer."""
    envelope = find_envelope(schemas, schema, names, declared)
    if schema is not None and envelope and envelope.is_list and envelope.field:
        return Envelope("", schema, is_list=False)
    return envelope


def find_list_in(schemas: SchemaSet, schema: Schema | None, declared: tuple[str, ...] = ()) -> Envelope | None:
    """Return where a body has a list of objects: it is one, or has it in the only such property, or a declared one."""
    if schema is None:
        return None
    places = {"": schema} if schemas.type_of(schema) == "array" else schemas.properties(schema)
    lists = {
        name: schemas.items(each)
        for name, each in places.items()
        if schemas.type_of(each) == "array" and schemas.type_of(schemas.items(each)) == "object"
    }
    named = [name for name in declared if name in lists] or [*lists]
    return Envelope(named[0], lists[named[0]], is_list=True) if len(named) == 1 else None


def _looks_like_page(properties: dict[str, Schema], listed: str) -> bool:
    """Return whether an object with one list is a page: all that is beside the list says how to go on."""
    words = {word for name in properties if name != listed for word in split_words(name)}
    return not any(name in properties for name in KEY_NAMES[:6]) and bool(
        not words
        or words & {"total", "count", "next", "page", "offset", "limit", "cursor", "more", "token", "paging", "size"}
    )


def literal_of(path: str) -> str:
    """Return the last fixed segment of a path, without what precedes it in the segment."""
    segments = [_ENDING.sub("", each) for each in path.split("/") if each]
    return next((each for each in reversed(segments) if "{" not in each), "")


class ResourceMap:
    """The resources of a description by name, and what each path is about."""

    def __init__(self, description: ApiDescription, schemas: SchemaSet, overlay: Overlay | None = None) -> None:
        self.schemas, self._overlay = schemas, overlay or Overlay()
        self.resources: dict[str, Resource] = {}
        self.roles: dict[str, PathRole] = {}
        self._by_path: dict[str, dict[str, OperationDescription]] = {}
        for operation in description.operations:
            self._by_path.setdefault(operation.path, {})[operation.verb] = operation
        self._named: dict[str, tuple[str, frozenset[str]]] = {}
        """The collection that has a word for its name, and the fields of its objects."""
        self._told_apart: set[str] = set()
        self._shapes = {_shape(path): path for path in self._by_path}
        parted = [each.rpartition("/") for each in self._shapes]
        self._above_members = {above for above, _, last in parted if last.startswith("{}")}
        for path in sorted(self._by_path, key=lambda each: (each.count("/"), not each.endswith("}"), each)):
            self.roles[path] = self._role(path)
        members = {role.resource for role in self.roles.values() if role.kind == "member"}
        for path, role in self.roles.items():
            if role.kind == "single" and (made := self._find_created(path)) in members:
                self.roles[path] = PathRole(made, "collection", role.parents)
            elif role.kind == "single" and snake(role.resource) in SEARCH_WORDS:
                self.roles[path] = self._find_searched(path, role)
            elif role.kind == "single" and role.parents and (kind := self._find_shown(path)) in members:
                self.roles[path] = role._replace(resource=kind)
        tables = {self._table_of(role.resource): role.resource for role in self.roles.values()}
        self._declare_schemas(tables)
        for path, role in self.roles.items():
            role = self.roles[path] = self._declared_role(path, role, tables)
            self._learn(path, role)
        for resource in self.resources.values():
            resource.is_renamed = plural_of(resource.name) in self._overlay.tables
            self._choose_key(resource)
        self.renamed = {each.table for each in self.resources.values() if each.is_renamed}
        """Names of tables that the overlay gives."""

    def _declare_schemas(self, tables: dict[str, str]) -> None:
        """Add the resources whose schema the overlay names. Raises DescriptionError for an unknown schema."""
        known = [*self.schemas.names()]
        for table, about in self._overlay.resources.items():
            if about.schema:
                if about.schema not in known:
                    near = did_you_mean(about.schema, known)
                    said = (
                        f"The overlay's resources.{table}.schema names the schema '{about.schema}', which there is not."
                    )
                    raise DescriptionError(f"{said}{near}")
                name = tables.setdefault(table, "_".join([*table.split("_")[:-1], singular(table.split("_")[-1])]))
                resource = self.resources.setdefault(name, Resource(name, table))
                resource.shown.append({"$ref": f"{BASE}#/components/schemas/{about.schema}"})

    def _table_of(self, resource: str) -> str:
        usual = plural_of(resource)
        return self._overlay.tables.get(usual, usual)

    def _declared_role(self, path: str, role: PathRole, tables: dict[str, str]) -> PathRole:
        """Return what a path is about if the overlay names the table of each of its operations."""
        named = {
            self._overlay.operations[each.name].table if each.name in self._overlay.operations else ""
            for each in self._by_path[path].values()
        }
        table = named.pop() if len(named) == 1 else ""
        return role._replace(resource=tables[table]) if table in tables else role

    def _role(self, path: str) -> PathRole:
        bare = _ENDING.sub("", path)
        last = bare.rpartition("/")[2]
        placeholders = tuple(_PLACEHOLDER.findall(bare))
        if re.fullmatch(r"\{\w+\}", last) and (items := self._listed_by(path)):
            return PathRole(items, "collection", placeholders)
        if re.fullmatch(r"\{\w+\}", last):
            above = self.roles.get(self._shapes.get(_shape(bare.rpartition("/")[0]), ""))
            name = self._resource_at(path, is_member=True)
            name = above.resource if above and above.resource in self._told_apart else name
            return PathRole(name, "member", placeholders[:-1], placeholders[-1])
        above = bare.rpartition("/")[0]
        listed = self.roles.get(self._shapes.get(_shape(above), ""))
        if listed and listed.kind == "collection" and snake(last) in (*SEARCH_WORDS, *UPSERT_WORDS):
            kind = "upsert" if snake(last) in UPSERT_WORDS else "search"
            return PathRole(listed.resource, kind, placeholders, action=last)
        if bulk := self._find_bulk(path, bare):
            return bulk._replace(parents=placeholders)
        if self._is_collection(path):
            return PathRole(self._resource_at(path, is_member=False), "collection", placeholders)
        suffix = re.fullmatch(r"\{\w+\}[:.](\w+)", last)
        member = self._shapes.get(_shape(f"{above}/{{x}}" if suffix else above))
        if member and (role := self.roles.get(member)) and role.kind == "member":
            verbs = self._by_path[path]
            if suffix or ("POST" in verbs and "GET" not in verbs) or (set(verbs) <= {"PUT", "DELETE"}):
                return role._replace(kind="action", action=suffix[1] if suffix else last)
        beside = self.roles.get(self._shapes.get(_shape(f"{above}/{{x}}"), ""))
        if beside and "GET" in self._by_path[path]:
            return PathRole(beside.resource, "single", placeholders, action=last)
        return PathRole(singular(snake(last)) or "root", "single", placeholders)

    def _find_bulk(self, path: str, bare: str) -> PathRole | None:
        """Return the role of a path that creates several objects of a collection, if it is one."""
        if set(self._by_path[path]) != {"POST"}:
            return None
        for match in (re.fullmatch(pattern, bare) for pattern in _BULK_PATHS):
            above = self.roles.get(self._shapes.get(_shape(match[1]), "")) if match else None
            if match and above and above.kind == "collection" and snake(match[2]) in BULK_CREATIONS:
                return PathRole(above.resource, "bulk", action=match[2])
        return None

    def _listed_by(self, path: str) -> str:
        """Return the name of what a path that ends in a placeholder lists, as `/v0/{base}/{table}` does; else nothing.

        Such a path lists objects with an id, in a property that is not named as what the path says.
        """
        listing = self._by_path[path].get("GET")
        envelope = self._envelope(listing, ()) if listing and set(self._by_path[path]) <= {"GET", "POST"} else None
        if envelope is None or not envelope.is_list or not envelope.field:
            return ""
        has_id = any(name in self.schemas.properties(envelope.schema) for name in KEY_NAMES[:6])
        return singular(snake(envelope.field.rpartition(".")[2])) if has_id else ""

    def _find_created(self, path: str) -> str:
        """Return the kind of objects that a path such as `/people:createContact` takes and answers; else nothing."""
        posted = self._by_path[path].get("POST")
        words = split_words(path.rpartition("/")[2].rpartition(":")[2])
        if posted is None or posted.body is None or len(self._by_path[path]) > 1 or words[:1] not in _CREATING:
            return ""
        family = self.schemas.family(posted.body)
        return family if family and family == self.schemas.family(posted.answer) else ""

    def _find_shown(self, path: str) -> str:
        """Return the kind of object that a path only shows, as `/orders/{id}/buyer` shows a customer; else nothing."""
        envelope = self._envelope(self._by_path[path]["GET"], ()) if self.is_only_read(path) else None
        return self.schemas.family(envelope.schema) if envelope and not envelope.is_list else ""

    def _find_searched(self, path: str, role: PathRole) -> PathRole:
        """Return the role of a search beside the collections: of the one that has all fields of what it lists."""
        posted = self._by_path[path].get("POST")
        envelope = self._envelope(posted, ()) if posted else None
        if envelope is None or not envelope.is_list:
            return role
        wanted = {name for name in self.schemas.list_fields(envelope.schema) if not name.startswith("_")}
        collections = [(each, about) for each, about in self.roles.items() if about.kind == "collection"]
        searched = [about.resource for each, about in collections if wanted and wanted <= self._fields_posted(each)]
        return PathRole(searched[0], "search", role.parents, action=role.resource) if searched else role

    def _fields_posted(self, path: str) -> frozenset[str]:
        member = self._shapes.get(_shape(path) + "/{}")
        shown = self._by_path[member].get("GET") if member else None
        return frozenset(self.schemas.list_fields(shown.answer) if shown else ()) | self._fields_listed(path)

    def _is_collection(self, path: str) -> bool:
        shape = _shape(path)
        if shape in self._above_members:
            return True
        listing = self._by_path[path].get("GET")
        envelope = self._envelope(listing, (snake(literal_of(path)),)) if listing else None
        return envelope is not None and envelope.is_list and self.schemas.type_of(envelope.schema) == "object"

    def _envelope(self, operation: OperationDescription, names: tuple[str, ...]) -> Envelope | None:
        return find_envelope(self.schemas, operation.answer, names, self._overlay.holders(operation.name))

    def _resource_at(self, path: str, *, is_member: bool) -> str:
        """Return the name of the resource of a path: the family of its schema, else its last fixed word."""
        literal = snake(literal_of(path))
        *first, last = literal.split("_")
        word = "_".join([*first, singular(last)])
        verbs = self._by_path[path]
        for verb in ("GET", "PATCH", "PUT", "POST"):
            operation = verbs.get(verb)
            envelope = self._envelope(operation, (word, literal)) if operation else None
            if envelope and (envelope.is_list != is_member or verb == "POST"):
                family = self.schemas.family(envelope.schema)
                if family and self.schemas.properties(envelope.schema):
                    return family
        return word if is_member else self._tell_apart(path, word)

    def _tell_apart(self, path: str, word: str) -> str:
        """Return the name of a collection's resource: its last word, with the one before it if that is another's.

        `/contact` and `/custom_field/contact` are two collections if their objects have few fields in common.
        """
        fields = self._fields_listed(path)
        first = self._named.setdefault(word, (path, fields))
        before = path.rpartition("/")[0].rpartition("/")[2]
        if first[0] == path or not fields or not first[1] or "{" in before or not before:
            return word
        common = len(fields & first[1]) / len(fields | first[1])
        if common >= MIN_COMMON_FIELDS:
            return word
        self._told_apart.add(f"{singular(snake(before))}_{word}")
        return f"{singular(snake(before))}_{word}"

    def _fields_listed(self, path: str) -> frozenset[str]:
        """Return the fields of the objects of a collection."""
        named = (snake(literal_of(path)),)
        listed = [each for verb in ("GET", "POST") if (each := self._by_path[path].get(verb))]
        shown = [each for operation in listed if (each := self._envelope(operation, named))]
        return frozenset(name for each in shown for name in self.schemas.list_fields(each.schema))

    def _learn(self, path: str, role: PathRole) -> None:
        """Add to a resource what the operations of a path say of it."""
        if role.kind in ("search", "upsert"):
            return
        if role.kind in ("bulk", "action"):
            learn = self._learn_of_bulk if role.kind == "bulk" else self._learn_of_action
            learn(path, role)
            return
        resource = self.resources.setdefault(role.resource, Resource(role.resource, self._table_of(role.resource)))
        resource.above.update(role.parents)
        names = (resource.name, resource.table, snake(literal_of(path)))
        for verb, operation in self._by_path[path].items():
            shown = self._envelope(operation, names)
            if shown and self.schemas.properties(shown.schema):
                family = self.schemas.family(shown.schema)
                if role.kind != "collection" or not family or family == resource.name or verb == "POST":
                    resource.shown.append(shown.schema)
            if verb in ("POST", "PUT", "PATCH") and operation.body is not None:
                written = self._find_written(operation, names, takes_list=bool(shown and shown.is_list))
                if written:
                    resource.written.append(written.schema)
                if written and role.kind == "collection" and verb == "POST":
                    resource.needed |= self.schemas.needed_fields(written.schema)
            resource.creatable |= role.kind == "collection" and verb == "POST"
        if role.kind == "member":
            resource.aliases.add(role.key)

    def _find_written(
        self, operation: OperationDescription, names: tuple[str, ...], *, takes_list: bool
    ) -> Envelope | None:
        """Return where an object stands in a body, or the objects of its list if POST is answered with such."""
        holders = self._overlay.holders(operation.name)
        if takes_list and operation.verb == "POST" and (listed := find_list_in(self.schemas, operation.body, holders)):
            return listed
        written = find_body(self.schemas, operation.body, names, holders)
        return None if written and written.is_list else written

    def _learn_of_bulk(self, path: str, role: PathRole) -> None:
        """Add what the objects of a list are given, from an operation that creates several."""
        operation, resource = self._by_path[path]["POST"], self.resources.get(role.resource)
        listed = find_list_in(self.schemas, operation.body, self._overlay.holders(operation.name))
        if resource and listed:
            resource.written.append(listed.schema)
            resource.creatable = True

    def _learn_of_action(self, path: str, role: PathRole) -> None:
        """Add the flags that the answer of an action shows, such as `archived`, if it is of the resource."""
        resource = self.resources.get(role.resource)
        for operation in self._by_path[path].values():
            properties = self.schemas.properties(operation.answer)
            flags = {name: each for name, each in properties.items() if self.schemas.type_of(each) == "boolean"}
            if resource and flags and any(name in properties for name in KEY_NAMES[:6]):
                resource.shown.append({"type": "object", "properties": flags})

    def _choose_key(self, resource: Resource) -> None:
        """Choose the field by which a resource is looked up; one of its own if no field fits a placeholder."""
        fields = self.fields(resource)
        by_snake = {snake(name): name for name in fields}
        wanted: list[str] = []
        for placeholder in sorted(resource.aliases):
            wanted += list(fields_for(placeholder, resource.name, by_snake))
        declared = self._overlay.resources.get(resource.table)
        wanted = [declared.key, *wanted] if declared and declared.key in fields else wanted
        is_declared = declared is not None and declared.key in fields
        usual = [] if is_declared else [by_snake[name] for name in KEY_NAMES[:6] if name in by_snake]
        words = resource.name.split("_")
        own = [each for each in by_snake if re.fullmatch(r"\w+_id", each) and each.removesuffix("_id") in words]
        scalar = [
            name
            for name in (*usual, *wanted, *(by_snake[each] for each in own))
            if self.schemas.type_of(fields[name]) in ("string", "integer")
        ]
        resource.aliases = {by_snake.get(snake(each), each) for each in wanted} & set(fields)
        if scalar and not (declared and declared.key == OWN_KEY):
            resource.key = scalar[0]
        else:
            resource.key, resource.key_is_own = "id", True

    @cached_property
    def members(self) -> dict[str, PathRole]:
        """The paths of objects by id, with what they are about."""
        return {path: role for path, role in self.roles.items() if role.kind == "member"}

    def has_members(self, resource: str) -> bool:
        """Return whether objects of a kind have ids in paths."""
        return any(role.resource == resource for role in self.members.values())

    def is_only_read(self, path: str) -> bool:
        """Return whether GET is the only method of a path."""
        return [*self._by_path[path]] == ["GET"]

    def has_verb(self, path: str, verb: str) -> bool:
        """Return whether a path of the description has a method."""
        return verb in self._by_path[path]

    def list_addresses(self) -> dict[str, str]:
        """Return the path of an object by the name of its resource, for those that a path names by one placeholder."""
        members = [(path, role) for path, role in self.members.items() if not role.parents]
        return {role.resource: path for path, role in reversed(members)}

    def fields(self, resource: Resource) -> dict[str, Schema]:
        """Return the fields that answers show of a resource, by name."""
        return {
            name: each for schema in reversed(resource.shown) for name, each in self.schemas.list_fields(schema).items()
        }


def fields_for(placeholder: str, resource: str, by_snake: dict[str, str]) -> list[str]:
    """Return the fields that a placeholder of a path may stand for, the best first.

    `issueIdOrKey` of an issue stands for `id` and `key`; `issue_number` for `number`; `task_gid` for `gid`.
    """
    names: list[str] = []
    words = split_words(placeholder)
    stem = resource.split("_")
    for name in (words, words[len(stem) :] if list(words[: len(stem)]) == stem else (), words[1:], words[-1:]):
        joined = "_".join(name)
        if joined in by_snake:
            names.append(by_snake[joined])
    if "or" in words:
        names += [by_snake[each] for each in words if each in by_snake]
    return list(dict.fromkeys(names))


def _shape(path: str) -> str:
    return _PLACEHOLDER.sub("{}", _ENDING.sub("", path))
