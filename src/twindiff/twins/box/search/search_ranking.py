"""Ranks search results.

Items whose own text matches come before files that match only by their content or comments. The first `HEAD` matches of
each kind, in index order, are sorted by score and then by name; the remaining matches follow in index order.

If the full-text index alone decides what matches, a page costs only its own rows. That requires single-word terms, and
owners, folders and the trash that decide visibility by conditions. Otherwise all matches before the page are examined
too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import Any

from twindiff.kit import Call, not_
from twindiff.kit.rows import Column, Expression, Order
from twindiff.twins.box.wire_style import Window

from ..core.access import look_up_folders
from ..core.folder_listing import KINDS
from ..tables.further_tables import ContentText, MetadataInstance
from ..tables.item_tables import Comment, File, Item
from .metadata_filters import fits
from .search_filters import Filters
from .search_query import Both, Query, Term, excluded_terms, is_any_of, wanted_terms
from .search_texts import IN_ITEMS, FoundItem, Key, Texts, has_any, has_query, is_exact

HEAD = 250
"""Maximum number of items of each kind that are sorted by score."""
MAX_ROWS = 10_200
"""Maximum number of results of a kind. No page extends beyond it."""
BLOCKS = (HEAD, 2_250, MAX_ROWS - 2_500)
"""Numbers of rows that are examined at once, block by block."""
FEW = 250
TEXTS = (25, 500, MAX_ROWS)
"""Numbers of contents or comments that are examined at once. One content may belong to many files."""
Page = tuple[list[FoundItem], int]
Fetch = Callable[[int, int], list[FoundItem]]
"""Returns rows of a kind, given an offset and a limit."""


class Search:
    """One search by the caller."""

    def __init__(
        self, call: Call, query: Query | None, parts: Sequence[str], filters: Filters, metadata: dict[str, Any] | None
    ) -> None:
        self.call = call
        self.query = query
        self.filters = filters
        self.texts = Texts(call, query, parts)
        self.kinds = [kind for kind in KINDS if kind.type.default in filters.kinds and self._may_have(kind)]
        self.conditions = {
            kind: [*filters.conditions(kind), *filters.place_conditions(call, kind)] for kind in self.kinds
        }
        self.listed = self._with_metadata(metadata) if metadata else None
        """The items that match the metadata filter; None without one."""
        self._narrowed: set[Any] = set()
        """The kinds whose conditions already include visibility."""
        self._alone_count: int | None = None
        """The number of files that match by their own text, up to `MAX_ROWS`; None until it is counted."""

    def _may_have(self, kind: Any) -> bool:
        """Return whether items of a kind can match: files by any text, others only by their own."""
        if self.query is None:
            return True
        if not any(True for _ in wanted_terms(self.query)):
            return False
        if kind is File:
            return True
        words = has_query(kind.search_text, self.query, excludes=False)
        return not self.texts.parts.isdisjoint(IN_ITEMS) and self.call.db.count_matches(kind, words, most=1) > 0

    def best(self, at: Window) -> Page:
        """Return a page of results, best match first."""
        if self.listed is not None:
            return _page(self._sort_by_score(self._load_found(self.listed)), (), at)
        sizes = self._sizes(at)
        if sizes is not None:
            return self._page_by_counts(sizes, at)
        first, after = self._others()
        heads = [self._alone(self._fetch(kind)(0, HEAD)) for kind in self.kinds]
        head = [*chain(*heads), *first]
        head = self._sort_by_score(head) if at.offset < len(head) else head
        rest = (item for kind in self.kinds for item in self._walk(self._fetch(kind), begin=1))
        last = at.offset + at.limit
        upto = [*head, *islice(rest, max(last + 1 - len(head), 0))]
        return _continue_page(upto[at.offset : last], len(upto), after, at)

    def latest(self, at: Window, *, is_falling: bool) -> Page:
        """Return a page of results, ordered by modification time."""
        last = at.offset + at.limit + 1
        sizes = self._sizes(at) if self.listed is None else {}
        fetches = [self._fetch(kind, Order(kind.modified_at, is_falling)) for kind in self.kinds]
        if self.listed is not None:
            items = self._load_found(self.listed)
        elif sizes is None:
            items = [each for fetch in fetches for each in islice(self._walk(fetch), max(last, HEAD))]
        else:
            items = [each for fetch in fetches for each in fetch(0, last)]
        left = sum(sizes.values()) - len(items) if sizes else 0
        if self.listed is None:
            first, after = self._others()
            items += first + after(0, MAX_ROWS)
        items.sort(key=lambda each: each.modified_at or "", reverse=is_falling)
        page, total = _page(items, (), at)
        return page, total + left

    def items(self, keys: list[Key]) -> list[Item]:
        """Return the stored items in the order of `keys`."""
        rows: dict[Key, Item] = {}
        for kind in KINDS:
            ids = [id for each, id in keys if each == kind.type.default]
            rows |= {(row.type, row.id): row for row in self.call.db.rows(kind, kind.id.in_(ids))} if ids else {}
        look_up_folders(self.call, (each.parent_id for each in rows.values()))
        return [rows[key] for key in keys]

    # Results that the index alone determines

    def _sizes(self, at: Window) -> dict[Any, int] | None:
        """Return how many items of each kind match by their own text.

        Returns None if few match or if the index alone cannot decide.
        """
        texts, query = self.texts, self.query
        if query is None or not texts.parts.issuperset(IN_ITEMS) or not is_exact(query):
            return None
        if not texts.is_only_in_items(excluded_terms(query)):
            return None
        most = min(at.offset + at.limit + HEAD + 1, MAX_ROWS) if self.filters.is_ranged else MAX_ROWS
        are_mixed = any(self.filters.has_others(self.call, kind) for kind in self.kinds)
        sizes = {kind: self._count(kind, HEAD + 1 if are_mixed else most) for kind in self.kinds}
        self._alone_count = None if are_mixed or self.conditions.get(File) else sizes.get(File)
        if max(sizes.values(), default=0) <= HEAD:
            return None
        for kind in self.kinds:
            known = len(self.conditions[kind])
            if not self._narrow(kind):
                return None
            if are_mixed or len(self.conditions[kind]) > known:
                sizes[kind] = self._count(kind, most)
        return sizes

    def _narrow(self, kind: Any) -> bool:
        """Add the conditions for visibility to a kind, once; return False if each row must be tested instead."""
        if kind not in self._narrowed:
            admitting = self.filters.admitting(self.call, kind)
            if admitting is None:
                return False
            self.conditions[kind] += admitting
            self._narrowed.add(kind)
        return True

    def _count(self, kind: Any, most: int) -> int:
        """Return how many items of a kind match the query by their own text, counting up to `most`."""
        return self.call.db.count_matches(kind, self._words(kind), *self.conditions[kind], most=most)

    def _page_by_counts(self, sizes: dict[Any, int], at: Window) -> Page:
        """Return a page from the numbers of matches by own text, followed by the other matches."""
        first, after = self._others()
        known = sum(min(size, HEAD) for size in sizes.values()) + len(first)
        items: list[FoundItem] = []
        if at.offset < known:
            heads = (self._fetch(kind)(0, HEAD) for kind, size in sizes.items() if size)
            items = self._sort_by_score([*chain(*heads), *first])[at.offset : at.offset + at.limit]
        for kind, size in sizes.items():
            start, room = max(at.offset - known, 0), at.limit - len(items)
            left = size - HEAD - start
            if left > 0 and room > 0:
                items += self._fetch(kind, columns=(kind.type, kind.id))(HEAD + start, min(room, left))
            known += max(size - HEAD, 0)
        return _continue_page(items, known, after, at)

    # Results that need a test of each item

    def _words(self, kind: Any) -> Expression:
        assert self.query is not None
        return has_query(kind.search_text, self.query, excludes=self.texts.parts.issuperset(IN_ITEMS))

    def _fetch(self, kind: Any, order: Order | tuple[()] = (), columns: tuple[Column[Any], ...] = ()) -> Fetch:
        """Return a fetch function for the rows of a kind whose own text matches according to the index."""
        columns = columns or _columns(kind)
        if self.query is None or not self.texts.parts.intersection(IN_ITEMS):
            return lambda offset, limit: []
        words, where, db = self._words(kind), self.conditions[kind], self.call.db
        if order:
            return lambda offset, limit: [
                FoundItem(*row)
                for row in db.rows(kind, *where, words, order=order, limit=limit, offset=offset, columns=columns)
            ]
        return lambda offset, limit: [
            FoundItem(*row) for row in db.matches(kind, words, *where, limit=limit, offset=offset, columns=columns)
        ]

    def _walk(self, fetch: Fetch, begin: int = 0) -> Iterator[FoundItem]:
        """Yield the matching items among the fetched rows, block by block."""
        offset = sum(BLOCKS[:begin])
        for size in BLOCKS[begin:]:
            rows = fetch(offset, size)
            yield from self._alone(rows)
            offset += size
            if len(rows) < size:
                return

    def _alone(self, rows: list[FoundItem]) -> list[FoundItem]:
        """Return the items that match by their own text."""
        return [item for item in self._filter_admitted(rows) if self.texts.fits(item, alone=True)]

    def _load_found(self, keys: set[Key]) -> list[FoundItem]:
        """Return the items among `keys` that match in any part."""
        items: list[FoundItem] = []
        for kind in self.kinds:
            ids = sorted(id for each, id in keys if each == kind.type.default)
            items += self._rows_of(kind, kind.id.in_(ids)) if ids else []
        return [item for item in self._filter_admitted(items) if self.texts.fits(item)]

    def _rows_of(self, kind: Any, *where: Expression) -> list[FoundItem]:
        where = (*where, *self.filters.conditions(kind))  # `_filter_admitted` tests the place of each of these rows
        rows = self.call.db.rows(kind, *where, limit=MAX_ROWS, columns=_columns(kind))
        return [FoundItem(*row) for row in rows]

    def _filter_admitted(self, rows: list[FoundItem]) -> list[FoundItem]:
        look_up_folders(self.call, (each.parent_id for each in rows))
        admitted = [each for each in rows if self.filters.admit(self.call, each)]
        self.texts.read(admitted)
        return admitted

    def _sort_by_score(self, items: list[FoundItem]) -> list[FoundItem]:
        """Sort by score, then by kind and name."""
        self.texts.read(items)
        items.sort(key=lambda each: (-self.texts.score(each), each.type, (each.name or "").casefold(), each.id))
        return items

    # Results that match by content or comments

    def _others(self) -> tuple[list[FoundItem], Fetch]:
        """Return the first files that match only by content or comments, and a fetch function for the rest."""
        fetch = self._files_by_texts()
        if fetch is not None:
            first = fetch(0, HEAD)
            return first, lambda offset, limit: fetch(HEAD + offset, limit) if len(first) == HEAD else []
        blocks, read = self._blocks(), list[FoundItem]()

        def after(offset: int, limit: int) -> list[FoundItem]:
            while len(read) < offset + limit and (block := next(blocks, None)) is not None:
                read.extend(block)
            return read[offset : offset + limit]

        return next(blocks, list[FoundItem]()), after

    def _files_by_texts(self) -> Fetch | None:
        """Return a fetch function for files that match by content or comments; None if one statement cannot do it.

        One statement is enough if all parts of the query but one must match the files' own text, and that one part is a
        word or a disjunction of words that occur only in contents or only in comments.
        """
        texts, query = self.texts, self.query
        if not isinstance(query, Both) or File not in self.kinds or not is_exact(query):
            return None
        if any(True for _ in excluded_terms(query)):
            return None
        in_items = not texts.parts.isdisjoint(IN_ITEMS)
        parts = [part for part in query.parts if not (in_items and texts.is_only_in_items(wanted_terms(part)))]
        if len(parts) != 1 or not is_any_of(parts[0]):
            return None
        of, keys = self._list_text_keys({*wanted_terms(parts[0])})
        alone = self._beside_contents(query) if keys is not None and self._narrow(File) else None
        if keys is None or alone is None:
            return None
        db, columns, where = self.call.db, _columns(File), (of.in_(keys), *self._build_item_conditions(query), *alone)
        where += tuple(self.conditions[File])
        return lambda offset, limit: [
            FoundItem(*row) for row in db.rows(File, *where, order=of, limit=limit, offset=offset, columns=columns)
        ]

    def _list_text_keys(self, terms: set[Term]) -> tuple[Column[Any], list[str] | None]:
        """Return the column and keys that identify the files of matching contents or comments.

        The column is `File.sha_1` for contents and `File.id` for comments. The keys are None if both match.
        """
        contents, comments = terms.intersection(self.texts.in_contents), terms.intersection(self.texts.in_comments)
        if contents and comments:
            return File.id, None
        blocks = (
            self._having(Comment, comments, (MAX_ROWS,))
            if comments
            else self._having(ContentText, contents, (MAX_ROWS,))
        )
        return File.id if comments else File.sha_1, next(blocks, list[str]())

    def _beside_contents(self, query: Query) -> list[Expression] | None:
        """Return the conditions that exclude files matching by their own text.

        Returns None if most files match that way, or if a required part matches few files.
        """
        if self.texts.parts.isdisjoint(IN_ITEMS):
            return []
        count = self.call.db.count_matches
        if not self.texts.parts.issuperset(IN_ITEMS) or any(
            count(File, part, most=FEW + 1) <= FEW for part in self._build_item_conditions(query)
        ):
            return None
        alone = self._alone_count
        if alone is None:
            alone = count(File, self._words(File), most=MAX_ROWS)
        return None if alone == MAX_ROWS else [not_(self._words(File))] if alone else []

    def _blocks(self) -> Iterator[list[FoundItem]]:
        """Yield the files that match only by content or comments, block by block."""
        texts, query = self.texts, self.query
        if query is None or not (texts.in_contents or texts.in_comments):
            return
        rare = self._rare(query)
        seen = set[Key]()
        blocks = iter([self._load_found(rare)]) if rare is not None else self._files_of_texts(query)
        for block in blocks:
            fresh = [item for item in block if item.key not in seen and not texts.fits(item, alone=True)]
            seen.update(item.key for item in fresh)
            yield fresh

    def _files_of_texts(self, query: Query) -> Iterator[list[FoundItem]]:
        """Yield the matching files whose content or comments have one of the words, block by block."""
        if File not in self.kinds:
            return
        needed, terms = self._build_item_conditions(query), {*wanted_terms(query)}
        contents = self._having(ContentText, terms.intersection(self.texts.in_contents))
        comments = self._having(Comment, terms.intersection(self.texts.in_comments))
        for shas, ids in zip_longest(contents, comments, fillvalue=()):
            files = {each.id: each for each in self._rows_of(File, File.sha_1.in_(shas), *needed)} if shas else {}
            files |= {each.id: each for each in self._rows_of(File, File.id.in_(ids), *needed)} if ids else {}
            yield [item for item in self._filter_admitted([*files.values()]) if self.texts.fits(item)]

    def _having(self, table: Any, terms: Collection[Term], sizes: Sequence[int] = TEXTS) -> Iterator[list[str]]:
        """Yield the keys (SHA-1 or file id) of a table's texts that have one of some terms, block by block."""
        is_content, offset = table is ContentText, 0
        text, place = (ContentText.text, ContentText.sha_1) if is_content else (Comment.message, Comment.file_id)
        for size in sizes if terms else ():
            having = has_any(text, sorted(terms, key=str))
            keys = self.call.db.matches(table, having, limit=size, offset=offset, columns=(place,))
            yield sorted({key for (key,) in keys})
            offset += size
            if len(keys) < size:
                return

    def _build_item_conditions(self, query: Query) -> list[Expression]:
        """Return conditions for the parts of a query that only the files' own text can match."""
        if not isinstance(query, Both) or not self.texts.parts.intersection(IN_ITEMS):
            return []
        parts = [part for part in query.parts if self.texts.is_only_in_items(wanted_terms(part))]
        return [has_query(File.search_text, part, excludes=False) for part in parts]

    def _rare(self, query: Query) -> set[Key] | None:
        """Return the candidates of a required part that few items match, or None if there is no such part."""
        parts = query.parts if isinstance(query, Both) and len(query.parts) > 1 else ()
        for part in parts:
            keys = self._few(part)
            if keys is not None:
                return keys
        return None

    def _few(self, part: Query) -> set[Key] | None:
        """Return the items that may match a part of the query, or None if there are more than `FEW`."""
        db, terms = self.call.db, {*wanted_terms(part)}
        few = set[Key]()
        for kind in self.kinds if self.texts.parts.intersection(IN_ITEMS) else ():
            words = has_query(kind.search_text, part, excludes=False)
            rows = db.matches(kind, words, limit=FEW + 1, columns=(kind.id,))
            few.update((kind.type.default, id) for (id,) in rows)
        for table, text, place, of_file, having in (
            (ContentText, ContentText.text, ContentText.sha_1, File.sha_1, self.texts.in_contents),
            (Comment, Comment.message, Comment.file_id, File.id, self.texts.in_comments),
        ):
            said = [term for term in having if term in terms]
            if len(few) > FEW or not said:
                continue
            keys = [key for (key,) in db.matches(table, has_any(text, said), limit=FEW + 1, columns=(place,))]
            if len(keys) > FEW:
                return None
            files = db.rows(File, of_file.in_(keys), columns=(File.id,), limit=FEW + 1)
            few.update(("file", id) for (id,) in files)
        return few if len(few) <= FEW else None

    def _with_metadata(self, wanted: dict[str, Any]) -> set[Key]:
        """Return the keys of the items whose metadata matches a filter."""
        rows = self.call.db.rows(MetadataInstance, MetadataInstance.template_key == wanted["templateKey"])
        return {(row.item_type, row.item_id) for row in rows if fits(row, wanted)}


def _columns(kind: Any) -> tuple[Any, ...]:
    """Return the columns of a kind that `FoundItem` has."""
    return tuple(getattr(kind, name) for name in FoundItem._fields if hasattr(kind, name))


def _continue_page(items: list[FoundItem], known: int, after: Fetch, at: Window) -> Page:
    """Extend a page with rows of `after`, given that `known` results precede them; return it with the total."""
    if known > at.offset + at.limit:
        return items, known
    start, room = max(at.offset - known, 0), at.limit - len(items)
    more = after(start, room + 1)
    return items + more[:room], known + (start + len(more) if more else len(after(0, start)))


def _page(known: list[FoundItem], further: Iterable[FoundItem], at: Window) -> Page:
    """Return a page and the total, which is at least one more than the page's end unless it is the last page."""
    last = at.offset + at.limit
    upto = [*known, *islice(further, max(last + 1 - len(known), 0))]
    return upto[at.offset : last], len(upto)
