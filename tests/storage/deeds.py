"""What operations do to environments of parts, and the same done to full copies of them."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, NamedTuple

import pytest
from hypothesis import strategies as st
from msgspec.structs import asdict

from tests.storage.stock import Note, Part
from twindiff.kit.clock import SECOND
from twindiff.kit.errors import AlreadyExists, ApiError
from twindiff.kit.full_text import SearchTerm
from twindiff.kit.rows import any_of, table_of
from twindiff.storage import OperationContext
from twindiff.storage.journal import Net, RowLocation

Rows = dict[tuple[str, int], dict[str, Any]]


class Copy(NamedTuple):
    """Everything of an environment at one point."""

    rows: Rows
    clock: int
    counter: int


class Refused(ApiError):
    """Not this time."""


KEYS = st.integers(0, 40) | st.integers(0, 2550)
SHAPELESS = "".join(sha256(b"%d" % number).hexdigest() for number in range(100))
"""A text that cannot be compressed, so that PostgreSQL keeps it apart from its row."""
TEXTS = st.sampled_from(["", "x", "é" * 300, "long " * 400, SHAPELESS])
KINDS = ["put", "put", "drop", "count", "number", "clear", "again", "rekey", "half"]
DEEDS = st.tuples(st.sampled_from(KINDS), KEYS, TEXTS)
WORDS = ("x", "long", "much")
"""Those that are looked for; all words of a text are the same one."""
MOVED = 3_000_000
"""What `rekey` adds to a key, or takes from it."""
STATEMENTS = {
    "update": "UPDATE {parts} SET number = number + 1, text = 'x' WHERE part_id >= {key} AND part_id < {key} + 40",
    "delete": "DELETE FROM {parts} WHERE part_id >= {key} AND part_id < {key} + 40 AND part_id % 3 = 0",
    "insert": (
        "INSERT INTO {parts} ({column}part_id, shelf, text, number) SELECT {value}part_id + 2000000, 'raw', text, 7 "
        "FROM {parts} WHERE part_id >= {key} AND part_id < {key} + 40 ON CONFLICT DO NOTHING"
    ),
}
"""Statements of one's own; `follow` does the same to a copy."""


def act(moment: OperationContext, deeds: list[tuple[str, int, str]]) -> None:
    """Do to the database what `imagine` does to a copy."""
    for deed in deeds:
        _act(moment, *deed)
    db = moment.db
    note = db.find(Note, Note.note_id == 0)
    if note:
        db.change(note, at=moment.clock.micros)
    else:
        db.add(Note(note_id=0, at=moment.clock.micros))


def _act(moment: OperationContext, kind: str, key: int, text: str) -> None:
    db = moment.db
    present = db.find(Part, Part.part_id == key)
    if kind in ("put", "count"):
        number = db.next("n") if kind == "count" else key
        if present:
            db.change(present, text=text, number=number, data={"n": number})
        else:
            db.add(Part(part_id=key, shelf="new", text=text, number=number))
    elif kind == "number" and present:
        db.change(present, number=-key)
    elif kind == "drop" and present:
        db.remove(present)
    elif kind == "clear":
        for part in db.rows(Part, Part.part_id >= key, Part.part_id < key + 60):
            db.remove(part)
    elif kind == "again" and present:
        with pytest.raises(AlreadyExists):
            db.add(Part(part_id=key, shelf="taken"))
    elif kind == "rekey" and present and not db.count(Part, Part.part_id == MOVED - key):
        db.change(present, part_id=MOVED - key)
    elif kind == "half":
        with pytest.raises(Refused):
            _take_back(moment, key, text)


def _take_back(moment: OperationContext, key: int, text: str) -> None:
    with moment.db.savepoint():
        moment.db.next("half")
        _act(moment, "put", key, text)
        _act(moment, "clear", key + 1, text)
        raise Refused


def all_rows(moment: OperationContext) -> Rows:
    """Each row of each table."""
    found: Rows = {}
    for table in (Part, Note):
        name, (key,) = table_of(table).name, table_of(table).key
        for row in moment.db.rows(table):
            found[name, getattr(row, key)] = asdict(row)
    return found


def having_words(moment: OperationContext) -> list[int]:
    """The keys of the parts that are found by one of some words."""
    having = any_of(*(Part.text.has_word(SearchTerm((word,))) for word in WORDS))
    return [part.part_id for part in moment.db.rows(Part, having, order=Part.part_id)]


def imagine(before: Copy, deeds: list[tuple[str, int, str]]) -> Copy:
    parts, counter, clock = dict(before.rows), before.counter, before.clock + SECOND
    for kind, key, text in deeds:
        present = parts.get(("parts", key))
        if kind in ("put", "count"):
            counter += kind == "count"
            number = counter if kind == "count" else key
            new = {"part_id": key, "shelf": "new", "data": None}
            row = {**present, "data": {"n": number}} if present else new
            parts["parts", key] = {**row, "text": text, "number": number}
        elif kind == "number" and present:
            parts["parts", key] = {**present, "number": -key}
        elif kind == "drop":
            parts.pop(("parts", key), None)
        elif kind == "clear":
            for each in range(key, key + 60):
                parts.pop(("parts", each), None)
        elif kind == "rekey" and present and ("parts", MOVED - key) not in parts:
            parts["parts", MOVED - key] = {**parts.pop(("parts", key)), "part_id": MOVED - key}
    parts["notes", 0] = {"note_id": 0, "at": clock}
    return Copy(parts, clock, counter)


def follow(before: Rows, statement: str, key: int) -> Rows:
    """What a statement of one's own makes of the rows."""
    after = dict(before)
    for each in range(key, key + 40):
        row = before.get(("parts", each))
        if row is None:
            continue
        if statement == "update":
            after["parts", each] = {**row, "number": row["number"] + 1, "text": "x"}
        elif statement == "delete" and each % 3 == 0:
            del after["parts", each]
        elif statement == "insert":
            new = {"part_id": each + 2_000_000, "shelf": "raw", "text": row["text"], "number": 7, "data": None}
            after.setdefault(("parts", each + 2_000_000), new)
    return after


def differences(before: Rows, after: Rows) -> dict[RowLocation, Net]:
    """The net diff of two copies, made without any journal."""
    keys = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    return {
        RowLocation("stock", table, (key,)): Net(before.get((table, key)), after.get((table, key)))
        for table, key in keys
    }
