"""Collections of objects that a vendor stores as clients send them, such as forms, webhooks and saved filters.

A vendor's package declares a `DocumentCollection` for each, with a `CollectionStyle` for the shapes that they share.
`serve_collections` makes the operations, and `find_documents` the rows that must have been there before recorded calls.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, NamedTuple, cast
from urllib.parse import unquote

from twindiff.kit.binding import Handler
from twindiff.kit.call import Call
from twindiff.kit.errors import AlreadyExists, ApiError, InvalidParameter, MissingOperation, MissingParameter, NotFound
from twindiff.kit.http import ValueResponse
from twindiff.kit.parameter_sources import Body, Named
from twindiff.kit.rows import Row
from twindiff.kit.twin import Operations

from ..change_events import emit_document_change
from ..recordings import RecordedCall
from .document_fields import FieldType, make_document_table, read_field_types, to_columns

ALL = frozenset(["list", "create", "read", "update", "delete"])
_PLACEHOLDER = re.compile(r"\{(\w+)(?::path)?\}")
Shown = dict[str, Any]
Parameters = Mapping[str, tuple[Any, Any]]
"""Parameters of a query: the type and the default of each."""
_NO_PARAMETERS: Parameters = MappingProxyType({})


class DocumentRequest(NamedTuple):
    """A request to a collection; a handler of another kind makes one to work on documents."""

    call: Call
    path: Mapping[str, str] = {}
    """The values of the placeholders of the path, decoded."""
    query: Mapping[str, Any] = {}
    """The query as texts; declared parameters have their types and defaults."""
    body: Any = None
    """The whole body as JSON; None without one."""

    def read_object(self) -> Shown:
        """Return the body, which must be an object or empty. Raises InvalidParameter."""
        given = self.find_object() if self.body is not None else {}
        if given is None:
            raise InvalidParameter("body", "must be an object")
        return given

    def find_object(self, name: str = "") -> Shown | None:
        """Return the object that the body is, or has as `name`; None if it is no object."""
        given: Any = self.body
        if name:
            given = cast(Shown, given).get(name) if isinstance(given, dict) else None
        return dict(cast(Shown, given)) if isinstance(given, dict) else None

    def read_whole(self, name: str, otherwise: int) -> int:
        """Return a parameter of the query as a whole number, or `otherwise` if it is none of at most nine digits."""
        text = str(self.query.get(name, ""))
        return int(text) if re.fullmatch(r"-?\d{1,9}", text, re.ASCII) else otherwise

    def read_objects(self, name: str = "") -> list[Shown]:
        """Return the list of objects that the body is, or has as `name`. Raises InvalidParameter."""
        listed = self.read_object().get(name) if name else self.body
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in cast(list[Any], listed)):
            raise InvalidParameter(name or "body", "must be a list of objects")
        return cast(list[Shown], listed)


Respond = Callable[[DocumentRequest], Any]


class CollectionStyle:
    """The shapes that the collections of a vendor share; a vendor overrides what differs."""

    suffix = ""
    """What paths end with, such as `.json`."""
    updates_by: tuple[str, ...] = ("PATCH",)
    created = 201
    deleted = 204
    times: tuple[str, ...] = ()
    """The field with the time of creation, and that with the time of the last change."""
    computed: frozenset[str] = frozenset()
    """Fields that bodies cannot set."""
    parameters: ClassVar[Parameters] = _NO_PARAMETERS
    """Parameters of lists."""
    is_lenient = False
    """Whether numbers and flags may be given as texts, as forms do."""

    def read_fields(self, request: DocumentRequest) -> Shown:
        """Return the fields that the body of a request gives. Raises what the vendor refuses."""
        return request.read_object()

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        """Return the answer with the documents that a request lists, given all in the order of their creation."""
        return shown

    def read_list(self, answer: Any) -> list[Any]:
        """Return the documents of an answer as `show_list` makes it."""
        return cast(list[Any], answer) if isinstance(answer, list) else []

    def show_one(self, shown: Shown) -> Any:
        """Return the answer with one document."""
        return shown

    def read_one(self, answer: Any) -> Any:
        """Return the document of an answer as `show_one` makes it."""
        return answer

    def show_deleted(self, request: DocumentRequest, shown: Shown) -> Any:
        """Return the answer to a deletion; None for an empty one."""
        return None

    def refuse_missing(self, name: str, key: str) -> ApiError:
        """Return the error for a document that does not exist."""
        return NotFound(name, key)

    def refuse_absent(self, name: str, absent: Sequence[str]) -> ApiError:
        """Return the error for a new document that lacks required fields."""
        return MissingParameter(absent[0], absent)

    def refuse_invalid(self, name: str, field: str, kind: FieldType, value: Any) -> ApiError:
        """Return the error for a value that is not of the type of its field."""
        return InvalidParameter(field, f"must be {kind.description}")

    def refuse_taken(self, name: str, taken: str, value: Any) -> ApiError:
        """Return the error for a new document with a value that another has."""
        return AlreadyExists(f"There is a {name} with this {taken} already: '{value}'", name=taken)

    def make_key(self, call: Call, collection: DocumentCollection) -> Any:
        """Return the key of a new document."""
        return call.db.next(f"{collection.table}_key", at_least=1001)

    def show_now(self, call: Call) -> Any:
        """Return the present time as documents show it."""
        return call.clock.iso()

    def stamp(self, call: Call, *, is_new: bool) -> Shown:
        """Return the times that a document has once it is created or changed."""
        return dict.fromkeys(self.times if is_new else self.times[1:], self.show_now(call))


def show_document(_request: DocumentRequest, fields: Shown) -> Shown:
    """Return a document as it is stored."""
    return fields


def refuse_nothing(_request: DocumentRequest, _fields: Shown) -> None:
    """Accept any fields."""


def keep_scope(_call: Call, given: Sequence[str]) -> Sequence[str]:
    """Return the keys above a document as its path has them."""
    return given


@dataclass(frozen=True, kw_only=True, eq=False)
class DocumentCollection:
    """A collection at `path`, whose members are at `path` with a further segment `item`."""

    table: str
    path: str
    style: CollectionStyle
    name: str = ""
    """What one document is called in refusals; by default the table."""
    item: str = "/{id}"
    key: str = "id"
    """The field that names a document."""
    aliases: tuple[str, ...] = ()
    """Further fields by which a path may name one."""
    serves: frozenset[str] = ALL
    """Of `list`, `create`, `read`, `update` and `delete`."""
    updates_by: tuple[str, ...] | None = None
    """The methods that update a document; by default those of the style."""
    replaces: bool = False
    """Whether an update removes the fields that it lacks."""
    required: tuple[str, ...] = ()
    unique: tuple[str, ...] = ()
    fields: str = ""
    """The types of the fields that are known, as `document_fields` reads them; those of a table are declared alike."""
    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])
    hidden: frozenset[str] = frozenset()
    """Fields of bodies that are not stored."""
    filters: tuple[str, ...] = ()
    """Parameters of the list that name the value of a field: `state`, or `states=state` for one of another name."""
    searched: tuple[str, ...] = ()
    """Fields in which the parameter `search` of the list looks for a text."""
    unserved: tuple[str, ...] = ()
    """Parameters of the vendor's list that are refused as not implemented."""
    given_key: str = ""
    """The field of the body that is the key of a new document; by default the style makes one."""
    created: int = 0
    """The status of a creation; by default that of the style, as is that of a deletion."""
    deleted: int = 0
    above: DocumentCollection | None = None
    """The collection to whose documents these belong; they are removed with them."""
    below: list[DocumentCollection] = field(default_factory=list["DocumentCollection"], init=False)
    """The collections whose `above` this is."""
    check: Callable[[DocumentRequest, Shown], None] = refuse_nothing
    """Raises what the vendor refuses; gets the fields as they will be stored."""
    show: Callable[[DocumentRequest, Shown], Shown] = show_document
    """Adds what is computed."""
    resolve: Callable[[Call, Sequence[str]], Sequence[str]] = keep_scope
    """Returns the keys of what stands above by the values of the path; raises what does not exist."""

    def __post_init__(self) -> None:
        if self.above is not None:
            self.above.below.append(self)

    @property
    def row(self) -> Any:
        """The class of its rows."""
        return make_document_table(self.table, self.fields)

    @property
    def label(self) -> str:
        """What one document is called."""
        return self.name or self.table.removesuffix("s").replace("_", " ")

    @property
    def parameters(self) -> Parameters:
        """The parameters of its list."""
        named = [name.partition("=")[0] for name in self.filters]
        return {**self.style.parameters, **dict.fromkeys([*named, *(["search"] if self.searched else [])], (str, None))}

    @property
    def key_name(self) -> str:
        """The placeholder of a document in the path."""
        return _PLACEHOLDER.findall(self.item)[-1]

    def scope(self, request: DocumentRequest) -> str:
        """Return what stands above the documents of a request. Raises what does not exist."""
        names = _PLACEHOLDER.findall(self.path)
        if self.above is not None:
            return _scope_below(self.above.find(request, request.path[names[-1]]))
        given = self.resolve(request.call, [request.path[name] for name in names]) if names else ()
        return "/".join(given)

    def rows(self, request: DocumentRequest) -> list[Any]:
        """Return the rows below what a request names, in the order of creation."""
        return self.rows_in(request.call, self.scope(request))

    def rows_in(self, call: Call, scope: str) -> list[Any]:
        """Return the rows of a scope, in the order of creation."""
        return call.db.rows(self.row, self.row.scope == scope, order=(self.row.number, self.row.key))

    def find_in(self, call: Call, scope: str, key: str) -> Any:
        """Return the row of a scope that has a key; None if there is none."""
        return call.db.find(self.row, self.row.scope == scope, self.row.key == key)

    def find(self, request: DocumentRequest, key: str | None = None) -> Any:
        """Return the row that a request names, or that has a key. Raises the style's error."""
        wanted = request.path[self.key_name] if key is None else key
        scope = self.scope(request)
        row = self.find_in(request.call, scope, wanted)
        if row is None and self.aliases:
            others = self.rows_in(request.call, scope)
            known = (each for each in others if wanted in (str(each.fields.get(name)) for name in self.aliases))
            row = next(known, None)
        if row is None:
            raise self.style.refuse_missing(self.label, wanted)
        return row

    def add(self, request: DocumentRequest, given: Mapping[str, Any]) -> Any:
        """Store a new document and return its row. Raises what the vendor refuses."""
        call = request.call
        absent = [name for name in self.required if given.get(name) in (None, "")]
        if absent:
            raise self.style.refuse_absent(self.label, absent)
        hidden = self.hidden | self.style.computed
        own = {name: each for name, each in given.items() if name not in hidden}
        fields = {**self.defaults, **self._convert(own)}
        self.check(request, fields)
        scope = self.scope(request)
        self._refuse_taken(call, scope, fields)
        chosen = fields.get(self.given_key) if self.given_key else None
        key = self.style.make_key(call, self) if chosen in (None, "") else chosen
        if chosen is not None and self.find_in(call, scope, str(key)):
            raise self.style.refuse_taken(self.label, self.given_key, key)
        fields = {self.key: key, **fields, **self.style.stamp(call, is_new=True)}
        fields[self.key] = key
        row = self.store(call, scope, str(key), fields)
        emit_document_change(call, self.table, "create", key, row.fields)
        return row

    def store(self, call: Call, scope: str, key: str, fields: Mapping[str, Any]) -> Any:
        """Store a document as it is, in place of one with its key, and return its row."""
        known = self.find_in(call, scope, key)
        if known is not None:
            return self.write(call, known, fields)
        number = call.db.next(f"{self.table}_number", at_least=1001)
        columns = to_columns(self.fields, fields, self.style.stamp(call, is_new=True))
        return call.db.add(self.row(scope=scope, key=key, number=number, **columns))

    def write(self, call: Call, row: Any, fields: Mapping[str, Any]) -> Any:
        """Replace the fields of a document and return its row."""
        return call.db.change(row, **to_columns(self.fields, fields, self.style.stamp(call, is_new=True)))

    def remove(self, call: Call, row: Any) -> None:
        """Remove a document with all below it."""
        for each in self.below:
            for inner in each.rows_in(call, _scope_below(row)):
                each.remove(call, inner)
        emit_document_change(call, self.table, "delete", row.fields.get(self.key, row.key), row.fields)
        call.db.remove(row)

    def change(self, request: DocumentRequest, row: Any, given: Mapping[str, Any]) -> Any:
        """Change a document and return its row. Raises what the vendor refuses."""
        stamped = self.style.stamp(request.call, is_new=False)
        fixed = {self.key, *self.style.stamp(request.call, is_new=True)} - stamped.keys()
        unset = self.hidden | self.style.computed | fixed
        own = {name: each for name, each in given.items() if name not in unset}
        emptied = [name for name in self.required if name in own and own[name] in (None, "")]
        if emptied:
            raise self.style.refuse_absent(self.label, emptied)
        own = self._convert(own)
        kept = {name: each for name, each in row.fields.items() if name in fixed}
        fields = {**(self.defaults if self.replaces else row.fields), **own, **kept}
        self.check(request, fields)
        self._refuse_taken(request.call, row.scope, own, row.key)
        before = dict(row.fields)
        changed = self.write(request.call, row, {**fields, **stamped})
        key = changed.fields.get(self.key, changed.key)
        emit_document_change(request.call, self.table, "update", key, changed.fields, before)
        return changed

    def _convert(self, given: Mapping[str, Any]) -> Shown:
        """Return given fields as they are stored. Raises the style's error for one of another type."""
        types, fields = read_field_types(self.fields), dict(given)
        for name in types.keys() & fields.keys():
            try:
                fields[name] = types[name].convert(fields[name], is_lenient=self.style.is_lenient)
            except ValueError:
                raise self.style.refuse_invalid(self.label, name, types[name], fields[name]) from None
        return fields

    def to_row(self, scope: str, key: str, fields: Mapping[str, Any], number: int) -> Shown:
        """Return a row of a template."""
        return {"scope": scope, "key": key, "number": number, **to_columns(self.fields, fields)}

    def _refuse_taken(self, call: Call, scope: str, fields: Mapping[str, Any], own: str = "") -> None:
        for name in self.unique:
            others = [each for each in self.rows_in(call, scope) if each.key != own] if name in fields else []
            if any(str(each.fields.get(name)) == str(fields[name]) for each in others):
                raise self.style.refuse_taken(self.label, name, fields[name])

    def view(self, request: DocumentRequest, row: Any) -> Shown:
        """Return a document as clients see it."""
        return self.show(request, dict(row.fields))

    def list_shown(self, request: DocumentRequest) -> list[Shown]:
        """Return the documents that meet the filters of a request. Raises MissingOperation for what is not served."""
        query = request.query
        for name in self.unserved:
            if name in query:
                raise MissingOperation(f"This drafted twin does not have the parameter '{name}' of this list.")
        shown = [self.view(request, row) for row in self.rows(request)]
        for said in self.filters:
            name, _, path = said.partition("=")
            if query.get(name) is not None:
                wanted = str(query[name]).lower()
                shown = [each for each in shown if str(_value_at(each, path or name)).lower() == wanted]
        if self.searched and query.get("search"):
            term = str(query["search"]).lower()
            shown = [each for each in shown if any(term in str(each.get(name)).lower() for name in self.searched)]
        return shown

    # -- operations ------------------------------------------------------------------------------------------------

    def respond_list(self, request: DocumentRequest) -> Any:
        """List documents."""
        return self.style.show_list(request, self.list_shown(request))

    def respond_create(self, request: DocumentRequest) -> Any:
        """Create a document."""
        row = self.add(request, self.style.read_fields(request))
        return ValueResponse(self.style.show_one(self.view(request, row)), self.created or self.style.created)

    def respond_read(self, request: DocumentRequest) -> Any:
        """Return a document."""
        return self.style.show_one(self.view(request, self.find(request)))

    def respond_update(self, request: DocumentRequest) -> Any:
        """Change a document."""
        row = self.change(request, self.find(request), self.style.read_fields(request))
        return self.style.show_one(self.view(request, row))

    def respond_delete(self, request: DocumentRequest) -> Any:
        """Remove a document."""
        row = self.find(request)
        shown = self.view(request, row)
        self.remove(request.call, row)
        return ValueResponse(self.style.show_deleted(request, shown), self.deleted or self.style.deleted)


