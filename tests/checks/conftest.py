import json
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
VECTORS: list[dict[str, Any]] = json.loads((HERE / "vectors.json").read_text())
EXTENDED: list[dict[str, Any]] = json.loads((HERE / "vectors_extended.json").read_text())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for a `sample` once for each twentieth vector."""
    if "sample" in metafunc.fixturenames:
        chosen = (VECTORS + EXTENDED)[::20]
        metafunc.parametrize("sample", chosen, ids=[vector["name"] for vector in chosen])


@pytest.fixture
def judged() -> dict[str, dict[str, Any]]:
    """What is judged, by name."""
    return {vector["name"]: vector for vector in VECTORS + EXTENDED if "refused" not in vector}


@pytest.fixture
def refused() -> dict[str, dict[str, Any]]:
    """What is refused, by name."""
    return {vector["name"]: vector for vector in VECTORS + EXTENDED if "refused" in vector}


@pytest.fixture
def vectors() -> list[dict[str, Any]]:
    """The public language."""
    return VECTORS


@pytest.fixture
def extended_vectors() -> list[dict[str, Any]]:
    """What version 1 adds."""
    return EXTENDED
