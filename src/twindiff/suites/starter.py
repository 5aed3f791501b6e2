"""The suite that comes with Twindiff."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

STARTER = "starter"
"""Its name; a server imports it on first use."""


def starter_files() -> dict[str, Any]:
    """Return the suite as a public file, by file name, in the form that an import takes."""
    name = f"{STARTER}.json"
    return {name: json.loads(resources.files("twindiff.suites").joinpath(name).read_bytes())}
