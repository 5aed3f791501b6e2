"""Prints the details of one trial: why it failed, its calls with their responses, and what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from twindiff.cli import render
from twindiff.cli.call_story import render_story
from twindiff.cli.commands.env import facts_table, say
from twindiff.cli.problem import CommandError
from twindiff.cli.suite_results import STYLES
from twindiff.cli.trial_report import message_words
from twindiff.cli.trial_sets import StoredTrial
from twindiff.cli.trial_sources import Server, with_stories
from twindiff.cli.trial_words import describe_reason, describe_usage
from twindiff.kit.suggestions import did_you_mean


def show_story(kept: Sequence[StoredTrial], test: str, number: int, server: Server, *, as_json: bool) -> None:
    """Print the details of a trial of the given test."""
    trial = _meant(kept, test, number)
    if trial.story is None:
        (trial,) = with_stories([trial], server, 1)
    say(as_json, msgspec.to_builtins(trial), _render_trial(trial))


def _meant(kept: Sequence[StoredTrial], test: str, number: int) -> StoredTrial:
    """Return the trial of the test with this id or name, or else of the test with this in its name."""
    wanted = test.lower()
    exact = [each for each in kept if wanted in (each.test_id, each.test.lower())]
    matches = exact or [each for each in kept if wanted in each.test.lower() or each.test_id.startswith(wanted)]
    names = {each.test_id: each.test for each in matches}
    if len(names) > 1:
        raise CommandError(f"'{test}' can be any of {len(names)} tests: {', '.join([*names.values()][:8])}. Say which.")
    if not matches:
        near = did_you_mean(test, {each.test for each in kept})
        raise CommandError(f"The trial set has no test '{test}'.{near}")
    if not number:
        return next((each for each in matches if not each.passed), matches[0])
    of_number = [each for each in matches if each.trial == number]
    if not of_number:
        raise CommandError(
            f"'{matches[0].test}' has no trial {number}; it has 1 to {max(each.trial for each in matches)}."
        )
    return of_number[0]


def _render_trial(kept: StoredTrial) -> RenderableType:
    word = Text(kept.status, STYLES[kept.status])
    facts = {
        "test": kept.test,
        "trial": str(kept.trial),
        **({"prompt": kept.prompt} if kept.prompt else {}),
        "seconds": f"{kept.seconds:.1f}",
        **({"used": used} if (used := describe_usage(kept.usage)) else {}),
        "run": kept.run_id or "none",
        "environment": f"{kept.environment_id or 'none'}{' (kept)' if kept.is_kept else ''}",
    }
    lines: list[RenderableType] = [word, facts_table(facts)]
    if not kept.passed:
        why = [Text(f"✗ {render.printable(each)}", render.REMOVED) for each in _why(kept)]
        lines += ["", Text("Why", "bold"), *why]
    if kept.messages:
        lines += ["", Text("What it said", "bold"), *(_render_message(each) for each in kept.messages)]
    if kept.story is None:
        known = "only failed and kept trials are kept whole" if kept.passed else "the server has forgotten its run"
        return Group(*lines, "", Text(f"What it did is not known: {known}.", render.QUIET))
    calls = render_story(msgspec.to_builtins(kept.story.calls), []) if kept.story.calls else "None."
    lines += ["", Text("What it called", "bold"), calls]
    if kept.story.more_calls:
        lines.append(Text(f"… and more, which `twindiff explain -v {kept.run_id}` tells.", render.QUIET))
    changed = render.diff(kept.story.diff) if kept.story.diff else Text("That is not known.", render.QUIET)
    return Group(*lines, "", Text("What changed", "bold"), changed)


def _render_message(message: Mapping[str, Any]) -> Text:
    return Text(f"{message.get('role') or 'entry'}: {render.printable(message_words(message))}")


def _why(kept: StoredTrial) -> list[str]:
    of_checks = [explanation_words(why) for why in kept.verdict.explanations] if kept.verdict else []
    of_checks = of_checks or (kept.verdict.failures if kept.verdict else [])
    if kept.status == "error":
        return [describe_reason(kept), *of_checks]
    return of_checks or [kept.reason]


def explanation_words(why: Mapping[str, Any]) -> str:
    """Return an explanation after the description of its check."""
    described = why.get("description")
    return f"{described}: {why['text']}" if described else str(why["text"])
