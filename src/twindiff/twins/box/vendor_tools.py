"""The tools of Box's MCP server, and the most used ones of the community server that came before it.

https://developer.box.com/guides/box-mcp/tools, https://github.com/box-community/mcp-server-box
"""

from __future__ import annotations

from base64 import b64encode
from typing import Annotated, Any

from twindiff.kit import Meta
from twindiff.kit.agent_tools import Caller, VendorTools

Limit = Annotated[int, Meta(ge=1, le=1000)]
ROOT = "0"

tools = VendorTools(
    host="mcp.box.com",
    core=(
        "GET /2.0/users/me",
        "GET /2.0/search",
        "GET /2.0/folders/{folder_id}",
        "GET /2.0/folders/{folder_id}/items",
        "POST /2.0/folders",
        "PUT /2.0/folders/{folder_id}",
        "DELETE /2.0/folders/{folder_id}",
        "POST /2.0/folders/{folder_id}/copy",
        "GET /2.0/files/{file_id}",
        "GET /2.0/files/{file_id}/content",
        "PUT /2.0/files/{file_id}",
        "DELETE /2.0/files/{file_id}",
        "POST /2.0/files/{file_id}/copy",
        "POST /2.0/files/content",
        "POST /2.0/files/{file_id}/content",
        "GET /2.0/files/{file_id}/comments",
        "POST /2.0/comments",
        "POST /2.0/collaborations",
        "GET /2.0/files/{file_id}/collaborations",
        "GET /2.0/folders/{folder_id}/collaborations",
        "PUT /2.0/collaborations/{collaboration_id}",
        "DELETE /2.0/collaborations/{collaboration_id}",
        "GET /2.0/files/{file_id}/tasks",
        "POST /2.0/tasks",
        "GET /2.0/files/{file_id}/metadata",
        "GET /2.0/users",
        "GET /2.0/groups",
        "GET /2.0/hubs",
        "POST /2.0/hubs",
    ),
)


@tools.reads
async def who_am_i(call: Caller) -> Any:
    """Return the user that the token belongs to."""
    return await call("GET /2.0/users/me")


@tools.reads
async def search_files_keyword(
    call: Caller,
    query: str,
    ancestor_folder_ids: list[str] | None = None,
    file_extensions: list[str] | None = None,
    content_types: list[str] | None = None,
    limit: Limit = 20,
    offset: int = 0,
    fields: list[str] | None = None,
) -> Any:
    """Search files by words of their names and contents."""
    return await call(
        "GET /2.0/search",
        query=query,
        type="file",
        ancestor_folder_ids=_join(ancestor_folder_ids),
        file_extensions=_join(file_extensions),
        content_types=_join(content_types),
        limit=limit,
        offset=offset,
        fields=_join(fields),
    )


@tools.reads
async def search_folders_by_name(
    call: Caller, query: str, ancestor_folder_ids: list[str] | None = None, limit: Limit = 20
) -> Any:
    """Search folders by words of their names."""
    folders = _join(ancestor_folder_ids)
    return await call(
        "GET /2.0/search", query=query, type="folder", content_types="name", ancestor_folder_ids=folders, limit=limit
    )


@tools.reads
async def list_folder_content_by_folder_id(
    call: Caller, folder_id: str, limit: Limit = 100, offset: int = 0, fields: list[str] | None = None
) -> Any:
    """List the files, folders and web links in a folder; the root folder is 0."""
    return await call(
        "GET /2.0/folders/{folder_id}/items", folder_id=folder_id, limit=limit, offset=offset, fields=_join(fields)
    )


@tools.reads
async def get_folder_details(call: Caller, folder_id: str, fields: list[str] | None = None) -> Any:
    """Return a folder."""
    return await call("GET /2.0/folders/{folder_id}", folder_id=folder_id, fields=_join(fields))


@tools.reads
async def get_file_details(call: Caller, file_id: str, fields: list[str] | None = None) -> Any:
    """Return a file without its content."""
    return await call("GET /2.0/files/{file_id}", file_id=file_id, fields=_join(fields))


@tools.reads
async def get_file_content(call: Caller, file_id: str) -> Any:
    """Return the content of a file: a text, or base64 of other content."""
    content = await call("GET /2.0/files/{file_id}/content", file_id=file_id)
    return {"content": content} if isinstance(content, bytes) else content


