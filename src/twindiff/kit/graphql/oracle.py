"""Executes documents with graphql-core's executor and one naive resolver for all fields.

It is slow and simple: it serves introspection, reports the paths of errors after a plan has failed, and is the
reference that tests compare plans with.
"""

from __future__ import annotations

from typing import Any, cast

from graphql import GraphQLError, GraphQLResolveInfo, GraphQLSchema, parse

from twindiff.kit.rows import Row

from .compiler import SelectionCompiler, is_connection
from .entity import EntitySpec, Field
from .errors import NotImplementedHere
from .filter_expressions import between
from .library import execute_sync, named_type
from .loaders import PAGING, keywords
from .paging import PageQuery, page_of
from .roots import resolver
from .run import GraphqlRun, columns_of, exclude_archived
from .scalars import wire_number
from .schema_builder import Meaning
from .section import ConnectionRows


class Context:
    """The value of `info.context` in resolvers."""

    def __init__(self, run: GraphqlRun, api: Any) -> None:
        self.run = run
        self.api = api


def execute(
    api: Any, text: str, run: GraphqlRun, operation_name: str | None, variables: dict[str, Any], executor: Any = None
) -> tuple[Any, list[GraphQLError]]:
    """The data and errors of a valid document; `executor` is a class that replaces the library's ExecutionContext."""
    schema: GraphQLSchema = api.schema
    document = parse(text)
    result = execute_sync(
        schema,
        document,
        context_value=Context(run, api),
        variable_values=variables,
        operation_name=operation_name,
        field_resolver=resolve,
        type_resolver=type_of,
        execution_context_class=executor,
    )
    return _whole_numbers(result.data), list(result.errors or ())


def _whole_numbers(value: Any) -> Any:
    """Convert whole floats to integers, as on the wire."""
    if isinstance(value, dict):
        return {key: _whole_numbers(each) for key, each in cast(dict[str, Any], value).items()}
    return [_whole_numbers(each) for each in cast(list[Any], value)] if isinstance(value, list) else wire_number(value)


def resolve(source: Any, info: GraphQLResolveInfo, **given: Any) -> Any:
    """Resolve any field of any type."""
    context: Context = info.context
    field = info.parent_type.fields[info.field_name]
    means: Meaning = field.extensions.get("means") or Meaning("part")
    paged = is_connection(named_type(field.type))
    if means.kind == "root":
        guard = context.run.model.hooks.get(("guard", info.field_name))
        value = resolver(means.root, context.api.extras, paged=paged, guard=guard)(context.run, given)
    elif isinstance(source, Row):
        value = _of_row(context, source, means, field, given)
    else:
        value = _of_dict(context, source, info.parent_type.name, info.field_name, field, given)
    if paged and not isinstance(value, dict):
        return _connection(context.run, value, given)
    return cast(Any, value)


def _of_row(context: Context, row: Any, means: Meaning, graphql: Any, given: dict[str, Any]) -> Any:
    field = means.field
    zero = _zero(context, graphql.type)
    if field is None:
        return zero
    if means.kind == "key":
        return getattr(row, field.column)
    hook = context.run.model.computed.get((field.owner, field.name))
    if hook:
        values: Any = hook.function(context.run.call, [row], **_keyword_arguments(graphql, given))
        if values is not NotImplemented:
            return values[0]
    if field.kind == "one":
        return _one(context.run, row, field)
    if field.kind in ("many", "list"):
        return _many(context.run, row, field, given)
    if field.kind == "column":
        value = getattr(row, field.column)
        return zero if value is None else value
    return zero


def _keyword_arguments(graphql: Any, given: dict[str, Any]) -> dict[str, Any]:
    paged = is_connection(named_type(graphql.type))
    return keywords({name: value for name, value in given.items() if not (paged and name in PAGING)})


def _zero(context: Context, kind: Any) -> Any:
    return SelectionCompiler(context.api.builder, context.api.schema, None).zero(kind)  # pyright: ignore[reportArgumentType]


def _of_dict(context: Context, source: Any, parent: str, name: str, graphql: Any, given: dict[str, Any]) -> Any:
    hook = context.run.model.computed.get((parent, name))
    if hook:
        return hook.function(context.run.call, [source], **_keyword_arguments(graphql, given))[0]
    value = cast(dict[str, Any], source).get(name) if isinstance(source, dict) else None
    return _zero(context, graphql.type) if value is None else value


def _one(run: GraphqlRun, row: Any, field: Field) -> Any:
    target = run.model.target(field)
    key = getattr(row, field.column)
    if target.row is None and not field.shape.null:
        raise NotImplementedHere(repr(field))
    if target.row is None or key is None:
        return None
    return run.db.find(target.row, columns_of(target)["id"] == key, *run.visible(target))


def _many(run: GraphqlRun, row: Any, field: Field, given: dict[str, Any]) -> Any:
    link = run.model.links[field.owner, field.name]
    if link is None:
        return []
    target = link.target
    if field.kind == "list":
        columns = columns_of(target)
        order = columns.get("createdAt", columns["id"])
        where = (*exclude_archived(target), *run.visible(target), *_join_conditions(run, row, link))
        return run.db.rows(target.row, *where, order=order)
    page = page_of(run, target, given)
    mine = _join_conditions(run, row, link)
    rows = run.db.rows(target.row, *page.where, *mine, order=page.order, limit=page.size + 1)
    return _render_connection(
        rows, page, lambda: run.db.count(target.row, *page.matching, *_join_conditions(run, row, link))
    )


def _join_conditions(run: GraphqlRun, row: Any, link: Any) -> tuple[Any, ...]:
    if link.by is not None:
        return (link.by == row.id,)
    joins = run.db.rows(link.mine.table, link.mine == row.id, *between(run, link))
    return (columns_of(link.target)["id"].in_([getattr(join, link.theirs.name) for join in joins]),)


def _connection(run: GraphqlRun, value: Any, given: dict[str, Any]) -> Any:
    if not isinstance(value, ConnectionRows):
        rows = list(value or [])
        return _render_connection(rows, None, lambda: len(rows))
    spec: EntitySpec = value.entity.spec
    page = page_of(run, spec, given, value.where, value.order)
    rows = run.db.rows(spec.row, *page.where, order=page.order, limit=page.size + 1)
    return _render_connection(rows, page, lambda: run.db.count(spec.row, *page.matching))


def _render_connection(rows: list[Any], page: PageQuery | None, total: Any) -> dict[str, Any]:
    shown = rows if page is None else rows[: page.size]
    more = len(rows) > len(shown)
    backward = page is not None and page.backward
    inside = page is not None and page.inside
    shown = shown[::-1] if backward else shown
    info = {
        "hasNextPage": inside if backward else more,
        "hasPreviousPage": more if backward else inside,
        "startCursor": shown[0].id if shown else None,
        "endCursor": shown[-1].id if shown else None,
    }
    edges = [{"cursor": row.id, "node": row} for row in shown]
    return {"nodes": shown, "edges": edges, "pageInfo": info, "totalCount": total()}


def type_of(value: Any, info: GraphQLResolveInfo, abstract: Any) -> str | None:
    """The concrete type of a value of an interface or union."""
    if isinstance(value, dict):
        return cast(dict[str, Any], value).get("__typename")
    model = info.context.run.model
    spec = model.entity_of_row(type(value))
    kind = getattr(value, spec.kind_column)
    return next(each.name for each in model.concrete(spec) if kind in each.stands_for)
