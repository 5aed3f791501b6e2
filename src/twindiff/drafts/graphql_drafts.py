"""Makes the twin of a GraphQL schema (SDL): queries, connections and mutations by convention."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, cast

import graphql as graphql_core
import msgspec
from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    parse,
    validate,
)

from twindiff.kit.call import Call
from twindiff.kit.http import Response, json_answer
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .change_events import make_webhooks
from .documents import ApiDescription, OperationDescription
from .drafting import DraftedTwin, hosts_of, variables_of
from .graphql_execution import GraphqlExecution, GraphqlObject
from .graphql_schemas import GraphqlTypes, read_sdl, resource_name, schema_reference, table_name
from .listing import ListQuery
from .names import split_words
from .overlay import ErrorOverlay, Overlay, find_overlay, read_overlay
from .overlay_checks import check_overlay
from .plan import Behaviour, OperationPlan, find_declared_change, find_state_change, list_guesses
from .resources import Envelope, PathRole, Resource, ResourceMap
from .samples import SampleRows
from .schemas import SchemaSet
from .seeding import make_seeding
from .stored_objects import StoredObjects
from .tables import IdempotentAnswer, StoredResource, store_resources
from .wire_style import DRAFTED_HEADER, DraftStyle

MAX_DOCUMENT_LETTERS, MAX_TOKENS, MAX_ERRORS = 100_000, 10_000, 20
_VERBS: Mapping[str, Behaviour] = {
    **dict.fromkeys(("create", "add", "new", "insert", "register"), "create"),
    **dict.fromkeys(("update", "edit", "modify", "set", "save", "change"), "update"),
    **dict.fromkeys(("delete", "remove", "destroy"), "delete"),
}
_ERRORS = ErrorOverlay(body={"errors": [{"message": "$message", "extensions": {"code": "$code"}}], "data": None})


class GraphqlBody(msgspec.Struct):
    """A request of GraphQL."""

    query: str = ""
    variables: dict[str, Any] | None = None
    operationName: str | None = None  # noqa: N815 - the name on the wire


class GraphqlDraft:
    """A GraphQL schema that can be served at `POST /graphql`.

    Types with an `id` are stored. Raises DescriptionError for an overlay that names what is not there.
    """

    def __init__(self, schema: GraphQLSchema, name: str, overlay: Overlay | None = None) -> None:
        self.name, self.overlay, self._schema = name, overlay or Overlay(), schema
        self._types = GraphqlTypes(schema)
        document = self._types.document()
        self._schemas = SchemaSet(document)
        self._map = ResourceMap(ApiDescription(name, {}, (), document, (), ()), self._schemas, self.overlay)
        for kind in self._types.stored:
            self._add_resource(kind)
        self._stored = store_resources(self._map)
        self._tables = {kind: self._stored[resource_name(kind)] for kind in self._types.stored}
        self._description = ApiDescription(name, {}, self._describe_roots(), document, (), ())
        subjects = dict.fromkeys(operation.name for operation in self._description.operations)
        check_overlay(self.overlay, subjects, {each.table: each for each in self._stored.values()})
        self._objects = StoredObjects(self._stored, self.overlay, self._schemas)
        self._execution = GraphqlExecution(self._types, self._tables, self._objects, self._schemas)
        self.plans = [self._plan(operation) for operation in self._description.operations]
        self._execution.plans = {plan.operation.name: plan for plan in self.plans}
        self._samples = SampleRows(self._map, self._stored, self.overlay, self._schemas)
        self._read_document = lru_cache(maxsize=512)(self._parse)
        for kind in schema.type_map.values():
            if graphql_core.is_abstract_type(kind):
                cast(Any, kind).resolve_type = _type_of

    @classmethod
    def read(cls, path: Path, name: str) -> GraphqlDraft:
        """Read the schema in a file, with the overlay `<file>.twin.yaml` beside it if there is one.

        Raises DescriptionError with what is wrong with either.
        """
        beside = find_overlay(path)
        overlay = read_overlay(beside) if beside.exists() else Overlay()
        return cls(read_sdl(path), overlay.name or name, overlay)

    def _add_resource(self, kind: str) -> None:
        resource = Resource(resource_name(kind), table_name(kind))
        resource.key = "id"
        resource.shown.append(schema_reference(kind))
        self._map.resources[resource.name] = resource
        self._map.roles[f"/{resource.table}"] = PathRole(resource.name, "collection")

    def _roots(self, verb: str) -> Mapping[str, Any]:
        kind = self._schema.query_type if verb == "query" else self._schema.mutation_type
        return kind.fields if kind else {}

    def _describe_roots(self) -> tuple[OperationDescription, ...]:
        roots = [(verb, name, field) for verb in ("query", "mutation") for name, field in self._roots(verb).items()]
        described: list[OperationDescription] = []
        for verb, name, field in roots:
            if verb == "mutation":
                self._learn_input(name, field)
            described.append(OperationDescription(verb, name, field.description or name, (), None, False, {}))
        return tuple(described)

    def _learn_input(self, name: str, field: Any) -> None:
        """Add what a mutation gives of an object to its resource."""
        behaviour, kind, _ = self._split_name(name, field)
        if kind and behaviour in ("create", "update"):
            given = self._types.input_fields(field.args)
            resource = self._map.resources[resource_name(kind)]
            properties = {each: self._types.json_schema(type) for each, type in given.items()}
            resource.written.append({"type": "object", "properties": properties})
            resource.creatable |= behaviour == "create"

    def _split_name(self, name: str, field: Any) -> tuple[Behaviour | str, str, str]:
        """Return what a mutation's name such as `issueCreate` says: what it does, to which type, and the verb."""
        words = split_words(name)
        for verb, others in ((words[0], words[1:]), (words[-1], words[:-1])):
            kind = self._types.by_resource.get("_".join(others))
            if kind:
                return _VERBS.get(verb, "act"), kind, verb
        return "missing", "", ""

    # -- plans -----------------------------------------------------------------------------------------------------

    def _plan(self, operation: OperationDescription) -> OperationPlan:
        field = self._roots(operation.verb)[operation.path]
        if operation.verb == "query":
            targets = self._types.targets_of(field.type)
            behaviour: Behaviour = "list" if self._types.is_many(field.type) else "read"
            reason = "" if targets else "its type is none that is stored"
            return self._make_plan(operation, behaviour, targets[0] if targets else "", reason)
        behaviour_name, kind, verb = self._split_name(operation.path, field)
        if not kind:
            return self._make_plan(operation, "missing", "", "its name is not a verb and a type that is stored")
        stored = self._tables[kind]
        change = find_declared_change(self.overlay, operation.name)
        if behaviour_name == "act" and change is None:
            change = find_state_change(verb, stored.schemas, self._schemas) or self._upper_change(verb, stored)
        if behaviour_name == "act" and change is None:
            return self._make_plan(operation, "missing", "", f"what '{verb}' changes is not known")
        plan = self._make_plan(operation, cast(Behaviour, "act" if change else behaviour_name), kind, "")
        return plan._replace(change=change)

    def _upper_change(self, verb: str, stored: StoredResource) -> Any:
        """Return the change to a state whose name is in capitals, as enumerations of GraphQL are."""
        lower = {
            name: {**schema, "enum": [str(each).lower() for each in schema["enum"]]} if "enum" in schema else schema
            for name, schema in stored.schemas.items()
        }
        change = find_state_change(verb, lower, self._schemas)
        return change._replace(value=str(change.value).upper()) if change and isinstance(change.value, str) else change

    def _make_plan(self, operation: OperationDescription, does: Behaviour, kind: str, reason: str) -> OperationPlan:
        stored = self._tables.get(kind)
        behaviour: Behaviour = does if stored else "missing"
        role = PathRole(stored.resource.name if stored else "", "collection")
        answer = Envelope("", schema_reference(kind), is_list=False) if kind else None
        guessed = list_guesses(answer, stored, self._schemas) if behaviour != "delete" else ()
        return OperationPlan(operation, behaviour, role, stored, answer, None, ListQuery(), None, guessed, reason)

    # -- the twin --------------------------------------------------------------------------------------------------

    def twin(self) -> DraftedTwin:
        """Return the twin."""
        api, name = Operations(), self.name
        api.post("/graphql")(self._answer)
        twin = DraftedTwin(
            name,
            DraftStyle(self._description, self._schemas, self.overlay.errors or _ERRORS),
            api,
            tables=[*(each.row for each in self._stored.values()), IdempotentAnswer],
            templates={
                f"{name}_base": self._samples.base,
                f"{name}_sample": self._samples.sample,
                **{f"{name}_{each}": partial(self._samples.read_template, each) for each in self.overlay.templates},
            },
            hosts=hosts_of(self.overlay),
            missing=[plan.operation.name for plan in self.plans if plan.behaviour == "missing"],
            seeding=make_seeding(self._objects, self.overlay),
            webhooks=make_webhooks(self.overlay, self._objects),
            variables=variables_of(self.overlay),
        )
        twin.plans = self.plans
        return twin

    def _parse(self, text: str) -> DocumentNode | list[GraphQLError]:
        """Return a document, or what is wrong with it."""
        try:
            document = parse(text, max_tokens=MAX_TOKENS)
        except GraphQLError as error:
            return [error]
        except RecursionError:
            return [GraphQLError("The document is nested too deeply.")]
        return validate(self._schema, document, max_errors=MAX_ERRORS) or document

    def _answer(self, call: Call, body: Annotated[GraphqlBody, Body]) -> Response:
        """Answer a document; errors have the status 200, but for a request without a document."""
        if not body.query.strip() or len(body.query) > MAX_DOCUMENT_LETTERS:
            said = f"A request needs a `query` of at most {MAX_DOCUMENT_LETTERS:,} letters."
            return json_answer({"errors": [{"message": said}]}, 400)
        document = self._read_document(body.query)
        if isinstance(document, list):
            return json_answer({"errors": [error.formatted for error in document]}, 400)
        names = [each.name for each in document.definitions if isinstance(each, OperationDefinitionNode)]
        if len(names) > 1 and not body.operationName:
            return json_answer({"errors": [{"message": "The document has several operations; name one."}]}, 400)
        result = cast(Any, graphql_core).execute_sync(
            self._schema,
            document,
            context_value=call,
            variable_values=body.variables,
            operation_name=body.operationName,
            field_resolver=self._execution.resolve,
        )
        shown: dict[str, Any] = {"data": result.data}
        if result.errors:
            shown["errors"] = [error.formatted for error in result.errors]
        return json_answer(shown, 200, ((DRAFTED_HEADER, _describe(call)),))


def _type_of(value: Any, *unused: Any) -> str | None:
    return value.kind if isinstance(value, GraphqlObject) else None


def _describe(call: Call) -> str:
    """Return what the header of an answer says: how sure it is, and what is ignored and guessed."""
    noted: Mapping[str, Mapping[str, None]] = call.memo.get("drafted", {})
    parts = [f"{what}={','.join([*noted[what]][:20])}" for what in ("ignored", "guessed") if noted.get(what)]
    return "; ".join(["partly" if parts else "derived", *parts])
