"""Artifacts with names in any script can be downloaded."""

from __future__ import annotations

from pathlib import Path

from twindiff.kit.header_values import encode_headers
from twindiff.server.apis.test_runs.artifacts import Artifacts


def test_an_artifact_with_a_japanese_name_is_read_with_headers_that_can_be_sent(tmp_path: Path) -> None:
    artifacts = Artifacts(str(tmp_path))
    (artifacts.open("r1") / "請求書.pdf").write_bytes(b"x")
    headers = dict(encode_headers(artifacts.read("r1", "請求書.pdf").headers))
    assert headers[b"content-disposition"] == b"attachment; filename*=UTF-8''%E8%AB%8B%E6%B1%82%E6%9B%B8.pdf"
