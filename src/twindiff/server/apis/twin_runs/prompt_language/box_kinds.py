"""The kinds of Box: users, folders, files and comments."""

from __future__ import annotations

from typing import Any

from .kinds import Kind, KindField, Rows, Vendor, Verb, World, WorldEntity, drop_none, list_names, persons

BORN = ("2", "3")
KINDS = (
    Kind(
        "box.user",
        (("user", "users"), ("collaborator", "collaborators"), ("person", "people")),
        ("box.folder",),
        (
            KindField(
                "role",
                "choice",
                {
                    "as an editor": "editor",
                    "as editor": "editor",
                    "as a viewer": "viewer",
                    "as viewer": "viewer",
                    "as editors": "editor",
                    "as viewers": "viewer",
                },
            ),
        ),
        most=100,
    ),
    Kind(
        "box.folder",
        (("folder", "folders"), ("subfolder", "subfolders"), ("directory", "directories")),
        ("box.folder",),
        has_plain_names=True,
        most=50,
    ),
    Kind(
        "box.file",
        (("file", "files"), ("document", "documents")),
        ("box.folder",),
        (KindField("about", "topic", leads=("about", "regarding", "concerning")),),
        has_plain_names=True,
    ),
    Kind(
        "box.comment",
        (("comment", "comments"),),
        ("box.file",),
        (KindField("author", "person", leads=("by", "from")),),
        {"commented": Verb("author")},
        is_text=True,
        needs="box.file",
    ),
)


def write(world: World) -> dict[str, Any]:
    """Make the configuration of an enterprise."""
    return {
        "users": [*world.people],
        "folders": [_folder(world, each) for each in world.loose("box.folder")],
        "files": [_file(world, each) for each in world.loose("box.file")],
    }


def _folder(world: World, folder: WorldEntity) -> dict[str, Any]:
    shared = [drop_none(user=each.name, role=each.fields.get("role")) for each in world.of("box.user", folder)]
    return {
        "name": folder.name,
        "files": [_file(world, each) for each in world.of("box.file", folder)],
        "folders": [_folder(world, each) for each in world.of("box.folder", folder)],
        "shared_with": shared,
    }


def _file(world: World, file: WorldEntity) -> dict[str, Any]:
    comments = [drop_none(message=each.name, user=each.fields.get("author")) for each in world.of("box.comment", file)]
    about = file.fields.get("about", "")
    return drop_none(name=file.name, content=f"{about or file.name}\n", comments=comments or None)


def read(rows: Rows) -> list[WorldEntity]:
    """Find the entities of an enterprise, except the root folder."""
    users = persons(rows["box_users"], "box.user", "id", "name", "login")
    folders = {row["id"]: WorldEntity("box.folder", row["name"]) for row in rows["box_folders"] if row["id"] != "0"}
    for row in rows["box_folders"]:
        if row["parent_id"] in folders and row["id"] in folders:
            folders[row["id"]].places.append(folders[row["parent_id"]])
    shares: list[WorldEntity] = []
    for row in rows["box_collaborations"]:
        if row["item_id"] in folders and row["accessible_by_id"] in users:
            user = users[row["accessible_by_id"]]
            shares.append(
                WorldEntity("box.user", user.name, {"role": {row["role"]}}, [folders[row["item_id"]]], user.aliases)
            )
    texts = {row["sha_1"]: row["text"] for row in rows["box_content_texts"]}
    files = {
        row["id"]: WorldEntity(
            "box.file",
            row["name"],
            {"about": f"{row['name']} {texts.get(row['sha_1'], '')}"},
            [folders[row["parent_id"]]] if row["parent_id"] in folders else [],
        )
        for row in rows["box_files"]
    }
    comments = [
        WorldEntity(
            "box.comment",
            row["message"],
            {"author": list_names(users.get(row["created_by_id"]))},
            [files[row["file_id"]]],
        )
        for row in rows["box_comments"]
        if row["file_id"] in files
    ]
    born = [each for each in users.values() if not any(each.is_called(share.name) for share in shares)]
    return [*born, *shares, *folders.values(), *files.values(), *comments]


BOX = Vendor("box", ("box",), KINDS, write, read)
