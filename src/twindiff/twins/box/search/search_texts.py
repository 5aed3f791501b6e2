"""The texts that a search looks in: names, descriptions, tags, comments and contents.

Names, descriptions and tags match by the beginning of a word; contents and comments match whole words only.

https://developer.box.com/guides/search/indexing
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from twindiff.kit import Call, SearchTerm, all_of, any_of, not_, without_accents
from twindiff.kit.rows import Column, Expression

from ..tables.further_tables import ContentText
from ..tables.item_tables import Comment
from .search_query import Both, Query, Term, matches_terms, terms_of, wanted_terms

IN_ITEMS = ("name", "description", "tags")
PARTS = (*IN_ITEMS, "comments", "file_content")
_WEIGHTS = {"name": 8, "description": 4, "tags": 4, "file_content": 2, "comments": 1}
Key = tuple[str, str]


class FoundItem(NamedTuple):
    """The columns of an item that decide whether and where it is listed. Once that is decided, only type and id."""

    type: str
    id: str
    name: str | None = None
    description: str | None = None
    tags: list[str] | None = None
    parent_id: str | None = None
    owned_by_id: str | None = None
    item_status: str = "active"
    modified_at: str | None = None
    modified_by_id: str | None = None
    sha_1: str | None = None

    @property
    def key(self) -> Key:
        return self.type, self.id

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield the item's own texts as (part, text), without case and accents."""
        if self.name:
            yield "name", without_accents(self.name)
        if self.description:
            yield "description", without_accents(self.description)
        if self.tags:
            yield "tags", without_accents("\n".join(self.tags))


def has_term(column: Column[Any], term: Term, *, is_start: bool = False) -> Expression:
    """Build the condition that a text has all words of a term."""
    *others, last = term.words
    return all_of(
        *(column.has_word(SearchTerm((word,))) for word in others), column.has_word(SearchTerm((last,), is_start))
    )


def has_any(column: Column[Any], terms: Iterable[Term]) -> Expression:
    """Build the condition that a text has all words of at least one term."""
    return any_of(*(has_term(column, term) for term in terms))


def has_query(column: Column[Any], query: Query, *, excludes: bool) -> Expression:
    """Build the condition that an item's own text matches a query, as far as the full-text index can tell."""
    if isinstance(query, Term):
        return has_term(column, query, is_start=True)
    parts = [has_query(column, part, excludes=excludes) for part in query.parts]
    if not isinstance(query, Both) or not parts:
        return any_of(*parts)
    excluded = [part for part in query.excluded if excludes and is_exact(part)]
    return all_of(*parts, *(not_(has_query(column, part, excludes=True)) for part in excluded))


def is_exact(query: Query) -> bool:
    """Return whether the full-text index alone can decide a query. It does not know which words are adjacent."""
    return all(len(term.words) == 1 and SearchTerm(term.words).is_plain for term in terms_of(query))


class Texts:
    """Matches a query against the parts of items that a search covers."""

    def __init__(self, call: Call, query: Query | None, parts: Collection[str]) -> None:
        self._call = call
        self._query = query
        self.parts = frozenset(parts)
        self._terms = tuple(dict.fromkeys(terms_of(query))) if query is not None else ()
        self._wanted = frozenset(wanted_terms(query)) if query is not None else frozenset[Term]()
        self._held: dict[Key, set[tuple[Term, str]]] = {}
        self.in_contents = self._find_terms_in(ContentText, ContentText.text, "file_content")
        """The terms that occur in at least one content."""
        self.in_comments = self._find_terms_in(Comment, Comment.message, "comments")
        """The terms that occur in at least one comment."""

    def _find_terms_in(self, table: Any, column: Column[Any], part: str) -> list[Term]:
        terms = self._terms if part in self.parts else ()
        return [term for term in terms if self._call.db.count_matches(table, has_term(column, term), most=1)]

    def is_only_in_items(self, terms: Iterable[Term]) -> bool:
        """Return whether none of the terms occurs in a content or a comment."""
        return {*self.in_contents, *self.in_comments}.isdisjoint(terms)

    def read(self, items: Sequence[FoundItem]) -> None:
        """Determine which terms occur in which parts of items, unless that is known already."""
        items = [item for item in items if item.key not in self._held]
        named = self.parts.intersection(IN_ITEMS)
        for item in items:
            self._held[item.key] = {
                (term, part)
                for part, text in item.texts()
                if part in named
                for term in self._terms
                if term.begins_in(text)
            }
        files: dict[str, list[Key]] = {}
        for item in items:
            if item.sha_1:
                files.setdefault(item.sha_1, []).append(item.key)
        for term in self.in_contents if files else ():
            for sha in self.contents(term, [*files]):
                for key in files[sha]:
                    self._held[key].add((term, "file_content"))
        ids = sorted(item.id for item in items if item.type == "file")
        for term in self.in_comments if ids else ():
            for id in self.list_commented_files([term], Comment.file_id.in_(ids)):
                self._held["file", id].add((term, "comments"))

    def contents(self, term: Term, among: list[str]) -> list[str]:
        """Return the SHA-1 of those contents among `among` that have a term."""
        where = (ContentText.sha_1.in_(sorted(among)), has_term(ContentText.text, term))
        columns = (ContentText.sha_1, *([ContentText.text] if len(term.words) > 1 else ()))
        return _fitting([term], self._call.db.rows(ContentText, *where, columns=columns))

    def list_commented_files(self, terms: Collection[Term], *where: Expression) -> list[str]:
        """Return the ids of files with a comment that has one of the terms."""
        columns = (Comment.file_id, Comment.message)
        return _fitting(terms, self._call.db.rows(Comment, has_any(Comment.message, terms), *where, columns=columns))

    def fits(self, item: FoundItem, *, alone: bool = False) -> bool:
        """Return whether an item matches the query, after `read`; with `alone`, whether its own text suffices."""
        if self._query is None:
            return not alone
        held = self._held[item.key]
        terms = {term for term, part in held if not alone or part in IN_ITEMS}
        return matches_terms(self._query, terms) and (
            not alone or matches_terms(self._query, {term for term, _ in held})
        )

    def score(self, item: FoundItem) -> int:
        """Return the score of an item after `read`. Names weigh most."""
        return sum(_WEIGHTS[part] for term, part in self._held[item.key] if term in self._wanted)


def _fitting(terms: Collection[Term], rows: Iterable[tuple[Any, ...]]) -> list[str]:
    """Return the keys of rows that really have a term: the index does not know which words are adjacent."""
    return [
        id for id, *text in rows if any(len(term.words) == 1 or term.is_in(without_accents(*text)) for term in terms)
    ]
