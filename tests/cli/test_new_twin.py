"""`twindiff new-twin` writes a package that runs, passes its tests and the rules of this one."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from twindiff.cli import app

SHARED = Path(os.environ.get("TWINDIFF_SHARED") or Path(__file__).parents[3] / "shared")
BOX = SHARED / "specs" / "box"
CLIENT = find_spec("googleapiclient")
CALENDAR = [
    Path(each) / "discovery_cache/documents/calendar.v3.json"
    for each in (CLIENT and CLIENT.submodule_search_locations) or ()
]
"""The description that google-api-python-client brings."""

SHOP: dict[str, Any] = {
    "openapi": "3.0.2",
    "info": {"title": 'Shop\'s "API"'},
    "servers": [{"url": "https://api.shop.com/v2"}],
    "paths": {
        "/orders/{order-id}": {
            "parameters": [{"name": "order-id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "get": {
                "tags": ["Orders"],
                "operationId": "getOrder",
                "summary": 'Look at an order \u2013 or "two". More follows.',
                "parameters": [
                    {"name": "If-None-Match", "in": "header", "schema": {"type": "string"}},
                    {
                        "name": "X-Version",
                        "in": "header",
                        "required": True,
                        "schema": {"enum": ["1"], "type": "string"},
                    },
                    {"$ref": "#/components/parameters/Fields"},
                ],
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}}
                },
            },
            "put": {
                "tags": ["Orders"],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}},
                "responses": {"204": {}},
            },
        },
        "/orders/{order-id}#cancel": {
            "put": {
                "requestBody": {
                    "content": {"application/json": {"schema": {"properties": {"reason": {"type": "string"}}}}}
                }
            }
        },
        "/files": {
            "servers": [{"url": "https://upload.shop.com/api"}],
            "post": {
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "required": ["file"],
                                "properties": {
                                    "file": {"type": "string", "format": "binary"},
                                    "from": {"type": "string"},
                                },
                            }
                        }
                    }
                },
                "responses": {"201": {}},
            },
        },
    },
    "components": {
        "parameters": {
            "Fields": {
                "name": "fields",
                "in": "query",
                "schema": {"type": "array", "items": {"type": "string"}},
            }
        },
        "schemas": {
            "Order": {
                "allOf": [
                    {"$ref": "#/components/schemas/Base"},
                    {"properties": {"class": {"type": "string", "default": "a"}, "lines": {"type": "array"}}},
                ]
            },
            "Base": {
                "required": ["id"],
                "properties": {
                    "id": {"type": "integer"},
                    "state": {"type": "string", "enum": ["open", "shut"], "nullable": True},
                    "next": {"$ref": "#/components/schemas/Order"},
                },
            },
        },
    },
}


def made(folder: Path, name: str, document: Path | None = None) -> Path:
    """The package that the command writes."""
    options = ["--openapi", str(document)] if document else []
    result = CliRunner().invoke(app, ["new-twin", name, "--into", str(folder), *options])
    assert result.exit_code == 0, result.output
    return folder / f"{name.replace('_', '-')}-twin"


def run(package: Path, *words: str) -> str:
    """What a tool says of a package; it must be content."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=package, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def is_well_made(package: Path) -> None:
    """Hold a package to the rules of this one."""
    run(package, "ruff", "check", "--no-cache")
    run(package, "ruff", "format", "--check", "--no-cache")
    without = (word for name in ("cacheprovider", "xdist", "schemathesis", "anyio") for word in ("-p", f"no:{name}"))
    assert "passed" in run(package, "pytest", "-q", *without)
    assert all(len(path.read_text().splitlines()) < 500 for path in package.rglob("*.py"))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    document = tmp_path / "shop.json"
    document.write_text(json.dumps(SHOP))
    return document


def test_a_new_twin_passes_its_tests_and_the_rules_of_this_package(tmp_path: Path):
    is_well_made(made(tmp_path, "acme_books"))


