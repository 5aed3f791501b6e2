"""Scenarios: named worlds, saved or built-in, and the environments that belong to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from twindiff.catalog import ScenarioRecord, TwinRunRecord
from twindiff.catalog.stamps import new_uuid, stamp, wall
from twindiff.environments.registry import did_you_mean
from twindiff.kit.clock import Clock
from twindiff.kit.errors import ApiError
from twindiff.kit.rows import Where
from twindiff.server.apis.twin_runs.llm_prompts import ProvenWorld
from twindiff.server.apis.twin_runs.model_worlds import ModelTask, ModelWorldMaker
from twindiff.server.apis.twin_runs.presets import PRESETS, Preset
from twindiff.server.apis.twin_runs.provisioning import Provisioning
from twindiff.server.apis.twin_runs.runs import OPEN, YEAR_OF_MINUTES, TwinRunRequest, TwinRunService
from twindiff.server.apis.twin_runs.world_prompt_words import DAY, NEARBY, NEXT, NUMBER, UNITS
from twindiff.server.apis.twin_runs.worlds import (
    HOUR,
    USUAL_TIME,
    Config,
    WorldTime,
    find_beginning_today,
    find_latest_beginning,
    shift_dates,
)
from twindiff.server.default_templates import prepare_default
from twindiff.server.language_models import ModelSettings, configured_model

if TYPE_CHECKING:
    from twindiff.server.apis.twin_runs.prompt_language.groups import Statement

Mode = Literal["fast", "thorough"]
"""How a world is generated from a prompt: by rules, or by a model."""
_AHEAD = rf"in\s+(?:{NUMBER})\s+(?:{UNITS['day']}|{UNITS['week']})"
_TODAY = re.compile(rf"\b(?:yesterday|now|ago|{_AHEAD}|{'|'.join(chain.from_iterable(NEARBY))})\b", re.IGNORECASE)
"""Words about days that depend on today."""
_WEEKDAY = re.compile(rf"\b(?:{DAY})s?\b|\b(?:{NEXT})\b", re.IGNORECASE)


class ScenarioNotFound(ApiError):
    """There is no such scenario."""

    status = 404


class PresetIsFixed(ApiError):
    """A preset cannot be changed or deleted; create a scenario of your own with its seed_config."""

    status = 409


class NoEnvironment(ApiError):
    """The scenario has no twin environment; make one with POST to the same path."""

    status = 404


class Contradiction(ApiError):
    """Give scenario_id, scenario_prompt or seed_config, and only one of them."""

    status = 422


class WorldSource(NamedTuple):
    """The source of a world: a scenario, a prompt or a configuration; without any, the twins' starter worlds."""

    scenario_id: str | None = None
    prompt: str | None = None
    config: dict[str, dict[str, Any]] | None = None
    mode: Mode = "fast"


