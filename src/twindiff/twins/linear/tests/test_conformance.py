"""What an independent probe finds: root fields answered, answers of the official types.

The probe stands in a folder `shared` beside the checkout, or where TWINDIFF_SHARED says.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter

import pytest

from twindiff.twins.linear import twin

from .conftest import AGENT, KEYS, SHARED, Linear

PROBE = SHARED / "conformance" / "linear_conformance.py"
CORE = SHARED / "conformance" / "core" / "linear.txt"

pytestmark = pytest.mark.skipif(not PROBE.exists(), reason=f"there is no probe at {PROBE}; set TWINDIFF_SHARED")


@pytest.fixture(scope="module")
def report(platform, tmp_path_factory):
    """What the probe found in a fresh workspace."""
    linear = Linear(platform.environment("linear:linear_default", AGENT, tokens=KEYS))
    out = tmp_path_factory.mktemp("probe") / "report.json"
    schema = SHARED / "specs" / "linear" / "schema.graphql"
    command = [sys.executable, str(PROBE), "--url", linear.url, "--key", linear.key, "--schema", str(schema)]
    command += ["--core", str(CORE), "--out", str(out), "--write"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(out.read_text())


def test_every_core_operation_is_answered(report):
    states = {name: report["operations"][name]["state"] for name in CORE.read_text().split()}
    assert Counter(states.values()) == {"implemented": 129}


def test_the_rest_is_answered_or_said_to_be_missing(report):
    states = {name: operation["state"] for name, operation in report["operations"].items()}
    assert set(states.values()) == {"implemented", "missing"}
    missing = {name.partition(".")[2] for name, state in states.items() if state == "missing"}
    assert missing <= twin.api.missing


def test_every_answer_is_of_the_official_type(report):
    assert [each for each in report["validity"] if each["errors"] or each["unknown"]] == []
