"""The rows of a default branch's files, which code search reads and diffs show."""

from __future__ import annotations

from collections import Counter

from twindiff.kit import Call
from twindiff.kit.store import Store

from ..tables.repository_tables import Repository, RepositoryFile
from .diffs import is_binary
from .histories import get_commit
from .objects import EMPTY_TREE, ObjectStore, TreeEntry, store_of
from .trees import Difference, diff_trees

MAX_INDEXED_BYTES = 384 * 1024
LANGUAGES = {
    "py": "Python", "js": "JavaScript", "ts": "TypeScript", "tsx": "TypeScript", "go": "Go", "rs": "Rust", "rb": "Ruby",
    "java": "Java", "c": "C", "h": "C", "cpp": "C++", "cc": "C++", "cs": "C#", "php": "PHP", "sh": "Shell",
    "html": "HTML", "css": "CSS", "swift": "Swift", "kt": "Kotlin", "scala": "Scala", "sql": "SQL", "lua": "Lua",
    "dart": "Dart", "r": "R", "m": "Objective-C", "vue": "Vue", "ex": "Elixir", "hs": "Haskell", "tf": "HCL",
}  # fmt: skip
"""The languages that a repository is said to be in, by the extensions of its files."""


def project_files(call: Call, repo: Repository, before: str | None, after: str | None) -> Repository:
    """Make the rows of a repository's files those of a commit; `before` is the one that they show now."""
    store = store_of(call, repo)
    old, new = (_tree_of(call, repo, sha) for sha in (before, after))
    differences = list(diff_trees(store, old, new))
    call.db.add_all([_row(repo, store, each.path, each.new) for each in differences if each.new and not each.old])
    for each in differences:
        _change_row(call.db, repo, store, each)
    is_resized = any(each.old is None or each.new is None for each in differences)
    totals = languages_of(call, repo) if is_resized else {}
    language = next(iter(totals), None) if is_resized else repo.language
    size = sum(totals.values()) // 1024 if is_resized else repo.size
    changed = language != repo.language or size != repo.size
    return call.db.change(repo, language=language, size=size) if changed else repo


def _tree_of(call: Call, repo: Repository, sha: str | None) -> str:
    commit = get_commit(call, repo.network_id, sha) if sha else None
    return commit.tree_sha if commit else EMPTY_TREE


def _row(repo: Repository, store: ObjectStore, path: str, entry: TreeEntry) -> RepositoryFile:
    size = store.size_of(entry.sha) if entry.type == "blob" else 0
    content = text_of(store, entry) if size <= MAX_INDEXED_BYTES else None
    return RepositoryFile(repository_id=repo.id, path=path, sha=entry.sha, mode=entry.mode, size=size, content=content)


def text_of(store: ObjectStore, entry: TreeEntry) -> str | None:
    """Return the text of a blob; None if it is binary."""
    if entry.type != "blob":
        return None
    data = store.read(entry.sha)
    if is_binary(data):
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _change_row(db: Store, repo: Repository, store: ObjectStore, each: Difference) -> None:
    if each.old is None:
        return
    known = db.find(RepositoryFile, RepositoryFile.repository_id == repo.id, RepositoryFile.path == each.path)
    if known is None:
        return
    if each.new is None:
        db.remove(known)
    else:
        fresh = _row(repo, store, each.path, each.new)
        db.change(known, sha=fresh.sha, mode=fresh.mode, size=fresh.size, content=fresh.content)


def languages_of(call: Call, repo: Repository) -> dict[str, int]:
    """Return the bytes of a repository's files by language, the most first."""
    totals: Counter[str] = Counter()
    columns = (RepositoryFile.path, RepositoryFile.size)
    for path, size in call.db.rows(RepositoryFile, RepositoryFile.repository_id == repo.id, columns=columns):
        language = LANGUAGES.get(path.rpartition(".")[2].lower())
        if language:
            totals[language] += size
    return dict(totals.most_common())
