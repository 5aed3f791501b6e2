"""Where the words of a search are looked for: in names, descriptions, tags, comments and contents."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from twindiff.kit import Call, all_of

from .further_tables import ContentText
from .listing import KINDS
from .search_query import Term
from .tables import Comment, File, Item

PARTS = ("name", "description", "tags", "comments", "file_content")
MOST = 10_000
"""So many results there are at most, as with Box; the ones beyond cannot be paged to."""
Key = tuple[str, str]


class Texts:
    """Looks terms up, and tells how well they fit."""

    def __init__(self, call: Call, parts: Collection[str]) -> None:
        self._call = call
        self._parts = parts
        self._items: dict[Key, Item] = {}
        self._held: dict[Key, set[str]] = {}
        """In which parts of an item something was found."""

    def having(self, term: Term) -> set[Key]:
        """The items that have a term in one of the parts."""
        found: set[Key] = set()
        own = [part for part in ("name", "description", "tags") if part in self._parts]
        if own:
            found |= self._in_items(term, own)
        if "comments" in self._parts:
            found |= self._in_comments(term)
        if "file_content" in self._parts:
            found |= self._in_contents(term)
        return found

    def item(self, key: Key) -> Item:
        """An item that was found."""
        return self._items[key]

    def score(self, key: Key) -> int:
        """How well an item fits: names count most."""
        held = self._held.get(key, set[str]())
        return sum({"name": 8, "description": 4, "tags": 4, "file_content": 2, "comments": 1}[part] for part in held)

    def _note(self, item: Item, part: str) -> Key:
        key = (item.type, item.id)
        self._items.setdefault(key, item)
        self._held.setdefault(key, set()).add(part)
        return key

    def _in_items(self, term: Term, parts: list[str]) -> set[Key]:
        found: set[Key] = set()
        for kind in KINDS:
            words = term.words if term.is_phrase else (term.text,)
            where = all_of(*(kind.search_text.contains(word, fold=True) for word in words))
            for item in self._call.db.rows(kind, where, limit=MOST):
                found |= {self._note(item, part) for part in parts if term.is_in(_part(item, part))}
        return found

    def _in_comments(self, term: Term) -> set[Key]:
        where = all_of(*(Comment.message.contains(word, fold=True) for word in _words(term)))
        rows = self._call.db.rows(Comment, where, limit=MOST)
        files = {row.file_id for row in rows if term.is_in((row.message or "").casefold())}
        return {self._note(file, "comments") for file in self._files(File.id, files)}

    def _in_contents(self, term: Term) -> set[Key]:
        where = all_of(*(ContentText.text.contains(word, fold=True) for word in _words(term)))
        rows = self._call.db.rows(ContentText, where, limit=MOST)
        contents = {row.sha_1 for row in rows if term.is_in(row.text.casefold())}
        return {self._note(file, "file_content") for file in self._files(File.sha_1, contents)}

    def _files(self, column: Any, values: Collection[str]) -> list[File]:
        return self._call.db.rows(File, column.in_(tuple(values)), limit=MOST) if values else []


def _words(term: Term) -> tuple[str, ...]:
    return term.words if term.is_phrase else (term.text,)


def _part(item: Any, part: str) -> str:
    value: Any = " ".join(item.tags or []) if part == "tags" else getattr(item, part)
    return str(value or "").casefold()
