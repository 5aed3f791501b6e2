"""Worlds made of prompts by rules: the same prompt makes the same world, and what it does not show is said.

A prompt is read sentence by sentence (`prompt_reading`), a configuration is made of what was read (`prompt_worlds`),
and when the world is there, each sentence is compared with its rows (`prompt_claims`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from twindiff.server.apis.twin_runs.prompt_claims import Rows, WorldRecords, refute
from twindiff.server.apis.twin_runs.prompt_groups import OF, Sentence
from twindiff.server.apis.twin_runs.prompt_reading import PromptReader
from twindiff.server.apis.twin_runs.prompt_worlds import build_world

ADVICE = (
    "no sentence of the prompt was understood: the world shows none of them whole. Say how many there are of what the "
    "twins hold, with names in quotation marks, or give a seed_config"
)


class PromptReading(NamedTuple):
    """A world, and the sentences that it was made of."""

    config: dict[str, dict[str, Any]]
    sentences: list[Sentence]


class Understanding(NamedTuple):
    """The sentences that a finished world shows, those that it does not, and why not."""

    understood: list[str]
    not_understood: list[str]
    warnings: list[str]


def read_prompt(prompt: str, twins: Sequence[str]) -> PromptReading:
    """The world of a prompt, for those of the twins that it names or whose records it asks for, or for all."""
    reader = PromptReader(twins)
    reader.read(prompt)
    named = {twin for sentence in reader.sentences for twin in sentence.twins}
    kinds = {group.kind for group in reader.groups}
    asked = [twin for twin in twins if twin in named or kinds & {*OF.get(twin, ())}] if named else twins
    return PromptReading(build_world(prompt, reader.groups, asked), reader.sentences)


def compare(sentences: Sequence[Sentence], rows: Mapping[str, Rows]) -> Understanding:
    """What of a prompt the rows of its world show, by twin; a sentence is understood whole or not at all."""
    outcome, facts = Understanding([], [], []), WorldRecords(rows)
    for sentence in sentences:
        reasons = refute(sentence, facts)
        (outcome.not_understood if reasons else outcome.understood).append(sentence.text)
        if reasons:
            outcome.warnings.append(f"'{sentence.text}': {'; '.join(reasons)}")
    if sentences and not outcome.understood:
        outcome.warnings.insert(0, ADVICE)
    return outcome
