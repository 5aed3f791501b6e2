"""`twindiff templates` and `twindiff twins`: what there is to begin with."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.conftest import Run, finished
from tests.harness import LiveServer
from twindiff.server import Settings


def lines(run: Run, *arguments: str) -> list[str]:
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return [" ".join(line.split()) for line in result.stdout.splitlines()]


def answer(run: Run, *arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").stdout)


@pytest.mark.parametrize("words", [["templates"], ["templates", "ls"]])
def test_templates_are_listed_by_twin_and_name(words: list[str], twindiff: Run) -> None:
    header, *printed = lines(twindiff, *words)
    assert header == "template origin description"
    assert "slack:slack_default built-in A small workspace: 3 people, 2 channels, 3 messages" in printed
    listed = answer(twindiff, *words)
    assert [each["name"] for each in listed if each["origin"] == "built-in" and not each["description"]] == []
    names = [f"{each['service']}:{each['name']}" for each in listed]
    assert names == sorted(names)
    built_in = [name for name, each in zip(names, listed, strict=True) if each["origin"] == "built-in"]
    assert [line.split()[0] for line in printed if " built-in" in line] == built_in


@pytest.mark.parametrize("name", ["slack_default", "slack:slack_default"])
def test_a_template_is_shown_with_its_rows_and_users(name: str, twindiff: Run) -> None:
    shown = lines(twindiff, "templates", "show", name)
    assert shown[0] == "template slack:slack_default"
    assert {"users 3", "channels 2", "U01AGENBOT9 agent@example.com"} <= {*shown}


def test_a_template_is_found_by_its_id_too(twindiff: Run) -> None:
    shown = answer(twindiff, "templates", "show", "slack_default")
    again = answer(twindiff, "templates", "show", shown["id"])
    assert again == shown
    assert again["tables"]["users"] == len(again["users"])


def test_many_users_are_cut_for_people_and_not_for_programs(twindiff: Run) -> None:
    users = answer(twindiff, "templates", "show", "slack_lighthouse")["users"]
    shown = lines(twindiff, "templates", "show", "slack_lighthouse")
    assert shown[-1] == f"… and {len(users) - 20} more, which --json lists"


def test_a_table_without_rows_is_left_out(twindiff: Run) -> None:
    assert answer(twindiff, "templates", "show", "linear_base")["tables"] == {}


def test_an_unknown_template_is_answered_with_the_nearest(twindiff: Run) -> None:
    result = twindiff("templates", "show", "slack_defalt")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "Did you mean 'slack_default'?" in result.stderr


def test_a_twin_in_place_of_a_template_is_answered_with_its_templates(twindiff: Run) -> None:
    server = LiveServer(Settings())  # others of these tests save templates in theirs
    try:
        said = twindiff("templates", "show", "slack", "--base-url", server.url).stderr
    finally:
        server.close()
    assert said == "'slack' is a twin. Say one of its templates: slack_base, slack_default, slack_lighthouse.\n"


def test_doctor_counts_the_operations_of_a_twin_as_twins_does(twindiff: Run) -> None:
    slack = answer(twindiff, "twins", "slack")["operations"]
    (said,) = (
        line for line in twindiff("doctor", "--data-dir", ":memory:").stdout.splitlines() if "twin slack" in line
    )
    assert f" {slack} operations, " in said


def test_twins_are_told_with_what_they_cover(twindiff: Run) -> None:
    twins = {each["twin"]: each for each in answer(twindiff, "twins")}
    linear, slack = twins["linear"], twins["slack"]
    assert (linear["style"], slack["style"]) == ("GraphQL", "RPC")
    for twin in (linear, slack):
        has = twin["operations"] - twin["beside"]
        assert twin["percent"] == 100 * has / (has + len(twin["lacks"]) + len(twin["refuses"]))
    assert slack["operations"] == slack["reading"] + slack["writing"]


def test_a_method_that_refuses_every_call_is_not_covered(twindiff: Run) -> None:
    slack = answer(twindiff, "twins", "slack")
    assert len([name for name in slack["refuses"] if name.startswith("admin.")]) > 100
    assert "admin" not in [each["name"] for each in slack["families"]]
    assert slack["percent"] < 50
    assert "always refuses" in " ".join(lines(twindiff, "twins", "slack"))


def test_twins_are_a_line_each_for_people(twindiff: Run) -> None:
    header, *twins = lines(twindiff, "twins")
    linear, slack = (next(line for line in twins if line.startswith(f"{name} ")) for name in ("linear", "slack"))
    assert header == "twin style operations reading writing covers tables templates"
    assert linear.startswith("linear GraphQL ")
    assert slack.endswith("slack_base, slack_default, slack_lighthouse")


def test_a_twin_is_told_family_by_family(twindiff: Run) -> None:
    shown = lines(twindiff, "twins", "slack")
    assert "reactions 2 2 reactions.get, reactions.list, reactions.add, reactions.remove" in shown


def test_a_mutation_is_of_the_longest_entity_that_it_is_a_verb_of(twindiff: Run) -> None:
    families = {each["name"]: each for each in answer(twindiff, "twins", "linear")["families"]}
    assert "mutation initiativeUpdate" in families["Initiative"]["writing"]
    assert "mutation initiativeUpdateCreate" in families["InitiativeUpdate"]["writing"]
    assert "query issueLabels" in families["IssueLabel"]["reading"]


def test_an_unknown_twin_is_answered_with_the_nearest(twindiff: Run) -> None:
    result = twindiff("twins", "slak")
    assert (result.exit_code, result.stderr) == (
        1,
        "Unknown twin 'slak'. Installed: box, calendar, github, linear, notion, slack, stripe. Did you mean 'slack'?\n",
    )


def test_a_twin_that_does_not_load_is_named_and_the_others_are_shown(plugin) -> None:
    done = finished("twins", "--json", PYTHONPATH=plugin("1 / 0"))
    shown = [each["twin"] for each in json.loads(done.stdout)]
    assert (done.returncode, shown) == (1, ["box", "calendar", "github", "linear", "notion", "slack", "stripe"])
    assert "The twin 'sad' does not load: ZeroDivisionError" in done.stderr


def test_what_a_twin_covers_is_not_known_without_a_list_of_what_it_lacks(plugin) -> None:
    imports = "from twindiff.kit import Twin; from twindiff.kit.styles.base import Style"
    code = f"{imports}; twin = Twin('sad', Style(), tables=())"
    done = finished("twins", "sad", PYTHONPATH=plugin(code))
    assert "not known: the twin has no list of its vendor's operations" in " ".join(done.stdout.split())
