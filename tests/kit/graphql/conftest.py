"""The made-up library, answered in process."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from tests.kit.graphql import library
from twindiff.kit.call import Call
from twindiff.kit.clock import ClockMode, micros_of
from twindiff.kit.graphql import GraphqlStyle, GraphqlTwin
from twindiff.kit.graphql.run import GraphqlRun
from twindiff.kit.http import Request
from twindiff.storage import EnvironmentOrigin, OperationInfo
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite import SqliteEngine

Json = dict[str, Any]
START = "2026-03-01T09:00:00"
COLORS = ("red", "green", "blue")


class Style(GraphqlStyle):
    """Errors of the library."""


def twin() -> GraphqlTwin:
    return GraphqlTwin("library", Style(), library, missing=["burnBook", "oldBooks"])


def stamped(row: Json, minute: int) -> Json:
    at = f"2026-01-{1 + minute // 1440:02}T{minute // 60 % 24:02}:{minute % 60:02}:00"
    return {"createdAt": at, "updatedAt": at, "archivedAt": None, **row}


def seed(books: int = 12) -> dict[str, list[Json]]:
    """Three members; books in turn theirs, every fifth of one minute; tags in a chain; a few loans and notices."""
    members = [
        {"id": f"m{n}", "name": name, "email": f"{name.lower()}@x.org", "active": n != 2, "address": address}
        for n, (name, address) in enumerate([("Ada", {"street": "Elm 1", "town": None}), ("Bob", None), ("Zoë", None)])
    ]
    tags = [{"id": f"t{n}", "name": name, "parentId": f"t{n - 1}" if n else None} for n, name in enumerate(COLORS)]
    loans = [{"id": f"l{n}", "bookId": f"b{n:04}", "memberId": f"m{n % 2}", "returned": n == 0} for n in range(4)]
    return {
        "members": [stamped(each, 0) for each in members],
        "tags": [stamped(each, n) for n, each in enumerate(tags)],
        "books": [stamped(book(n), n - n % 5) for n in range(books)],
        "book_tags": [{"book_id": f"b{n:04}", "tag_id": f"t{m}"} for n in range(books) for m in range(n % 4 % 3)],
        "loans": [stamped(each, n) for n, each in enumerate(loans)],
        "scores": [stamped({"id": f"s{n}", "bookId": f"b{n % 2:04}", "points": n}, n) for n in range(4)],
        "notices": [stamped(each, n) for n, each in enumerate(notices())],
    }


def notices() -> list[Json]:
    news = {"kind": "NewsNotice", "memberId": "m1", "text": "New shelf. Come.", "bookId": None, "daysLate": None}
    return [
        {"id": "n0", "kind": "late", "memberId": "m0", "text": "Late.", "bookId": "b0000", "daysLate": 2.0},
        {"id": "n1", **news},
        {"id": "n2", "kind": "veryLate", "memberId": "m1", "text": "Very.", "bookId": "b0001", "daysLate": 9.5},
    ]


def book(n: int) -> Json:
    return {
        "id": f"b{n:04}",
        "title": f"Book {n}" if n else "Index",
        "number": float(n // 3 + 1),
        "shelf": [None, "fiction", "science"][n % 3],
        "pages": None if n % 4 == 3 else 100 + n,
        "price": n / 2,
        "published": f"2020-01-{1 + n % 28:02}",
        "keywords": ["a", "b"][: n % 3],
        "ownerId": f"m{n % 3}",
        "editorId": f"m{n % 2}" if n % 2 else None,
        "sequelToId": f"b{n - 1:04}" if n % 6 == 1 else None,
        "publisherId": None,
        "readAt": None,
        "secret": None,
    }


class Library:
    """One environment of the library; `ask` gives the parsed answer."""

    def __init__(self, rows: dict[str, list[Json]] | None = None) -> None:
        self.twin = twin()
        self.engine = SqliteEngine(":memory:")
        self.engine.schema(Schema("library", self.twin.tables))
        template = self.engine.add_template("library", rows or seed())
        clock = ClockMode("steps", micros_of(datetime.fromisoformat(START)))
        self.engine.create("e", EnvironmentOrigin({"library": template.hash}, clock, 0, clock.start))
        self.statements: list[str] = []

    def ask(self, query: str, variables: Json | None = None, actor: str = "m0", operation: str | None = None) -> Json:
        outcome = self.outcome(query, variables, actor, operation)
        problems = [self.twin.style.problem(each) for each in outcome.problems]  # pyright: ignore[reportAttributeAccessIssue]
        return {"data": outcome.data, **({"errors": problems} if problems else {})}

    def outcome(
        self, query: str, variables: Json | None = None, actor: str = "m0", operation: str | None = None
    ) -> Any:
        api = self.twin.api
        plan = api.plan(query, operation, variables or {})

        def work(moment: Any) -> Any:
            self.statements.clear()
            store: Any = Counting(moment.db, self.statements)
            return api.execute(plan, Call(actor, store, moment.clock), variables or {}, operation)

        if plan.writes:
            return self.engine.write("e", OperationInfo("library", f"mutation {plan.names}", actor), work)[0]
        return self.engine.read("e", "library", work)

    def slowly(self, query: str, variables: Json | None = None, actor: str = "m0") -> Any:
        """The same by naive resolvers."""
        from twindiff.kit.graphql import oracle

        api = self.twin.api

        def work(moment: Any) -> Any:
            run = GraphqlRun(api.model, Call(actor, moment.db, moment.clock), variables or {})
            return oracle.execute(api, query, run, None, variables or {})

        data, errors = self.engine.read("e", "library", work)
        assert not errors, errors
        return data

    def request(self, body: bytes, verb: str = "POST", query: str = "") -> Any:
        exchange = self.twin.exchange(Request(verb, "/any/where", query, {}, body), "")
        assert exchange
        self.twin.read(exchange)
        return exchange

    def data(self, query: str, variables: Json | None = None, actor: str = "m0") -> Json:
        answer = self.ask(query, variables, actor)
        assert "errors" not in answer, answer
        return answer["data"]

    def problem(self, query: str, variables: Json | None = None) -> str:
        answer = self.ask(query, variables)
        return answer["errors"][0]["message"]

    def changes(self) -> list[Any]:
        return [change for record in self.engine.records("e") for change in record.changes]


class Counting:
    """A store that notes each of its calls; each is one statement."""

    def __init__(self, store: Any, noted: list[str]) -> None:
        self._store = store
        self._noted = noted

    def __getattr__(self, name: str) -> Any:
        self._noted.append(name)
        return getattr(self._store, name)


@pytest.fixture
def shelf() -> Library:
    return Library()


@pytest.fixture(scope="session")
def reading() -> Library:
    """A library that no test writes to."""
    return Library()


@pytest.fixture
def library_of() -> Callable[[int], Library]:
    return lambda books: Library(seed(books))
