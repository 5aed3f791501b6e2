"""Plain verbs, their hooks, and documents with several of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kit.graphql.conftest import Library
from twindiff.kit.graphql import InvalidDocument

CREATE = (
    "mutation($input: BookCreateInput!)"
    " { bookCreate(input: $input) { success book { id number code price createdAt } } }"
)
UPDATE = "mutation($id: String!, $input: BookUpdateInput!) { bookUpdate(id: $id, input: $input) { book { id title } } }"


def changed(library: Library) -> list[tuple[str, set[str]]]:
    """Tables with the columns that differ, of everything written."""
    return [
        (change.table, {name for name in change.after if change.before[name] != change.after[name]})
        for change in library.changes()
        if change.before and change.after
    ]


def test_an_insert_has_its_id_its_times_and_its_number(shelf: Library):
    made = shelf.data(CREATE, {"input": {"title": "New", "ownerId": "m1", "hurry": True}})["bookCreate"]
    assert made["success"]
    assert made["book"].pop("id")
    assert made["book"] == {"number": 5.0, "code": "M1-5", "price": 1.0, "createdAt": "2026-03-01T09:00:01.000Z"}


def test_numbers_count_up_per_relation_without_gaps(shelf: Library):
    numbers = [
        shelf.data(CREATE, {"input": {"title": "x", "ownerId": owner}})["bookCreate"]["book"]["number"]
        for owner in ("m0", "m1", "m0", "m1")
    ]
    assert numbers == [5, 5, 6, 6]


def test_an_insert_may_bring_its_own_id_once(shelf: Library):
    given = {"input": {"id": "mine", "title": "x", "ownerId": "m0"}}
    assert shelf.data(CREATE, given)["bookCreate"]["book"]["id"] == "mine"
    assert shelf.problem(CREATE, given) == "conflict on insert of Book"


def test_an_update_changes_what_was_given_and_its_time(shelf: Library):
    shelf.data(UPDATE, {"id": "b0001", "input": {"title": "X", "price": 0.5}})
    assert changed(shelf) == [("books", {"title", "updatedAt"})]


def test_an_update_that_says_nothing_new_writes_nothing(shelf: Library):
    shelf.data(UPDATE, {"id": "b0001", "input": {"title": "Book 1"}})
    assert shelf.changes() == []


def test_an_update_finds_its_row_by_any_name(shelf: Library):
    assert shelf.data(UPDATE, {"id": "M0-2", "input": {"title": "X"}})["bookUpdate"]["book"]["id"] == "b0003"


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"tagIds": ["t2"]}, ["t2"]),
        ({"addedTagIds": ["t2", "t0"]}, ["t0", "t1", "t2"]),
        ({"removedTagIds": ["t0", "t2"]}, ["t1"]),
        ({"tagIds": []}, []),
        ({"tagIds": None}, ["t0", "t1"]),
    ],
)
def test_a_to_many_relation_is_set_extended_and_reduced(shelf: Library, given: Any, left: list[str]):
    shelf.data(UPDATE, {"id": "b0002", "input": given})
    tags = shelf.data('{ book(id: "b0002") { tags { nodes { id } } } }')["book"]["tags"]["nodes"]
    assert sorted(tag["id"] for tag in tags) == left


def test_a_relation_to_what_does_not_exist_is_refused_and_nothing_written(shelf: Library):
    for given in ({"ownerId": "none"}, {"editorId": "none"}, {"tagIds": ["t0", "none"]}):
        answer = shelf.ask(CREATE, {"input": {"title": "x", "ownerId": "m0", **given}})
        assert answer["errors"][0]["extensions"] == {"code": "ENTITY_NOT_FOUND"}
    assert shelf.changes() == []


def test_null_empties_a_relation_and_is_refused_where_there_must_be_one(shelf: Library):
    shelf.data(UPDATE, {"id": "b0001", "input": {"editorId": None}})
    assert ("books", {"editorId", "updatedAt"}) in changed(shelf)
    assert shelf.problem(UPDATE, {"id": "b0001", "input": {"ownerId": None}}) == ("ownerId must not be null")


def test_deleting_archives_unless_the_entity_or_its_hook_say_otherwise(shelf: Library):
    shelf.data('mutation { bookDelete(id: "b0001") { success entity { archivedAt } } }')
    shelf.data('mutation { bookDelete(id: "b0002", forever: true) { success } }')
    assert shelf.data('mutation { loanDelete(id: "l1") { entityId } }') == {"loanDelete": {"entityId": "l1"}}
    gone = [change.key for change in shelf.changes() if change.after is None]
    assert gone == [("b0002",), ("l1",)]


def test_unarchiving_takes_a_row_back(shelf: Library):
    shelf.data('mutation { bookArchive(id: "b0001") { success } }')
    shelf.data('mutation { bookUnarchive(id: "b0001") { entity { archivedAt } } }')
    assert shelf.data('{ book(id: "b0001") { archivedAt } }') == {"book": {"archivedAt": None}}


def test_a_hook_may_refuse(shelf: Library):
    answer = shelf.ask(CREATE, {"input": {"title": "", "ownerId": "m0"}})
    assert answer["errors"][0]["message"] == "A book has a title"
    assert answer["data"] is None
    assert shelf.changes() == []


def test_two_mutations_in_one_document_keep_the_first_when_the_second_fails(shelf: Library):
    answer = shelf.ask(
        'mutation { a: bookUpdate(id: "b0001", input: {title: "Kept"}) { success }'
        ' b: lend(input: {bookId: "b0002", note: "explode"}) { success }'
        ' c: bookUpdate(id: "b0003", input: {title: "Also kept"}) { success } }'
    )
    assert [problem["path"] for problem in answer["errors"]] == [["b"]]
    assert [change.after["title"] for change in shelf.changes() if change.table == "books"] == ["Kept", "Also kept"]
    assert not [change for change in shelf.changes() if change.table == "loans"]


def test_roots_run_in_order_and_see_each_other(shelf: Library):
    answer = shelf.data(
        'mutation { a: bookUpdate(id: "b0001", input: {title: "One"}) { book { title } }'
        ' b: bookUpdate(id: "b0001", input: {addedTagIds: ["t2"]}) { book { title tags { nodes { id } } } } }'
    )
    assert answer["b"]["book"]["title"] == "One"
    assert "t2" in [tag["id"] for tag in answer["b"]["book"]["tags"]["nodes"]]


def test_a_hand_written_mutation_answers_rows(shelf: Library):
    answer = shelf.data(
        'mutation { lend(input: {bookId: "b0002"}) { success loan { member { name } } books { code } } }'
    )
    assert answer["lend"] == {"success": True, "loan": {"member": {"name": "Ada"}}, "books": [{"code": "M2-1"}]}


def test_what_is_required_is_asked_for(shelf: Library):
    with pytest.raises(InvalidDocument, match="Field 'ownerId' of required type 'String!' was not provided"):
        shelf.ask(CREATE, {"input": {"title": "x"}})


def test_a_value_object_is_stored_and_shown(shelf: Library):
    made = shelf.data(
        'mutation { memberCreate(input: {name: "Eve", email: "e@x.org", address: {street: "Elm 2"}})'
        " { member { address { street town } } } }"
    )
    assert made["memberCreate"]["member"]["address"] == {"street": "Elm 2", "town": None}


def test_a_mistake_of_ours_is_told_as_such_and_written_back(
    shelf: Library, monkeypatch: pytest.MonkeyPatch, caplog: Any
):
    monkeypatch.setitem(shelf.twin.model.hooks, ("created", "Book"), lambda call, row, given: 1 / 0)
    answer = shelf.ask(CREATE, {"input": {"title": "x", "ownerId": "m0"}})
    assert answer["errors"][0]["message"] == "internal server error"
    assert "ZeroDivisionError" in caplog.text
    assert shelf.changes() == []
