"""Licenses that repositories have, as the API shows them.

https://docs.github.com/en/rest/licenses/licenses
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.node_ids import node_id

LICENSES = {
    "mit": ("MIT License", "MIT"),
    "apache-2.0": ("Apache License 2.0", "Apache-2.0"),
    "gpl-3.0": ("GNU General Public License v3.0", "GPL-3.0"),
    "gpl-2.0": ("GNU General Public License v2.0", "GPL-2.0"),
    "lgpl-3.0": ("GNU Lesser General Public License v3.0", "LGPL-3.0"),
    "agpl-3.0": ("GNU Affero General Public License v3.0", "AGPL-3.0"),
    "bsd-2-clause": ('BSD 2-Clause "Simplified" License', "BSD-2-Clause"),
    "bsd-3-clause": ('BSD 3-Clause "New" or "Revised" License', "BSD-3-Clause"),
    "mpl-2.0": ("Mozilla Public License 2.0", "MPL-2.0"),
    "unlicense": ("The Unlicense", "Unlicense"),
    "bsl-1.0": ("Boost Software License 1.0", "BSL-1.0"),
    "cc0-1.0": ("Creative Commons Zero v1.0 Universal", "CC0-1.0"),
}


def show_license(call: Call, key: str | None) -> dict[str, Any] | None:
    """Render a license by its key; None for an unknown one."""
    if key is None or key not in LICENSES:
        return None
    name, spdx = LICENSES[key]
    number = list(LICENSES).index(key)
    url = f"{call.base_url}/licenses/{key}"
    return {"key": key, "name": name, "spdx_id": spdx, "url": url, "node_id": node_id("L", number)}
