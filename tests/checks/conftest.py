import json
from pathlib import Path
from typing import Any

import pytest

VECTORS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("vectors.json").read_text())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `judged` or `refused` once for each vector of that kind."""
    judged = [vector for vector in VECTORS if "refused" not in vector]
    refused = [vector for vector in VECTORS if "refused" in vector]
    for name, chosen in (("judged", judged), ("refused", refused), ("sample", VECTORS[::20])):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, chosen, ids=[vector["name"] for vector in chosen])


@pytest.fixture
def vectors() -> list[dict[str, Any]]:
    return VECTORS
