"""Users: keys, e-mail addresses, tokens, snippets and todos.

https://docs.gitlab.com/api/users/
"""

from __future__ import annotations

from ..document_collections import DocumentCollection
from .project_scopes import API, DATED, NO_UPDATE, PLAIN, READ, ProjectScopes
from .repository_collections import SNIPPET_FIELDS

_KEY = "title: text; expires_at: time; usage_type: auth|signing|auth_and_signing"


def list_user_collections(scopes: ProjectScopes) -> list[DocumentCollection]:
    """Return the collections of this part of the API."""
    return [
        DocumentCollection(table="user_keys", path=f"{API}/user/keys", style=DATED, name="key",
                           required=("title", "key"), serves=NO_UPDATE, fields=_KEY, defaults={"expires_at": None}),
        DocumentCollection(table="user_keys", path=f"{API}/users/{{user_id}}/keys", style=DATED, name="key",
                           required=("title", "key"), serves=NO_UPDATE, fields=_KEY, item="/{key_id}",
                           resolve=scopes.user),
        DocumentCollection(table="user_gpg_keys", path=f"{API}/user/gpg_keys", style=DATED, name="GPG key",
                           required=("key",), serves=NO_UPDATE),
        DocumentCollection(table="user_emails", path=f"{API}/user/emails", style=PLAIN, name="email",
                           required=("email",), fields="email: text", serves=NO_UPDATE,
                           defaults={"confirmed_at": None}),
        DocumentCollection(table="personal_access_tokens", path=f"{API}/personal_access_tokens", style=DATED,
                           name="personal access token", serves=frozenset(["list", "read", "delete"])),
        DocumentCollection(table="snippets", path=f"{API}/snippets", style=DATED, name="snippet", required=("title",),
                           fields=SNIPPET_FIELDS,
                           check=scopes.add_author, updates_by=("PUT",),
                           defaults={"description": None, "visibility": "private", "file_name": "", "files": []}),
        DocumentCollection(table="todos", path=f"{API}/todos", style=DATED, name="todo", serves=frozenset(["list"]),
                           filters=("state", "action", "type")),
        DocumentCollection(table="events", path=f"{API}/events", style=DATED, serves=frozenset(["list"]),
                           filters=("action", "target_type")),
        DocumentCollection(table="namespaces", path=f"{API}/namespaces", style=PLAIN, name="namespace", serves=READ,
                           aliases=("path", "full_path"), searched=("name", "path")),
    ]  # fmt: skip
