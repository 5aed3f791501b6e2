"""What the rules of parameters cost: operations of five twins with their rules on and off, in process.

    python benchmarks/rules.py [--rounds 60] [--twin stripe] [--json]

A rule is a function `check_…` of a twin that returns nothing: lengths, enumerations, exclusive parameters, forms of ids
and of times. Rules that the types of parameters state are part of parsing and stay on. Batches with all rules on and
off alternate. Machines change their speed by more than a rule costs, so each rule is also timed by itself, inside of a
request; the bar is 2 % of the operation for each rule. What looks up rows, such as whether a name is taken, is listed
but not judged.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Callable, Iterator
from time import perf_counter, process_time
from types import FunctionType
from typing import Any, NamedTuple
from urllib.parse import urlencode

from twindiff.local import Twindiff
from twindiff.local.in_process import TwinMount

MAX_SHARE = 0.02
BATCH = 20
WARM_UP = 3
REPEATS = 50
SHOWN = 4
LOOK_UPS = frozenset({"check_free"})
"""Functions that read rows, so they are no rules of parameters."""
FORM, JSON = b"application/x-www-form-urlencoded", b"application/json"
TEMPLATES = {
    "stripe": ("stripe_default", "acct_1TwindiffTestShop", "sk_test_shop"),
    "slack": ("slack_default", "U01AGENBOT9", "xoxb-shop"),
    "linear": ("linear_default", "2790a7ee-fde0-4537-9588-e233aa5a68d1", "lin_api_x"),
    "box": ("box_base", "22010040001", "box-token"),
    "calendar": ("calendar_base", "user_agent", "ya29-token"),
}
"""Of each twin: a template, the user who acts, and a token."""


class Operation(NamedTuple):
    """A request that is made over and over; `{n}` in its texts is replaced by a number that grows."""

    twin: str
    name: str
    path: str
    body: Any
    media: bytes = JSON


def _mutation(name: str, kind: str, given: dict[str, Any]) -> Operation:
    query = f"mutation($input: {kind}!) {{ {name}(input: $input) {{ success }} }}"
    return Operation("linear", name, "/graphql", {"query": query, "variables": {"input": given}})


def _form(name: str, path: str, given: dict[str, Any]) -> Operation:
    return Operation("stripe", name, f"/v1/{path}", given, FORM)


_ADDRESS = {f"address[{name}]": "Some text" for name in ("city", "line1", "line2", "state")} | {
    "address[country]": "DE"
}
_SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "word " * 100}}
_TEAM = "ad608998-915c-4bad-bcd9-85ebfccccee8"
OPERATIONS = (
    _form("payment made and confirmed", "payment_intents", {
        "amount": 2000, "currency": "usd", "confirm": "true", "payment_method": "pm_card_visa",
        "payment_method_types[]": "card"}),
    _form("customer with 50 metadata", "customers", {
        "name": "Ada {n}", "description": "word " * 500, **_ADDRESS, "address[country]": "DE",
        **{f"metadata[key{number}]": "value" * 20 for number in range(50)}}),
    _form("Checkout Session", "checkout/sessions", {
        "mode": "payment", "success_url": "https://shop.example/{n}"} | {
        f"line_items[{number}]{field}": value for number in range(10) for field, value in (
            ("[quantity]", 1), ("[price_data][currency]", "usd"), ("[price_data][unit_amount]", 500),
            ("[price_data][product_data][name]", "Mug {n}"))}),
    Operation("slack", "chat.postMessage, text", "/api/chat.postMessage", {
        "channel": "C01ABCD1234", "text": "word {n} " * 500}),
    Operation("slack", "chat.postMessage, 20 blocks", "/api/chat.postMessage", {
        "channel": "C01ABCD1234", "text": "{n}", "blocks": [_SECTION] * 20}),
    _mutation("issueCreate", "IssueCreateInput", {
        "teamId": _TEAM, "title": "Title {n}", "description": "word " * 500, "priority": 2}),
    _mutation("projectCreate", "ProjectCreateInput", {
        "teamIds": [_TEAM], "name": "Project {n}", "description": "word " * 40, "color": "#ff0000"}),
    Operation("box", "folder", "/2.0/folders", {"name": "A folder of a long name " * 5 + "{n}", "parent": {"id": "0"}}),
    Operation("calendar", "event with 50 guests", "/calendar/v3/calendars/primary/events", {
        "summary": "Meeting {n}", "description": "word " * 500,
        "start": {"dateTime": "2018-06-20T16:00:00Z"}, "end": {"dateTime": "2018-06-20T17:00:00Z"},
        "attendees": [{"email": f"guest{number}@example.com"} for number in range(50)],
        "reminders": {"useDefault": False, "overrides": [{"method": "popup", "minutes": 10}] * 5},
        "extendedProperties": {"private": {f"key{number}": "value" for number in range(30)}}}),
)  # fmt: skip


def find_rules(twin: str) -> Iterator[FunctionType]:
    """Yield the functions `check_…` of a twin that return nothing."""
    for name, module in list(sys.modules.items()):
        if not name.startswith(f"twindiff.twins.{twin}.") or ".tests" in name:
            continue
        for each, value in vars(module).items():
            is_rule = isinstance(value, FunctionType) and value.__module__ == name
            if is_rule and each.lstrip("_").startswith("check") and value.__annotations__.get("return") == "None":
                yield value


class RuleSwitch:
    """Turns the rules of a twin off and on again, or has their time taken.

    A rule's code is exchanged, so the switch reaches it wherever it was imported.
    """

    def __init__(self, twin: str) -> None:
        self._code = {rule: rule.__code__ for rule in find_rules(twin) if not rule.__closure__}

    def turn(self, *, on: bool) -> None:
        for rule, code in self._code.items():
            rule.__code__ = code if on else _do_nothing.__code__

    def find_called(self, ask: Callable[[int], None], number: int) -> set[FunctionType]:
        """Return the rules that a request calls, without those that only rules call."""
        rules, called, inside = {code: rule for rule, code in self._code.items()}, set[FunctionType](), list[Any]()

        def look(frame: Any, event: str, _: Any) -> None:
            if frame.f_code in rules and event == "call":
                if not inside:
                    called.add(rules[frame.f_code])
                inside.append(frame)
            elif event == "return" and inside and inside[-1] is frame:
                inside.pop()

        sys.setprofile(look)
        ask(number)
        sys.setprofile(None)
        return called

    def time_rules(self, ask: Callable[[int], None], number: int, rules: set[FunctionType]) -> dict[str, float]:
        """Return the milliseconds of each rule in one request; of the repetitions of a call, the fastest counts."""
        spent = dict[str, float]()
        for rule in rules:
            rule.__globals__[f"timed {rule.__name__}"] = _build_timed(rule, spent)
            names: dict[str, Any] = {}
            # `def timed(*a, **k): globals()['timed check_texts'](*a, **k)`
            exec(f"def timed(*a, **k): globals()['timed {rule.__name__}'](*a, **k)", names)
            rule.__code__ = names["timed"].__code__
        ask(number)
        self.turn(on=True)
        return spent


def _do_nothing(*_: Any, **__: Any) -> None:
    """Stand for a rule that is off."""


def _build_timed(rule: FunctionType, spent: dict[str, float]) -> Callable[..., None]:
    """Return a rule that adds the time of its calls to `spent`."""
    plain = FunctionType(rule.__code__, rule.__globals__, rule.__name__, rule.__defaults__)
    plain.__kwdefaults__ = rule.__kwdefaults__

    def timed(*values: Any, **named: Any) -> None:
        fastest = 1.0
        for _ in range(REPEATS):
            started = perf_counter()
            plain(*values, **named)
            fastest = min(fastest, perf_counter() - started)
        spent[rule.__name__] = spent.get(rule.__name__, 0.0) + fastest * 1000

    return timed


def build_call(td: Twindiff, operation: Operation) -> Callable[[int], None]:
    """Return a function that makes the request with a number, in an environment of its own."""
    template, user, token = TEMPLATES[operation.twin]
    environment = td.create(f"{operation.twin}:{template}", user=user)
    mount = TwinMount(environment.id, operation.twin)
    headers = [
        (b"host", b"localhost"),
        (b"authorization", f"Bearer {token}".encode()),
        (b"content-type", operation.media),
    ]
    text = (
        urlencode(operation.body).replace("%7Bn%7D", "{n}") if operation.media == FORM else json.dumps(operation.body)
    )

    def ask(number: int) -> None:
        body = text.replace("{n}", str(number)).encode()
        reply = td._inside.vendor_reply(mount, "POST", operation.path.encode(), headers, body)
        if reply.status >= 400 or b'"ok":false' in reply.body or b'"errors":[{' in reply.body:
            raise SystemExit(f"{operation.name}: {reply.status} {reply.body[:500].decode()}")

    return ask


def measure(td: Twindiff, operation: Operation, rounds: int) -> dict[str, Any]:
    """Return milliseconds with and without rules, the share of all rules, and that of each."""
    ask, switch = build_call(td, operation), RuleSwitch(operation.twin)
    number = _ask_times(ask, 0, BATCH)
    pairs = list[dict[bool, float]]()
    for round in range(rounds):
        pair = dict[bool, float]()
        for on in (True, False) if round % 2 else (False, True):
            switch.turn(on=on)
            number = _ask_times(ask, number, WARM_UP)
            started = process_time()
            number = _ask_times(ask, number, BATCH)
            pair[on] = (process_time() - started) / BATCH * 1000
        pairs.append(pair)
    switch.turn(on=True)
    on, off = (min(pair[which] for pair in pairs) for which in (True, False))
    spent = switch.time_rules(ask, number + 1, switch.find_called(ask, number))
    return {"on": on, "off": off, "rules": {name: each / on for name, each in spent.items()}}


def _ask_times(ask: Callable[[int], None], number: int, times: int) -> int:
    """Make the request so many times and return the next number."""
    for each in range(number, number + times):
        ask(each)
    return number + times


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=60)
    options.add_argument("--twin", default="")
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    figures: dict[str, dict[str, Any]] = {}
    with Twindiff() as td:
        gc.freeze()
        for each in OPERATIONS:
            if given.twin in ("", each.twin):
                figures[f"{each.twin}: {each.name}"] = measured = measure(td, each, given.rounds)
                print(
                    f"{each.twin}: {each.name}: {measured['on']:.3f} ms, without rules {measured['off']:.3f} ms",
                    file=sys.stderr,
                )
                for name, share in sorted(measured["rules"].items(), key=lambda rule: -rule[1])[:SHOWN]:
                    over = "  above the bar" if share > MAX_SHARE and name not in LOOK_UPS else ""
                    print(f"    {name:40} {share:7.2%}{over}", file=sys.stderr)
    if given.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
