"""The language as data: what each line of it means, for any implementation to hold itself against."""

import json
from pathlib import Path
from typing import Any

import msgspec
import typer
from typer.testing import CliRunner

from twindiff.checks import SpecError, Verdict, evaluate, parse
from twindiff.cli.commands.check import register

Vector = dict[str, Any]


def verdict_of(vector: Vector) -> Verdict:
    return evaluate(vector["spec"], vector["diff"], vector.get("history"))


def refusal_of(vector: Vector) -> str:
    """What a spec is refused with; nothing where it is accepted."""
    try:
        parse(vector["spec"])
    except SpecError as refusal:
        return str(refusal)
    return ""


def test_a_diff_is_judged_as_the_vector_says(judged: dict[str, Vector]) -> None:
    found = {name: verdict_of(vector) for name, vector in judged.items()}
    said = {name: [each.passed, msgspec.to_builtins(each.score), each.failures] for name, each in found.items()}
    assert said == {name: [each[part] for part in ("passed", "score", "failures")] for name, each in judged.items()}


def test_a_failed_assertion_is_explained_once(judged: dict[str, Vector]) -> None:
    explained = {
        name: [f"assertion#{item.assertion}" for item in verdict_of(vector).explanations]
        for name, vector in judged.items()
    }
    failed = {name: {failure.split(" ")[0] for failure in vector["failures"]} for name, vector in judged.items()}
    assert explained == {name: sorted(assertions) for name, assertions in failed.items()}


def test_a_verdict_survives_json(judged: dict[str, Vector]) -> None:
    verdicts = {name: verdict_of(vector) for name, vector in judged.items()}
    packed = {name: msgspec.json.encode(verdict) for name, verdict in verdicts.items()}
    assert {name: msgspec.json.decode(each, type=Verdict) for name, each in packed.items()} == verdicts


def test_a_wrong_spec_is_refused_at_its_mistake(refused: dict[str, Vector]) -> None:
    said = {name: refusal_of(vector) for name, vector in refused.items()}
    missed = {name: words for name, words in said.items() if not words or refused[name]["refused"] not in words}
    assert missed == {}


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
