"""A made-up vendor: a public library."""

# ruff: noqa: N815 - fields are named as the API names them

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from twindiff.kit.computed_values import greatest
from twindiff.kit.graphql import (
    ID,
    ConnectionRows,
    Entity,
    Enum,
    Input,
    InvalidInput,
    Many,
    One,
    PaginationNulls,
    PaginationSortOrder,
    Section,
    Union,
    Value,
    by_case,
    column,
    computed_field,
    derived_field,
    entity_operations,
    fits,
    hidden_column,
    inverse,
    one_with_key,
    serial,
    through,
    yes_or_no,
)
from twindiff.kit.rows import exists

api = Section()


class Shelfmark(Enum):
    values = "fiction science history"


class Node(Value, interface=True):
    id: ID


class Address(Value):
    street: str
    town: str | None


class Member(Entity):
    name: str
    email: str
    active: bool = column(default=True)
    address: Address | None
    books: Many[Book] = inverse("owner", sort=True)
    loans: Many[Loan] = inverse("member")
    filters = "name email active books"
    filter_variants = "nullable collection"
    create = "id name! email! active address:JSON"
    update = "name email active"
    roots = "list get create update"


class Tag(Entity):
    name: str
    parent: One[Tag] | None
    books: Many[Book] = through("book_tags")
    filters = "name parent books"
    filter_variants = "nullable collection"
    create = "id name! parent"
    update = "name parent"
    roots = "list get create update delete"


class Book(Entity):
    title: str
    number: float = serial(per="owner")
    code: str = computed_field()
    shelf: Shelfmark | None
    pages: int | None
    price: float = column(default=0.0)
    published: date | None
    keywords: list[str] = column(default=[])
    owner: One[Member] = one_with_key()
    editor: One[Member] | None
    sequelTo: One[Book] | None
    sequels: Many[Book] = inverse("sequelTo")
    tags: Many[Tag] = through("book_tags")
    loans: Many[Loan] = inverse("book")
    scores: list[Score] = inverse("book")
    borrowers: Many[Member] = through("Loan", filter=False)
    publisher: One[Publisher] | None
    readAt: datetime | None = derived_field()
    secret: str | None = hidden_column()
    similar: Many[Book] = computed_field()
    filters = (
        "title shelf pages price published owner editor sequelTo sequels tags loans readAt number"
        " isLent:BooleanComparator borrowers mystery:StringComparator keywords readers:MemberCollectionFilter"
        " sheets:NullableNumberComparator thickness:NullableStringComparator"
    )
    filter_variants = "nullable collection"
    create = "id title! shelf pages price published owner! editor sequelTo tags keywords hurry:Boolean createdAt"
    update = "title shelf pages price published editor sequelTo tags +tags -tags owner keywords"
    sort = "title pages owner shelf:ShelfSort lent"
    roots = "list get create update delete(forever:Boolean)->BookArchivePayload archive unarchive"
    payload_nullable = True


class ShelfSort(Input):
    order: PaginationSortOrder | None
    nulls: PaginationNulls | None = column(default="last")
    emptyFirst: bool | None = column(default=False)


class Loan(Entity):
    book: One[Book]
    member: One[Member]
    returned: bool = column(default=False)
    filters = "book member returned"
    filter_variants = "collection"
    create = "id book! member!"
    update = "returned"
    roots = "list get create update delete"
    deletes = "hard"


class Score(Entity):
    book: One[Book]
    points: int


class Publisher(Entity, rim=True):
    name: str
    books: Many[Book] = inverse("publisher")


class Notice(Entity, interface=True, kind="kind"):
    member: One[Member]
    text: str
    kind: str = hidden_column()
    book: One[Book] | None = hidden_column()
    daysLate: float | None = hidden_column()
    roots = "list"


class LateNotice(Notice, kind="late veryLate"):
    book: One[Book]
    daysLate: float


class NewsNotice(Notice):
    headline: str = computed_field()


class Found(Union):
    members = "FoundWord FoundNumber"


class FoundWord(Value):
    word: str


class FoundNumber(Value):
    number: int


class LendPayload(Value):
    loan: One[Loan] | None
    books: list[Book]
    success: bool


class LendInput(Input):
    bookId: str
    note: str | None


