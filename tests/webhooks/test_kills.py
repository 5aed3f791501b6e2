"""Nothing that somebody is to be told of is lost when a server is killed."""

import signal

from tests.cli.conftest import Serving
from tests.receiver import Receiver
from tests.webhooks.kills import assert_all_in_order, texts_told


class Killed(Serving):
    """`twindiff serve` over a data directory."""

    def kill(self) -> None:
        self.end(signal.SIGKILL)


def test_deliveries_survive_kill_9(tmp_path, receiver: Receiver):
    told = texts_told(lambda: Killed("--data-dir", str(tmp_path)), receiver)
    assert_all_in_order(told)
