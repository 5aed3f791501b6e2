"""Words are found where texts have them, whatever has happened to the texts."""

from __future__ import annotations

from random import Random

import pytest

from twindiff.kit.full_text import SearchTerm, has_word
from twindiff.kit.rows import Expression, all_of, any_of, not_
from twindiff.kit.store import Store

from .model import holds
from .worlds import Place, Thing, World

__all__ = [
    "test_matches_are_asked_for_by_words_of_one_text",
    "test_signs_are_part_of_a_word_that_has_them",
    "test_words_are_found_after_texts_have_come_changed_and_gone",
    "test_words_are_found_after_the_operation_that_looks_has_written_them",
    "test_words_are_found_where_time_has_led",
    "test_words_that_very_many_rows_have_are_looked_for_among_others",
]

TEXTS = [
    "low tide",
    "Tide tables",
    "Grüße, Zoë",
    "tidewater",
    "at low\r\n tide",
    "harbour: c++ v4.0",
    "東京tide",
    "",
    None,
    "x" * 3_000,
]
OVERLONG = "low tide " * 5_600
"""More than an index tells of by itself; few rows have it, since it is folded whenever it is looked into."""
WORDS = [
    SearchTerm(("tide",)),
    SearchTerm(("tide",), is_start=True),
    SearchTerm(("zoe", "harbour")),
    SearchTerm(("c++",)),
    SearchTerm(("low tide",)),
    SearchTerm(("東京",)),
    SearchTerm(("x" * 200,)),
    SearchTerm(("x" * 200,), is_start=True),
    SearchTerm(("x" * 250, "京")),
]
TIDE, BEGINNING, NAMES, SIGNS, PHRASE = (Thing.text.has_word(word) for word in WORDS[:5])
MATCHES: list[Expression] = [
    TIDE,
    all_of(BEGINNING, not_(any_of(NAMES, TIDE))),
    any_of(all_of(TIDE, Thing.text.has_word(SearchTerm(("lo",), is_start=True))), NAMES),
    all_of(not_(TIDE)),
    any_of(PHRASE, SIGNS),
    *(Thing.text.has_word(word) for word in WORDS[5:]),
]
SLUG_TIDE, SLUG_LOW = (Thing.slug.has_word(word) for word in (WORDS[0], SearchTerm(("low",))))
EITHER: list[tuple[Expression, ...]] = [
    (any_of(TIDE, SLUG_TIDE),),
    (any_of(SLUG_LOW, TIDE, NAMES), Thing.parent_id == "P1"),
    (any_of(TIDE, SLUG_TIDE), any_of(PHRASE, SLUG_LOW)),
    (any_of(TIDE, SLUG_TIDE), not_(any_of(TIDE, SLUG_LOW))),
    (any_of(SIGNS, SLUG_LOW),),
    (any_of(TIDE, SLUG_LOW, Thing.number == 3),),
    (any_of(BEGINNING, SLUG_TIDE), NAMES),
    (TIDE, SLUG_LOW),
]
"""Words that one of two texts has, or each has."""
WORDS_OR_NONE = any_of(NAMES, Thing.number == 3)
LONG_NOTES = ["x" * 2_000, "\u212a" * 900, "k" * 900]
"""More than an index holds; they are folded whenever one of them may be meant."""
NOTES = [*["Zoë", "ZOË", "zoë", "a b", "\ue00061", "", None] * 4, *LONG_NOTES]
NARROWED: list[tuple[Expression, ...]] = [
    (Thing.parent_id == "P1",),
    (Thing.parent_id.is_null(), Thing.number == 3),
    (not_(Thing.parent_id.in_(("P1", None))), not_(Thing.note.equals("zoë"))),
    (any_of(Thing.parent_id == "P2", Thing.note.equals("ZOË")),),
    (Thing.note.equals("k" * 900),),
    (Thing.note.in_(("a b", "61", "")), any_of(Thing.number < 5, Thing.number.is_null())),
    (any_of(Thing.note == "x" * 2_000, Thing.note == "x" * 2_001),),
    (Thing.note.in_([str(n) for n in range(200)] + ["Zoë"]),),
    (Thing.note.in_(()),),
    (any_of(),),
    (all_of(), Thing.note.has_word(SearchTerm(("zoe",))), not_(Thing.text == "Tide tables")),
    (Thing.note == Thing.parent_id,),
]
"""Further conditions, most of them of labels."""
CHANGES = [("text", "number", "slug"), ("note",), ("parent_id", "number"), ("text", "note")]
ROWS = 100
"""More than an engine may keep aside before it looks words up."""


