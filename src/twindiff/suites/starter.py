"""The suite that comes with Twindiff."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

STARTER = "starter"
"""Its name; a server has it once somebody has asked for it."""


def starter_files() -> dict[str, Any]:
    """The suite as a public file writes it, by its file's name, as an import takes it."""
    name = f"{STARTER}.json"
    return {name: json.loads(resources.files("twindiff.suites").joinpath(name).read_bytes())}
