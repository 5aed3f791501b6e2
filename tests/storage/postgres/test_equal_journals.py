"""The same operations give the same journal on both engines, entry by entry."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import msgspec
import pytest
from hypothesis import given, settings

from tests.storage.conformance.journals import OPERATIONS, Refused, Sequence, perform
from tests.storage.conformance.worlds import NOON, SCHEMAS, Item, Thing, World, full
from twindiff.kit.clock import ClockMode
from twindiff.storage import EnvironmentOrigin, OperationContext, OperationInfo, StorageEngine
from twindiff.storage.journal import JournalRecord
from twindiff.storage.sqlite import SqliteEngine

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def embedded() -> Iterator[SqliteEngine]:
    engine = SqliteEngine(":memory:")
    for schema in SCHEMAS.values():
        engine.schema(schema)
    yield engine
    engine.close()


def journal(engine: StorageEngine, env: str, operations: list[Sequence]) -> list[JournalRecord]:
    """What an engine writes down of these operations; the wall clock is left out."""
    start = [Thing(thing_id="T1", text="x\0\1", data={"a": 1, "\0": "\2"}, amount=0.1), Thing(thing_id="T2")]
    templates = {"alpha": engine.add_template("alpha", full(start)), "beta": engine.add_template("beta", {})}
    hashes = {twin: template.hash for twin, template in templates.items()}
    engine.create(
        env, EnvironmentOrigin(templates=hashes, clock=ClockMode("steps", NOON), created=NOON, clock_start=NOON)
    )
    for operation in operations:
        run(engine, env, operation)
    return [msgspec.structs.replace(record, at=0) for record in engine.records(env)]


def run(engine: StorageEngine, env: str, operation: Sequence) -> None:
    def work(moment: OperationContext) -> None:
        for step in operation.steps:
            perform(moment.db, step)
        if operation.fails:
            raise Refused

    try:
        engine.write(env, OperationInfo("alpha", "do", "U1"), work)
    except Refused:
        assert operation.fails
    if operation.twin_too:
        add = lambda moment: moment.db.add(Item(item_id=f"I{moment.db.next('id')}"))  # noqa: E731 - one line of work
        engine.write(env, OperationInfo("beta", "add", "U2"), add)


@settings(max_examples=60)
@given(operations=OPERATIONS)
def test_both_engines_write_the_same_journal(world: World, embedded: SqliteEngine, operations: list[Sequence]) -> None:
    env = uuid4().hex
    ours, theirs = journal(world.engine, env, operations), journal(embedded, env, operations)
    assert repr(ours) == repr(theirs)
