"""The log of calls is written in parts, so that nobody waits for all of it."""

from twindiff.environments.call_log import CallLog, Entry
from twindiff.server import Service, Settings


def entry(number: int) -> Entry:
    return Entry(number, "slack", "auth.test", "U1", 200, 0.1, None, None)


def test_a_part_of_what_waits_is_written_and_nothing_is_lost() -> None:
    service = Service(Settings())
    log: CallLog = service.calls.log
    for number in range(250):
        log.add(f"env{number % 3}", entry(number))
    log.flush(100)
    assert log.waiting == 150
    log.add("env0", entry(250))
    log.flush()
    found = [log.list(f"env{number}", after=0, limit=1000) for number in range(3)]
    assert [len(each) for each in found] == [85, 83, 83]
    assert [call.number for call in found[0]] == list(range(1, 86))
    assert [call.at for call in found[0]] == sorted(call.at for call in found[0])
    service.close()
