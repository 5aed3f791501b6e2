"""Generates seed configurations from prompts with a language model; they are validated like any other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from twindiff.kit.seeding import InvalidSeedConfig
from twindiff.kit.twin import Twin
from twindiff.server.apis.twin_runs.worlds import Config, Worlds
from twindiff.server.language_models import ModelFailed, ModelSettings
from twindiff.server.service import Service

MAX_TRIES = 3
"""Number of attempts; each repeats the errors of the previous one to the model."""
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)
_SYSTEM = """You write seed data for copies of SaaS APIs.
Answer with one JSON object and nothing else: by the name of each API, what it holds. Only these are valid:
{shapes}
Names of users that messages, issues or comments refer to must be among that API's users,
or "Agent", who is always there.
Give people the same names and email addresses in every API. Leave out APIs that the description does not need."""


async def thorough(model: ModelSettings, service: Service, worlds: Worlds, prompt: str) -> Config:
    """Generate the seed configuration of a prompt; raises ModelFailed if no attempt is valid."""
    seedable = {name: twin for name, twin in service.registry.twins.items() if twin.seeding}
    said: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
    problems = ""
    for _ in range(MAX_TRIES):
        text = await service.runtime.run_on_loop(model.answer(_SYSTEM.format(shapes=_shapes(seedable)), said))
        try:
            config = _config(text, seedable)
            await worlds.prepare(config)
        except InvalidSeedConfig as error:
            problems = str(error)
            advice = f"That cannot be used: {problems}. Answer with the whole corrected JSON object."
            said += [{"role": "assistant", "content": text}, {"role": "user", "content": advice}]
        else:
            return config
    raise ModelFailed(f"The model gave no valid world after {MAX_TRIES} tries: {problems}")


def _shapes(twins: Mapping[str, Twin]) -> str:
    shapes = {name: msgspec.json.schema(twin.seeding.shape) for name, twin in twins.items() if twin.seeding}
    return msgspec.json.encode(shapes).decode()


def _config(text: str, twins: Mapping[str, Twin]) -> dict[str, dict[str, Any]]:
    """Parse the configuration in a reply; raises InvalidSeedConfig."""
    fenced = _FENCE.search(text)
    try:
        config = msgspec.json.decode((fenced[1] if fenced else text).strip(), type=dict[str, dict[str, Any]])
    except msgspec.MsgspecError as error:
        raise InvalidSeedConfig([f"the answer is no JSON object of objects: {error}"]) from None
    unknown = [name for name in config if name not in twins]
    if unknown:
        raise InvalidSeedConfig([f"there is no API '{unknown[0]}'; there are {', '.join(twins)}"])
    return config
