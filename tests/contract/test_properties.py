"""What holds for every sequence of Slack operations."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.harness import AGENT, GENERAL, JOHN, RANDOM, ROBERT
from tests.server_mode import embedded_only
from twindiff.changes import diff
from twindiff.changes.algebra import apply, invert
from twindiff.environments.environments import EnvironmentRequest
from twindiff.kit.clock import ClockMode
from twindiff.kit.http import Request
from twindiff.server import Service, Settings

pytestmark = embedded_only("each service is made here, over the embedded engine")

TOKENS = {f"xoxp-{user}": user for user in (AGENT, JOHN, ROBERT)}
START = 1_767_225_600_000_000
STEPS = ClockMode("steps", START)

tokens = st.sampled_from([*[f"xoxp-{AGENT}"] * 4, f"xoxp-{JOHN}", f"xoxp-{ROBERT}"])
channels = st.sampled_from([GENERAL, RANDOM, "C404"]) | st.integers(0, 3).map(lambda n: ("channel", n))
users = st.sampled_from([JOHN, ROBERT, f"{JOHN},{ROBERT}", "U404"])
texts = st.sampled_from(["hi", f"<@{JOHN}> hello", "'; --", "\N{SNOWMAN}"]) | st.text(max_size=12)
names = st.sampled_from(["one", "two", "three", "general", "Four!"])
emoji = st.sampled_from(["eyes", "+1", "nope"])


def call(method, **parameters):
    return st.tuples(tokens, st.just(method), st.fixed_dictionaries(parameters))


def aimed(method, named="ts", **parameters):
    """A call at one of the messages that were posted, counted from the latest."""

    def at(number):
        target = {"channel": st.just(("room", number)), named: st.just(("message", number))}
        return call(method, **target, **parameters)

    return st.integers(0, 4).flatmap(at)


operations = st.one_of(
    call("chat.postMessage", channel=st.sampled_from([GENERAL, RANDOM]), text=texts),
    call("chat.postMessage", channel=channels, text=texts),
    aimed("chat.postMessage", "thread_ts", text=texts),
    aimed("chat.update", text=texts),
    aimed("chat.update", text=texts),
    aimed("chat.delete"),
    call("chat.scheduleMessage", channel=channels, text=texts, post_at=st.just(START // 1_000_000 + 10_000)),
    aimed("reactions.add", "timestamp", name=emoji),
    aimed("reactions.add", "timestamp", name=emoji),
    aimed("reactions.remove", "timestamp", name=emoji),
    call("conversations.create", name=names),
    call("conversations.rename", channel=channels, name=names),
    call("conversations.setTopic", channel=channels, topic=texts),
    call("conversations.archive", channel=channels),
    call("conversations.unarchive", channel=channels),
    call("conversations.join", channel=channels),
    call("conversations.leave", channel=channels),
    call("conversations.invite", channel=channels, users=users),
    call("conversations.kick", channel=channels, user=users),
    call("conversations.open", users=users),
    call("conversations.history", channel=channels),
    call("search.messages", query=texts),
)
BEGINNING = [
    (f"xoxp-{AGENT}", "conversations.create", {"name": "begun"}),
    *((f"xoxp-{AGENT}", "chat.postMessage", {"channel": GENERAL, "text": text}) for text in ("one", "two", "three")),
    (f"xoxp-{AGENT}", "reactions.add", {"channel": GENERAL, "timestamp": ("message", 0), "name": "eyes"}),
]
sequences = st.lists(operations, min_size=8, max_size=24).map(lambda rest: [*BEGINNING, *rest])
SOME = settings(max_examples=50, derandomize=True, database=None)


class Workspace:
    """An environment of a service in this process."""

    def __init__(self, service, clock=STEPS):
        self.service = service
        template = service.templates.find_named("slack", "slack_default")
        wanted = EnvironmentRequest([template], AGENT, clock=clock, tokens=TOKENS)
        self.environment = service.environments.get(service.environments.create(wanted).environment.environment_id)
        self.twin = service.registry.get("slack")
        self.made = {"channel": [GENERAL], "room": [GENERAL], "message": ["1.000001"]}

    def do(self, token, method, parameters):
        """Perform one operation; what it makes can be named by later ones."""
        given = {name: self.named(value) for name, value in parameters.items()}
        headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
        request = Request("POST", f"/{method}", "", headers, json.dumps(given).encode())
        exchange = self.twin.exchange(request, "")
        exchange.token = token
        answer = self.service.calls.answer(self.environment, self.twin, exchange)
        shown = msgspec.json.decode(answer.body)
        if method == "chat.postMessage" and shown["ok"]:
            self.made["message"].insert(0, shown["ts"])
            self.made["room"].insert(0, shown["channel"])
        if method == "conversations.create" and shown["ok"]:
            self.made["channel"].insert(0, shown["channel"]["id"])
        return shown

    def named(self, value):
        if not isinstance(value, tuple):
            return value
        kind, number = value
        return self.made[kind][number % len(self.made[kind])]

    def state(self):
        """Every row by table and key."""
        tables = self.service.engine.content(self.environment.id, self.environment.origin)["slack"]
        keys = keys_of(self.twin)
        return {
            name: {tuple(row[column] for column in keys[name]): row for row in rows} for name, rows in tables.items()
        }

    def records(self):
        return self.service.engine.records(self.environment.id)

    def diff(self):
        return diff(self.records(), self.service.registry.schemas, include="all")


def keys_of(twin):
    return {table.name: table.key for table in twin.tables}


@pytest.fixture(scope="module")
def service():
    service = Service(Settings())
    yield service
    service.close()


@SOME
@given(sequences)
def test_before_and_diff_give_after_and_back(service, sequence):
    workspace = Workspace(service)
    before, keys = workspace.state(), keys_of(workspace.twin)
    for operation in sequence:
        workspace.do(*operation)
    after, net = workspace.state(), workspace.diff()
    assert apply(before, net, keys) == after
    assert apply(after, invert(net), keys) == before


@SOME
@given(sequences)
def test_a_replay_in_steps_gives_the_same_rows_journal_and_answers(service, sequence):
    first, second = Workspace(service), Workspace(service)
    answers = [[workspace.do(*operation) for operation in sequence] for workspace in (first, second)]
    assert answers[0] == answers[1]
    assert first.state() == second.state()
    same = {"env": "", "at": 0}
    journals = [[msgspec.structs.replace(record, **same) for record in each.records()] for each in (first, second)]
    assert journals[0] == journals[1]


@SOME
@given(sequences, sequences)
def test_two_environments_never_see_each_other(service, left, right):
    alone, one, other = Workspace(service), Workspace(service), Workspace(service)
    for operation in left:
        alone.do(*operation)
    for number in range(max(len(left), len(right))):
        for workspace, sequence in ((one, left), (other, right)):
            if number < len(sequence):
                workspace.do(*sequence[number])
    assert one.state() == alone.state()
    assert one.diff() == alone.diff()


@SOME
@given(sequences)
def test_a_refused_operation_writes_nothing(service, sequence):
    workspace = Workspace(service)
    for operation in sequence:
        seq = service.engine.seq(workspace.environment.id)
        if not workspace.do(*operation)["ok"]:
            assert service.engine.seq(workspace.environment.id) == seq


@SOME
@given(sequences, st.booleans())
def test_sleep_and_reset_keep_their_promises(service, sequence, resets):
    workspace = Workspace(service)
    before = workspace.state()
    for operation in sequence:
        workspace.do(*operation)
    after = workspace.state()
    service.engine.evict(workspace.environment.id)
    service.environments.load(workspace.environment)
    assert workspace.state() == after
    if resets:
        service.environments.reset(workspace.environment.id)
        assert workspace.state() == before
