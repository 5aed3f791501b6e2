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


NOTES: dict[str, Any] = {
    "discoveryVersion": "v1",
    "title": "Notes",
    "servicePath": "notes/v1/",
    "schemas": {
        "Note": {
            "id": "Note",
            "properties": {
                "id": {"type": "string"},
                "iCalUID": {"type": "string"},
                "pinned": {"type": "boolean", "default": "false"},
                "labels": {"type": "array", "items": {"type": "string"}},
            },
        }
    },
    "resources": {
        "books": {
            "resources": {
                "notes": {
                    "methods": {
                        "get": {
                            "id": "notes.books.notes.get",
                            "path": "books/{bookId}/notes/{noteId}",
                            "httpMethod": "GET",
                            "description": "Gives a note.",
                            "parameters": {
                                "bookId": {"location": "path", "required": True, "type": "string"},
                                "noteId": {"location": "path", "required": True, "type": "string"},
                                "kinds": {"location": "query", "repeated": True, "type": "string"},
                            },
                            "response": {"$ref": "Note"},
                        },
                        "import": {
                            "id": "notes.books.notes.import",
                            "path": "books/{bookId}/notes",
                            "flatPath": "books/{bookId}/notes",
                            "httpMethod": "POST",
                            "parameters": {"maxSize": {"location": "query", "type": "integer", "default": "5"}},
                            "request": {"$ref": "Note"},
                            "mediaUpload": {},
                        },
                    }
                }
            }
        }
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


def test_a_description_gives_tables_lookups_and_signatures(tmp_path: Path, shop: Path):
    source = made(tmp_path, "shop", shop) / "src" / "shop_twin"
    orders, files = (source / "orders.py").read_text(), (source / "files.py").read_text()
    assert '@api.get("/orders/{order_id}")' in orders
    assert '"""Look at an order - or \'two\'."""' in orders
    assert "row = call.db.get(Order, order_id, missing=OrderNotFound)" in orders
    assert 'if_none_match: Annotated[str | None, Header("If-None-Match")] = None' in orders
    assert '@draft.put("/orders/{order_id}", status=204)' in orders
    assert 'state: Literal["open", "shut"] | None = None' in orders
    assert "reason: str | None = None" in orders
    assert '@draft.post("/upload/api/files", status=201)' in files
    assert "def post_files(call: Call, file: Upload, from_: str | None = None) -> dict[str, Any]:" in files
    assert 'hosts={\n        "upload.shop.com": "/upload",\n    },' in (source / "__init__.py").read_text()
    assert "    class_: Column[str | None] = column(default=None)\n" in (source / "tables" / "orders.py").read_text()


def test_a_discovery_document_gives_them_with_its_own_names(tmp_path: Path):
    document = tmp_path / "notes.json"
    document.write_text(json.dumps(NOTES))
    package = made(tmp_path, "notes", document)
    is_well_made(package)
    notes = (package / "src" / "notes_twin" / "notes.py").read_text()
    assert "def get_notes(call: Call, book_id: str, note_id: str, kinds: list[str] | None = None)" in notes
    assert "row = call.db.get(Note, book_id, note_id, missing=NoteNotFound)" in notes
    assert '@draft.post("/books/{bookId}/notes", status=204)\ndef import_notes(' in notes
    assert '    i_cal_uid: Annotated[str | None, Named("iCalUID")] = None,\n' in notes
    assert "    max_size: int = 5,\n" in notes
    assert "- POST /notes/v1/books/{bookId}/notes also takes uploads" in (package / "MISSING.md").read_text()


def test_what_is_missing_is_listed(tmp_path: Path, shop: Path):
    package = made(tmp_path, "shop", shop)
    missing = (package / "MISSING.md").read_text()
    assert missing.startswith("# What is missing\n\n1 of 3 operations look something up")
    assert "- [ ] `POST /upload/api/files` (files.post_files)" in missing
    assert "- PUT /orders/{order-id}#cancel is PUT /v2/orders/{order_id} by another name" in missing
    told = "import sys; sys.path.insert(0, 'src'); from shop_twin import twin; print(sorted(twin.missing))"
    done = subprocess.run([sys.executable, "-c", told], cwd=package, capture_output=True, text=True, check=True)
    assert done.stdout == "['POST /upload/api/files', 'PUT /v2/orders/{order_id}']\n"


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
        ("{", "is not JSON"),
        ("[1]", "holds no JSON object"),
        ("{}", "is no OpenAPI 3 or Google Discovery document"),
        ('{"paths": {}}', "describes no operations"),
        ('{"paths": {"/a": {"get": 5}}}', "is not a valid description"),
        ('{"paths": {"/a": 5}}', "is not a valid description"),
        ('{"discoveryVersion": "v1", "methods": {"a": {}}}', "is not a valid description"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_a_description_that_is_none_is_refused_and_nothing_is_written(tmp_path: Path, text: str | None, problem: str):
    document = tmp_path / "api.json"
    if text is not None:
        document.write_text(text)
    code, said = refused("acme", "--openapi", str(document), "--into", str(tmp_path))
    assert (code, problem in said) == (1, True), said
    assert not (tmp_path / "acme-twin").exists()


def test_yaml_is_told_to_be_converted(tmp_path: Path):
    document = tmp_path / "api.yaml"
    document.write_text("openapi: 3.0.0")
    assert "Convert YAML to JSON first." in refused("acme", "--openapi", str(document), "--into", str(tmp_path))[1]
