"""GraphQL at `/graphql`: the part of GitHub's schema that its command line and its MCP server ask for.

https://docs.github.com/en/graphql
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, cast

import graphql as graphql_core
from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLResolveInfo,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    OverlappingFieldsCanBeMergedRule,
    build_schema,
    is_abstract_type,
    parse,
    specified_rules,
    validate,
)

from twindiff.kit import Body, Call, Operations, Struct
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response, json_answer
from twindiff.kit.throttling import yield_processor

from ..core.access import find_repo, find_user, may
from ..issues.closing_keywords import forget_closing_pulls
from ..search.search_query import parse_query, words_in
from ..search.searches import ISSUE_QUALIFIERS, issue_conditions, scope_conditions
from ..tables.issue_tables import Issue
from ..tables.repository_tables import Repository
from ..tables.user_tables import User
from ..wire_style import Moved
from . import (  # noqa: F401 - they declare resolvers and mutations
    account_fields,  # pyright: ignore[reportUnusedImport]
    cli_fields,  # pyright: ignore[reportUnusedImport]
    cli_mutations,  # pyright: ignore[reportUnusedImport]
    discussion_mutations,  # pyright: ignore[reportUnusedImport]
    poll_fields,  # pyright: ignore[reportUnusedImport]
    project_mutations,  # pyright: ignore[reportUnusedImport]
    pull_fields,  # pyright: ignore[reportUnusedImport]
    repository_fields,  # pyright: ignore[reportUnusedImport]
    status_update_fields,  # pyright: ignore[reportUnusedImport]
)
from .discussion_fields import search_discussions
from .issue_fields import issue_node
from .mutations import MUTATIONS
from .nodes import GraphNode, GraphRefusal, connect, connect_page, explain_error, find_node, user_node
from .project_fields import find_resource
from .resolvers import resolve_field

api = Operations()
_CONFLICTING_TYPES = re.compile(r"conflicting types '([^']*)' and '([^']*)'")
MAX_DOCUMENT_LETTERS, MAX_TOKENS, MAX_ERRORS = 100_000, 10_000, 20


class GraphQLBody(Struct):
    """A request of GraphQL."""

    query: str = ""
    variables: dict[str, Any] | None = None
    operationName: str | None = None  # noqa: N815 - the name on the wire


def _type_of(value: Any, *unused: Any) -> str:
    return value.type


@lru_cache(maxsize=1)
def load_schema() -> GraphQLSchema:
    """Return the schema."""
    files = ("schema.graphql", "projects.graphql", "discussions.graphql", "cli.graphql")
    schema = build_schema("\n".join((Path(__file__).parent / name).read_text() for name in files))
    abstract: Any
    for abstract in filter(is_abstract_type, schema.type_map.values()):
        abstract.resolve_type = _type_of
    return schema


class MergeableFields(OverlappingFieldsCanBeMergedRule):
    """Fields of one name need one type; as at GitHub, one may be non-null where the other is not."""

    def report_error(self, error: GraphQLError) -> None:
        """Report a conflict, unless the types differ in `!` alone."""
        pairs = _CONFLICTING_TYPES.findall(error.message)
        is_other = "different fields" in error.message or "differing arguments" in error.message
        if is_other or not pairs or any(one.replace("!", "") != other.replace("!", "") for one, other in pairs):
            super().report_error(error)


RULES = [MergeableFields if rule is OverlappingFieldsCanBeMergedRule else rule for rule in specified_rules]


@lru_cache(maxsize=512)
def read_document(text: str) -> DocumentNode | list[GraphQLError]:
    """Parse and validate a document; return its errors if it is invalid."""
    try:
        document = parse(text, max_tokens=MAX_TOKENS)
    except GraphQLError as error:
        return [error]
    errors = validate(load_schema(), document, RULES, max_errors=MAX_ERRORS)
    return errors or document


def resolve(source: Any, info: GraphQLResolveInfo, **arguments: Any) -> Any:
    """Return the value of a field; errors of the REST API become GitHub's errors of GraphQL."""
    yield_processor()
    call: Call = info.context
    try:
        if source is not None:
            return resolve_field(call, source, info.field_name, arguments)
        if info.operation.operation == OperationType.MUTATION:
            given = arguments["input"]
            call.memo.pop("divergences", None)
            forget_closing_pulls(call)
            with call.db.savepoint():
                return {**MUTATIONS[info.field_name](call, given), "clientMutationId": given.get("clientMutationId")}
        return ROOTS[info.field_name](call, **arguments)
    except Moved:
        raise
    except ApiError as error:
        raise GraphRefusal(*explain_error(error)) from None


def _repository(call: Call, owner: str, name: str, **_: Any) -> Any:
    try:
        return GraphNode("Repository", find_repo(call, owner, name))
    except Moved as moved:
        return GraphNode(
            "Repository",
            find_repo(call, ":id", str(moved.details["url"]).rpartition("/repositories/")[2].partition("/")[0]),
        )
    except ApiError:
        raise GraphRefusal(f"Could not resolve to a Repository with the name '{owner}/{name}'.") from None