@tools.writes
async def create_folder(call: Caller, name: str, parent_folder_id: str = ROOT) -> Any:
    """Create a folder."""
    return await call("POST /2.0/folders", name=name, parent={"id": parent_folder_id})


@tools.writes
async def update_folder_properties(
    call: Caller,
    folder_id: str,
    name: str | None = None,
    description: str | None = None,
    tags: list[str] | None = None,
) -> Any:
    """Change the name, the description or the tags of a folder."""
    return await call(
        "PUT /2.0/folders/{folder_id}", folder_id=folder_id, name=name, description=description, tags=tags
    )


@tools.writes
async def update_file_properties(
    call: Caller,
    file_id: str,
    name: str | None = None,
    description: str | None = None,
    tags: list[str] | None = None,
) -> Any:
    """Change the name, the description or the tags of a file."""
    return await call("PUT /2.0/files/{file_id}", file_id=file_id, name=name, description=description, tags=tags)


@tools.writes
async def upload_file(call: Caller, file_name: str, content: str, parent_folder_id: str = ROOT) -> Any:
    """Upload a text as a new file."""
    attributes = {"name": file_name, "parent": {"id": parent_folder_id}}
    return await call("POST /2.0/files/content", attributes=attributes, file=_to_upload(file_name, content))


@tools.writes
async def upload_file_version(call: Caller, file_id: str, content: str) -> Any:
    """Upload a text as a new version of a file."""
    name = (await call("GET /2.0/files/{file_id}", file_id=file_id, fields="name"))["name"]
    return await call("POST /2.0/files/{file_id}/content", file_id=file_id, file=_to_upload(name, content))


@tools.writes
async def copy_file(call: Caller, file_id: str, parent_folder_id: str, name: str | None = None) -> Any:
    """Copy a file to a folder."""
    return await call("POST /2.0/files/{file_id}/copy", file_id=file_id, parent={"id": parent_folder_id}, name=name)


@tools.writes
async def move_file(call: Caller, file_id: str, parent_folder_id: str) -> Any:
    """Move a file to a folder."""
    return await call("PUT /2.0/files/{file_id}", file_id=file_id, parent={"id": parent_folder_id})


@tools.writes
async def copy_folder(call: Caller, folder_id: str, parent_folder_id: str, name: str | None = None) -> Any:
    """Copy a folder with everything in it to a folder."""
    parent = {"id": parent_folder_id}
    return await call("POST /2.0/folders/{folder_id}/copy", folder_id=folder_id, parent=parent, name=name)


@tools.writes
async def move_folder(call: Caller, folder_id: str, parent_folder_id: str) -> Any:
    """Move a folder to a folder."""
    return await call("PUT /2.0/folders/{folder_id}", folder_id=folder_id, parent={"id": parent_folder_id})


@tools.reads
async def list_file_comments(call: Caller, file_id: str) -> Any:
    """List the comments on a file."""
    return await call("GET /2.0/files/{file_id}/comments", file_id=file_id)


@tools.writes
async def create_file_comment(call: Caller, file_id: str, message: str) -> Any:
    """Comment on a file."""
    return await call("POST /2.0/comments", item={"type": "file", "id": file_id}, message=message)


@tools.reads
async def list_item_collaborations(call: Caller, item_id: str, item_type: str = "folder") -> Any:
    """List the collaborations on a file or a folder."""
    if item_type == "file":
        return await call("GET /2.0/files/{file_id}/collaborations", file_id=item_id)
    return await call("GET /2.0/folders/{folder_id}/collaborations", folder_id=item_id)


@tools.reads
async def list_tasks(call: Caller, file_id: str) -> Any:
    """List the tasks on a file."""
    return await call("GET /2.0/files/{file_id}/tasks", file_id=file_id)


@tools.reads
async def list_hubs(call: Caller, query: str | None = None) -> Any:
    """List the hubs that the user can see."""
    return await call("GET /2.0/hubs", query=query)


@tools.reads
async def get_hub_details(call: Caller, hub_id: str) -> Any:
    """Return a hub."""
    return await call("GET /2.0/hubs/{hub_id}", hub_id=hub_id)


# The community server.


@tools.reads
async def box_who_am_i(call: Caller) -> Any:
    """Return the user that the token belongs to."""
    return await call("GET /2.0/users/me")