def _value_at(shown: Any, path: str) -> Any:
    for name in path.split("."):
        shown = cast(Shown, shown).get(name) if isinstance(shown, dict) else None
    return shown


def _scope_below(row: Any) -> str:
    return f"{row.scope}/{row.key}" if row.scope else row.key


def declare_operation(
    api: Operations,
    name: str,
    respond: Respond,
    summary: str = "",
    *,
    reads: bool | None = None,
    parameters: Parameters = _NO_PARAMETERS,
) -> None:
    """Declare the operation of a name such as `POST /forms/{id}/clone`, served by `respond`.

    GET only reads, and POST may change something, unless `reads` says otherwise. `parameters` are those of the query.
    """
    verb, path = name.split(" ", 1)
    names = _PLACEHOLDER.findall(path)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    handled = [inspect.Parameter("call", kind)]
    hints: dict[str, Any] = {"call": Call, "return": Any}
    for number, each in enumerate(names):
        handled.append(inspect.Parameter(f"path_{number}", kind))
        hints[f"path_{number}"] = Annotated[str, Named(each)]
    for number, (each, (hint, default)) in enumerate(parameters.items()):
        handled.append(inspect.Parameter(f"query_{number}", kind, default=default))
        hints[f"query_{number}"] = Annotated[hint | None if default is None else hint, Named(each)]
    if verb != "GET":
        handled.append(inspect.Parameter("body", kind, default=None))
        hints["body"] = Annotated[Any, Body]

    def handler(call: Call, *values: Any) -> Any:
        query: Mapping[str, str] = call.memo["exchange"].request.query_parameters()
        given = dict(zip(names, map(str, values), strict=False))
        typed = dict(zip(parameters, values[len(names) :], strict=False))
        return respond(DocumentRequest(call, given, {**query, **typed}, None if verb == "GET" else values[-1]))

    handler.__name__ = re.sub(r"\W+", "_", name.lower()).strip("_")
    handler.__doc__ = summary or respond.__doc__
    handler.__annotations__ = hints
    handler.__signature__ = inspect.Signature(handled)  # pyright: ignore[reportFunctionMemberAccess]
    _declare_handler(api, verb, path, reads)(handler)


