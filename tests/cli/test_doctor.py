"""`twindiff doctor`: what it finds, and what it says to do."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, Serving

NOBODY = ("--base-url", "http://127.0.0.1:1")


@pytest.fixture(autouse=True)
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines of containers take long to say how they are; only some tests are about them."""
    monkeypatch.setenv("TWINDIFF_CONTAINER_ENGINE", "none")


def found(result: Any) -> dict[str, dict[str, str]]:
    return {each["what"]: each for each in json.loads(result.stdout)}


def test_all_is_well_beside_a_running_server(twindiff: Run, tmp_path: Path) -> None:
    result = twindiff("doctor", "--json", "--data-dir", str(tmp_path / "new"))
    assert result.exit_code == 0, result.stdout
    assert {each["state"] for each in found(result).values()} == {"good"}
    assert found(result)["server"]["said"].startswith("answers at ")
    assert not (tmp_path / "new").exists()


def test_twins_are_listed_with_what_they_offer(twindiff: Run) -> None:
    said = found(twindiff("doctor", "--json"))["twin slack"]["said"]
    assert "operations, templates: slack_base, slack_default" in said
    assert "slack_lighthouse" in said


@pytest.mark.parametrize(
    ("program", "state", "said"),
    [
        ("none", "good", "none is used"),
        ("true", "good", "/true, for sandbox runs with a dockerfile_path"),
        ("false", "note", "/false does not work: it says nothing"),
        ("podmann", "note", "TWINDIFF_CONTAINER_ENGINE is 'podmann', which is no program"),
    ],
)
def test_the_engine_for_containers_is_named(
    twindiff: Run, monkeypatch: pytest.MonkeyPatch, program: str, state: str, said: str
) -> None:
    monkeypatch.setenv("TWINDIFF_CONTAINER_ENGINE", program)
    finding = found(twindiff("doctor", "--json", *NOBODY, "--data-dir", ":memory:"))["containers"]
    assert (finding["state"], said in finding["said"]) == (state, True), finding


def test_no_engine_is_asked_how_it_is_when_none_is_to_be_used(
    twindiff: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "podman").symlink_to("/bin/false")
    monkeypatch.setenv("PATH", str(tmp_path))
    said = found(twindiff("doctor", "--json", *NOBODY, "--data-dir", ":memory:"))["containers"]["said"]
    assert said == "none is used"


def test_podman_comes_before_docker_if_it_works_and_neither_is_needed(
    twindiff: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("TWINDIFF_CONTAINER_ENGINE")
    engines: list[str] = []
    for name, works in (("none", "true"), ("podman", "false"), ("docker", "true"), ("podman", "true")):
        (tmp_path / name).unlink(missing_ok=True)
        (tmp_path / name).symlink_to(f"/bin/{works}")
        engines.append(found(twindiff("doctor", "--json", *NOBODY, "--data-dir", ":memory:"))["containers"]["said"])
    assert [each.split(",")[0] for each in engines] == [
        "none is used",
        f"none is used ({tmp_path}/podman does not work: it says nothing)",
        str(tmp_path / "docker"),
        str(tmp_path / "podman"),
    ]


def test_no_server_is_no_fault(twindiff: Run) -> None:
    result = twindiff("doctor", "--json", *NOBODY, "--data-dir", ":memory:")
    assert (result.exit_code, found(result)["server"]["state"]) == (0, "note")
    assert "twindiff serve" in found(result)["server"]["mend"]


def test_a_wrong_key_is_a_fault(make_server, twindiff: Run) -> None:
    result = twindiff("doctor", "--json", "--base-url", make_server(api_key="k").url)
    assert (result.exit_code, found(result)["server"]["state"]) == (1, "broken")


def test_the_owner_of_the_data_is_named(serve: Callable[..., Serving], twindiff: Run, tmp_path: Path) -> None:
    server = serve("--data-dir", str(tmp_path))
    said = found(twindiff("doctor", "--json", "--data-dir", str(tmp_path), *NOBODY))["data"]["said"]
    assert said == f"{tmp_path}, in use by pid {server.process.pid} on port {server.url.rpartition(':')[2]}"


def test_a_data_directory_that_is_a_file_is_a_fault(twindiff: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = twindiff("doctor", "--data-dir", str(tmp_path / "file" / "below"))
    assert (result.exit_code, "--data-dir" in result.stdout) == (1, True)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system has no /proc")
def test_a_data_directory_that_only_seems_writable_is_a_fault(twindiff: Run) -> None:
    said = found(twindiff("doctor", "--json", *NOBODY, "--data-dir", "/proc/x"))["data"]
    assert (said["state"], "/proc" in said["said"], "--data-dir" in said["mend"]) == ("broken", True, True)


def test_nothing_stays_of_the_trial_in_a_data_directory(twindiff: Run, tmp_path: Path) -> None:
    assert found(twindiff("doctor", "--json", *NOBODY, "--data-dir", str(tmp_path)))["data"]["state"] == "good"
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def sad(plugin: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Install the package of a twin, whose module says this, for this process."""
    yield lambda code: monkeypatch.syspath_prepend(plugin(code))
    sys.modules.pop("sad_twin", None)


def test_a_broken_twin_is_a_fault_and_the_others_are_still_listed(sad: Callable[[str], None], twindiff: Run) -> None:
    sad("import nothing_there")
    result = twindiff("doctor", "--json", *NOBODY, "--data-dir", ":memory:")
    twins = {name: each["state"] for name, each in found(result).items() if name.startswith("twin ")}
    assert (result.exit_code, twins["twin sad"], twins["twin slack"]) == (1, "broken", "good")


def test_a_template_that_cannot_be_read_is_a_fault(sad: Callable[[str], None], twindiff: Run, tmp_path: Path) -> None:
    (tmp_path / "sad_bad.json").write_text('{"vases": []}')
    imports = "from pathlib import Path; from twindiff.kit import Twin; from twindiff.kit.styles.base import Style"
    sad(f"{imports}; twin = Twin('sad', Style(), tables=(), seeds=Path({str(tmp_path)!r}))")
    result = twindiff("doctor", "--json", *NOBODY, "--data-dir", ":memory:")
    twin = found(result)["twin sad"]
    assert (result.exit_code, twin["state"]) == (1, "broken")
    assert twin["said"] == "the template sad_bad cannot be loaded: sad has no table 'vases'."


def test_people_get_marks(twindiff: Run) -> None:
    assert twindiff("doctor", *NOBODY, "--data-dir", ":memory:").stdout.startswith("✓  python")
