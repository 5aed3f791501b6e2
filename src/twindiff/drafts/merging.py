"""Joins the documents of one vendor, of which some publish one for each of their products."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec

from .conversions import convert_discovery, convert_swagger
from .documents import ApiDescription, DescriptionError, Schema, describe, load_document

MAX_DOCUMENTS = 200
_PARTS = ("schemas", "parameters", "responses", "requestBodies", "securitySchemes", "headers", "examples")


def read_descriptions(paths: Sequence[Path]) -> ApiDescription:
    """Read the documents in files, and in the folders among `paths`, as one description.

    Files of a folder that are no descriptions are passed over.

    Operations of a host other than the first document's get the host's first label before their path:
    `/messaging/v1/Services`. Raises DescriptionError with what is wrong.
    """
    files = [file for path in paths for file in (_files_of(path) if path.is_dir() else [path])]
    if len(files) > MAX_DOCUMENTS:
        raise DescriptionError(f"There are {len(files)} documents; {MAX_DOCUMENTS} can be joined.")
    if len(files) == 1:
        return describe(_load_named(files[0]))
    read = [_load_openapi(file, is_named=file in paths) for file in files]
    documents = [each for each in read if each is not None]
    if not documents:
        raise DescriptionError("None of the files is an OpenAPI, Swagger or Google Discovery document.")
    hosts = {host: "" for document in documents[:1] for host in (_host_of(document),)}
    merged: Schema = {"openapi": "3.1.0", "info": documents[0].get("info", {}), "paths": {}, "components": {}}
    for document in documents:
        host = _host_of(document)
        hosts.setdefault(host, f"/{host.partition('.')[0]}")
        _join(merged, document, hosts[host])
    described = describe(merged)
    return described._replace(hosts={host: prefix for host, prefix in hosts.items() if host})


def _files_of(folder: Path) -> list[Path]:
    files = sorted(each for each in folder.iterdir() if each.suffix in (".json", ".yaml", ".yml"))
    if not files:
        raise DescriptionError(f"The folder {folder.name} holds no description (.json, .yaml).")
    return [each for each in files if not each.name.endswith(".twin.yaml")]


def _load_named(file: Path) -> Schema:
    """Return the document in a file; a DescriptionError names the file."""
    try:
        return load_document(file)
    except DescriptionError as error:
        raise DescriptionError(f"{file.name}: {error}") from None


def _load_openapi(file: Path, *, is_named: bool) -> Schema | None:
    """Return a document as OpenAPI; None for another one that was not named."""
    document = _load_named(file)
    if "swagger" in document:
        return convert_swagger(document)
    if "discoveryVersion" in document:
        return convert_discovery(document)
    if not isinstance(document.get("paths"), dict):
        if not is_named:
            return None
        raise DescriptionError(f"{file.name} is no OpenAPI, Swagger or Google Discovery document: it has no 'paths'.")
    return document


def _server_of(document: Schema) -> str:
    items: list[Schema] = [document, *(each for each in document["paths"].values() if isinstance(each, dict))]
    servers = [each["servers"][0] for each in items[:2] if isinstance(each.get("servers"), list) and each["servers"]]
    return str(servers[0].get("url", "")) if servers else ""


def _host_of(document: Schema) -> str:
    return urlsplit(_server_of(document)).netloc.lower()


def _join(merged: Schema, document: Schema, prefix: str) -> None:
    """Add the paths and components of a document; a component whose name is taken by another gets a number."""
    renamed: dict[str, str] = {}
    for part in _PARTS:
        taken = merged["components"].setdefault(part, {})
        for name, component in document.get("components", {}).get(part, {}).items():
            new, number = str(name), 2
            while new in taken and taken[new] != component:
                new, number = f"{name}_{number}", number + 1
            taken[new] = component
            renamed[f"{part}/{name}"] = new
    server = urlsplit(_server_of(document))
    base = prefix + server.path.rstrip("/")
    changed = {key: new for key, new in renamed.items() if not key.endswith(f"/{new}")}
    if changed:
        document = cast(Schema, _with_references(document, changed))
        for key, new in changed.items():
            part, _, name = key.partition("/")
            merged["components"][part][new] = document["components"][part][name]
    for path, item in document["paths"].items():
        if isinstance(item, dict):
            item = {name: value for name, value in cast(Schema, item).items() if name != "servers"}
            known = merged["paths"].setdefault(base + path, item)
            known.update({name: value for name, value in item.items() if name not in known})


def _with_references(node: Any, changed: dict[str, str]) -> Any:
    """Return a copy of a document in which references name components as they are named now."""
    text = msgspec.json.encode(node).decode()

    def replace(match: re.Match[str]) -> str:
        new = changed.get(f"{match[1]}/{match[2]}")
        return f'"#/components/{match[1]}/{new}"' if new else match[0]

    return msgspec.json.decode(re.sub(r'"#/components/(\w+)/([^"/]+)"', replace, text))
