"""What Slack's methods cost in process, handler and JSON, over 2,000 and 100,000 messages.

    python benchmarks/slack.py [--messages 2000 --messages 100000] [--cpu] [--json]

Every figure is in milliseconds: the least, the median and the 99th percentile of single calls; with --cpu of processor
time, which says more on a machine that others use too, as does the least. The messages are those of the template
slack_lighthouse, with more everyday talk for a larger workspace.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from statistics import quantiles
from time import perf_counter, process_time
from typing import Any, NamedTuple

import msgspec
from rich.console import Console
from rich.table import Table

from twindiff.environments.environments import EnvironmentRequest
from twindiff.kit.http import Request
from twindiff.server import Service, Settings
from twindiff.twins.slack.lighthouse.workspace import SEED, write

INES = "U0LH01INESX"
SECONDS = 1.0
"""How long each method is called over and over."""
FEWEST, MOST = 5, 5000

CALLS: dict[str, dict[str, Any]] = {
    "auth.test": {},
    "conversations.history": {"channel": "C0LHPLATFORM", "limit": 20},
    "conversations.history of a large page": {"channel": "C0LHPLATFORM", "limit": 100},
    "conversations.list": {"types": "public_channel,private_channel", "limit": 100},
    "users.list": {"limit": 100},
    "search.messages: a common word": {"query": "harbour"},
    "search.messages: a rare word": {"query": "stamped"},
    "search.messages: no hit": {"query": "unfindable"},
    "search.messages: nearly all": {"query": "e"},
    "search.messages: a phrase": {"query": '"the harbour"'},
    "search.messages: two words": {"query": "harbour tide"},
    "search.messages: umlauts": {"query": "Grüße"},
    "search.messages: an author": {"query": "from:@luca.bianchi tide"},
    "search.messages: words and modifiers": {"query": "from:@luca.bianchi in:beacon-release release"},
    "search.messages: a day": {"query": "during:2026-02-11 tide"},
    "search.all": {"query": "plan"},
    "files.list": {"count": 20},
    "pins.list": {"channel": "C0LHBEACONRELEAS"},
    "chat.postMessage": {"channel": "C0LHGENERAL", "text": "Good morning"},
}


class Figure(NamedTuple):
    method: str
    messages: int
    least: float
    p50: float
    p99: float


class Workspace:
    """An environment of one workspace, spoken to without a socket."""

    def __init__(self, messages: int) -> None:
        self.service = Service(Settings())
        twin = self.service.registry.get("slack")
        rows = write.__wrapped__(SEED, messages)
        template = self.service.templates.add(twin, f"slack_{messages}", rows, origin="benchmark")
        made = self.service.environments.create(EnvironmentRequest([template], user_id=INES))
        self.environment = self.service.environments.get(made.environment.environment_id)
        self.twin, self.token = twin, made.agent_token

    def call(self, method: str, arguments: dict[str, Any]) -> bytes:
        """The body of the answer."""
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.token}"}
        request = Request("POST", f"/{method}", headers=headers, body=msgspec.json.encode(arguments))
        exchange = self.twin.exchange(request, "http://slack.example")
        assert exchange, method
        return self.service.calls.answer(self.environment, self.twin, exchange, trusted=True).body


def measure(workspace: Workspace, call: str, messages: int, clock: Callable[[], float]) -> Figure:
    """Call one method for a while."""
    method, arguments = call.partition(" ")[0].rstrip(":"), CALLS[call]
    answer = json.loads(workspace.call(method, arguments))
    assert answer["ok"], answer
    times: list[float] = []
    while len(times) < FEWEST or (sum(times) < SECONDS * 1000 and len(times) < MOST):
        started = clock()
        workspace.call(method, arguments)
        times.append((clock() - started) * 1000)
    cuts = quantiles(times, n=100)
    return Figure(call, messages, min(times), cuts[49], cuts[98])


def show(figures: list[Figure]) -> None:
    table = Table(title="Slack in process, milliseconds")
    for title in ("method", "messages", "least", "p50", "p99"):
        table.add_column(title, justify="left" if title == "method" else "right")
    for figure in figures:
        table.add_row(figure.method, *(f"{each:,}" if isinstance(each, int) else f"{each:.3f}" for each in figure[1:]))
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, action="append")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    clock = process_time if options.cpu else perf_counter
    figures: list[Figure] = []
    for messages in options.messages or [2_000, 100_000]:
        workspace = Workspace(messages)
        figures += [measure(workspace, call, messages, clock) for call in CALLS]
        workspace.service.close()
    if options.json:
        print(json.dumps([figure._asdict() for figure in figures]))
    else:
        show(figures)


if __name__ == "__main__":
    main()
