"""What an independent probe finds of the twin's operations and answers.

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

from twindiff.twins.github import twin

from .conftest import CAT, Hub

SHARED = Path(os.environ.get("TWINDIFF_SHARED", Path(__file__).parents[6] / "shared"))
PROBES = SHARED / "conformance"
SPEC = SHARED / "specs" / "github" / "api.github.com.stripped.json"
has_shared = pytest.mark.skipif(not SPEC.exists(), reason=f"there is no description at {SPEC}; set TWINDIFF_SHARED")


def is_served(verb: str, path: str) -> bool:
    concrete = "/".join("1" if part.startswith("{") else part for part in path.split("/"))
    concrete = concrete.replace("/compare/1", "/compare/1...1")
    return any(twin.dispatch.find(verb, f"{prefix}{concrete}") for prefix in ("", "/api/uploads"))


def test_no_operation_is_both_served_and_said_to_be_missing():
    assert not [name for name in twin.missing or () if is_served(*name.split(" "))]


@has_shared
def test_every_operation_of_the_vendor_is_served_or_said_to_be_missing():
    for path, item in json.loads(SPEC.read_text())["paths"].items():
        for verb in {*item} & {"get", "post", "put", "delete", "patch"}:
            name = f"{verb.upper()} {path}"
            assert is_served(verb.upper(), path) or name in (twin.missing or ()), name


@has_shared
def test_the_core_is_complete_and_every_answer_is_of_the_vendor_s_types(platform: Any, tmp_path: Path):
    platform = type(platform)(platform.server.client)
    hub = Hub(platform.environment("github:github_base", CAT, tokens={f"token-{CAT}": CAT}))
    hub.repo()
    base = hub.url.rstrip("/")
    setup = [sys.executable, str(PROBES / "github_setup.py"), base, hub.token, CAT, "demo"]
    made = subprocess.run(setup, check=True, capture_output=True, text=True).stdout.split()
    core, report = PROBES / "core95" / "github.core.txt", tmp_path / "report.json"
    probe = [sys.executable, str(PROBES / "openapi_conformance.py"), "--service", "github", "--spec", str(SPEC)]
    options = ["--base", base, "--token", hub.token, "--core", str(core), "--out", str(report), *made]
    subprocess.run([*probe, *options], check=True, capture_output=True)
    said = json.loads(report.read_text())
    assert (said["summary"]["core_missing"], said["summary"]["server_errors"]) == ([], [])
    assert [each for each in said["validity"] if each["errors"]] == []
