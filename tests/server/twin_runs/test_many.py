"""Many twin runs at once, and the same run on both engines."""

import asyncio

import httpx
import pytest

from tests.harness import LiveServer
from tests.server_mode import embedded_only
from twindiff.server import Settings

RUNS = 50
TWINS = ["slack", "linear"]
CREATED = 'mutation($team: String!) { issueCreate(input: {teamId: $team, title: "Made"}) { issue { identifier } } }'


async def live_a_life(client, number):
    """Provision, write in both twins, read it back and tear down; gives what the run held."""
    made = (await client.post("/twin-runs", json={"twins": TWINS})).json()
    run = (await client.get(f"/twin-runs/{made['run_id']}")).json()
    slack = run["twins"]["slack"]["env_vars"]
    headers = {"Authorization": f"Bearer {slack['SLACK_BOT_TOKEN']}"}

    async def call(method, **asked):
        return (await client.post(f"{slack['SLACK_API_URL']}/{method}", json=asked, headers=headers)).json()

    room = (await call("conversations.list"))["channels"][0]["id"]
    assert (await call("chat.postMessage", channel=room, text=f"from {number}"))["ok"]
    diff = (await client.get(f"/api/platform/env/{run['environment_id']}/diff")).json()["diff"]
    assert (await client.post(f"/twin-runs/{made['run_id']}/teardown")).json()["status"] == "cleaning_up"
    assert (await client.post(f"{slack['SLACK_API_URL']}/auth.test")).status_code == 410
    return [row["message_text"] for row in diff["inserts"] if row["__table__"] == "messages"]


def test_fifty_runs_at_once_never_meet(live):
    async def all_of_them():
        limits = httpx.Limits(max_connections=RUNS)
        async with httpx.AsyncClient(base_url=live.url, limits=limits, timeout=120, trust_env=False) as client:
            return await asyncio.gather(*(live_a_life(client, number) for number in range(RUNS)))

    assert asyncio.run(all_of_them()) == [[f"from {number}"] for number in range(RUNS)]


def answers(client):
    """What a run of a preset answers from its provision to its reset, without what is its own: ids, tokens, times."""
    made = client.post("/twin-runs", json={"twins": TWINS, "scenario_id": "e-commerce-checkout"}).json()
    run = client.get(f"/twin-runs/{made['run_id']}").json()
    slack, linear = (run["twins"][twin]["env_vars"] for twin in TWINS)
    headers = {"Authorization": f"Bearer {slack['SLACK_BOT_TOKEN']}"}

    def call(method, **asked):
        return client.post(f"{slack['SLACK_API_URL']}/{method}", json=asked, headers=headers).json()

    def query(text, **variables):
        headers = {"Authorization": linear["LINEAR_API_KEY"]}
        asked = {"query": text, "variables": variables}
        return client.post(linear["LINEAR_GRAPHQL_URL"], json=asked, headers=headers).json()

    rooms = call("conversations.list")
    (team, *_) = query("{ teams { nodes { id key issues { nodes { identifier title } } } } }")["data"]["teams"]["nodes"]
    said = call("chat.postMessage", channel=rooms["channels"][0]["id"], text="hello")
    issue = query(CREATED, team=team["id"])
    diff = client.get(f"/api/platform/env/{run['environment_id']}/diff").json()["diff"]
    tables = sorted((row["__twin__"], row["__table__"]) for row in diff["inserts"])
    reset = client.post(f"/twin-runs/{made['run_id']}/reset").json()
    again = call("conversations.list")
    results = run["seed_results"], reset["baseline_kind"], reset["seed_results"]
    return rooms, team, said["message"]["text"], issue, tables, results, again == rooms


@embedded_only("the test starts a server of each kind itself")
def test_both_engines_give_the_same_answers(live):
    from tests.storage.postgres.cluster import ABSENT, Database, administrator, draining

    cluster = administrator()
    if not cluster:
        pytest.skip(ABSENT)
    database = Database(cluster)
    database.initialise_all(has_templates=True)
    with draining(database.dsn):
        server = LiveServer(Settings(storage=database.dsn))
        of_postgres = answers(server.client)
        server.close()
    database.drop()
    assert answers(live.client) == of_postgres


def test_bots_may_do_what_the_scopes_of_a_seed_say(live):
    config = {"slack": {"channels": ["general"], "oauth_bot_scopes": ["channels:read"]}}
    made = live.client.post("/twin-runs", json={"twins": ["slack"], "seed_config": config}).json()
    variables = live.client.get(f"/twin-runs/{made['run_id']}").json()["twins"]["slack"]["env_vars"]
    headers = {"Authorization": f"Bearer {variables['SLACK_BOT_TOKEN']}"}

    def call(method, **asked):
        return live.client.post(f"{variables['SLACK_API_URL']}/{method}", json=asked, headers=headers).json()

    (room,) = call("conversations.list")["channels"]
    refused = call("chat.postMessage", channel=room["id"], text="hi")
    problem = (refused["error"], refused["needed"], refused["provided"])
    assert problem == (
        "missing_scope",
        "chat:write",
        "channels:read",
    )
