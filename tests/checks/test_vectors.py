"""The language as data: what each line of it means, for any implementation to hold itself against."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer
from typer.testing import CliRunner

from twindiff.checks import SpecError, evaluate, parse
from twindiff.cli.check import register

Vector = dict[str, Any]


def test_a_diff_is_judged_as_the_vector_says(judged: Vector) -> None:
    verdict = evaluate(judged["spec"], judged["diff"], judged.get("history"))
    score = msgspec.to_builtins(verdict.score)
    assert [verdict.passed, score, verdict.failures] == [judged["passed"], judged["score"], judged["failures"]]


def test_a_failed_assertion_is_explained_once(judged: Vector) -> None:
    verdict = evaluate(judged["spec"], judged["diff"], judged.get("history"))
    failed = {failure.split(" ")[0] for failure in judged["failures"]}
    assert [f"assertion#{item.assertion}" for item in verdict.explanations] == sorted(failed)


def test_a_verdict_survives_json(judged: Vector) -> None:
    verdict = evaluate(judged["spec"], judged["diff"], judged.get("history"))
    assert msgspec.json.decode(msgspec.json.encode(verdict), type=type(verdict)) == verdict


def test_a_wrong_spec_is_refused_at_its_mistake(refused: Vector) -> None:
    with pytest.raises(SpecError) as refusal:
        parse(refused["spec"])
    assert refused["refused"] in str(refusal.value)


def test_the_command_judges_as_the_library_does(sample: Vector, tmp_path: Path) -> None:
    app = typer.Typer()
    register(app)
    spec, diff, history = (tmp_path / name for name in ("spec.json", "diff.json", "history.json"))
    contents = sample["spec"], sample.get("diff", {"inserts": []}), sample.get("history", {"records": [], "calls": []})
    for file, content in zip((spec, diff, history), contents, strict=True):
        file.write_text(json.dumps(content))
    result = CliRunner().invoke(app, [str(spec), str(diff), "--history", str(history)])
    if "refused" in sample:
        assert (result.exit_code, sample["refused"] in result.stderr) == (2, True)
        return
    answer = json.loads(result.stdout)
    assert [answer["passed"], answer["score"], answer["failures"]] == [
        sample["passed"],
        sample["score"],
        sample["failures"],
    ]
    assert result.exit_code == (0 if sample["passed"] else 1)