def things(chance: Random, first: int) -> list[Thing]:
    return [thing(chance, f"T{first + n:03}", is_overlong=n == ROWS // 2) for n in range(ROWS)]


def thing(chance: Random, id: str, *, is_overlong: bool = False) -> Thing:
    parent, note = chance.choice(("P1", "P2", "p1", None)), chance.choice(NOTES)
    text = OVERLONG if is_overlong or chance.random() < 1 / 100 else chance.choice(TEXTS)
    number = chance.randint(0, 9)
    slug = (None, f"low {id}", f"tide {id}", f"low-tide {id}")[number % 4]
    return Thing(thing_id=id, text=text, parent_id=parent, note=note, number=number, slug=slug)


def assert_found(place: Place) -> None:
    rows = place.read(lambda db: db.rows(Thing))
    assert OVERLONG in [row.text for row in rows]
    assert {*LONG_NOTES} <= {row.note for row in rows}
    for word in WORDS:
        having = [row.thing_id for row in rows if has_word(row.text, word.pattern)]
        matches = place.read(lambda db, word=word: db.rows(Thing, Thing.text.has_word(word), columns=(Thing.thing_id,)))
        assert [id for (id,) in matches] == having
    having = [row.thing_id for row in rows if holds(WORDS_OR_NONE, row, rows)]
    matches = place.read(lambda db: db.rows(Thing, WORDS_OR_NONE, columns=(Thing.thing_id,)))
    assert [id for (id,) in matches] == having
    for where in EITHER:
        having = [row.thing_id for row in rows if all(holds(each, row, rows) for each in where)]
        assert [id for (id,) in place.read(lambda db, where=where: all_ids(db, *where))] == having
        assert place.read(lambda db, where=where: db.count(Thing, *where)) == len(having)
    for words in MATCHES:
        assert_matches(place, rows, words)
    for where in NARROWED:
        assert_matches(place, rows, BEGINNING, *where)
        assert_matches(place, rows, PHRASE, *where)


def assert_matches(place: Place, rows: list[Thing], *where: Expression) -> None:
    having = {row.thing_id for row in rows if all(holds(each, row, rows) for each in where)}
    pages = [
        [id for (id,) in place.read(lambda db, at=at: page_of(db, *where, offset=at))]
        for at in range(0, len(having) + 40, 40)
    ]
    assert sorted(id for page in pages for id in page) == sorted(having)
    assert all(len(page) == 40 for page in pages[: len(having) // 40])
    assert place.read(lambda db: db.count_matches(Thing, *where, most=30)) == min(30, len(having))


def all_ids(db: Store, *where: Expression) -> list[tuple[str]]:
    return db.rows(Thing, *where, order=Thing.thing_id, limit=1000, columns=(Thing.thing_id,))


def page_of(db: Store, *where: Expression, offset: int) -> list[tuple[str]]:
    return db.matches(Thing, *where, limit=40, offset=offset, columns=(Thing.thing_id,))


def rewrite(chance: Random, db: Store) -> None:
    """Change, remove and bring back some rows."""
    for row in db.rows(Thing)[:: chance.randint(2, 5)]:
        if chance.random() < 0.3:
            db.remove(row)
        else:
            changed = thing(chance, row.thing_id)
            db.change(row, **{name: getattr(changed, name) for name in chance.choice(CHANGES)})
    db.add(thing(chance, f"A{chance.random()}"))


@pytest.mark.parametrize("seed", range(3))
def test_words_are_found_after_texts_have_come_changed_and_gone(world: World, seed: int) -> None:
    chance = Random(seed)
    place = world.environment(*things(chance, 0))
    assert_found(place)
    place.add(*things(chance, ROWS))
    assert_found(place)
    for _ in range(4):
        place.write(lambda db: rewrite(chance, db))
        assert_found(place)


def test_words_are_found_where_time_has_led(world: World) -> None:
    chance = Random(0)
    place = world.environment(*things(chance, 0))
    place.write(lambda db: rewrite(chance, db))
    place.add(*things(chance, ROWS))
    place.write(lambda db: rewrite(chance, db))
    forked = place.fork(2)
    assert_found(forked)
    place.engine.rewind(place.env, 1)
    assert_found(place)
    world.reopen()
    for each in (place, forked):
        each.wake()
        assert_found(each)


def test_words_that_very_many_rows_have_are_looked_for_among_others(world: World) -> None:
    place = world.environment()
    for at in range(0, 2_200, 100):
        place.add(*(Thing(thing_id=f"T{n:04}", text="low tide", parent_id=f"P{n % 3}") for n in range(at, at + 100)))
    place.add(*(Thing(thing_id=f"U{n}", text="tidewater" if n else "tide", parent_id="P9") for n in range(3)))
    few, many = (place.read(lambda db, id=id: db.count(Thing, Thing.parent_id == id, TIDE)) for id in ("P9", "P1"))
    some = place.read(lambda db: db.rows(Thing, Thing.thing_id.in_(["T0007", "U0", "U1"]), TIDE))
    assert (few, many, [row.thing_id for row in some]) == (1, 733, ["T0007", "U0"])
    either = any_of(TIDE, SLUG_TIDE)
    assert place.read(lambda db: db.count(Thing, either, Thing.parent_id == "P1")) == 733
    assert place.read(lambda db: all_ids(db, either, any_of(SLUG_TIDE, NAMES))) == []
    first = place.read(lambda db: db.rows(Thing, either, order=-Thing.thing_id, limit=2, columns=(Thing.thing_id,)))
    assert first == [("U0",), ("T2199",)]


def test_signs_are_part_of_a_word_that_has_them(world: World) -> None:
    place = world.environment(
        Thing(thing_id="T1", text="harbour: c++ v4.0"), Thing(thing_id="T2", text="c, and no more")
    )
    assert place.read(lambda db: page_of(db, SIGNS, offset=0)) == [("T1",)]
    assert place.read(lambda db: db.count(Thing, SIGNS)) == 1


def test_words_are_found_after_the_operation_that_looks_has_written_them(world: World) -> None:
    place = world.environment(Thing(thing_id="T000", text="low tide", parent_id="P1"))

    def look(db: Store) -> int:
        return db.count_matches(Thing, BEGINNING, not_(Thing.parent_id == "P1"), most=2 * ROWS)

    def write_between(db: Store) -> tuple[int, int]:
        before = look(db)
        for n in range(1, ROWS + 1):
            db.add(Thing(thing_id=f"T{n:03}", text="tidewater", parent_id="P2"))
        return before, look(db)

    assert place.write(write_between) == (0, ROWS)


@pytest.mark.parametrize("words", [Thing.thing_id.has_word(WORDS[0]), Thing.text == "tide", all_of()])
def test_matches_are_asked_for_by_words_of_one_text(world: World, words: Expression) -> None:
    place = world.environment()
    with pytest.raises(TypeError, match=r"has_word of one text|no index of its words"):
        place.read(lambda db: page_of(db, words, offset=0))
