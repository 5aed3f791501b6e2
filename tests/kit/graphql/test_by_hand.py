"""What hand-written behaviour leans on: filters as conditions, the usual parts of payloads, association tables."""

from __future__ import annotations

import sys
from typing import Any

from tests.kit.graphql.conftest import Library
from tests.kit.graphql.library import Book
from twindiff.kit import Call, Column, Row
from twindiff.kit.graphql import Entity, Many, entity_operations, through
from twindiff.kit.graphql.model import EntityModel
from twindiff.kit.graphql.roots import resolver
from twindiff.kit.graphql.run import GraphqlRun
from twindiff.kit.graphql.section import Root


class Stamping(Row, table="stampings", key=("envelope_id", "stamp_id")):
    envelope_id: Column[str]
    stamp_id: Column[str]


class Stamp(Entity):
    name: str


class Envelope(Entity):
    name: str
    stamps: Many[Stamp] = through("stampings")


def test_a_declared_row_is_the_association_of_its_name():
    model = EntityModel([sys.modules[__name__]])
    link = model.links["Envelope", "stamps"]
    assert link is not None
    assert link.mine is Stamping.envelope_id
    assert Stamping in model.tables


def test_a_filter_of_the_api_can_be_used_by_hand(reading: Library):
    def titles(moment: Any) -> list[str]:
        where = entity_operations.matching(
            Call("m0", moment.db, moment.clock), Book, {"title": {"in": ["Book 1", "Book 2"]}}
        )
        return [row.title for row in moment.db.rows(Book.row, *where)]

    assert reading.engine.read("e", "library", titles) == ["Book 1", "Book 2"]


def answer_of(library: Library, value: Any, *, writes: bool) -> Any:
    root = Root("made: Made!", lambda call: value, writes)
    resolve = resolver(root, lambda run: {"success": True, "number": 7}, paged=False)

    def work(moment: Any) -> Any:
        return resolve(GraphqlRun(library.twin.api.model, Call("m0", moment.db, moment.clock), {}), {})

    return library.engine.read("e", "library", work)


def test_a_mutation_s_payload_gets_the_usual_parts_and_may_give_its_own(reading: Library):
    given = answer_of(reading, {"thing": 1, "number": 8}, writes=True)
    assert given == {"thing": 1, "success": True, "number": 8}


def test_what_a_query_gives_stays_as_it_is(reading: Library):
    assert answer_of(reading, {"thing": 1}, writes=False) == {"thing": 1}


def test_an_interface_costs_as_much_as_the_dearest_of_its_types(reading: Library):
    def cost(selection: str) -> float:
        plan = reading.twin.api.plan(f"{{ notices(first: 100) {{ nodes {{ {selection} }} }} }}", None, {})
        return plan.cost.of({})

    late, news = "... on LateNotice { daysLate text book { title } }", "... on NewsNotice { headline }"
    assert cost(f"{late} {news}") == max(cost(late), cost(news))