def _declare_handler(api: Operations, verb: str, path: str, reads: bool | None) -> Callable[[Handler], Handler]:
    if verb == "GET":
        return api.get(path, reads=reads is not False)
    if verb == "POST":
        return api.post(path, reads=reads is True)
    return {"PUT": api.put, "PATCH": api.patch, "DELETE": api.delete}[verb](path)


def serve_collections(api: Operations, collections: Iterable[DocumentCollection]) -> None:
    """Declare the operations of collections."""
    for each in collections:
        suffix, one, many = each.style.suffix, each.label, each.table.replace("_", " ")
        listing, member = f"{each.path}{suffix}", f"{each.path}{each.item}{suffix}"
        updates_by = each.style.updates_by if each.updates_by is None else each.updates_by
        operations = {
            "list": [("GET", listing, each.respond_list, f"List {many}.")],
            "create": [("POST", listing, each.respond_create, f"Create a {one}.")],
            "read": [("GET", member, each.respond_read, f"Return a {one}.")],
            "update": [(verb, member, each.respond_update, f"Change a {one}.") for verb in updates_by],
            "delete": [("DELETE", member, each.respond_delete, f"Remove a {one}.")],
        }
        for what in ("list", "create", "read", "update", "delete"):
            for verb, path, respond, summary in operations[what] if what in each.serves else ():
                parameters = each.parameters if what == "list" else _NO_PARAMETERS
                declare_operation(api, f"{verb} {path}", respond, summary, parameters=parameters)