class Filling(NamedTuple):
    """The seed configuration of twins (None for starter worlds), its kind, and facts for the response (`said`)."""

    config: Config | None
    kind: str
    said: dict[str, Any]
    sentences: Sequence[Statement] = ()
    """The parsed sentences of a prompt, to be verified against the finished world."""
    is_generated: bool = False
    """Whether the dates of the configuration were chosen for `WORLDS_BEGIN`, and not by its author."""
    time: WorldTime = USUAL_TIME
    """When the world begins, and for which instant it is made."""
    moved: int = 0
    """By how much its dates are later than those that were chosen, in microseconds."""

    def begin_before(self, now: int, prompt: str) -> Filling:
        """The same world for a run whose clock starts at `now`, in microseconds since 1970. One whose dates are its
        author's begins in that hour. Others begin on the latest Monday, so that weekdays are right, or that day if the
        prompt names days that depend on it. With both kinds of days, those of Monday count, with a warning.
        """
        if not self.is_generated:
            return self._replace(time=WorldTime(now // HOUR * HOUR, now))
        begins, by = _find_beginning(now, prompt)
        said = self.said
        if _TODAY.search(prompt) and _WEEKDAY.search(prompt):
            warning = f"the world begins on Monday, {Clock(begins).iso()[:10]}, at 9:00 UTC, and so do its days"
            said = {**said, "warnings": [*said.get("warnings", []), warning]}
        time = WorldTime(begins, now)
        return self._replace(config=shift_dates(self.config, by), time=time, moved=by, said=said)


def _find_beginning(now: int, prompt: str) -> tuple[int, int]:
    """When a world begins whose dates were chosen for `WORLDS_BEGIN`, and by how much these move."""
    if _TODAY.search(prompt) and not _WEEKDAY.search(prompt):
        return find_beginning_today(now)
    begins = find_latest_beginning(now)
    return begins, begins - USUAL_TIME.begins


class ScenarioStore:
    """The scenarios of a server."""

    def __init__(self, runs: TwinRunService) -> None:
        self.runs = runs
        self._catalog = runs.service.catalog
        self._provisioning = Provisioning(runs)
        self._model_worlds = ModelWorldMaker(runs.service, runs.worlds)

    async def provide(
        self, asked: TwinRunRequest, source: WorldSource, seconds: float | None = None
    ) -> tuple[TwinRunRecord, dict[str, Any]]:
        """Provision a run from a source; returns its record after `seconds` at most, and facts for the response.
        Raises UnknownTwin, ScenarioNotFound, Contradiction, and what fails until then: InvalidSeedConfig, ModelFailed.
        """
        filled, twins = await self.filling(source), [twin.name for twin in self.runs.twins(asked.twins).values()]
        asked = asked._replace(baseline_kind=filled.kind, scenario_id=source.scenario_id)
        is_modelled = self._model(source, filled) is not None
        now = wall() if asked.clock is None or asked.clock.mode == "real" else asked.clock.start
        if filled.config is None:
            for each in twins:
                await self.runs.service.runtime.run_steps(prepare_default(self.runs.service, each))
        else:
            filled = filled.begin_before(now, self._prompt_of(source))
        is_made = filled.config is None or self.runs.worlds.has(filled.config, twins, filled.time)
        if is_made and not is_modelled:
            said = await self._compare_world(filled, twins)
            made = asked._replace(config=filled.config, world_time=filled.time, prompt_results=said or None)
            return self.runs.provision(made), said
        said = {"generation_mode": "thorough"} if is_modelled else {**filled.said}

        async def make() -> TwinRunRequest:
            made = await self.prepare(source, twins, filled, now=now)
            said.update(made.said)
            return asked._replace(config=made.config, world_time=made.time, prompt_results=made.said or None)

        return await self._provisioning.provide(asked, make, seconds), said

    async def prepare(
        self,
        source: WorldSource,
        twins: Sequence[str] | None = None,
        filled: Filling | None = None,
        *,
        now: int | None = None,
    ) -> Filling:
        """Determine the seed configuration of twins, and build their worlds.
        A prompt is parsed by rules, or by the configured model if the source asks for it. `now` is when the clock of
        the run starts, for a world that a model makes; without it, a configuration is judged as of today. Raises what
        `filling` does, InvalidSeedConfig, ModelFailed.
        """
        if filled is None:
            filled = await self.filling(source)
            filled = filled if filled.is_generated else filled.begin_before(wall(), "")
        model = self._model(source, filled)
        if model and source.prompt:
            filled = await self._fill_with_model(model, source.prompt, twins, filled, now)
        if filled.config is not None:
            await self.runs.worlds.prepare(filled.config, twins, filled.time)
        names = [self._twin(name) for name in filled.config or ()] if twins is None else twins
        return filled._replace(said=await self._compare_world(filled, names))

    async def _fill_with_model(
        self, model: ModelSettings, prompt: str, twins: Sequence[str] | None, read: Filling, now: int | None
    ) -> Filling:
        """Ask a model for the world of a prompt. For a run it writes dates as of `now`; those of a saved scenario are
        chosen for `WORLDS_BEGIN`, and move with each run.
        """
        time = USUAL_TIME if now is None else WorldTime(now // HOUR * HOUR, now)
        shift = 0 if now is None else _find_beginning(now, prompt)[1]
        made = await self._model_worlds.make(model, ModelTask(prompt, twins, time, read.sentences, shift))
        said = {"generation_mode": "thorough", "model": model.name, **_describe_proofs(made)}
        return Filling(made.seeds, "prompt", said, is_generated=now is None, time=time)

    def _prompt_of(self, source: WorldSource) -> str:
        return source.prompt or (self.find(source.scenario_id).prompt if source.scenario_id else None) or ""

    async def _compare_world(self, filled: Filling, twins: Sequence[str]) -> dict[str, Any]:
        """The facts about a filling with finished worlds; for a prompt, which sentences they show."""
        if not filled.sentences or filled.config is None:
            return filled.said
        from twindiff.server.apis.twin_runs.world_prompts import compare

        seeded = [name for name in twins if name in self._seedable()]
        rows = {name: self.runs.worlds.rows(name, filled.config, filled.time) for name in seeded}
        if filled.moved:  # a prompt's days are read as of `WORLDS_BEGIN`
            rows = {twin: shift_dates(tables, -filled.moved) for twin, tables in rows.items()}
        outcome = await self.runs.service.runtime.run_in_thread(partial(compare, filled.sentences, rows))
        outcome.warnings.extend(filled.said.get("warnings", ()))
        return {**filled.said, **outcome._asdict()}

    def _model(self, source: WorldSource, filled: Filling) -> ModelSettings | None:
        return configured_model() if source.mode == "thorough" and filled.kind == "prompt" else None

    async def filling(self, source: WorldSource) -> Filling:
        """Determine the seed configuration by rules, without building worlds.
        Raises ScenarioNotFound, Contradiction.
        """
        scenario_id, prompt, config, _ = source
        if sum(each is not None for each in (scenario_id, prompt, config)) > 1:
            raise Contradiction
        if scenario_id is not None:
            record = self.find(scenario_id)
            return Filling(record.seed_config, "scenario", {}, is_generated=record.prompt is not None)
        if config is not None:
            return Filling(config, "seed", {})
        if prompt is not None:
            from twindiff.server.apis.twin_runs.world_prompts import read_prompt  # compiles slowly

            read = await self.runs.service.runtime.run_in_thread(partial(read_prompt, prompt, self._seedable()))
            return Filling(read.config, "prompt", {"generation_mode": "fast"}, read.sentences, is_generated=True)
        return Filling(None, "seed", {})

    def _seedable(self) -> list[str]:
        return [twin.name for twin in self.runs.service.registry.twins.values() if twin.seeding]

    async def create(
        self,
        name: str,
        prompt: str | None,
        config: dict[str, dict[str, Any]] | None,
        twins: Sequence[str] | None,
        description: str | None,
        tags: Sequence[str] | None,
        mode: Mode = "fast",
    ) -> tuple[ScenarioRecord, dict[str, Any]]:
        """Save a scenario; also returns facts about its prompt. Raises InvalidSeedConfig, UnknownTwin."""
        names = [self._twin(each) for each in twins] if twins else None
        filled = await self.prepare(WorldSource(None, None if config is not None else prompt, config, mode), names)
        used = {} if filled.config is None else {self._twin(each): dict(parts) for each, parts in filled.config.items()}
        wanted = [self._twin(each) for each in (twins or [])] or [*used]
        used = {twin: parts for twin, parts in used.items() if twin in wanted}
        now = stamp()
        record = ScenarioRecord(
            scenario_id=new_uuid(),
            name=name,
            seed_config=used,
            twins=wanted,
            tags=[*(tags or [])],
            created=now.micros,
            created_at=now.iso,
            updated_at=now.iso,
            description=description,
            prompt=prompt,
            prompt_results=filled.said or None,
        )
        return self._catalog.add(record), filled.said

    def _twin(self, name: str) -> str:
        return self.runs.service.registry.get(name).name

    async def change(self, scenario_id: str, **fields: Any) -> ScenarioRecord:
        """Change the fields that are not None; raises ScenarioNotFound, PresetIsFixed, InvalidSeedConfig."""
        record = self._own(scenario_id)
        given = {name: value for name, value in fields.items() if value is not None}
        if "seed_config" in given:
            given["seed_config"] = {self._twin(name): parts for name, parts in given["seed_config"].items()}
            await self.prepare(WorldSource(config=given["seed_config"]), [*given["seed_config"]])
        if "twins" in given:
            given["twins"] = [self._twin(name) for name in given["twins"]]
        if given.keys() & {"prompt", "seed_config"}:
            given["prompt_results"] = None
        return self._catalog.change(record, **given, updated_at=stamp().iso)

    def delete(self, scenario_id: str) -> ScenarioRecord:
        """Delete a scenario with its environment and its copies."""
        record = self._own(scenario_id)
        for run in self._environments(scenario_id):
            self.runs.tear_down(run.run_id)
        self._catalog.remove(record)
        return record

    def _own(self, scenario_id: str) -> ScenarioRecord:
        if scenario_id in PRESETS:
            raise PresetIsFixed
        return self.find(scenario_id)

    def find(self, scenario_id: str) -> ScenarioRecord:
        """Find a scenario or a preset; raises ScenarioNotFound, which suggests the nearest preset."""
        if scenario_id in PRESETS:
            return self._of_preset(PRESETS[scenario_id])
        record = self.runs.service.whole_catalog.find(ScenarioRecord, scenario_id)
        if record is None:
            raise ScenarioNotFound(f"There is no scenario '{scenario_id[:100]}'.{did_you_mean(scenario_id, PRESETS)}")
        return record

    def _of_preset(self, preset: Preset) -> ScenarioRecord:
        seedable = self._seedable()
        config = {name: parts for name, parts in preset.seed_config.items() if name in seedable}
        return ScenarioRecord(
            scenario_id=preset.id,
            name=preset.name,
            seed_config=config,
            twins=[*config],
            tags=["preset", *preset.tags],
            created=0,
            created_at="2026-01-05T09:00:00",
            updated_at="2026-01-05T09:00:00",
            description=preset.description,
            prompt=preset.prompt,
        )

    def presets(self) -> list[ScenarioRecord]:
        """List the built-in scenarios."""
        return [self._of_preset(preset) for preset in PRESETS.values()]

    def list(self, twin: str | None, tag: str | None, *, with_presets: bool) -> list[ScenarioRecord]:
        """List scenarios, oldest first, optionally with a twin or a tag."""
        records = self._catalog.rows(ScenarioRecord, order=ScenarioRecord.created, limit=1000)
        name = self._twin(twin) if twin else None
        return [
            each
            for each in [*(self.presets() if with_presets else ()), *records]
            if (name is None or name in each.twins) and (tag is None or tag in each.tags)
        ]

    # Environments of scenarios

    async def ensure(
        self, scenario_id: str, twins: Sequence[str] | None, copy: str | None = None, *, public: bool
    ) -> TwinRunRecord:
        """Return the shared environment of a scenario, or a named copy of it; creates it if needed."""
        scenario = self.find(scenario_id)
        existing = self._environment(scenario_id, copy)
        wanted = list[str](twins or scenario.twins or self._seedable())
        names = {self._twin(name) for name in wanted}
        if existing and self.runs.status(existing) in OPEN and names <= {*existing.twins}:
            return existing
        if existing:
            wanted = list(dict.fromkeys([*cast(list[str], existing.twins), *wanted]))
            self.runs.tear_down(existing.run_id)
        asked = TwinRunRequest(wanted, YEAR_OF_MINUTES, public=public, of_scenario=True, copy_name=copy)
        run, _ = await self.provide(asked, WorldSource(scenario_id))
        return run

    def environment(self, scenario_id: str, copy: str | None = None) -> TwinRunRecord:
        """Find the environment of a scenario, or a named copy of it; raises ScenarioNotFound, NoEnvironment."""
        self.find(scenario_id)
        run = self._environment(scenario_id, copy)
        if run is None:
            raise NoEnvironment
        return run

    def _environment(self, scenario_id: str, copy: str | None) -> TwinRunRecord | None:
        runs = self._environments(scenario_id, TwinRunRecord.copy_name == copy)
        return runs[0] if runs else None

    def _environments(self, scenario_id: str, *which: Where) -> list[TwinRunRecord]:
        """The environment of a scenario and its copies, newest first."""
        mine = (TwinRunRecord.scenario_id == scenario_id, TwinRunRecord.of_scenario, TwinRunRecord.status.in_(OPEN))
        return self._catalog.rows(TwinRunRecord, *mine, *which, order=-TwinRunRecord.created, limit=1000)

    def environments(self) -> list[TwinRunRecord]:
        """List the environments of all scenarios, oldest first."""
        of_scenario = TwinRunRecord.of_scenario
        is_open = TwinRunRecord.status.in_(OPEN)
        return self._catalog.rows(TwinRunRecord, of_scenario, is_open, order=TwinRunRecord.created, limit=1000)


def _describe_proofs(world: ProvenWorld) -> dict[str, Any]:
    """Which statements the world of a model shows, those it does not, with reasons, and those without data."""
    from twindiff.server.apis.twin_runs.world_prompts import ADVICE

    understood = [each.statement.text for each in world.proofs if not (each.reasons or each.is_background)]
    lacking = [each for each in world.proofs if each.reasons]
    warnings = [f"'{each.statement.text}': {'; '.join(each.reasons)}" for each in lacking]
    background = [each.statement.text for each in world.proofs if each.is_background]
    return {
        "understood": understood,
        "not_understood": [each.statement.text for each in lacking],
        "warnings": warnings if understood else [ADVICE, *warnings],
        **({"background": background} if background else {}),
    }


def shown_scenario(record: ScenarioRecord) -> dict[str, Any]:
    """Render a scenario for the API."""
    return {
        "id": record.scenario_id,
        "name": record.name,
        "description": record.description,
        "prompt": record.prompt,
        "twins": record.twins,
        "seed_config": record.seed_config,
        "tags": record.tags,
        "created_at": f"{record.created_at}Z",
        "updated_at": f"{record.updated_at}Z",
        "is_preset": record.scenario_id in PRESETS,
        **(record.prompt_results or {}),
    }
