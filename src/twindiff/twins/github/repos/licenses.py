"""The licenses and ignore files that repositories can begin with.

https://docs.github.com/en/rest/licenses/licenses
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations

from ..core.listing import slice_page
from ..views.license_views import LICENSES, show_license
from ..wire_style import NotVisible

api = Operations()
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