def list_tables(collections: Iterable[DocumentCollection]) -> list[type[Row]]:
    """Return the tables of collections, each once. Raises TypeError if two declare different fields of a table."""
    tables: dict[str, type[Row]] = {}
    for each in collections:
        if tables.setdefault(each.table, each.row) is not each.row:
            raise TypeError(f"The collections of the table '{each.table}' must declare the same fields")
    return [*tables.values()]


Rescope = Callable[[Sequence[str]], Sequence[str]]


def find_documents(
    calls: Sequence[RecordedCall], collections: Sequence[DocumentCollection], rescope: Rescope = list
) -> dict[str, list[Shown]]:
    """Return the rows of documents that calls show and do not create, by table, as they were at first.

    `rescope` returns the keys of what stands above by the values in a path.
    """
    made: set[tuple[str, str, str]] = set()
    documents: dict[tuple[str, str, str], Shown] = {}
    shapes = [(_shape_of(each.path), _shape_of(f"{each.path}{each.item}"), each) for each in collections]
    for call in calls:
        if call.status >= 300 or call.answer is None:
            continue
        for listing, member, collection in shapes:
            for at, shown in _documents_in(call, listing, member, collection, rescope):
                if call.verb != "GET":
                    made.add(at)
                elif at not in made:
                    documents[at] = {**shown, **documents.get(at, {})}
    by_table = {each.table: each for each in collections}
    tables: dict[str, list[Shown]] = {}
    for number, ((table, scope, key), fields) in enumerate(documents.items()):
        tables.setdefault(table, []).append(by_table[table].to_row(scope, key, fields, number))
    return tables


