"""References: names that may be, the objects that they name, and the commits that texts mean.

https://docs.github.com/en/rest/git/refs
"""

from __future__ import annotations

import re

from dulwich.refs import check_ref_format

from twindiff.kit import Call
from twindiff.kit.rows import Column

from ..tables.repository_tables import Commit, Ref, Repository
from ..wire_style import NotVisible, Unprocessable
from .commit_objects import read_tag
from .histories import get_commit
from .objects import ObjectStore, store_of

HEADS, TAGS = "refs/heads/", "refs/tags/"
MAX_REF_BYTES = 255
_SHA = re.compile(r"[0-9a-f]{40}")
_SHORT_SHA = re.compile(r"[0-9a-f]{4,39}")


def is_valid_ref(ref: str) -> bool:
    """Return whether git accepts a full name such as `refs/heads/main`."""
    try:
        is_short = len(ref.encode()) <= MAX_REF_BYTES
        return is_short and ref.startswith("refs/") and ref.count("/") >= 2 and check_ref_format(ref.encode())  # pyright: ignore[reportArgumentType] - dulwich's Ref
    except UnicodeEncodeError:
        return False


def find_ref(call: Call, repo: Repository, ref: str) -> Ref | None:
    """Return a reference by its full name, or None."""
    return call.db.find(Ref, Ref.repository_id == repo.id, Ref.ref == ref)


def find_conflict(call: Call, repo: Repository, ref: str) -> str | None:
    """Return a reference that cannot exist beside a new one, as a file cannot beside a folder of its name; or None."""
    below = call.db.rows(Ref, Ref.repository_id == repo.id, Ref.ref.starts(f"{ref}/"), limit=1)
    parts = ref.split("/")
    above = ("/".join(parts[:length]) for length in range(3, len(parts)))
    return below[0].ref if below else next((each for each in above if find_ref(call, repo, each)), None)


def list_refs(call: Call, repo: Repository, prefix: str = "refs/") -> list[Ref]:
    """Return the references whose names begin with a prefix, in order of names."""
    return call.db.rows(Ref, Ref.repository_id == repo.id, Ref.ref.starts(prefix), order=Ref.ref)


def find_branch(call: Call, repo: Repository, branch: str) -> Ref:
    """Return a branch; raise NotVisible."""
    ref = find_ref(call, repo, HEADS + branch)
    if ref is None:
        raise NotVisible("Branch not found")
    return ref


def peel(store: ObjectStore, sha: str) -> str:
    """Return what an annotated tag finally names; any other object is itself."""
    for _ in range(10):
        if store.type_of(sha) != "tag":
            return sha
        sha = read_tag(store, sha).target
    return sha


def resolve_commit(call: Call, repo: Repository, text: str) -> Commit | None:
    """Return the commit that a branch, a tag, a reference, a SHA-1 or a beginning of one means; else None."""
    store = store_of(call, repo)
    if _SHA.fullmatch(text):
        return get_commit(call, repo.network_id, peel(store, text))
    names = [HEADS + repo.default_branch] if text in ("", "HEAD") else [HEADS + text, TAGS + text, f"refs/{text}", text]
    for name in names:
        ref = find_ref(call, repo, name)
        if ref:
            return get_commit(call, repo.network_id, peel(store, ref.sha))
    if _SHORT_SHA.fullmatch(text):
        sha: Column[str] = Commit.sha
        matches = call.db.rows(Commit, Commit.network_id == repo.network_id, sha >= text, sha < text + "g", limit=2)
        return matches[0] if len(matches) == 1 else None
    return None


def find_commit(call: Call, repo: Repository, text: str, error: type[Unprocessable] | None = None) -> Commit:
    """Return the commit that a text means; raise NotVisible, or GitHub's 422 for a commit that must exist."""
    commit = resolve_commit(call, repo, text)
    if commit is None:
        raise error(f"No commit found for SHA: {text}") if error else NotVisible
    return commit


def is_empty(call: Call, repo: Repository) -> bool:
    """Return whether a repository has no branch yet."""
    return not call.db.rows(Ref, Ref.repository_id == repo.id, Ref.ref.starts(HEADS), limit=1)
