"""Autolinks: texts such as TICKET-7 that lead to pages elsewhere.

https://docs.github.com/en/rest/repos/autolinks
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations

from ..core.access import find_repo
from ..core.stamps import new_id, show_instant
from ..tables.repository_tables import Autolink, Repository
from ..wire_style import NotVisible, invalid

api = Operations()
MAX_AUTOLINKS = 500
_PATH = "/repos/{owner}/{repo}/autolinks"


def _show(autolink: Autolink) -> dict[str, Any]:
    return {
        "id": autolink.id,
        "key_prefix": autolink.key_prefix,
        "url_template": autolink.url_template,
        "is_alphanumeric": autolink.is_alphanumeric,
        "updated_at": show_instant(autolink.created_at),
    }


def _list_rows(call: Call, repo: Repository) -> list[Autolink]:
    return list(call.db.rows(Autolink, Autolink.repository_id == repo.id, order=Autolink.id))


def _find(call: Call, owner: str, repo: str, autolink_id: int) -> Autolink:
    row = find_repo(call, owner, repo)
    autolink = call.db.find(Autolink, Autolink.id == autolink_id, Autolink.repository_id == row.id)
    if autolink is None:
        raise NotVisible
    return autolink


@api.get(_PATH)
def list_autolinks(call: Call, owner: str, repo: str) -> Any:
    """List the autolinks of a repository."""
    return [_show(each) for each in _list_rows(call, find_repo(call, owner, repo))]


@api.post(_PATH, status=201)
def create_autolink(
    call: Call, owner: str, repo: str, key_prefix: str, url_template: str, is_alphanumeric: bool = True
) -> Any:
    """Make an autolink; its address has `<num>` where the reference comes."""
    row = find_repo(call, owner, repo)
    if "<num>" not in url_template:
        raise invalid("KeyLink", "url_template", "custom", "url_template must contain a <num> token")
    if not key_prefix.strip():
        raise invalid("KeyLink", "key_prefix", "missing_field")
    known = _list_rows(call, row)
    if any(each.key_prefix.lower() == key_prefix.lower() for each in known):
        raise invalid("KeyLink", "key_prefix", "already_exists")
    if len(known) >= MAX_AUTOLINKS:
        raise invalid("KeyLink", "", "custom", f"A repository has at most {MAX_AUTOLINKS} autolinks")
    texts: dict[str, Any] = {"key_prefix": key_prefix, "url_template": url_template}
    fields: dict[str, Any] = {**texts, "is_alphanumeric": is_alphanumeric, "created_at": call.clock.iso()}
    return _show(call.db.add(Autolink(id=new_id(call), repository_id=row.id, **fields)))


@api.get(f"{_PATH}/{{autolink_id}}")
def get_autolink(call: Call, owner: str, repo: str, autolink_id: int) -> Any:
    """Get an autolink."""
    return _show(_find(call, owner, repo, autolink_id))


@api.delete(f"{_PATH}/{{autolink_id}}", status=204)
def delete_autolink(call: Call, owner: str, repo: str, autolink_id: int) -> None:
    """Delete an autolink."""
    call.db.remove(_find(call, owner, repo, autolink_id))
