"""Types of parameters that several of our APIs share."""

from __future__ import annotations

from typing import Annotated

import msgspec

MAX_TTL_SECONDS = 30 * 24 * 3600
"""Maximum time to live of an environment."""
Limit = Annotated[int, msgspec.Meta(ge=1, le=1000)]
After = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
