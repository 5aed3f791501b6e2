"""What the twin answers, held against an independent probe.

The description and the probe stand in a folder `shared` beside the checkout, or where TWINDIFF_SHARED says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from twindiff.twins.notion import twin

from .conftest import BOT, LATEST

SHARED = Path(os.environ.get("TWINDIFF_SHARED", Path(__file__).parents[6] / "shared"))
PROBE = SHARED / "conformance" / "openapi_conformance.py"
SPEC = SHARED / "specs" / "notion" / "notion_client_5.26.0.openapi.derived.json"
CORE = SHARED / "conformance" / "core95" / "notion.core.txt"
has_shared = pytest.mark.skipif(not PROBE.exists(), reason=f"there is no probe at {PROBE}; set TWINDIFF_SHARED")
README = Path(__file__).parents[1] / "README.md"


def test_the_readme_lists_the_operations_that_there_are():
    listed = {line.split("`")[1] for line in README.read_text("utf-8").splitlines() if line.startswith("| `")}
    served = {each.name.replace("/v1", "", 1) for each in twin.dispatch.operations if "/v1/" in each.name}
    assert served - listed == set()


@has_shared
def test_every_operation_is_answered_and_every_answer_is_of_notion_s_types(platform: Any, tmp_path: Path):
    environment = platform.environment("notion:notion_agents", BOT, tokens={"probe": BOT})
    base = str(platform.client.base_url.join(environment.made["environmentUrls"]["notion"]))
    out = tmp_path / "report.json"
    options = ["--service", "notion", "--spec", str(SPEC), "--base", base, "--core", str(CORE), "--out", str(out)]
    version = ["--token", "probe", "--header", f"Notion-Version:{LATEST}"]
    command = [sys.executable, str(PROBE), *options, *version]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, cwd=PROBE.parent)
    assert done.returncode == 0, done.stderr
    report = json.loads(out.read_text())
    assert (report["summary"]["core_implemented"], report["summary"]["core"]) == (24, 24)
    assert report["summary"]["operations_implemented"] == report["summary"]["operations_official"]
    assert [each for each in report["validity"] if each["errors"]] == []
    assert report.get("accepted_invalid", []) == []
