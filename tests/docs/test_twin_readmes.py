"""The first example in the README of a twin reaches the twin at the address that it names."""

import gc
import importlib.resources
import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

TWINS = Path(__file__).parents[2] / "src" / "twindiff" / "twins"
USERS = {
    "box": "22010040001",
    "slack": "U01AGENBOT9",
    "stripe": "acct_1TwindiffTestShop",
    "calendar": "user_ada",
}


@pytest.mark.parametrize("twin", USERS)
def test_the_address_in_a_readme_reaches_its_twin(environment, twin):
    made = environment(f"{twin}:{twin}_default", user=USERS[twin])
    readme = (TWINS / twin / "README.md").read_text()
    example = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[0]
    given: dict[str, Any] = {"environment_url": made.url}
    if twin == "calendar":
        cached = importlib.resources.files("googleapiclient.discovery_cache")
        given["document"] = json.loads(cached.joinpath("documents/calendar.v3.json").read_text())
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):  # an example closes no client
        exec(example, given)
        given.clear()
        gc.collect()
    calls = made.platform.get(f"env/{made.id}/calls")["calls"]
    assert [each["status"] for each in calls] == [200]
