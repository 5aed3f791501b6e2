"""Tools for discussions, projects, sub-issues and types of issues.

https://github.com/github/github-mcp-server
"""
# ruff: noqa: N803 - the names of arguments are those on the wire

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import Meta, Struct
from twindiff.kit.agent_tools import Caller, ToolRefused

from .tool_registry import ISSUE, PageSize, ask_graphql, tools

OwnerType = Literal["user", "org"]
ProjectPageSize = Annotated[int, Meta(ge=1, le=50)]
DISCUSSION_REPOSITORY = ".github"
"""The repository whose discussions are those of an organization."""
_PAGE = "pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount"
_DISCUSSION = "number title body createdAt updatedAt url closed isAnswered author { login } category { id name }"


@tools.reads
async def list_sub_issues(
    call: Caller, owner: str, repo: str, issue_number: int, page: int | None = None, per_page: int | None = None
) -> Any:
    """List the sub-issues of an issue."""
    place = {"owner": owner, "repo": repo, "issue_number": issue_number}
    return await call(f"GET {ISSUE}/sub_issues", **place, page=page, per_page=per_page)


@tools.writes
async def remove_sub_issue(call: Caller, owner: str, repo: str, issue_number: int, sub_issue_id: int) -> Any:
    """Take a sub-issue from its parent."""
    place = {"owner": owner, "repo": repo, "issue_number": issue_number}
    return await call(f"DELETE {ISSUE}/sub_issue", **place, sub_issue_id=sub_issue_id)


@tools.writes
async def reprioritize_sub_issue(
    call: Caller,
    owner: str,
    repo: str,
    issue_number: int,
    sub_issue_id: int,
    after_id: int | None = None,
    before_id: int | None = None,
) -> Any:
    """Put a sub-issue behind or before another one."""
    if (after_id is None) == (before_id is None):
        raise ToolRefused("exactly one of after_id and before_id must be specified")
    place = {"owner": owner, "repo": repo, "issue_number": issue_number, "sub_issue_id": sub_issue_id}
    return await call(f"PATCH {ISSUE}/sub_issues/priority", **place, after_id=after_id, before_id=before_id)


@tools.reads
async def list_issue_types(call: Caller, owner: str) -> Any:
    """List the types of issues of an organization."""
    return await call("GET /orgs/{org}/issue-types", org=owner)


async def _ask_repository(call: Caller, owner: str, repo: str | None, shown: str) -> Any:
    """Return a part of a repository; without a name, of the repository of an organization's discussions."""
    query = f"query($owner: String!, $repo: String!) {{ repository(owner: $owner, name: $repo) {{ {shown} }} }}"
    data = await ask_graphql(call, query, owner=owner, repo=repo or DISCUSSION_REPOSITORY)
    return data["repository"]


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@tools.reads
async def list_discussions(
    call: Caller,
    owner: str,
    repo: str | None = None,
    category: str | None = None,
    orderBy: Literal["CREATED_AT", "UPDATED_AT"] | None = None,
    direction: Literal["ASC", "DESC"] | None = None,
    perPage: PageSize = 30,
    after: str | None = None,
) -> Any:
    """List the discussions of a repository or an organization."""
    order = f"orderBy: {{field: {orderBy}, direction: {direction}}}" if orderBy and direction else ""
    chosen = f"categoryId: {_quote(category)}" if category else ""
    page = f"first: {perPage} " + (f"after: {_quote(after)}" if after else "")
    shown = f"discussions({page} {chosen} {order}) {{ nodes {{ {_DISCUSSION} }} {_PAGE} }}"
    listed = (await _ask_repository(call, owner, repo, shown))["discussions"]
    return {"discussions": listed.pop("nodes"), **listed}


@tools.reads
async def get_discussion(call: Caller, owner: str, repo: str, discussionNumber: int) -> Any:
    """Get a discussion."""
    shown = f"discussion(number: {discussionNumber}) {{ {_DISCUSSION} answerChosenAt }}"
    return (await _ask_repository(call, owner, repo, shown))["discussion"]


@tools.reads
async def get_discussion_comments(
    call: Caller, owner: str, repo: str, discussionNumber: int, perPage: PageSize = 30, after: str | None = None
) -> Any:
    """List the comments of a discussion."""
    page = f"first: {perPage} " + (f"after: {_quote(after)}" if after else "")
    comments = f"comments({page}) {{ nodes {{ body author {{ login }} isAnswer }} {_PAGE} }}"
    shown = f"discussion(number: {discussionNumber}) {{ {comments} }}"
    listed = (await _ask_repository(call, owner, repo, shown))["discussion"]["comments"]
    return {"comments": listed.pop("nodes"), **listed}


