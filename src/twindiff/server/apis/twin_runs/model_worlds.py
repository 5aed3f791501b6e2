"""Makes the world of a prompt with a language model, and finds out which statements of the prompt it shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from twindiff.browser.prompt_facts import list_statements
from twindiff.kit.clock import Clock
from twindiff.kit.twin import Twin
from twindiff.server.apis.twin_runs.claim_accounting import ClaimAccounting, StatementProof
from twindiff.server.apis.twin_runs.llm_prompts import (
    ModelWorld,
    ProvenWorld,
    generate_world,
    write_instructions,
)
from twindiff.server.apis.twin_runs.world_claims import WorldTables
from twindiff.server.apis.twin_runs.worlds import Worlds, WorldTime, shift_dates
from twindiff.server.language_models import ModelSettings
from twindiff.server.service import Service

if TYPE_CHECKING:
    from twindiff.server.apis.twin_runs.prompt_language.groups import Statement


class ModelTask(NamedTuple):
    """A prompt for a model: the twins to fill, or None for all, and the time of their world."""

    prompt: str
    twins: Sequence[str] | None
    time: WorldTime
    sentences: Sequence[Statement]
    """What the rules read in the prompt."""
    rule_shift: int
    """By how much the dates that rules expect are later in this world, in microseconds."""


class ModelWorldMaker:
    """Asks a model for worlds, builds them and compares its claims with their rows."""

    def __init__(self, service: Service, worlds: Worlds) -> None:
        self._service = service
        self._worlds = worlds

    async def make(self, model: ModelSettings, task: ModelTask) -> ProvenWorld:
        """Make the world of a prompt; raises ModelFailed if no answer of the model is valid."""
        runtime = self._service.runtime
        twins = self._list_twins(task.twins)
        system = write_instructions(twins, self._service.registry.schemas, task.time.reaches)

        async def answer(system: str, said: list[dict[str, Any]]) -> str:
            return await runtime.run_on_loop(model.answer(system, said))

        return await generate_world(answer, system, task.prompt, twins, partial(self._prove, task))

    def _list_twins(self, names: Sequence[str] | None) -> dict[str, Twin]:
        """The twins that take seeds: of those that are named, or all if none of these does."""
        seedable = {name: twin for name, twin in self._service.registry.twins.items() if twin.seeding}
        return {name: twin for name, twin in seedable.items() if names is None or name in names} or seedable

    async def _prove(self, task: ModelTask, world: ModelWorld) -> ProvenWorld:
        """Build a world and compare the claims with its rows; raises InvalidSeedConfig."""
        names = [*world.seeds] if task.twins is None else [*self._list_twins(task.twins)]
        await self._worlds.prepare(world.seeds, names, task.time)
        rows = {name: self._worlds.rows(name, world.seeds, task.time) for name in names}
        proofs = await self._service.runtime.run_in_thread(partial(self._compare, task, world, rows))
        return ProvenWorld(world.seeds, proofs)

    def _compare(self, task: ModelTask, world: ModelWorld, rows: dict[str, dict[str, Any]]) -> list[StatementProof]:
        schemas = {name: self._service.registry.schemas[name] for name in rows}
        results = WorldTables(schemas, rows).judge(world.claims)
        today = date.fromisoformat(Clock(task.time.reaches).iso()[:10])
        words = _list_twin_words(self._service.registry.twins)
        accounting = ClaimAccounting(list_statements(task.prompt), words, today)
        known = _list_proven_by_rules(task, rows)
        return [
            each._replace(reasons=[], is_background=False) if _normalize(each.statement.text) in known else each
            for each in accounting.prove(results, world.background)
        ]


def _list_proven_by_rules(task: ModelTask, rows: dict[str, dict[str, Any]]) -> set[str]:
    """The normalised sentences that rules understand and that the rows show."""
    from twindiff.server.apis.twin_runs.world_prompts import compare  # compiles slowly

    shifted = {**rows, "calendar": shift_dates(rows["calendar"], -task.rule_shift)} if "calendar" in rows else rows
    return {_normalize(each) for each in compare(task.sentences, shifted).understood}


def _list_twin_words(twins: Mapping[str, Twin]) -> dict[str, str]:
    """The twin of each word in the names of twins and in their aliases, in lower case."""
    return {
        word: name
        for name, twin in twins.items()
        for each in (name, *twin.aliases)
        for word in re.split(r"[_\W]+", each.lower())
    }


def _normalize(sentence: str) -> str:
    return " ".join(re.findall(r"[\w#$€£@+-]+", sentence.casefold()))
