"""Where the words of a search are looked for: in names, descriptions, tags, comments and contents.

Names, descriptions and tags have a word that begins with what is looked for; contents and comments have the whole word.
https://developer.box.com/guides/search/indexing
"""

from __future__ import annotations

from collections.abc import Callable, Collection
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
FEW = 250
"""Texts of each kind that are looked at to see whether few have a word."""
FILES_OF_A_CONTENT = 5
"""As many files as may have the same content before more of them are looked at together than of other texts."""
Key = tuple[str, str]
Narrow = Callable[[Any], list[Expression]]
"""What the rows of a kind must be besides having words."""


class Texts:
    """Looks terms up, and tells how well they fit: `size` texts of each kind for each term, after `offset` others."""

    def __init__(self, call: Call, parts: Collection[str], narrow: Narrow, size: int, offset: int = 0) -> None:
        self._call = call
        self._narrow = narrow
        self._parts = parts
        self._size, self._offset = size, offset
        self._held: dict[Key, set[tuple[str, str]]] = {}
        """What was found in an item: a term, and in which part."""
        self.is_end = True
        """Whether there are no further texts."""

    def having(self, query: Query, among: set[Key] | None = None) -> set[Key]:
        """The items that have what a query asks for; with `among` those of them that do, however many others do."""
        if isinstance(query, Term):
            return self._having(query, among)
        if isinstance(query, Either):
            return set[Key]().union(*(self.having(part, among) for part in query.parts))
        parts = [*query.parts]
        found = among if among is not None else self._fewest(parts)
        for part in parts:
            found = self.having(part, found)
        for part in query.excluded:
            found = found - self.having(part, found)
        return found

    def _fewest(self, parts: list[Query]) -> set[Key]:
        """The items that have the first part that few have, or else the first; it is taken out of the parts."""
        for at, part in enumerate(parts if len(parts) > 1 else ()):
            few = Texts(self._call, self._parts, self._narrow, FEW)
            found = few.having(part)
            if few.is_end:
                self._held.update(few._held)
                del parts[at]
                return found
        return self.having(parts.pop(0)) if parts else set()

    def score(self, key: Key) -> int:
        """How well an item fits: names count most."""
        return sum(_WEIGHTS[part] for _, part in self._held.get(key, ()))

    def _having(self, term: Term, among: set[Key] | None) -> set[Key]:
        found: set[Key] = set()
        for kind in KINDS if {"name", "description", "tags"}.intersection(self._parts) else ():
            found |= self._in_items(kind, term, among)
        files = None if among is None else _ids(among, "file")
        if "comments" in self._parts:
            found |= self._in_comments(term, files)
        if "file_content" in self._parts:
            found |= self._in_contents(term, files)
        return found

    def _note(self, kind: str, id: str, term: Term, part: str) -> Key:
        key = (kind, id)
        self._held.setdefault(key, set()).add((term.text, part))
        return key

    def _in_items(self, kind: Any, term: Term, among: set[Key] | None) -> set[Key]:
        """Names, descriptions and tags."""
        found: set[Key] = set()
        where = [_has(kind.search_text, term, is_start=True), *self._narrow(kind)]
        where += [] if among is None else [kind.id.in_(_ids(among, kind.type.default))]
        for id, name, description, tags in self._rows(kind, where, kind.id, kind.name, kind.description, kind.tags):
            said = {"name": name, "description": description, "tags": "\n".join(tags or ())}
            has = {part for part in said if part in self._parts and term.is_in(said[part], is_start=True)}
            found |= {self._note(kind.type.default, id, term, part) for part in has}
        return found

    def _in_comments(self, term: Term, among: list[str] | None) -> set[Key]:
        where = [_has(Comment.message, term), *([] if among is None else [Comment.file_id.in_(among)])]
        rows = self._rows(Comment, where, Comment.file_id, Comment.message)
        files = {file for file, message in rows if _fits(term, message)}
        return {self._note("file", file, term, "comments") for file in files}

    def _in_contents(self, term: Term, among: list[str] | None) -> set[Key]:
        where, files = [_has(ContentText.text, term)], self._call.db.rows
        if among is not None:
            shas = {sha for (sha,) in files(File, File.id.in_(among), columns=(File.sha_1,)) if sha}
            where.append(ContentText.sha_1.in_(sorted(shas)))
        columns = (ContentText.sha_1,) if len(term.words) == 1 else (ContentText.sha_1, ContentText.text)
        rows = self._rows(ContentText, where, *columns, share=FILES_OF_A_CONTENT if among is None else 1)
        contents = [sha for sha, *text in rows if _fits(term, *text)]
        of_these = [File.sha_1.in_(contents), *([] if among is None else [File.id.in_(among)])]
        found = files(File, *of_these, columns=(File.id,), limit=MOST) if contents else ()
        return {self._note("file", file, term, "file_content") for (file,) in found}

    def _rows(
        self, table: Any, where: list[Expression], *columns: Column[Any], share: int = 1
    ) -> list[tuple[Any, ...]]:
        size, offset = self._size // share, self._offset // share
        found: list[tuple[Any, ...]] = self._call.db.rows(table, *where, columns=columns, limit=size, offset=offset)
        self.is_end &= len(found) < size
        return found


def _ids(keys: set[Key], kind: str) -> list[str]:
    return sorted(id for each, id in keys if each == kind)


def _has(column: Column[Any], term: Term, *, is_start: bool = False) -> Expression:
    *others, last = term.words
    return all_of(*(column.has_word(Word((word,))) for word in others), column.has_word(Word((last,), is_start)))


def _fits(term: Term, text: str | None = None) -> bool:
    """Whether a text that has the words of a term has the term: an index tells no more of words side by side."""
    return len(term.words) == 1 or term.is_in(text)
