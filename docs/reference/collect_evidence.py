"""Writes evidence_sources.json: the operations of vendors' published specifications, and those that were recorded.

`python docs/reference/collect_evidence.py SHARED` reads the specifications and recordings in the folder SHARED. The
lists hold names of operations only, with `{}` for what varies in a path.
"""

from __future__ import annotations

import gzip
import inspect
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from googleapiclient import discovery_cache
from slack_sdk import WebClient

from twindiff.twins.slack import twin as slack_twin
from twindiff.twins.slack.core import enterprise_methods

HERE = Path(__file__).parent
Json = dict[str, Any]


def main(shared: Path) -> None:
    """Write the lists of all twins."""
    stripe = set(openapi(shared / "specs/stripe", ""))
    github = set(openapi(shared / "specs/github", ""))
    slack = json.loads((shared / "specs/slack/slack_web_openapi_v2_without_examples.json").read_text())
    sources: Json = {
        "slack": {
            "specification": sorted({*(path.strip("/") for path in slack["paths"]), *client_methods()}),
            "recording": sorted(recorded_methods(shared)),
            "errors": dict(sorted(described_errors(slack))),
        },
        "linear": {"specification": sorted(roots((shared / "specs/linear/schema.graphql").read_text()))},
        "box": {"specification": sorted(openapi(shared / "specs/box", "/2.0"))},
        "calendar": {"specification": sorted(discovered("calendar.v3"))},
        "github": {
            "specification": sorted(github),
            "recording": sorted({op for call in set(github_calls(shared)) if (op := operation_of(call, github))}),
        },
        "stripe": {
            "specification": sorted(stripe),
            "recording": sorted({op for call in set(recorded_calls(shared)) if (op := operation_of(call, stripe))}),
        },
    }
    (HERE / "evidence_sources.json").write_text(json.dumps(sources, indent=1) + "\n")


def openapi(folder: Path, prefix: str) -> Iterator[str]:
    """Yield the operations of all OpenAPI documents of a folder."""
    for path in sorted(folder.glob("*.json*")):
        text = read_text(path)
        for route, verbs in json.loads(text).get("paths", {}).items():
            yield from (
                generalise(f"{verb.upper()} {prefix}{route}")
                for verb in verbs
                if verb in ("get", "post", "put", "patch", "delete", "options")
            )


def read_text(path: Path) -> str:
    """Return the text of a file, which may be compressed."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def generalise(operation: str) -> str:
    """Replace the names of a path's parameters by nothing, and drop a fragment."""
    return re.sub(r"\{[^}]*\}", "{}", operation.partition("#")[0])


def roots(schema: str) -> Iterator[str]:
    """Yield the root fields of a GraphQL schema, such as `query issue`."""
    for kind in ("Query", "Mutation"):
        body = re.search(rf"^type {kind} \{{(.*?)^\}}", schema, re.MULTILINE | re.DOTALL)
        names = re.findall(r"^  (\w+)[(:]", body[1], re.MULTILINE) if body else []
        yield from (f"{kind.lower()} {name}" for name in names)


def discovered(name: str) -> Iterator[str]:
    """Yield the operations of one of Google's discovery documents."""
    document = json.loads((Path(discovery_cache.__file__).parent / "documents" / f"{name}.json").read_text())
    for resource in document["resources"].values():
        yield from (generalise(f"{each['httpMethod']} /{each['path']}") for each in resource["methods"].values())


def client_methods() -> list[str]:
    """Return the methods that Slack's own Python client calls."""
    return re.findall(r'self\.api_call\(\s*"([A-Za-z.]+)"', inspect.getsource(WebClient))


def described_errors(description: Json) -> Iterator[tuple[str, list[str]]]:
    """Yield the methods of Slack's description that the twin serves, with the errors of each."""
    for path, verbs in description["paths"].items():
        name = path.strip("/")
        served = name in slack_twin.dispatch.methods and name not in enterprise_methods.METHODS
        if served and not name.startswith("admin."):
            schemas = [each["responses"].get("default", {}).get("schema", {}) for each in verbs.values()]
            yield name, [code for each in schemas for code in each["properties"].get("error", {}).get("enum", ())]


def recorded_methods(shared: Path) -> set[str]:
    """Return the methods of Slack of which an answer was recorded."""
    logged = {path.stem for path in (shared / "specs/slack/json-logs").glob("*.json")}
    sessions = (shared / "recorded/slack/slack-ruby-client.jsonl").read_text().splitlines()[1:]
    steps = [step for session in sessions for step in json.loads(session)["steps"]]
    return logged | {step["path"].rpartition("/")[2] for step in steps}


def recorded_calls(shared: Path) -> Iterator[str]:
    """Yield the recorded requests to Stripe, such as `POST /v1/customers`."""
    for path in sorted((shared / "conformance/stripe-recorded").glob("*.json")):
        yield from (f"{step['method']} {step['path']}" for step in json.loads(path.read_text())["steps"])
    for session in read_text(shared / "recorded/stripe/pay.jsonl.gz").splitlines()[1:]:
        yield from (f"{step['method']} {step['path']}" for step in json.loads(session)["steps"])


def github_calls(shared: Path) -> Iterator[str]:
    """Yield the recorded requests to GitHub that it answered, such as `GET /repos/octocat/demo`."""
    for path in sorted((shared / "recorded/github").glob("*.jsonl*")):
        for line in read_text(path).strip().split("\n")[1:]:
            steps = json.loads(line).get("steps", [])
            yield from (f"{each['method']} {each['path'].rstrip('/')}" for each in steps if each["status"] < 400)


def operation_of(call: str, known: Iterable[str]) -> str | None:
    """Return the operation that a request is for, that with the fewest parameters first."""
    parts = call.split("/")
    fitting = [each for each in known if _fits(each.split("/"), parts)]
    return min(fitting, key=lambda each: each.count("{}"), default=None)


def _fits(operation: list[str], call: list[str]) -> bool:
    return len(operation) == len(call) and all(
        name in ("{}", given) for name, given in zip(operation, call, strict=True)
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
