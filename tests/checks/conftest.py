import json
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
VECTORS: list[dict[str, Any]] = json.loads((HERE / "vectors.json").read_text())
EXTENDED: list[dict[str, Any]] = json.loads((HERE / "vectors_extended.json").read_text())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `judged` or `refused` once for each vector of that kind."""
    every = VECTORS + EXTENDED
    judged = [vector for vector in every if "refused" not in vector]
    refused = [vector for vector in every if "refused" in vector]
    for name, chosen in (("judged", judged), ("refused", refused), ("sample", every[::20])):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, chosen, ids=[vector["name"] for vector in chosen])


@pytest.fixture
def vectors() -> list[dict[str, Any]]:
    """The public language."""
    return VECTORS


@pytest.fixture
def extended_vectors() -> list[dict[str, Any]]:
    """What version 1 adds."""
    return EXTENDED
