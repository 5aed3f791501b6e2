"""The licenses and ignore files that repositories can begin with.

https://docs.github.com/en/rest/licenses/licenses
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations

from ..core.listing import slice_page
from ..core.node_ids import node_id
from ..wire_style import NotVisible

api = Operations()
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
IGNORES = {
    "Python": "__pycache__/\n*.py[cod]\n*.egg-info/\n.venv/\nbuild/\ndist/\n",
    "Node": "node_modules/\nnpm-debug.log*\n.env\ndist/\n",
    "Go": "*.exe\n*.test\n*.out\nvendor/\n",
    "Java": "*.class\n*.jar\ntarget/\n",
    "Rust": "target/\n**/*.rs.bk\n",
    "C": "*.o\n*.a\n*.so\n*.exe\n",
    "C++": "*.o\n*.a\n*.so\n*.exe\n",
    "Ruby": "*.gem\n.bundle/\nvendor/bundle/\n",
}


def show_license(call: Call, key: str | None) -> dict[str, Any] | None:
    """Render a license by its key; None for an unknown one."""
    if key is None or key not in LICENSES:
        return None
    name, spdx = LICENSES[key]
    number = list(LICENSES).index(key)
    url = f"{call.base_url}/licenses/{key}"
    return {"key": key, "name": name, "spdx_id": spdx, "url": url, "node_id": node_id("L", number)}


@api.get("/licenses")
def list_licenses(call: Call) -> Any:
    """List the commonly used licenses."""
    return slice_page(call, list(LICENSES), lambda key: show_license(call, key))


@api.get("/licenses/{license}")
def get_license(call: Call, license: str) -> Any:
    """Get a license with its text, of which the twin has only the name."""
    shown = show_license(call, license.lower())
    if shown is None:
        raise NotVisible
    page = f"http://choosealicense.com/licenses/{license.lower()}/"
    lists: dict[str, list[str]] = {"permissions": ["commercial-use"], "conditions": [], "limitations": ["liability"]}
    texts = {
        "description": shown["name"],
        "implementation": "Create a file named LICENSE.",
        "body": license_text(license),
    }
    return shown | {"html_url": page, **texts, **lists, "featured": license.lower() in ("mit", "apache-2.0", "gpl-3.0")}


def license_text(key: str) -> str:
    """Return the text of the file LICENSE of a new repository: the license's name and its identifier."""
    name, spdx = LICENSES[key.lower()]
    return f"{name}\n\nSPDX-License-Identifier: {spdx}\n"


@api.get("/gitignore/templates")
def list_ignore_templates(call: Call) -> list[str]:
    """List the names of ignore files."""
    return sorted(IGNORES)


@api.get("/gitignore/templates/{name}")
def get_ignore_template(call: Call, name: str) -> dict[str, str]:
    """Get an ignore file."""
    if name not in IGNORES:
        raise NotVisible
    return {"name": name, "source": IGNORES[name]}
