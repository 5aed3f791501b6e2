"""What the twin answers, what it says it lacks, and what an independent probe finds.

The descriptions and the probe stand in a folder `shared` beside the checkout, or where TWINDIFF_SHARED says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from twindiff.twins.box import twin

from .conftest import ADA, Box

SHARED = Path(os.environ.get("TWINDIFF_SHARED", Path(__file__).parents[6] / "shared"))
PROBE = SHARED / "conformance" / "openapi_conformance.py"
SPECS = [SHARED / "specs" / "box" / f"{name}.json" for name in ("openapi", "openapi-v2025.0", "openapi-v2026.0")]
MISSING = twin.missing or frozenset()
has_shared = pytest.mark.skipif(not PROBE.exists(), reason=f"there is no probe at {PROBE}; set TWINDIFF_SHARED")


def is_served(verb: str, path: str) -> bool:
    concrete = "/".join("1" if part.startswith("{") else part for part in path.split("#", maxsplit=1)[0].split("/"))
    return any(twin.dispatch.find(verb, f"{prefix}{concrete}") for prefix in ("/2.0", "")) or "thumbnail" in path


def test_no_operation_is_both_served_and_said_to_be_missing():
    assert not [name for name in MISSING if is_served(*name.split(" "))]


@pytest.mark.parametrize("path", ["ai_agent_default", "workflows", "nonsense"])
def test_what_is_missing_is_refused_in_box_s_form(box: Box, path: str):
    answer = box.http("GET", path)
    assert (answer.status_code, answer.json()["code"]) == (405, "not_implemented")


@has_shared
def test_every_operation_of_the_vendor_is_served_or_said_to_be_missing():
    verbs = ("get", "post", "put", "delete", "options", "patch")
    for spec in SPECS:
        for path, item in json.loads(spec.read_text())["paths"].items():
            for verb in {*item} & {*verbs}:
                name = f"{verb.upper()} {path.split('#')[0]}"
                assert is_served(verb.upper(), path) or name in MISSING, name


@has_shared
def test_the_core_is_complete_and_every_answer_is_of_the_vendor_s_types(platform: Any, tmp_path: Path):
    environment = platform.environment("box:box_default", ADA)
    base = str(platform.client.base_url.join(environment.made["environmentUrls"]["box"]))
    core, out = SHARED / "conformance" / "core" / "box.txt", tmp_path / "report.json"
    options = ["--service", "box", "--spec", str(SPECS[0]), "--base", f"{base}/2.0", "--core", str(core)]
    command = [sys.executable, str(PROBE), *options, "--token", environment.token, "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=PROBE.parent)
    assert done.returncode == 0, done.stderr
    report = json.loads(out.read_text())
    assert (report["summary"]["core_implemented"], report["summary"]["core"]) == (115, 115)
    assert [each for each in report["validity"] if each["errors"]] == []
    assert report["summary"]["server_errors"] == []
