"""`twindiff env export|import` against a live server."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Run
from tests.harness import Environment, Platform, texts

Make = Callable[..., Environment]


def test_a_file_becomes_an_environment_with_the_same_past(
    twindiff: Run, platform: Platform, environment: Make, tmp_path: Path
) -> None:
    mine = environment()
    mine.post("one")
    file = str(tmp_path / "mine.jsonl.gz")
    written = json.loads(twindiff("env", "export", mine.id[:12], file, "--json").stdout)
    assert written == {"environmentId": mine.id, "file": file, "bytes": Path(file).stat().st_size}
    made = json.loads(twindiff("env", "import", file, "--name", "yours", "--ttl", "60", "--json").stdout)
    assert texts(platform.get(f"env/{made['environmentId']}/diff")["diff"]) == ["one"]
    assert platform.get(f"env/{made['environmentId']}")["name"] == "yours"
    assert made["environmentUrls"]["slack"].startswith("http://")


def test_people_are_told_what_came_of_it(twindiff: Run, environment: Make, tmp_path: Path) -> None:
    mine = environment()
    file = str(tmp_path / "mine.jsonl.gz")
    assert twindiff("env", "export", mine.id, file).stdout.startswith(f"{mine.id} is in {file}, ")
    shown = twindiff("env", "import", file)
    assert [line.split()[0] for line in shown.stdout.splitlines()] == ["environment", "slack", "agent", "expires"]
    assert f"Importing {Path(file).stat().st_size:,} bytes" not in shown.stdout


def test_a_file_that_is_there_is_replaced_only_by_force(twindiff: Run, environment: Make, tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl.gz"
    file.write_text("precious")
    arguments = ("env", "export", environment().id, str(file))
    refused = twindiff(*arguments)
    assert (refused.exit_code, refused.stderr.count("\n"), file.read_text()) == (2, 1, "precious")
    assert twindiff(*arguments, "--force").exit_code == 0
    assert gzip.decompress(file.read_bytes())


def test_a_failed_export_leaves_no_file(twindiff: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl.gz"
    refused = twindiff("env", "export", "0" * 32, str(file))
    assert (refused.exit_code, "environment not found" in refused.stderr) == (1, True)
    assert [*tmp_path.iterdir()] == []


def test_a_place_that_cannot_be_written_is_one_line(twindiff: Run, environment: Make, tmp_path: Path) -> None:
    refused = twindiff("env", "export", environment().id, str(tmp_path / "missing" / "mine.gz"))
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "cannot be written: No such file or directory" in refused.stderr


def test_a_missing_file_and_a_wrong_one_are_one_line_each(twindiff: Run, tmp_path: Path) -> None:
    missing = twindiff("env", "import", str(tmp_path / "nowhere"))
    assert (missing.exit_code, missing.stderr.count("\n")) == (2, 1)
    (tmp_path / "wrong").write_text("x")
    wrong = twindiff("env", "import", str(tmp_path / "wrong"))
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (1, 1)
    assert "Not a gzipped file" in wrong.stderr
