"""Drafts that a process has loaded."""

import json
from pathlib import Path

import pytest

from twindiff.environments.registry import DRAFTS_VARIABLE, SHIPPED_VARIABLE, Registry


def write(file: Path, path: str) -> None:
    answer = {"200": {"content": {"application/json": {"schema": {"type": "object"}}}}}
    file.write_text(json.dumps({"openapi": "3.0.0", "info": {}, "paths": {path: {"get": {"responses": answer}}}}))


def test_a_description_is_loaded_again_only_when_it_or_its_overlay_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "acme.json"
    write(file, "/things")
    monkeypatch.setenv(DRAFTS_VARIABLE, f"acme={file}")
    first = Registry.load_installed().get("acme")
    assert Registry.load_installed().get("acme") is first
    write(file, "/longer/things")
    second = Registry.load_installed().get("acme")
    assert [each.name for each in second.dispatch.operations] == ["GET /longer/things"]
    (tmp_path / "acme.twin.yaml").write_text("errors: 5")
    assert "overlay" in str(Registry.load_installed().problems["acme"])


def test_a_shipped_draft_is_loaded_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(SHIPPED_VARIABLE, "gitlab")
    assert Registry.load_installed().get("gitlab") is Registry.load_installed().get("gitlab")
