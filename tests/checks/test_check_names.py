"""A check that names a table or a column there is not never passes unnoticed, wherever it comes in."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.checks.test_check_command import run as check
from tests.harness import Platform
from twindiff.checks import KnownTables, SpecError, evaluate, known_to
from twindiff.environments.registry import Registry

Json = dict[str, Any]

SHARED = Path(os.environ.get("TWINDIFF_SHARED") or Path(__file__).parents[3] / "shared") / "agent-diff"
NOTHING: Json = {"inserts": [], "updates": [], "deletes": []}
GONE = {"diff_type": "added", "expected_count": 0}
CHANGES = "assertions[0].expected_changes"
MISSPELT = [
    ({**GONE, "entity": "mesages"}, "assertions[0].entity: there is no table 'mesages'. Did you mean 'messages'?"),
    (
        {**GONE, "entity": "messages", "where": {"message_txt": "hi"}},
        "assertions[0].where.message_txt: messages has no column 'message_txt'. Did you mean 'message_text'?",
    ),
    (
        {**GONE, "diff_type": "changed", "entity": "channels", "expected_changes": {"chanel_name": {"to": "x"}}},
        f"{CHANGES}.chanel_name: channels has no column 'chanel_name'. Did you mean 'channel_name'?",
    ),
    (
        {**GONE, "diff_type": "changed", "entity": "channels", "ignore": ["topic"]},
        "assertions[0].ignore: channels has no column 'topic'. Did you mean 'topic_text'?",
    ),
]


def known_of(twin: str) -> KnownTables:
    """The tables of a twin; where it is not installed, those of its public seed."""
    registry = Registry.load_installed()
    if twin in registry.schemas:
        return known_to((registry.schemas[twin],))
    seed = json.loads((SHARED / "seeds" / f"{twin}_default.json").read_text())
    return KnownTables({twin: {table: {name for row in rows for name in row} for table, rows in seed.items()}})


def slip(name: str) -> str:
    """A name as a hurried hand writes it; of a path, the column."""
    column, dot, rest = name.partition(".")
    return f"{column[:2]}{column[3:]}q{dot}{rest}"


def slips(spec: Json) -> Iterator[tuple[str, Json]]:
    """Each name of a table or a column in a spec misspelt, and the spec with it."""
    for number, assertion in enumerate(spec["assertions"]):
        for name, part in _slips_of_assertion(assertion):
            made = deepcopy(spec)
            made["assertions"][number] |= part
            yield name, made
    for entity, columns in spec["ignore_fields"].items():
        for at, column in enumerate(columns):
            made = deepcopy(spec)
            made["ignore_fields"][entity][at] = slip(column)
            yield slip(column), made


def _slips_of_assertion(assertion: Json) -> Iterator[tuple[str, Json]]:
    yield slip(assertion["entity"]), {"entity": slip(assertion["entity"])}
    for key in ("where", "expected_changes"):
        for name in assertion.get(key, {}):
            part = {slip(each) if each == name else each: value for each, value in assertion[key].items()}
            yield slip(name), {key: part}
    for at, column in enumerate(assertion.get("ignore", [])):
        yield slip(column), {"ignore": [*assertion["ignore"][:at], slip(column), *assertion["ignore"][at + 1 :]]}


def is_noticed(name: str, spec: Json, known: KnownTables) -> bool:
    """Whether version 1 refuses a spec and 0.1 warns of the name in it."""
    with pytest.raises(SpecError, match=r"there is no table|has (no|a) column"):
        evaluate({**spec, "version": "1"}, NOTHING, {"records": [], "calls": []}, known)
    column = name.partition(".")[0]
    return any(f"'{column}'" in warning for warning in evaluate(spec, NOTHING, None, known).warnings)


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"the public benchmark's files are not at {SHARED}")
@pytest.mark.parametrize(
    ("suite", "tasks"), [("box_bench", 38), ("calendar_bench", 48), ("linear_bench", 46), ("slack_bench_v2", 47)]
)
def test_no_misspelt_name_of_a_public_task_goes_unnoticed(suite: str, tasks: int) -> None:
    content = json.loads((SHARED / "suites" / f"{suite}.json").read_text())
    known = known_of(suite.partition("_")[0])
    tried = unnoticed = 0
    for test in content["tests"]:
        spec = {"ignore_fields": content.get("ignore_fields", {}), "assertions": test["assertions"]}
        for name, misspelt in slips(spec):
            tried += 1
            unnoticed += not is_noticed(name, misspelt, known)
    assert (len(content["tests"]), unnoticed) == (tasks, 0)
    assert tried > 10 * tasks


@pytest.mark.parametrize(("assertion", "said"), MISSPELT)
def test_an_evaluation_and_its_result_warn_in_the_public_language(
    assertion: Json, said: str, platform: Platform
) -> None:
    run = platform.start(platform.environment())
    answer = platform.evaluate(run, assertion)
    assert (answer["passed"], answer["warnings"]) == (True, [said])
    assert platform.get(f"results/{run}")["warnings"] == [said]


@pytest.mark.parametrize(("assertion", "said"), MISSPELT)
def test_an_evaluation_refuses_in_version_1(assertion: Json, said: str, platform: Platform) -> None:
    run = platform.start(platform.environment())
    spec = {"version": "1", "assertions": [assertion]}
    answer = platform.ask("POST", "evaluateRun", {"runId": run, "expectedOutput": spec})
    assert (answer.status_code, answer.json()["detail"]) == (400, f"invalid DSL: {said}")


def test_a_spec_without_misspelt_names_brings_no_warnings(platform: Platform) -> None:
    run = platform.start(platform.environment())
    answer = platform.evaluate(run, {**GONE, "entity": "messages", "where": {"message_text": "hi", "__table__": "x"}})
    assert "warnings" not in answer


def item(spec: Json) -> Json:
    test = {"name": "greet", "prompt": "Say hello", "type": "actionEval", "expected_output": spec}
    return {**test, "environmentTemplate": "slack:slack_default", "impersonateUserId": "U01AGENBOT9"}


@pytest.mark.parametrize(("assertion", "said"), MISSPELT)
def test_making_a_suite_or_a_test_warns_or_refuses(assertion: Json, said: str, platform: Platform) -> None:
    suite = {"name": f"names {uuid4()}", "description": "", "tests": [item({"assertions": [assertion]})]}
    made = platform.post("testSuites", suite)
    added = platform.post(f"testSuites/{made['id']}/tests", {"tests": suite["tests"]})
    assert made["warnings"] == added["warnings"] == [f"test greet: {said}"]
    extended = {"tests": [item({"version": "1", "assertions": [assertion]})]}
    for path, body in (("testSuites", {**suite, **extended}), (f"testSuites/{made['id']}/tests", extended)):
        assert platform.refusal("POST", path, body) == (400, "invalid_dsl")


@pytest.mark.parametrize(("assertion", "said"), MISSPELT)
def test_an_import_warns_or_refuses(assertion: Json, said: str, platform: Platform) -> None:
    test = {"id": "a", "name": "a", "prompt": "p", "type": "actionEval", "seed_template": "slack_default"}
    suite = {"name": f"names {uuid4()}", "service": "slack", "tests": [{**test, "assertions": [assertion]}]}
    answer = platform.post("import", {"files": {"names.json": suite}})
    assert answer["warnings"] == [f"{suite['name']}: test a: {said}"]
    refused = platform.ask("POST", "import", {"files": {"names.json": {**suite, "version": "1"}}})
    assert (refused.status_code, refused.json()["detail"]) == (400, f"names.json: test a: {said}")


def checked(folder: Path, spec: Json, diff: Json, *options: str) -> tuple[int, str]:
    for name, content in (("spec", spec), ("diff", diff)):
        (folder / name).write_text(json.dumps(content))
    result = check(str(folder / "spec"), str(folder / "diff"), *options)
    return result.exit_code, result.stderr.replace(f"{folder}/", "")


@pytest.mark.parametrize(("assertion", "said"), MISSPELT)
def test_an_offline_check_warns_or_refuses(assertion: Json, said: str, tmp_path: Path) -> None:
    posted = {**NOTHING, "inserts": [{"__table__": "channel_members", "channel_id": "C1"}]}
    public, extended = ({"version": version, "assertions": [assertion]} for version in ("0.1", "1"))
    assert checked(tmp_path, public, posted) == (0, f"Warning: spec: {said}\n")
    assert checked(tmp_path, public, posted, "--strict") == (2, f"Warning: spec: {said}\n")
    assert checked(tmp_path, extended, posted) == (2, f"spec: {said}\n")
    assert checked(tmp_path, public, NOTHING, "--strict", "--twin", "slack") == (2, f"Warning: spec: {said}\n")


def test_an_offline_check_of_a_diff_that_no_installed_twin_can_have_made_looks_nothing_up(tmp_path: Path) -> None:
    diff = {**NOTHING, "inserts": [{"__table__": "vases"}]}
    assert checked(tmp_path, {"version": "1", "assertions": [{**GONE, "entity": "roses"}]}, diff) == (0, "")


def test_an_offline_check_for_a_twin_that_is_not_installed_is_refused(tmp_path: Path) -> None:
    spec = {"assertions": [{**GONE, "entity": "messages"}]}
    code, said = checked(tmp_path, spec, NOTHING, "--twin", "slak")
    assert (code, said.endswith("Did you mean 'slack'?\n")) == (2, True)


def test_a_right_name_is_not_taken_for_a_slip(platform: Platform) -> None:
    env = platform.environment()
    run = platform.start(env)
    env.post("hello")
    (why,) = platform.evaluate(run, {"diff_type": "added", "entity": "message_reactions"})["explanations"]
    assert "Did you mean" not in why["text"]
    assert why["text"].endswith("No other row of message_reactions was added. The diff has: messages.")
