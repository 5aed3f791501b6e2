"""What is in `release_*.tar.gz`, and the script that makes one of today's release.

`python -m tests.server.data.release_directory FILE.tar.gz`. Each holds a server's data directory as that release left
it, and `expected.json`, which says what must be found in it. With the name of a database of the test cluster after
`FILE.json` the script fills that database instead, and writes what must be found in it to the file.
"""

from __future__ import annotations

import base64
import json
import sqlite3
import sys
import tarfile
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.harness import GENERAL, Environment, LiveServer, Platform
from twindiff.server import Settings

PHOTO = bytes(range(256)) * 8
TEAM = "ad608998-915c-4bad-bcd9-85ebfccccee8"
YEAR_2100 = 4_102_444_800_000_000
SAID = {"diff_type": "added", "entity": "messages", "expected_count": 3}


def made(platform: Platform) -> dict[str, Any]:
    """Environments with a past of every kind; gives what must be found of them."""
    slack = platform.environment(clock={"mode": "steps", "start": "2026-06-01T12:00:00"})
    run = platform.start(slack)
    points = [said(slack)]
    for number in range(6):
        slack.post(f"text {number}")
        points.append(said(slack))
    ts = slack.post("to be edited")
    points.append(said(slack))
    slack.slack("chat.update", channel=GENERAL, ts=ts, text="edited")
    points.append(said(slack))
    platform.post(f"env/{slack.id}/checkpoints", {"name": "edited"})
    platform.post(f"env/{slack.id}/rewind", {"to": 3})
    points.append(points[3])
    (fork,) = platform.post(f"env/{slack.id}/fork", {"at": "edited", "count": 1})["environments"]
    judged = platform.evaluate(run, SAID)
    file = upload(slack)
    kept = {"environmentId": slack.id, "service": "slack", "name": "kept"}
    platform.post("templates/from-environment", kept)
    gone = platform.environment()
    gone.post("of one that is deleted")
    platform.delete(f"env/{gone.id}")
    return {
        "slack": {**environment_of(slack), "run": run, "points": points, "passed": judged["passed"], "file": file},
        "fork": {"environmentId": fork["environmentId"], "said": points[8]},
        "linear": linear(platform),
        "stripe": stripe(platform),
        "export": base64.b64encode(
            platform.client.get(f"/api/platform/env/{fork['environmentId']}/export").content
        ).decode(),
    }


def environment_of(environment: Environment) -> dict[str, Any]:
    return {"environmentId": environment.id, "agentToken": environment.token}


def said(environment: Environment) -> list[str]:
    """The texts of all messages of a channel, the oldest first."""
    page = environment.slack("conversations.history", channel=GENERAL, limit=999)["messages"]
    return [message["text"] for message in reversed(page)]


def upload(slack: Environment) -> str:
    ticket = slack.slack("files.getUploadURLExternal", filename="photo.png", length=len(PHOTO))
    assert slack.platform.client.post(ticket["upload_url"], content=PHOTO).is_success
    answer = slack.slack("files.completeUploadExternal", files=[{"id": ticket["file_id"], "title": "A photo"}])
    return answer["files"][0]["id"]


def linear(platform: Platform) -> dict[str, Any]:
    environment = platform.environment("linear:linear_default", "2790a7ee-fde0-4537-9588-e233aa5a68d1")
    input = {"teamId": TEAM, "title": "Oil the left gripper"}
    query = "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier } } }"
    answer = environment.ask("graphql", json={"query": query, "variables": {"input": input}}).json()
    identifier = answer["data"]["issueCreate"]["issue"]["identifier"]
    return {**environment_of(environment), "issue": identifier, "title": "Oil the left gripper"}


def stripe(platform: Platform) -> dict[str, Any]:
    """A charge of a new customer, and a PaymentIntent that nobody has paid."""
    environment = platform.environment("stripe:stripe_default", "acct_1TwindiffTestShop")
    customer = environment.ask("v1/customers", data={"name": "Release"}).json()
    money = {"amount": "4200", "currency": "usd", "customer": customer["id"], "payment_method_types[]": "card"}
    at_once = {"payment_method": "pm_card_visa", "confirm": "true", "expand[]": "latest_charge"}
    paid = environment.ask("v1/payment_intents", data={**money, **at_once}).json()
    intent = environment.ask("v1/payment_intents", data=money).json()
    return {**environment_of(environment), "charge": paid["latest_charge"], "intent": intent["id"]}


def export(platform: Platform, environment: str) -> str:
    """The file of an environment in Base64."""
    return base64.b64encode(platform.ask("GET", f"env/{environment}/export").content).decode()


def make(file: Path) -> None:
    """Write a directory and what must be found in it; its environments expire when this century ends."""
    with TemporaryDirectory() as folder:
        directory = Path(folder) / "data"
        server = LiveServer(Settings(data_dir=str(directory)))
        try:
            expected = made(Platform(server.client))
        finally:
            server.close()
        with closing(sqlite3.connect(directory / "twindiff.db")) as connection, connection:
            connection.execute("UPDATE environments SET expires = ? WHERE status = 'ready'", (YEAR_2100,))
        (directory / "lock").unlink()
        (directory / "expected.json").write_text(json.dumps(expected, indent=1))
        with tarfile.open(file, "w:gz") as packed:
            packed.add(directory, "data")


def fill(file: Path, database: str) -> None:
    """Make a database of the test cluster, and write what must be found in it."""
    from tests.storage.postgres.cluster import Database, administrator, draining

    made_database = Database(administrator() or "", database)
    made_database.initialise_all(has_templates=False)
    with draining(made_database.dsn):
        server = LiveServer(Settings(storage=made_database.dsn))
        try:
            file.write_text(json.dumps(made(Platform(server.client))))
        finally:
            server.close()


if __name__ == "__main__":
    match [Path(sys.argv[1]), *sys.argv[2:]]:
        case [file]:
            make(file)
        case [file, database]:
            fill(file, str(database))
