"""Whatever is said, undone and answered: what stays is told at least once, and for the first time in order."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.harness import Platform
from tests.receiver import Received, Receiver, Said, prove
from tests.webhooks.conftest import Webhooks

ACTS = st.lists(st.sampled_from(["say", "say", "say", "look", "rewind"]), min_size=1, max_size=12)
FAILURES = st.sets(st.integers(0, 12))


class Moody(Receiver):
    """Refuses the first attempt to tell it of some events, by their number."""

    def __init__(self, failures: set[int]) -> None:
        self.failures = failures
        self.seen: list[str] = []
        super().__init__(self.moody)

    def moody(self, request: Received) -> Said | None:
        if proved := prove(request):
            return proved
        event = request.json["event_id"]
        is_new = event not in self.seen
        self.seen += [event] * is_new
        return Said(500) if is_new and len(self.seen) - 1 in self.failures else None


def perform(webhooks: Webhooks, acts: list[str]) -> dict[int, str]:
    """What is said and was not undone, by journal record."""
    points: list[tuple[int, dict[int, str]]] = [(0, {})]
    seq = 0
    for number, act in enumerate(acts):
        if act == "say":
            webhooks.env.post(str(number))
            seq += 1
            points.append((seq, {**points[-1][1], seq: str(number)}))
        elif act == "rewind":
            points = points[: max(1, len(points) - 1)]
            webhooks.platform.post(f"env/{webhooks.env.id}/rewind", {"to": points[-1][0]})
            seq += 1
            points.append((seq, points[-1][1]))
        else:
            webhooks.deliveries()
    return points[-1][1]


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(acts=ACTS, failures=FAILURES)
def test_what_stays_is_told_at_least_once_and_in_order(platform: Platform, acts: list[str], failures: set[int]):
    receiver = Moody(failures)
    webhooks = Webhooks(platform.environment(clock={"mode": "steps"}))
    webhooks.add(receiver.url, "message.channels")
    said = perform(webhooks, acts)
    deliveries = webhooks.until(lambda deliveries: said.keys() <= told(deliveries) and is_settled(deliveries))
    receiver.close()
    texts = list(dict.fromkeys(each.json["event"]["text"] for each in receiver.events))
    assert texts == sorted(texts, key=int)
    assert {*said.values()} <= {*texts}
    assert {each["status"] for each in deliveries} <= {"delivered", "cancelled"}


def told(deliveries: list[Any]) -> set[int]:
    """The records whose events were delivered."""
    return {each["seq"] for each in deliveries if each["status"] == "delivered"}


def is_settled(deliveries: list[Any]) -> bool:
    return all(each["status"] != "pending" for each in deliveries)
