"""Executes documents: each is parsed and compiled to a plan once, and the plan is run for every request."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple

from graphql import (
    GraphQLError,
    GraphQLSchema,
    OverlappingFieldsCanBeMergedRule,
    ValidationRule,
    get_variable_values,
    is_non_null_type,
    specified_rules,
    validate,
)
from graphql.language import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    Node,
    OperationDefinitionNode,
    OperationType,
    SourceLocation,
    get_location,
)

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError, InternalError, NotServed, TooSlow
from twindiff.kit.throttling import yield_processor

from . import oracle
from .arguments import Arguments, DocumentRejected, VariableUse
from .cache import SizedCache
from .compiler import Cost, SelectionCompiler, is_connection
from .completion import Complete, Unresolved
from .document_parser import read, read_with_places
from .errors import InvalidDocument, NullOperand, QueryTooComplex, TooComplex
from .field_selection import SelectedField, Selecting
from .introspection import Introspections, execute_bounded
from .library import named_type
from .limits import RequestLimits, check, check_answer
from .model import EntityModel
from .roots import Resolve, resolver
from .run import GraphqlRun
from .schema_builder import Builder, Meaning

log = logging.getLogger("twindiff")

PLANNED_CHARACTERS = 400_000
"""The most characters of documents with a cached plan; a plan takes about a hundred times the memory of its text."""
FOR_ALL = (NotServed, NullOperand, TooSlow, TooComplex)
"""Errors of a field that fail the whole request, since the fallback executor would fail too."""


class _GivingWay(ValidationRule):
    """Not a rule: yields to other work between the nodes of a long document."""

    def enter(self, node: Node, *rest: Any) -> None:
        yield_processor()


_RULES = [rule for rule in (*specified_rules, _GivingWay) if rule is not OverlappingFieldsCanBeMergedRule]


class PlannedRoot(NamedTuple):
    """A compiled root field of an operation."""

    key: str
    name: str
    required: bool
    resolve: Resolve
    complete: Complete
    arguments: Arguments
    location: SourceLocation | None


class CompiledOperation(NamedTuple):
    """A compiled operation."""

    text: str
    writes: bool
    names: tuple[str, ...]
    roots: list[PlannedRoot]
    definitions: Any
    cost: Cost
    asks_schema: bool
    missing: tuple[str, ...]
    """Root fields that the vendor has and the twin lacks."""


class ExecutionError(NamedTuple):
    """One entry of `errors`."""

    error: Exception
    path: tuple[str | int, ...] = ()
    locations: tuple[SourceLocation, ...] = ()


class ExecutionResult(NamedTuple):
    """The data and errors of an execution, and its cost in the vendor's points."""

    data: Any
    problems: list[ExecutionError]
    cost: float