@tools.reads
async def box_search_tool(
    call: Caller,
    query: str,
    file_extensions: list[str] | None = None,
    where_to_look_for_query: list[str] | None = None,
    ancestor_folder_ids: list[str] | None = None,
) -> Any:
    """Search files by a query."""
    places = [each.lower() for each in where_to_look_for_query or ()]
    page = await call(
        "GET /2.0/search",
        query=query,
        type="file",
        file_extensions=_join(file_extensions),
        content_types=_join(places or None),
        ancestor_folder_ids=_join(ancestor_folder_ids),
    )
    return page["entries"]


@tools.reads
async def box_search_folder_by_name_tool(call: Caller, folder_name: str) -> Any:
    """Find folders by name."""
    return (await call("GET /2.0/search", query=folder_name, type="folder", content_types="name"))["entries"]


@tools.reads
async def box_file_info_tool(call: Caller, file_id: str) -> Any:
    """Return a file without its content."""
    return await call("GET /2.0/files/{file_id}", file_id=file_id)


@tools.writes
async def box_file_rename_tool(call: Caller, file_id: str, new_name: str) -> Any:
    """Rename a file."""
    return await call("PUT /2.0/files/{file_id}", file_id=file_id, name=new_name)


@tools.writes
async def box_file_move_tool(call: Caller, file_id: str, destination_folder_id: str) -> Any:
    """Move a file to a folder."""
    return await call("PUT /2.0/files/{file_id}", file_id=file_id, parent={"id": destination_folder_id})


@tools.writes
async def box_file_copy_tool(
    call: Caller, file_id: str, destination_folder_id: str, new_name: str | None = None
) -> Any:
    """Copy a file to a folder."""
    parent = {"id": destination_folder_id}
    return await call("POST /2.0/files/{file_id}/copy", file_id=file_id, parent=parent, name=new_name)


@tools.writes
async def box_file_delete_tool(call: Caller, file_id: str) -> Any:
    """Delete a file."""
    await call("DELETE /2.0/files/{file_id}", file_id=file_id)
    return {"message": f"File {file_id} has been deleted."}


@tools.writes
async def box_file_upload_tool(call: Caller, content: str, file_name: str, parent_folder_id: int | str = ROOT) -> Any:
    """Upload a text as a new file."""
    attributes = {"name": file_name, "parent": {"id": str(parent_folder_id)}}
    return await call("POST /2.0/files/content", attributes=attributes, file=_to_upload(file_name, content))


@tools.reads
async def box_folder_info_tool(call: Caller, folder_id: str) -> Any:
    """Return a folder."""
    return await call("GET /2.0/folders/{folder_id}", folder_id=folder_id)


@tools.reads
async def box_folder_items_list_tool(call: Caller, folder_id: str) -> Any:
    """List what is in a folder."""
    return (await call("GET /2.0/folders/{folder_id}/items", folder_id=folder_id, limit=1000))["entries"]


@tools.writes
async def box_folder_create_tool(call: Caller, name: str, parent_id: str = ROOT) -> Any:
    """Create a folder."""
    return await call("POST /2.0/folders", name=name, parent={"id": parent_id})


@tools.writes
async def box_folder_rename_tool(call: Caller, folder_id: str, name: str) -> Any:
    """Rename a folder."""
    return await call("PUT /2.0/folders/{folder_id}", folder_id=folder_id, name=name)


@tools.writes
async def box_folder_move_tool(call: Caller, folder_id: str, parent_id: str) -> Any:
    """Move a folder to a folder."""
    return await call("PUT /2.0/folders/{folder_id}", folder_id=folder_id, parent={"id": parent_id})


@tools.writes
async def box_folder_delete_tool(call: Caller, folder_id: str, recursive: bool = False) -> Any:
    """Delete a folder."""
    await call("DELETE /2.0/folders/{folder_id}", folder_id=folder_id, recursive=recursive)
    return {"message": f"Folder {folder_id} has been deleted."}


def _join(values: list[str] | None) -> str | None:
    return ",".join(values) if values else None


def _to_upload(name: str, content: str) -> dict[str, str]:
    data = b64encode(content.encode()).decode()
    return {"filename": name, "content_type": "text/plain", "data": data}
