"""An application at work in two twins of one run: one diff, one verdict, points to return to, forks that part."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.server.twin_runs.conftest import web

TWINS = ["box", "calendar", "linear", "slack", "stripe"]
ISSUE = "mutation($team: String!) { issueCreate(input: {teamId: $team, title: %s}) { success } }"
SAID = {"diff_type": "added", "entity": "slack.messages", "where": {"message_text": "We launch"}, "expected_count": 1}
FILED = {"diff_type": "added", "entity": "linear.issues", "where": {"title": "Launch"}, "expected_count": 1}


class Application:
    """A program that finds its twins by the variables of a run."""

    def __init__(self, variables):
        self.slack_url, self.slack_token = variables["SLACK_API_URL"], variables["SLACK_BOT_TOKEN"]
        self.linear_url, self.linear_key = variables["LINEAR_GRAPHQL_URL"], variables["LINEAR_API_KEY"]
        self.room = self.slack("conversations.list")["channels"][0]["id"]

    def slack(self, method, **asked):
        headers = {"Authorization": f"Bearer {self.slack_token}"}
        return web.post(f"{self.slack_url}/{method}", headers=headers, json=asked).json()

    def say(self, text):
        return self.slack("chat.postMessage", channel=self.room, text=text)

    def file(self, title):
        headers = {"Authorization": self.linear_key}
        teams = web.post(self.linear_url, headers=headers, json={"query": "{ teams { nodes { id } } }"}).json()
        variables = {"team": teams["data"]["teams"]["nodes"][0]["id"]}
        asked = {"query": ISSUE % f'"{title}"', "variables": variables}
        assert web.post(self.linear_url, headers=headers, json=asked).json()["data"]["issueCreate"]["success"]


def provisioned(live, twins=("slack", "linear")):
    run_id = live.client.post("/twin-runs", json={"twins": [*twins]}).json()["run_id"]
    return live.client.get(f"/twin-runs/{run_id}").json()


@pytest.fixture
def run(live):
    return provisioned(live)


@pytest.fixture
def application(run):
    return Application({name: value for twin in run["twins"].values() for name, value in twin["env_vars"].items()})


def test_one_diff_shows_both_twins_and_the_journal_who_wrote_what(platform, run, application):
    application.say("We launch")
    application.file("Launch")
    diff = platform.get(f"env/{run['environment_id']}/diff")["diff"]
    assert {(row["__twin__"], row["__table__"]) for row in diff["inserts"]} >= {
        ("slack", "messages"),
        ("linear", "issues"),
    }
    records = platform.get(f"env/{run['environment_id']}/journal")["records"]
    assert [record["twin"] for record in records] == ["slack", "linear"]
    assert all(record["actor"] for record in records)


def test_a_run_is_judged_rewound_and_forked_and_each_fork_is_judged_apart(platform, run, application, live):
    environment = run["environment_id"]
    started = platform.post("startRun", {"envId": environment})["runId"]
    application.say("We launch")
    application.file("Launch")
    assert platform.evaluate(started, SAID, FILED)["passed"]
    platform.post(f"env/{environment}/rewind", {"to": 1})
    assert not platform.evaluate(started, SAID, FILED)["passed"]
    assert platform.evaluate(started, SAID)["passed"]
    forks = platform.post(f"env/{environment}/fork", {"count": 8})["environments"]
    runs = [platform.post("startRun", {"envId": fork["environmentId"]})["runId"] for fork in forks]
    for number, fork in enumerate(forks):
        url = f"{live.url}/api/env/{fork['environmentId']}/services/slack/chat.postMessage"
        sent = {"channel": application.room, "text": f"from {number}"}
        headers = {"Authorization": f"Bearer {application.slack_token}"}
        assert web.post(url, headers=headers, json=sent).json()["ok"]

    def passed(run_id, number):
        return platform.evaluate(run_id, {**SAID, "where": {"message_text": f"from {number}"}})["passed"]

    assert [[passed(each, number) for each in runs].index(True) for number in range(8)] == [*range(8)]
    assert sum(passed(each, 3) for each in runs) == 1


def test_two_resets_lead_to_equal_answers_and_equal_journals(live, platform, run, application):
    def act():
        application.file("Launch")
        room = application.slack("conversations.create", name="launch")["channel"]["id"]
        known = platform.get(f"env/{run['environment_id']}/journal", limit="1000")["records"]
        return room, [(r["operation"], r["actor"], len(r["changes"])) for r in known if r["operation"] != "reset"]

    first_room, first = act()
    live.client.post(f"/twin-runs/{run['run_id']}/reset")
    second_room, both = act()
    assert (first_room, [each for each in both if each[0] in dict.fromkeys(e[0] for e in first)]) == (
        second_room,
        first + first,
    )


def test_a_reset_while_requests_are_under_way_leaves_nothing_half_done(live, platform, run, application):
    begun = application.slack("conversations.history", channel=application.room)["messages"]

    def post(number):
        return application.say(f"number {number}")

    def reset(_):
        return live.client.post(f"/twin-runs/{run['run_id']}/reset").json()

    with ThreadPoolExecutor(8) as threads:
        said = [*threads.map(lambda number: reset(number) if number % 10 == 9 else post(number), range(60))]
    assert all(answer.get("ok") or answer.get("status") == "reset_complete" for answer in said)
    assert reset(0)["status"] == "reset_complete"
    assert application.slack("conversations.history", channel=application.room)["messages"] == begun
    assert platform.get(f"env/{run['environment_id']}/diff")["diff"] == {"inserts": [], "updates": [], "deletes": []}


@pytest.mark.parametrize("twin", TWINS)
def test_the_admin_plane_is_the_same_for_every_twin(live, twin):
    run = provisioned(live, [twin])
    admin, token = run["twins"][twin]["admin_url"], {"token": run["proxy_token"]}
    asked = {name: web.get(f"{admin}/admin/{name}", params=token).json() for name in ("state", "config", "clock")}
    assert asked["state"]["twin"] == asked["config"]["twin"] == twin
    assert asked["state"]["counts"].keys() >= asked["state"]["tables"].keys() > set()
    assert asked["clock"]["environmentId"] == run["environment_id"]
    assert web.get(f"{admin}/admin/stub-hits", params=token).json() == {"total_hits": 0, "hits": []}
    assert web.post(f"{admin}/admin/reset", params=token).json()["scope"] == [twin]
    assert web.get(f"{admin}/healthz").json() == {"status": "ok", "twin": twin}