class Api:
    """A vendor's GraphQL API: its schema, the cache of plans, and their execution."""

    def __init__(
        self,
        model: EntityModel,
        limits: RequestLimits,
        missing: Iterable[str] = (),
        extras: Callable[[GraphqlRun], dict[str, Any]] | None = None,
    ) -> None:
        self.model = model
        self.limits = limits
        self.missing = frozenset(missing)
        self.extras: Callable[[GraphqlRun], dict[str, Any]] = extras or _success
        self.plans: SizedCache[CompiledOperation] = SizedCache(PLANNED_CHARACTERS)
        self.introspections = Introspections()
        self._making = Lock()
        self._schema: GraphQLSchema | None = None

    @cached_property
    def builder(self) -> Builder:
        return Builder(self.model)

    @cached_property
    def schema(self) -> GraphQLSchema:
        """The schema, built on first use."""
        with self._making:
            if self._schema is None:
                self._schema = self.builder.schema()
            return self._schema

    # Text to plan

    def plan(self, text: str, operation_name: str | None, variables: dict[str, Any]) -> CompiledOperation:
        """The plan of one operation of a document, compiled or cached; raises InvalidDocument or TooComplex."""
        key = plan_key(text, operation_name, variables)
        plan = self.plans.get(key)
        if plan is None:
            plan = self._compile(text, operation_name, variables)
            self.plans.put(key, plan, len(text))
        return plan

    def _compile(self, text: str, operation_name: str | None, variables: dict[str, Any]) -> CompiledOperation:
        check(text, self.limits)
        document = self._parse(text)
        operation = _operation(document, operation_name)
        if any(each.loc is None for each in operation.selection_set.selections):  # errors tell where a root is
            document = read_with_places(text)
            operation = _operation(document, operation_name)
        missing = self._missing_in(operation)
        if missing:
            writes = operation.operation is OperationType.MUTATION
            return CompiledOperation(text, writes, missing, [], (), Cost(), False, missing)
        try:
            return self._plan_operation(text, document, operation, variables)
        except DocumentRejected as refused:
            raise self._invalid(text, refused) from None

    def _parse(self, text: str) -> DocumentNode:
        try:
            return read(text, self.limits.tokens)
        except GraphQLError as error:
            if "tokens" in error.message:
                raise TooComplex(f"The query has more than {self.limits.tokens:,} tokens") from None
            raise InvalidDocument(error) from None
        except RecursionError:
            raise TooComplex("The query is nested too deeply") from None

    def _missing_in(self, operation: OperationDefinitionNode) -> tuple[str, ...]:
        fields = [each for each in operation.selection_set.selections if isinstance(each, FieldNode)]
        served: dict[str, Any] = self._root_type(operation).fields if fields else {}
        return tuple(
            each.name.value for each in fields if each.name.value in self.missing and each.name.value not in served
        )

    def _root_type(self, operation: OperationDefinitionNode) -> Any:
        kinds: dict[OperationType, Any] = {
            OperationType.QUERY: self.schema.query_type,
            OperationType.MUTATION: self.schema.mutation_type,
        }
        kind = kinds.get(operation.operation)
        if kind is None:
            raise InvalidDocument(GraphQLError(f"There are no {operation.operation.value}s here", operation))
        return kind

    def _plan_operation(
        self, text: str, document: DocumentNode, operation: OperationDefinitionNode, variables: dict[str, Any]
    ) -> CompiledOperation:
        fragments = _fragments(document)
        uses = VariableUse(self.schema, operation.variable_definitions)
        given = self._variables(operation.variable_definitions, variables, lenient=True)
        selecting = Selecting(self.schema, fragments, uses, given)
        compiler = SelectionCompiler(self.builder, self.schema, selecting)
        kind = self._root_type(operation)
        asked = selecting.of(kind, [operation.selection_set])
        roots = [self._root(compiler, each, kind) for each in asked]
        if selecting.asks_schema or not _is_all_used(document, operation, selecting, uses):
            self._validate(text)
        names = tuple(each.name for each in asked) or ("__schema",)
        writes = operation.operation is OperationType.MUTATION
        return CompiledOperation(
            text, writes, names, roots, operation.variable_definitions, compiler.cost, selecting.asks_schema, ()
        )

    def _root(self, compiler: SelectionCompiler, asked: SelectedField, kind: Any) -> PlannedRoot:
        location = get_location(asked.node.loc.source, asked.node.loc.start) if asked.node.loc else None
        if asked.field is None:
            return PlannedRoot(asked.key, asked.name, True, _always(kind.name), _as_it_is, asked.arguments, location)
        means: Meaning = asked.field.extensions["means"]
        paged, guard = is_connection(named_type(asked.field.type)), self.model.hooks.get(("guard", asked.name))
        resolve = resolver(means.root, self.extras, paged=paged, guard=guard)
        complete = compiler.complete(asked.field.type, asked)
        required = is_non_null_type(asked.field.type)
        return PlannedRoot(asked.key, asked.name, required, resolve, complete, asked.arguments, location)

    def _validate(self, text: str) -> None:
        errors = self._errors(text)
        if errors:
            raise InvalidDocument(*errors)

    def _invalid(self, text: str, refused: DocumentRejected) -> InvalidDocument:
        return InvalidDocument(*(self._errors(text) or [GraphQLError(str(refused), refused.node)]))

    def _errors(self, text: str) -> list[GraphQLError]:
        return validate(self.schema, read_with_places(text), _RULES, max_errors=20)

    def _variables(self, definitions: Any, given: dict[str, Any], *, lenient: bool = False) -> dict[str, Any]:
        if not definitions:
            return {}
        values = get_variable_values(self.schema, definitions, given, max_errors=20)
        if isinstance(values, dict):
            return values
        if lenient:
            return given
        raise InvalidDocument(*values)

    # Plan to answer

    def execute(
        self, plan: CompiledOperation, call: Call, variables: dict[str, Any], operation_name: str | None = None
    ) -> ExecutionResult:
        """Run a plan; raises TooComplex beyond the limits of cost, size or time, and InvalidDocument for variables.

        The root fields of a mutation run in order, each in a savepoint. A query that fails runs again with the executor
        of graphql-core, which reports the path of each error.
        """
        values = self._variables(plan.definitions, variables)
        cost = plan.cost.of(values)
        if cost > self.limits.complexity:
            raise QueryTooComplex(cost, self.limits.complexity)
        run = GraphqlRun(self.model, call, values, self.limits.conditions)
        try:
            data, problems = self._execute_plan(plan, run, operation_name, variables)
        except TooSlow:
            raise TooComplex("The query takes longer than two seconds; ask for less at once") from None
        check_answer(data, self.limits)
        return ExecutionResult(data, problems, cost)

    def _execute_plan(
        self, plan: CompiledOperation, run: GraphqlRun, operation_name: str | None, variables: dict[str, Any]
    ) -> tuple[Any, list[ExecutionError]]:
        if plan.asks_schema:
            answer = execute_bounded if plan.roots else self.introspections.answer
            data, errors = answer(self, plan.text, run, operation_name, variables)
            return data, _problems(errors, plan)
        if plan.writes:
            return self._execute_mutation(plan, run)
        try:
            return self._read(plan, run)
        except FOR_ALL:
            raise
        except (ApiError, Unresolved):
            return self._slowly(plan, run, operation_name, variables)
        except Exception:  # the slow executor reports the field that failed
            log.exception("query %s failed", ", ".join(plan.names)[:200])
            return self._slowly(plan, run, operation_name, variables)

    def _read(self, plan: CompiledOperation, run: GraphqlRun) -> tuple[Any, list[ExecutionError]]:
        data: dict[str, Any] | None = {}
        problems: list[ExecutionError] = []
        for root in plan.roots:
            try:
                value = root.resolve(run, root.arguments.of(run.variables))
            except FOR_ALL:
                raise
            except ApiError as error:
                problems.append(_problem(root, error))
                data = _without(data, root)
                continue
            (completed,) = root.complete(run, [value])
            if data is not None:
                data[root.key] = completed
        return data, problems

    def _execute_mutation(self, plan: CompiledOperation, run: GraphqlRun) -> tuple[Any, list[ExecutionError]]:
        data: dict[str, Any] | None = {}
        problems: list[ExecutionError] = []
        for root in plan.roots:
            try:
                with run.db.savepoint():
                    value = root.resolve(run, root.arguments.of(run.variables))
                run.forget()
                (completed,) = root.complete(run, [value])
            except FOR_ALL:
                raise
            except Exception as error:  # noqa: BLE001 - a root that fails must not undo the one before it
                problems.append(_problem(root, _to_client_error(error, root.name)))
                data = _without(data, root)
                continue
            if data is not None:
                data[root.key] = completed
        return data, problems

    def _slowly(
        self, plan: CompiledOperation, run: GraphqlRun, operation_name: str | None, variables: dict[str, Any]
    ) -> tuple[Any, list[ExecutionError]]:
        data, errors = oracle.execute(self, plan.text, run, operation_name, variables)
        return data, _problems(errors, plan)


