"""Declarations become a schema by rule; mistakes are told with the nearest name."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from graphql import print_type

from tests.kit.graphql.conftest import Library
from twindiff.kit.graphql import Entity, Many, One, inverse, one_with_key, through
from twindiff.kit.graphql.entity import FieldAnnotation, read_shape
from twindiff.kit.graphql.model import EntityModel


def fields(library: Library, name: str) -> list[str]:
    kind: Any = library.twin.api.schema.get_type(name)
    return [f"{field}: {each.type}" for field, each in kind.fields.items()]


@pytest.mark.parametrize(
    ("annotation", "shape"),
    [
        ("str", FieldAnnotation("plain", "String", False, False, False)),
        ("float | None", FieldAnnotation("plain", "Float", False, True, False)),
        ("datetime", FieldAnnotation("plain", "DateTime", False, False, False)),
        ("list[str]", FieldAnnotation("plain", "String", True, False, False)),
        ("list[date | None] | None", FieldAnnotation("plain", "TimelessDate", True, True, True)),
        ('One["Team"] | None', FieldAnnotation("one", "Team", False, True, False)),
        ("Many[Issue]", FieldAnnotation("many", "Issue", False, False, False)),
        ('list["Reaction"]', FieldAnnotation("plain", "Reaction", True, False, False)),
    ],
)
def test_an_annotation_is_read_without_being_evaluated(annotation: str, shape: FieldAnnotation):
    assert read_shape(annotation, "X.y") == shape


def test_an_annotation_of_an_unknown_form_is_refused_with_its_place():
    with pytest.raises(TypeError, match=r"X\.y: 'dict\[…\]' is none of One, Many and list"):
        read_shape("dict[str, int]", "X.y")


def test_columns_follow_from_fields(reading: Library):
    table = next(table for table in reading.twin.tables if table.name == "books")
    assert list(table.columns)[:6] == ["id", "createdAt", "updatedAt", "archivedAt", "title", "number"]
    assert {"ownerId", "editorId", "sequelToId", "secret"} <= table.columns.keys()
    assert not {"code", "owner", "tags", "similar"} & table.columns.keys()
    assert table.columns["readAt"].derived


def test_lists_are_read_by_index(reading: Library):
    table = next(table for table in reading.twin.tables if table.name == "books")
    assert ("ownerId", "createdAt", "id") in table.indexes
    assert ("createdAt", "id") in table.indexes


def test_an_association_is_a_table_of_two_columns(reading: Library):
    table = next(table for table in reading.twin.tables if table.name == "book_tags")
    assert table.key in (("book_id", "tag_id"), ("tag_id", "book_id"))


def test_a_type_has_its_fields_with_exposed_keys_and_without_hidden_ones(reading: Library):
    text = print_type(reading.twin.api.schema.get_type("Book"))  # pyright: ignore[reportArgumentType]
    assert "ownerId: String!" in text
    assert "editorId" not in text
    assert "secret" not in text
    assert "implements Node" in text


def test_a_connection_is_paged_and_filtered_when_its_target_has_filters(reading: Library):
    book: Any = reading.twin.api.schema.get_type("Book")
    field = book.fields
    assert set(field["loans"].args) == {"after", "before", "first", "last", "includeArchived", "orderBy", "filter"}
    assert "filter" not in field["borrowers"].args
    assert fields(reading, "BookConnection") == ["edges: [BookEdge!]!", "nodes: [Book!]!", "pageInfo: PageInfo!"]


def test_filters_have_the_comparator_of_each_field(reading: Library):
    assert set(fields(reading, "BookFilter")) >= {
        "title: StringComparator",
        "pages: NullableNumberComparator",
        "published: NullableTimelessDateComparator",
        "owner: MemberFilter",
        "editor: NullableMemberFilter",
        "tags: TagCollectionFilter",
        "readAt: NullableDateComparator",
        "isLent: BooleanComparator",
        "and: [BookFilter!]",
    }
    assert {"null: Boolean", "or: [NullableBookFilter!]"} <= set(fields(reading, "NullableBookFilter"))
    assert {"some: BookFilter", "every: BookFilter", "length: NumberComparator"} <= set(
        fields(reading, "BookCollectionFilter")
    )


def test_inputs_follow_from_words(reading: Library):
    assert fields(reading, "BookCreateInput")[:4] == ["id: String", "title: String!", "shelf: Shelfmark", "pages: Int"]
    assert {"ownerId: String!", "tagIds: [String!]", "hurry: Boolean"} <= set(fields(reading, "BookCreateInput"))
    assert {"addedTagIds: [String!]", "removedTagIds: [String!]"} <= set(fields(reading, "BookUpdateInput"))


def test_roots_follow_from_words(reading: Library):
    schema = reading.twin.api.schema
    mutation: Any = schema.mutation_type
    assert str(mutation.fields["bookDelete"].type) == "BookArchivePayload!"
    assert set(mutation.fields["bookDelete"].args) == {"id", "forever"}
    assert str(mutation.fields["loanDelete"].type) == "DeletePayload!"
    assert fields(reading, "BookPayload") == ["book: Book", "success: Boolean!"]
    assert "sort: [BookSortInput!]" in print_type(schema.query_type)  # pyright: ignore[reportArgumentType]


def module(*classes: type) -> ModuleType:
    made = ModuleType("made")
    for each in classes:
        each.__module__ = "made"
        setattr(made, each.__name__, each)
    return made


def test_a_word_that_is_no_field_is_told_with_the_nearest_name():
    class Ticket(Entity):
        assignee: str
        filters = "asignee"

    with pytest.raises(LookupError, match=r"Ticket\.filters: no field 'asignee'\. Did you mean 'assignee'\?"):
        EntityModel([module(Ticket)])


def test_an_inverse_names_a_relation_of_the_target():
    class Ticket(Entity):
        team: One[Team] | None = one_with_key()

    class Team(Entity):
        tickets: Many[Ticket] = inverse("teams")

    with pytest.raises(LookupError, match=r"Team\.tickets: Ticket has no relation 'teams'\. Did you mean 'team'\?"):
        EntityModel([module(Ticket, Team)])


def test_through_an_entity_with_two_relations_to_one_side_wants_their_names():
    class Person(Entity):
        friends: Many[Person] = through("Friendship")

    class Friendship(Entity):
        one: One[Person]
        other: One[Person]

    with pytest.raises(LookupError, match=r"Person\.friends: Friendship has 2 relations to Person"):
        EntityModel([module(Person, Friendship)])


def test_an_unknown_entity_is_told_with_the_nearest_name():
    class Ticket(Entity):
        owner: One[Ticket2]  # noqa: F821  # pyright: ignore[reportUndefinedVariable]

    with pytest.raises(LookupError, match=r"there is no entity 'Ticket2'\. Did you mean 'Ticket'\?"):
        EntityModel([module(Ticket)])


def test_a_verb_that_does_not_exist_is_refused():
    class Ticket(Entity):
        roots = "list burn"

    with pytest.raises(ValueError, match=r"Ticket\.roots: 'burn' begins with none of list, get"):
        EntityModel([module(Ticket)])
