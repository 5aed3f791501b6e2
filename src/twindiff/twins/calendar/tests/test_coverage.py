"""Every method of Google's discovery document, by the probe in the folder `shared`."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.harness import LiveServer, Platform
from twindiff.server import Settings

from .conftest import AGENT, SHARED

PROBE = SHARED / "conformance" / "discovery_conformance.py"


@pytest.mark.skipif(not PROBE.exists(), reason=f"there is no probe at {PROBE}; set TWINDIFF_SHARED")
def test_all_methods_answer_as_the_discovery_document_says(tmp_path):
    server = LiveServer(Settings())
    environment = Platform(server.client).environment("calendar:calendar_base", AGENT)
    out = tmp_path / "report.json"
    command = [sys.executable, str(PROBE), "--api", "calendar.v3", "--root", environment.url, "--out", str(out)]
    try:
        command += ["--token", environment.token]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    finally:
        server.close()
    assert out.exists(), done.stderr
    summary = json.loads(out.read_text())["summary"]
    validity, rounds = summary["validity:discovery"], summary["sdk_roundtrip"]
    assert (summary["operations_implemented"], summary["operations_official"]) == (38, 38)
    assert summary["server_errors"] == []
    assert validity["schema_valid"] == validity["responses"] > 0
    assert (rounds["ok"], rounds["failed"]) == (rounds["methods"], {})