def plan_key(text: str, operation_name: str | None, variables: dict[str, Any]) -> tuple[Any, ...]:
    """The cache key of a plan. With directives, it has the Boolean variables: a plan is compiled for their values."""
    decided = tuple(sorted((n, v) for n, v in variables.items() if isinstance(v, bool))) if "@" in text else ()
    return text, operation_name, decided


def _is_all_used(
    document: DocumentNode, operation: OperationDefinitionNode, selecting: Selecting, uses: VariableUse
) -> bool:
    """Whether the compiler has checked the whole document: one operation, and no unused fragments or variables."""
    operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    fragments = [each for each in document.definitions if isinstance(each, FragmentDefinitionNode)]
    alone = len(operations) == 1 and len(operations) + len(fragments) == len(document.definitions)
    names = [each.variable.name.value for each in operation.variable_definitions]
    return (
        alone
        and len({each.name.value for each in fragments}) == len(fragments) == len(selecting.used_fragments)
        and len(set(names)) == len(names) == len(uses.used)
        and not operation.directives
        and not any(each.directives for each in operation.variable_definitions)
    )


def _always(value: Any) -> Resolve:
    return lambda run, arguments: value


def _as_it_is(run: GraphqlRun, values: list[Any]) -> list[Any]:
    return values


def _success(run: GraphqlRun) -> dict[str, Any]:
    return {"success": True}


def _operation(document: DocumentNode, name: str | None) -> OperationDefinitionNode:
    operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    if name:
        operations = [each for each in operations if each.name and each.name.value == name]
    if len(operations) != 1:
        wanted = (
            f"Unknown operation named '{name}'."
            if name
            else "Must provide operation name if query contains multiple operations."
        )
        raise InvalidDocument(GraphQLError(wanted if operations or name else "The document has no operation."))
    return operations[0]


def _fragments(document: DocumentNode) -> dict[str, FragmentDefinitionNode]:
    return {each.name.value: each for each in document.definitions if isinstance(each, FragmentDefinitionNode)}


def _problems(errors: list[GraphQLError], plan: CompiledOperation) -> list[ExecutionError]:
    return [_as_problem(each, (plan.names or ("__schema",))[0]) for each in errors]


def _as_problem(error: GraphQLError, name: str) -> ExecutionError:
    """An entry of `errors`; raises errors that fail the whole request."""
    cause = error.original_error
    if isinstance(cause, FOR_ALL):
        raise cause
    is_null = isinstance(cause, TypeError) and str(cause).startswith("Cannot return null")
    told = error if cause is None or is_null else _to_client_error(cause, name)
    return ExecutionError(told, tuple(error.path or ()), tuple(error.locations or ()))


def _problem(root: PlannedRoot, error: Exception) -> ExecutionError:
    return ExecutionError(error, (root.key,), (root.location,) if root.location else ())


def _without(data: dict[str, Any] | None, root: PlannedRoot) -> dict[str, Any] | None:
    """The data with null for a failed root field; None if that field must not be null."""
    if data is None or root.required:
        return None
    data[root.key] = None
    return data


def _to_client_error(error: Exception, name: str) -> Exception:
    """Return an ApiError or GraphQLError unchanged; log any other error and return InternalError."""
    if isinstance(error, ApiError | GraphQLError):
        return error
    log.error("%s failed", name, exc_info=error)
    return InternalError()