def _account(call: Call, login: str, kind: str) -> Any:
    try:
        node = user_node(call, find_user(call, login).login)
    except ApiError:
        node = None
    if node is None or kind not in ("", node.type):
        article = "an" if kind == "Organization" else "a"
        raise GraphRefusal(f"Could not resolve to {article} {kind or 'User'} with the login of '{login}'.")
    return node


def _nodes(call: Call, ids: list[str]) -> list[Any]:
    return [find_node(call, each) for each in ids]


def _search(call: Call, query: str, type: str, **arguments: Any) -> Any:
    counts = {"issueCount": 0, "repositoryCount": 0, "userCount": 0, "discussionCount": 0}
    if type == "DISCUSSION":
        return search_discussions(call, query, arguments, counts)
    if type in ("ISSUE", "ISSUE_ADVANCED"):
        parsed = parse_query(query, ISSUE_QUALIFIERS)
        where = scope_conditions(call, parsed, Issue.repository_id)
        for qualifier in parsed.qualifiers:
            where += issue_conditions(call, qualifier)
        where += words_in([Issue.title, Issue.body], parsed.words)
        total = call.db.count(Issue, *where)

        def read(start: int, stop: int) -> list[Any]:
            rows = call.db.rows(Issue, *where, order=(-Issue.created_at, -Issue.id), limit=stop - start, offset=start)
            return [issue_node(call, row, call.db.get(Repository, row.repository_id)) for row in rows]

        return connect_page(total, read, arguments, **{**counts, "issueCount": total})
    words = [word.lower() for word in query.split() if ":" not in word]
    if type == "REPOSITORY":
        rows = [row for row in call.db.rows(Repository, order=Repository.id) if may(call, row, "pull")]
        found_rows = [row for row in rows if all(word in row.full_name.lower() for word in words)]
        return connect(
            [GraphNode("Repository", row) for row in found_rows],
            arguments,
            **{**counts, "repositoryCount": len(found_rows)},
        )
    users = [row for row in call.db.rows(User, order=User.id) if all(word in row.login.lower() for word in words)]
    return connect([user_node(call, row.login) for row in users], arguments, **{**counts, "userCount": len(users)})


def _rate_limit(call: Call, **_: Any) -> dict[str, Any]:
    reset = call.clock.iso()[:19] + "Z"
    return {"limit": 5000, "cost": 1, "remaining": 4999, "used": 1, "resetAt": reset, "nodeCount": 0}


def _viewer(call: Call) -> Any:
    return user_node(call, call.actor)


def _owner(call: Call, login: str) -> Any:
    return _account(call, login, "")


def _user(call: Call, login: str) -> Any:
    return _account(call, login, "User")


def _organization(call: Call, login: str) -> Any:
    return _account(call, login, "Organization")


def _node(call: Call, id: str) -> Any:
    return find_node(call, id)


ROOTS: dict[str, Any] = {
    "viewer": _viewer,
    "rateLimit": _rate_limit,
    "repository": _repository,
    "repositoryOwner": _owner,
    "user": _user,
    "organization": _organization,
    "node": _node,
    "nodes": _nodes,
    "search": _search,
    "resource": find_resource,
}


def show_error(error: GraphQLError) -> dict[str, Any]:
    """Render an error with GitHub's `type`, where it has one."""
    origin = error.original_error if isinstance(error.original_error, GraphQLError) else error
    shown: dict[str, Any] = {"type": origin.kind} if isinstance(origin, GraphRefusal) else {}
    shown |= {"path": error.path} if error.path else {}
    shown |= {"locations": [{"line": each.line, "column": each.column} for each in error.locations or []]}
    return {**shown, "message": error.message}


@api.post("/graphql", body_limit=1_000_000)
def answer_graphql(call: Call, body: Annotated[GraphQLBody, Body]) -> Response:
    """Answer a document; like GitHub, with status 200 for errors too."""
    if not body.query.strip():
        return json_answer({"message": "A query attribute must be specified and must be a string.", "errors": []}, 400)
    if len(body.query) > MAX_DOCUMENT_LETTERS:
        return json_answer({"errors": [{"message": "The document is too large."}]})
    document = read_document(body.query)
    if isinstance(document, list):
        return json_answer({"errors": [show_error(error) for error in document]})
    operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    if len(operations) > 1 and not body.operationName:
        return json_answer({"errors": [{"message": "An operation name is required"}]})
    execute = cast(Any, graphql_core).execute_sync
    result = execute(
        load_schema(),
        document,
        context_value=call,
        variable_values=body.variables,
        operation_name=body.operationName,
        field_resolver=resolve,
    )
    shown: dict[str, Any] = {"data": result.data}
    if result.errors:
        shown["errors"] = [show_error(error) for error in result.errors]
    return json_answer(shown)
