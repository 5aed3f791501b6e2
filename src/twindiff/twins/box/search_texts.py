"""Where the words of a search are looked for: in names, descriptions, tags, comments and contents.

Names, descriptions and tags have a word that begins with what is looked for; contents and comments have the whole word.
https://developer.box.com/guides/search/indexing
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from twindiff.kit import Call, Word, all_of
from twindiff.kit.rows import Column, Expression

from .further_tables import ContentText
from .listing import KINDS
from .search_query import Either, Query, Term
from .tables import Comment, File

PARTS = ("name", "description", "tags", "comments", "file_content")
_WEIGHTS = {"name": 8, "description": 4, "tags": 4, "file_content": 2, "comments": 1}
MOST = 10_000
"""So many results there are at most, as with Box; the ones beyond cannot be paged to."""
FILES_OF_A_CONTENT = 5
"""As many files as may have the same content before more of them are looked at together than of other texts."""
Key = tuple[str, str]


class Texts:
    """Looks terms up, and tells how well they fit: `size` texts of each kind for each term, after `offset` others."""

    def __init__(self, call: Call, parts: Collection[str], size: int, offset: int = 0) -> None:
        self._call = call
        self._parts = parts
        self._size, self._offset = size, offset
        self._held: dict[Key, set[tuple[str, str]]] = {}
        """What was found in an item: a term, and in which part."""
        self.is_end = True
        """Whether there are no further texts."""

    def having(self, query: Query) -> set[Key]:
        """The items that have what a query asks for."""
        if isinstance(query, Term):
            return self._having(query)
        found = [self.having(part) for part in query.parts]
        if isinstance(query, Either) or not found:
            return set[Key]().union(*found)
        return found[0].intersection(*found).difference(*map(self.having, query.excluded))

    def score(self, key: Key) -> int:
        """How well an item fits: names count most."""
        return sum(_WEIGHTS[part] for _, part in self._held.get(key, ()))

    def _having(self, term: Term) -> set[Key]:
        found: set[Key] = set()
        for kind in KINDS if {"name", "description", "tags"}.intersection(self._parts) else ():
            found |= self._in_items(kind, term)
        if "comments" in self._parts:
            found |= self._in_comments(term)
        if "file_content" in self._parts:
            found |= self._in_contents(term)
        return found

    def _note(self, kind: str, id: str, term: Term, part: str) -> Key:
        key = (kind, id)
        self._held.setdefault(key, set()).add((term.text, part))
        return key

    def _in_items(self, kind: Any, term: Term) -> set[Key]:
        """Names, descriptions and tags."""
        found: set[Key] = set()
        columns = (kind.id, kind.name, kind.description, kind.tags)
        for id, name, description, tags in self._rows(kind, _has(kind.search_text, term, is_start=True), *columns):
            said = {"name": name, "description": description, "tags": "\n".join(tags or ())}
            has = {part for part in said if part in self._parts and term.is_in(said[part], is_start=True)}
            found |= {self._note(kind.type.default, id, term, part) for part in has}
        return found

    def _in_comments(self, term: Term) -> set[Key]:
        rows = self._rows(Comment, _has(Comment.message, term), Comment.file_id, Comment.message)
        files = {file for file, message in rows if _fits(term, message)}
        return {self._note("file", file, term, "comments") for file in files}

    def _in_contents(self, term: Term) -> set[Key]:
        columns = (ContentText.sha_1,) if len(term.words) == 1 else (ContentText.sha_1, ContentText.text)
        rows = self._rows(ContentText, _has(ContentText.text, term), *columns, share=FILES_OF_A_CONTENT)
        contents = [sha for sha, *text in rows if _fits(term, *text)]
        files = self._call.db.rows(File, File.sha_1.in_(contents), columns=(File.id,), limit=MOST) if contents else ()
        return {self._note("file", file, term, "file_content") for (file,) in files}

    def _rows(self, table: Any, where: Expression, *columns: Column[Any], share: int = 1) -> list[tuple[Any, ...]]:
        size, offset = self._size // share, self._offset // share
        found: list[tuple[Any, ...]] = self._call.db.rows(table, where, columns=columns, limit=size, offset=offset)
        self.is_end &= len(found) < size
        return found


def _has(column: Column[Any], term: Term, *, is_start: bool = False) -> Expression:
    *others, last = term.words
    return all_of(*(column.has_word(Word((word,))) for word in others), column.has_word(Word((last,), is_start)))


def _fits(term: Term, text: str | None = None) -> bool:
    """Whether a text that has the words of a term has the term: an index tells no more of words side by side."""
    return len(term.words) == 1 or term.is_in(text)