@tools.reads
async def list_discussion_categories(call: Caller, owner: str, repo: str | None = None) -> Any:
    """List the categories of discussions of a repository or an organization."""
    shown = f"discussionCategories(first: 25) {{ nodes {{ id name }} {_PAGE} }}"
    listed = (await _ask_repository(call, owner, repo, shown))["discussionCategories"]
    return {"categories": listed.pop("nodes"), **listed}


class UpdatedField(Struct):
    """The new value of a field of an item; null clears it."""

    id: int
    value: str | float | None = None


def _projects(owner_type: OwnerType, owner: str, rest: str = "") -> tuple[str, dict[str, Any]]:
    """Return the path of an owner's projects, and the arguments that name the owner."""
    path = "/orgs/{org}/projectsV2" if owner_type == "org" else "/users/{username}/projectsV2"
    return path + rest, {"org" if owner_type == "org" else "username": owner}


@tools.reads
async def list_projects(
    call: Caller, owner_type: OwnerType, owner: str, query: str | None = None, per_page: ProjectPageSize = 30
) -> Any:
    """List the projects of a user or an organization."""
    path, place = _projects(owner_type, owner)
    return await call(f"GET {path}", **place, q=query, per_page=per_page)


@tools.reads
async def get_project(call: Caller, owner_type: OwnerType, owner: str, project_number: int) -> Any:
    """Get a project."""
    path, place = _projects(owner_type, owner, "/{project_number}")
    return await call(f"GET {path}", **place, project_number=project_number)


@tools.reads
async def list_project_fields(
    call: Caller, owner_type: OwnerType, owner: str, project_number: int, per_page: ProjectPageSize = 30
) -> Any:
    """List the fields of a project."""
    path, place = _projects(owner_type, owner, "/{project_number}/fields")
    return await call(f"GET {path}", **place, project_number=project_number, per_page=per_page)


@tools.reads
async def get_project_field(call: Caller, owner_type: OwnerType, owner: str, project_number: int, field_id: int) -> Any:
    """Get a field of a project."""
    path, place = _projects(owner_type, owner, "/{project_number}/fields/{field_id}")
    return await call(f"GET {path}", **place, project_number=project_number, field_id=field_id)


@tools.reads
async def list_project_items(
    call: Caller,
    owner_type: OwnerType,
    owner: str,
    project_number: int,
    query: str | None = None,
    fields: list[str] | None = None,
    per_page: ProjectPageSize = 30,
) -> Any:
    """List the items of a project."""
    if query:
        raise ToolRefused("Filters of project items are not implemented; leave out query")
    path, place = _projects(owner_type, owner, "/{project_number}/items")
    chosen = ",".join(fields) if fields else None
    return await call(f"GET {path}", **place, project_number=project_number, fields=chosen, per_page=per_page)


@tools.reads
async def get_project_item(
    call: Caller,
    owner_type: OwnerType,
    owner: str,
    project_number: int,
    item_id: int,
    fields: list[str] | None = None,
) -> Any:
    """Get an item of a project."""
    path, place = _projects(owner_type, owner, "/{project_number}/items/{item_id}")
    chosen = ",".join(fields) if fields else None
    return await call(f"GET {path}", **place, project_number=project_number, item_id=item_id, fields=chosen)


@tools.writes
async def add_project_item(
    call: Caller,
    owner_type: OwnerType,
    owner: str,
    project_number: int,
    item_type: Literal["issue", "pull_request"],
    item_id: int,
) -> Any:
    """Add an issue or a pull request to a project by its id."""
    path, place = _projects(owner_type, owner, "/{project_number}/items")
    kind = "Issue" if item_type == "issue" else "PullRequest"
    return await call(f"POST {path}", **place, project_number=project_number, type=kind, id=item_id)


@tools.writes
async def update_project_item(
    call: Caller, owner_type: OwnerType, owner: str, project_number: int, item_id: int, updated_field: UpdatedField
) -> Any:
    """Set the value of a field of an item; null clears it."""
    path, place = _projects(owner_type, owner, "/{project_number}/items/{item_id}")
    fields = [{"id": updated_field.id, "value": updated_field.value}]
    return await call(f"PATCH {path}", **place, project_number=project_number, item_id=item_id, fields=fields)


@tools.writes
async def delete_project_item(
    call: Caller, owner_type: OwnerType, owner: str, project_number: int, item_id: int
) -> Any:
    """Remove an item from a project."""
    path, place = _projects(owner_type, owner, "/{project_number}/items/{item_id}")
    await call(f"DELETE {path}", **place, project_number=project_number, item_id=item_id)
    return "project item successfully deleted"