@api.field(Book, "code", needs="number ownerId")
def code(call: Any, books: list[Any]) -> list[str]:
    return [f"{book.ownerId.upper()}-{book.number:g}" for book in books]


@api.field(Book, "similar")
def similar(call: Any, books: list[Any]) -> list[Any]:
    row = Book.row
    return [ConnectionRows(Book, (row.shelf == book.shelf, row.id != book.id)) for book in books]


@api.field(NewsNotice, "headline")
def headline(call: Any, notices: list[Any]) -> list[str]:
    if any(notice.text == "" for notice in notices):
        raise InvalidInput("A notice without text has no headline")
    return [notice.text.partition(".")[0] for notice in notices]


@api.filter(Book, "isLent")
def is_lent(call: Any, comparator: dict[str, Any]) -> Any:
    lent = exists(Loan.row, Loan.row.bookId == Book.row.id, ~Loan.row.returned)
    return yes_or_no(lent, comparator)


@api.filter(Book, "readers")
def readers(call: Any, given: dict[str, Any]) -> Any:
    borrowed = exists(Loan.row, Loan.row.memberId == Member.row.id, Loan.row.bookId == Book.row.id)
    return entity_operations.collection(call, Member, given, borrowed)


@api.filter(Book, "sheets")
def sheets(call: Any, comparator: dict[str, Any]) -> Any:
    return fits(Book.row.pages + Book.row.pages, comparator)


@api.filter(Book, "thickness")
def thickness(call: Any, comparator: dict[str, Any]) -> Any:
    return by_case({"thin": Book.row.pages < 120, "thick": Book.row.pages >= 120}, comparator)


@api.sort(Book, "shelf")
def by_shelf(call: Any, options: dict[str, Any]) -> Any:
    return Book.row.shelf


@api.sort(Book, "lent")
def by_loans(call: Any, options: dict[str, Any]) -> Any:
    """Books that nobody has borrowed have no place, the first has none either."""
    return greatest(Loan.row.memberId, Loan.row, Loan.row.bookId == Book.row.id, Loan.row.bookId != "b0000")


@api.visible(Book)
def visible_books(call: Any) -> Any:
    return Book.row.title != "Index" if call.actor == "guest" else None


@api.lookup(Book)
def by_code(call: Any, given: str) -> str:
    owner, dash, number = given.partition("-")
    if not dash or not number.isdigit():
        return given
    row = Book.row
    book = call.db.find(row, row.ownerId == owner.lower(), row.number == float(number))
    return book.id if book else given


@api.before_create(Book)
def creating(call: Any, values: dict[str, Any], given: Any) -> None:
    if values["title"] == "":
        raise InvalidInput("A book has a title")
    if given.get("hurry"):
        values["price"] = values.get("price", 0.0) + 1


@api.before_delete(Book)
def deleting(call: Any, row: Any, changes: dict[str, Any], arguments: Any) -> None:
    if arguments.get("forever"):
        changes.clear()


@api.query("me: Member!")
def me(call: Any) -> Any:
    return call.db.get(Member.row, call.actor)


@api.query("find(text: String!, limit: Int = 2): [Found!]!")
def find(call: Any, text: str, limit: int) -> Any:
    words: list[dict[str, Any]] = [{"__typename": "FoundWord", "word": each} for each in text.split()]
    return [*words, {"__typename": "FoundNumber", "number": len(words)}][:limit]


@api.query("booksOf(email: String!, first: Int, after: String, last: Int, before: String): BookConnection!")
def books_of(call: Any, email: str) -> Any:
    owner = exists(Member.row, Member.row.id == Book.row.ownerId, Member.row.email == email)
    return ConnectionRows(Book, (owner,))


@api.query("searchBooks(term: String!, first: Int, after: String): BookSearchPayload!")
def search_books(call: Any, term: str) -> Any:
    return ConnectionRows(Book, (Book.row.title.contains(term, fold=True),))


@api.mutation("lend(input: LendInput!): LendPayload!")
def lend(call: Any, input: dict[str, Any]) -> Any:
    book = entity_operations.find(call, Book, input["bookId"])
    loan = entity_operations.create(call, Loan, {"bookId": book.id, "memberId": call.actor})
    if input.get("note") == "explode":
        raise InvalidInput("No explosions")
    return {"loan": loan, "books": [book], "success": True}