def test_a_twin_of_a_description_passes_them_too(tmp_path: Path, shop: Path):
    is_well_made(made(tmp_path, "shop", shop))


def test_their_types_are_strict(tmp_path: Path, shop: Path):
    made(tmp_path, "acme_books")
    made(tmp_path, "shop", shop)
    for number, document in enumerate([*sorted(BOX.glob("openapi*.json")), *CALENDAR]):
        made(tmp_path, f"of_{number}", document)
    sources = [str(folder.relative_to(tmp_path)) for folder in tmp_path.glob("*-twin/src")]
    rules = {"include": sources, "typeCheckingMode": "strict", "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(rules))
    seen = json.loads(run(tmp_path, "pyright", "--outputjson", "--pythonpath", sys.executable))["summary"]
    assert (seen["errorCount"], seen["filesAnalyzed"]) == (0, len([*tmp_path.glob("*-twin/src/**/*.py")]))


def test_a_handler_takes_an_operation_over_and_the_others_stay_drafted(tmp_path: Path, shop: Path):
    package = made(tmp_path, "shop", shop)
    handler = """

Order = draft.row("orders")


@api.put("/v2/orders/{order_id}")
def put_order(call: Call, order_id: int) -> dict[str, Any]:
    order = call.db.add(Order(id=order_id, state="shut"))
    return draft.show(call, order, "GET /v2/orders/{order_id}")
"""
    operations = package / "src" / "shop_twin" / "operations.py"
    text = operations.read_text().replace("import Operations", "import Call, Operations\n\nfrom .draft import draft")
    operations.write_text(text.replace("annotations\n", "annotations\n\nfrom typing import Any\n") + handler)
    (package / "tests" / "test_own.py").write_text(
        """def test_it(client):
    assert client.put("/v2/orders/7").json()["state"] == "shut"
    assert client.get("/v2/orders/7", headers={"X-Version": "1"}).json()["id"] == 7
"""
    )
    run(package, "pytest", "-q", "-p", "no:schemathesis", "-p", "no:anyio", "tests/test_own.py")


@pytest.mark.skipif(
    not BOX.exists(), reason="the public descriptions are not here; set TWINDIFF_SHARED to their folder"
)
@pytest.mark.parametrize("name", ["openapi", "openapi-v2025.0", "openapi-v2026.0"])
def test_the_descriptions_of_box_give_packages(tmp_path: Path, name: str):
    is_well_made(made(tmp_path, "box", BOX / f"{name}.json"))


@pytest.mark.skipif(not CALENDAR, reason="needs google-api-python-client, which brings the description")
def test_the_description_of_google_calendar_gives_a_package(tmp_path: Path):
    is_well_made(made(tmp_path, "calendar", *CALENDAR))


def refused(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["new-twin", *words])
    return result.exit_code, result.output


@pytest.mark.parametrize("name", ["Acme", "1st", "a-b", "../a", "", "a" * 41])
def test_a_name_that_no_package_can_have_is_refused(tmp_path: Path, name: str):
    code, said = refused(name, "--into", str(tmp_path))
    assert (code, "is no name of a twin" in said) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_written_over(tmp_path: Path):
    made(tmp_path, "acme")
    code, said = refused("acme", "--into", str(tmp_path))
    assert (code, "is there already" in said) == (1, True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "cannot be read"),
        ("{", "is not valid JSON"),
        ("{}", "has no 'paths'"),
        ('{"paths": {}}', "describes no operations"),
        ('{"paths": {"/a": 5}}', "is not a valid description"),
    ],
)
def test_a_description_that_is_none_is_refused_and_nothing_is_written(tmp_path: Path, text: str | None, problem: str):
    document = tmp_path / "api.json"
    if text is not None:
        document.write_text(text)
    code, said = refused("acme", "--openapi", str(document), "--into", str(tmp_path))
    assert (code, problem in said) == (1, True), said
    assert not (tmp_path / "acme-twin").exists()
