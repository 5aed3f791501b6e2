"""The log of calls is written in parts, so that nobody waits for all of it."""

import pytest

from tests.harness import Platform
from twindiff.environments.call_log import CallLog, CallLogEntry
from twindiff.server import Service, Settings


def entry(number: int) -> CallLogEntry:
    return CallLogEntry(number, "slack", "auth.test", "U1", 200, 0.1, None, None)


def test_a_part_of_what_waits_is_written_and_nothing_is_lost() -> None:
    service = Service(Settings())
    log: CallLog = service.calls.log
    for number in range(250):
        log.add(f"env{number % 3}", entry(number))
    log.flush(100)
    assert log.waiting == 150
    log.add("env0", entry(250))
    log.flush()
    calls = [log.list(f"env{number}", after=0, limit=1000) for number in range(3)]
    assert [len(each) for each in calls] == [85, 83, 83]
    assert [call.number for call in calls[0]] == list(range(1, 86))
    assert [call.at for call in calls[0]] == sorted(call.at for call in calls[0])
    service.close()


@pytest.mark.parametrize(
    ("template", "user", "verb", "path", "error"),
    [
        ("slack:slack_default", "U01AGENBOT9", "POST", "users.setPhoto", "missing_operation"),
        ("slack:slack_default", "U01AGENBOT9", "POST", "admin.users.lst", "unknown_operation"),
        ("box:box_base", "", "DELETE", "2.0/ai_agents/77", "missing_operation"),
        ("box:box_base", "", "DELETE", "2.0/archives/77/more", "unknown_operation"),
        ("box:box_base", "", "DELETE", "2.0/achives/77", "unknown_operation"),
        ("calendar:calendar_base", "", "GET", "calendar/v3/nothing", "unknown_operation"),
    ],
)
def test_what_a_twin_lacks_is_told_apart_from_a_slip(
    template: str, user: str, verb: str, path: str, error: str, platform: Platform
) -> None:
    users = next(each for each in platform.get("templates")["templates"] if template.endswith(f":{each['name']}"))
    someone = user or platform.get(f"templates/{users['id']}")["users"][0]["id"]
    env = platform.environment(template, someone)
    env.ask(path, verb=verb)
    (call,) = platform.get(f"env/{env.id}/calls")["calls"]
    assert call["error"] == error