def _shape_of(path: str) -> re.Pattern[str]:
    segments = re.sub(r"\\\{\w+\\\}", "([^/]+)", re.escape(path.rstrip("/")))
    return re.compile(re.sub(r"\\\{\w+:path\\\}", "(.+)", segments))


def _documents_in(
    call: RecordedCall,
    listing: re.Pattern[str],
    member: re.Pattern[str],
    collection: DocumentCollection,
    rescope: Rescope,
) -> Iterator[tuple[tuple[str, str, str], Shown]]:
    """Yield the documents of a collection that an answer shows, each with its table, its scope and its key."""
    path, style = call.path.rstrip("/"), collection.style
    match = listing.fullmatch(path)
    if match and call.verb == "GET" and "list" in collection.serves:
        shown, given = style.read_list(call.answer), match.groups()
    elif match and call.verb == "POST" and "create" in collection.serves:
        shown, given = [style.read_one(call.answer)], match.groups()
    elif (match := member.fullmatch(path)) and call.verb == "GET":
        shown, given = [style.read_one(call.answer)], match.groups()[:-1]
    else:
        return
    scope = "/".join(rescope([unquote(each) for each in given]))
    for each in shown:
        if isinstance(each, dict) and cast(Shown, each).get(collection.key) is not None:
            document = cast(Shown, each)
            yield (collection.table, scope, str(document[collection.key])), document
