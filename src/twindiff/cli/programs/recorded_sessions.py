"""Replays recorded sessions against drafted twins, and sorts the steps by what they answer otherwise.

Ids are bound while a session runs: where the recorded answer has one id and the twin's another at the same place, later
requests and expectations have the twin's. Not compared are times, texts of errors (those with spaces, or under a usual
name), and values that are new for each request. What the twin's answer has in addition is no difference. Of addresses
only the last two segments of the path are compared. A value that the request itself gave is compared and not bound,
whatever its name; so is a time that a request gave before any answer had it. Objects that one request made are compared
in the order that fits best, tags in any.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast
from urllib.parse import quote, unquote, urlsplit

import httpx

from twindiff.cli.remote import Json
from twindiff.drafts.drafting import Draft
from twindiff.drafts.names import snake
from twindiff.drafts.proposals import propose_seeds
from twindiff.drafts.recorded_needs import find_needs, is_reading, own_ids_in
from twindiff.drafts.recorded_secrets import SecretMask
from twindiff.drafts.recordings import RecordedCall, RecordedSession
from twindiff.drafts.shipped import ShippedDraft, find_shipped
from twindiff.kit.twin import Twin
from twindiff.local import Twindiff

if TYPE_CHECKING:
    from rich.console import RenderableType

Kind = Literal[
    "right",
    "needs a seed",
    "vendor's limit",
    "not served",
    "refused",
    "not refused",
    "other status",
    "field missing",
    "other count",
    "other value",
]
MIN_BOUND_CHARACTERS = 4
"""Characters of an id from which on it is also replaced inside other texts."""
MAX_PLACES = 5
MAX_CLOCK_DISTANCE = 86_400
"""Seconds between now and a number for it to be taken for a time under a name that says nothing of times."""
_ID_NAME = re.compile(
    r"(^|[_-])(id|gid|sid|uuid|guid|vid|sha|key|token|ref|handle|rev|etag|cursor|iid)s?$|[a-z]Id$"
    r"|^(created|updated|modified|added)_by$"
)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?|1\d{12}")
_TIME_NAME = re.compile(r"(^|_|-)(at|on|date|time|timestamp|created|updated|modified)$|[a-z](At|On|Date|Time)$|date$")
_PLACE_NAME = re.compile(r"cursor|token|after|job_id|session_id", re.IGNORECASE)
"""Names under which reads give something that later requests use; all else that they show was made before."""
_NEW_EACH_TIME = re.compile(
    r"(request|correlation|trace)[_-]?id|etag|cursor|token|next|latency|expires?(_at|_in)?", re.IGNORECASE
)
_WORDING = re.compile(
    r"message|description|detail|title|reason|text|documentation_url|error_summary|instance", re.IGNORECASE
)


class AnswerDifferences(NamedTuple):
    """Where an answer differs, by kind."""

    missing: list[str]
    counts: list[str]
    values: list[str]


class StepOutcome(NamedTuple):
    """What became of one step."""

    session: str
    number: int
    request: str
    recorded_status: int
    status: int
    kind: Kind
    is_comparable: bool
    """Whether it depends on nothing but the session, and the vendor had no limits."""
    places: list[str]

    def to_json(self) -> dict[str, Any]:
        """The outcome as JSON."""
        return self._asdict()


class BoundIds:
    """The twin's ids by the recorded ones."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}
        self.kept: set[str] = set()
        """Ids that were there before, which are the same in a seeded twin."""
        self.foreign: set[str] = set()
        """Ids of what stands outside the session, such as the account and its users."""
        self.later: set[str] = set()
        """Ids of what the session makes that only later answers show."""
        self._given: set[str] = set()
        """The ids in the last request."""
        self._shown: set[str] = set()
        """The ids in the twin's last answer to a request that reads."""

    def note_given(self, call: RecordedCall) -> None:
        """Note the ids that a request gives, as it was recorded and as the twin gets it, which answers must keep."""
        segments = [unquote(each) for each in call.path.split("/")]
        given = {each for each in segments if len(each) >= MIN_BOUND_CHARACTERS}
        given |= {*_ids_in(dict(call.query)), *_ids_in(call.body)}
        self._given = given | {str(self.known[each]) for each in given if each in self.known}

    def note_shown(self, live: Any) -> None:
        """Note the ids that the twin shows to a request that reads; it had these itself, at whatever place."""
        self._shown = {*_ids_in(live)}

    def learn(self, recorded: Any, live: Any, name: str = "", *, only: re.Pattern[str] | None = None) -> None:
        """Note the ids that stand at the same place of two answers.

        If `only` is given, these are those under names that it matches, and those of what stands outside the session.
        Two of the latter are never one.
        """
        if isinstance(recorded, dict) and isinstance(live, dict):
            for each, value in cast(Json, recorded).items():
                self.learn(value, cast(Json, live).get(each), str(each), only=only)
        elif isinstance(recorded, list) and isinstance(live, list):
            for first, second in zip(cast(list[Any], recorded), cast(list[Any], live), strict=False):
                self.learn(first, second, name, only=only)
        elif (
            only is not None and not only.search(name) and str(cast(object, recorded)) not in self.foreign | self.later
        ):
            return
        elif _may_be_id(name, recorded) and type(cast(object, recorded)) is type(live) and recorded != live:
            if str(cast(object, recorded)) in self.kept or {str(cast(object, recorded)), str(live)} & self._given:
                return
            is_foreign = only is not None and str(cast(object, recorded)) in self.foreign
            if not is_foreign or (live not in self.known.values() and str(cast(object, recorded)) not in self._shown):
                self.known.setdefault(str(cast(object, recorded)), live)

    def is_same_before(self, recorded: Any, live: Any) -> bool:
        """Tell whether the twin gives the recorded id itself, which it can only have from what was there before.

        Then the id is bound to another one by mistake, since two lists were in another order. The id of what the
        session made is never one of these: that the twin has the same is chance, and it refers to something else.
        """
        is_foreign = isinstance(recorded, (str, int)) and str(recorded) in self.foreign
        return is_foreign and recorded == live and live not in self.known.values()

    def fill(self, value: Any, name: str = "") -> Any:
        """Return a value with the twin's ids; a short number is one only under a name of ids."""
        if isinstance(value, dict):
            return {self.fill_text(str(each)): self.fill(inner, str(each)) for each, inner in cast(Json, value).items()}
        if isinstance(value, list):
            return [self.fill(each, name) for each in cast(list[Any], value)]
        if isinstance(value, str):
            return self.fill_text(value, name)
        is_id = isinstance(value, int) and not isinstance(value, bool) and (value > 999 or _ID_NAME.search(name))
        return self.known.get(str(value), value) if is_id else value

    def fill_text(self, text: str, name: str = "") -> str:
        """Return a text that is an id, or has ids in it as whole words, with the twin's; see `fill` for short ones."""
        if text in self.known and (len(text) >= MIN_BOUND_CHARACTERS or _ID_NAME.search(name)):
            return str(self.known[text])
        return "".join(map(self._fill_word, re.split(r"([^A-Za-z0-9_-]+)", text)))

    def _fill_word(self, word: str) -> str:
        """Return an id in a text with the twin's, also one after a `_`, as in `/contact/_AO_T-m1`."""
        id = word if word in self.known else word[1:] if word.startswith("_") else ""
        is_bound = len(id) >= MIN_BOUND_CHARACTERS and id in self.known
        return f"{word[: len(word) - len(id)]}{self.known[id]}" if is_bound else word

    def fill_path(self, path: str) -> str:
        """Return a path with the twin's ids; a short segment is one only with a digit and below another, as in `/a/3`.

        A short word, and what stands first, such as a version, stay.
        """
        segments: list[str] = []
        for at, each in enumerate(path.split("/")):
            text = unquote(each)
            name = "id" if at > 1 and re.search(r"\d", text) else ""
            segments.append(quote(self.fill_text(text, name), safe="@:!$&'()*+,;=~"))
        return "/".join(segments)


def _ids_in(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for each, inner in cast(Json, value).items():
            yield from _ids_in(inner, str(each))
    elif isinstance(value, list):
        for each in cast(list[Any], value):
            yield from _ids_in(each, name)
    elif _may_be_id(name, value):
        yield str(value)


def _times_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = [*cast(Json, value).values()]
    if isinstance(value, list):
        for each in cast(list[Any], value):
            yield from _times_in(each)
    elif isinstance(value, (str, int)) and _TIME.fullmatch(str(value)):
        yield str(value)


def _put_in_order(recorded: Any, live: Any) -> Any:
    """Return an answer whose lists of objects are in the order of the recorded ones.

    The results of a request that makes several objects are in no order that a client could rely on.
    """
    if isinstance(recorded, dict) and isinstance(live, dict):
        known = cast(Json, recorded)
        return {name: _put_in_order(known.get(name), each) for name, each in cast(Json, live).items()}
    if not isinstance(recorded, list) or not isinstance(live, list):
        return live
    left = [*cast(list[Any], live)]
    if len(left) != len(cast(list[Any], recorded)) or not all(isinstance(each, dict) for each in left):
        return cast(list[Any], live)
    ordered: list[Any] = []
    for each in cast(list[Any], recorded):
        best = max(left, key=lambda other, one=each: _count_common(one, other))
        left.remove(best)
        ordered.append(best)
    return ordered


def _count_common(first: Any, second: Any) -> int:
    """Return how many plain values two objects have in common, with those inside them."""
    if isinstance(first, dict) and isinstance(second, dict):
        return sum(_count_common(each, cast(Json, second).get(name)) for name, each in cast(Json, first).items())
    return int(first is not None and first == second)


def _find_foreign(calls: Sequence[RecordedCall]) -> set[str]:
    """Return the ids that only refer: no request of a session gives one, and no object in an answer has it as its own.

    So is the account's, and that of the user who calls.
    """
    shown = {each for call in calls for each in _ids_in(call.answer)}
    own = {each for call in calls for each in own_ids_in(call.answer)}
    given = {unquote(each) for call in calls for each in call.path.split("/")}
    given |= {value for call in calls for _, value in call.query}
    given |= {each for call in calls for each in _ids_in(call.body)}
    return shown - own - given


def _may_be_id(name: str, value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return False
    text = str(value)
    if _UUID.fullmatch(text):
        return True
    return bool(_ID_NAME.search(name)) and bool(text) and " " not in text and not text.startswith("http")


class RecordedReplay:
    """A recorded session on its way through an environment; `token` is that of its user."""

    def __init__(self, client: httpx.Client, token: str) -> None:
        self._client, self._token = client, token
        self._ids = BoundIds()
        self._seen: set[str] = set()
        """The times of the requests and the recorded answers so far."""
        self._given_times: set[str] = set()
        """The times that requests gave before any answer had them."""

    def run(self, name: str, calls: Sequence[RecordedCall]) -> Iterator[StepOutcome]:
        """Replay the calls in order."""
        needs, secrets = find_needs(calls), SecretMask(calls)
        self._ids.kept = needs.before
        self._ids.later = needs.later
        self._ids.foreign = _find_foreign(calls)
        for number, (call, need) in enumerate(zip(calls, needs.reasons, strict=True), 1):
            self._ids.note_given(call)
            self._given_times |= {*_times_in([dict(call.query), call.body])} - self._seen
            answer = self._send(call)
            live = _read_json(answer)
            recorded = call.answer
            live = live if is_reading(call) else _put_in_order(recorded, live)
            if is_reading(call):
                self._ids.note_shown(live)
                self._ids.learn(recorded, live, only=_PLACE_NAME)
            else:
                self._ids.learn(recorded, live)
            differences = AnswerDifferences([], [], [])
            if recorded is not None and call.status // 100 == answer.status_code // 100:
                self._compare(recorded, live, differences, "", "", is_error=call.status >= 400)
            if call.file and answer.status_code == call.status and call.verb == "GET":
                media_type = answer.headers.get("content-type", "").partition(";")[0]
                if (media_type, len(answer.content)) != call.file:
                    differences.values.append("the file's type or size")
            self._seen |= {*_times_in([dict(call.query), call.body, recorded])}
            kind = _sort(call, answer.status_code, differences)
            has_limit = call.status in (401, 429) or call.status >= 500
            if kind != "right" and (has_limit or need):
                kind = "vendor's limit" if has_limit else "needs a seed"
            places = [*differences.missing, *differences.counts, *differences.values][:MAX_PLACES] or (
                [need] if need else []
            )
            request = secrets.mask(f"{call.verb} {call.path}")
            places = [secrets.mask(each) for each in places]
            is_comparable = not need and not has_limit
            yield StepOutcome(name, number, request, call.status, answer.status_code, kind, is_comparable, places)

    def _send(self, call: RecordedCall) -> httpx.Response:
        path = self._ids.fill_path(call.path)
        query = [(name, self._ids.fill_text(value, name)) for name, value in call.query]
        headers = {"Authorization": f"Bearer {self._token}", **call.headers}
        content = call.content
        if call.body is not None and content is None:
            content = json.dumps(self._ids.fill(call.body)).encode()
            headers.setdefault("content-type", "application/json")
        elif content is not None:
            content = self._ids.fill_text(content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        headers = {name: self._ids.fill_text(value, name) for name, value in headers.items()}
        params = httpx.QueryParams(tuple(query))
        return self._client.request(call.verb, f"{call.host}{path}", params=params, headers=headers, content=content)

    def _compare(
        self, recorded: Any, live: Any, differences: AnswerDifferences, at: str, name: str, *, is_error: bool
    ) -> None:
        if isinstance(recorded, dict):
            if not isinstance(live, dict):
                differences.values.append(at or "/")
                return
            for each, value in cast(Json, recorded).items():
                own = str(each) if each in live else self._ids.fill_text(str(each))
                if own not in live:
                    differences.missing.append(f"{at}/{each}")
                else:
                    self._compare(
                        value, cast(Json, live)[own], differences, f"{at}/{each}", str(each), is_error=is_error
                    )
        elif isinstance(recorded, list):
            first = cast(list[Any], recorded)
            second = self._align(first, cast(list[Any], live)) if isinstance(live, list) else []
            if name == "tags" and all(isinstance(each, str) for each in (*first, *second)):
                first, second = sorted(first), sorted(second)
            if not isinstance(live, list) or len(first) != len(second):
                differences.counts.append(at or "/")
            for number, (one, other) in enumerate(zip(first, second, strict=False)):
                self._compare(one, other, differences, f"{at}/{number}", name, is_error=is_error)
        elif not self._is_same(recorded, live, name, is_error=is_error):
            differences.values.append(at or "/")

    def _align(self, recorded: list[Any], live: list[Any]) -> list[Any]:
        """Return a live list in the recorded order where both are in the order of their ids, which are others."""
        first, second = [*map(_key_of, recorded)], [*map(_key_of, live)]
        if len(first) < 2 or first != sorted(set(first)) or second != sorted(set(second)):
            return live
        by_key = dict(zip(second, live, strict=True))
        wanted = [str(self._ids.fill(each, "id")) for each in first]
        return [by_key[each] for each in wanted] if {*wanted} == {*second} else live

    def _is_same(self, recorded: Any, live: Any, name: str, *, is_error: bool) -> bool:
        is_given = bool(self._given_times & {str(recorded), str(live)})
        if isinstance(recorded, str) and _TIME.fullmatch(recorded) and not is_given:
            return isinstance(live, str) and bool(_TIME.fullmatch(live))
        is_wording = _WORDING.fullmatch(name) or (isinstance(recorded, str) and " " in recorded)
        is_new = (_TIME_NAME.search(name) and not is_given) or _NEW_EACH_TIME.fullmatch(name)
        if is_new or (is_error and is_wording):
            return type(recorded) is type(live)
        if _is_moment(recorded) and _is_moment(live) and not is_given and _is_recent(live):
            return True
        wanted = recorded if self._ids.is_same_before(recorded, live) else self._ids.fill(recorded, name)
        if isinstance(recorded, str) and recorded.startswith("http") and isinstance(live, str):
            return _last_of(str(wanted)) == _last_of(live)
        is_number = isinstance(wanted, (int, float)) and isinstance(live, (int, float))
        return wanted == live and (type(wanted) is type(live) or is_number)


def _key_of(item: Any) -> str:
    """Return the text by which an item of a list is ordered: its id, or itself if it is a text."""
    id: Any = cast(Json, item).get("id") if isinstance(item, dict) else item
    return id if isinstance(id, str) else ""


def _is_moment(value: Any) -> bool:
    """Tell whether a number is a time in milliseconds, whatever its name."""
    return isinstance(value, int) and not isinstance(value, bool) and bool(_TIME.fullmatch(str(value)))


def _is_recent(milliseconds: int) -> bool:
    """Tell whether a time may be one that the twin read from its clock."""
    return abs(milliseconds / 1000 - time.time()) < MAX_CLOCK_DISTANCE


def _last_of(url: str) -> list[str]:
    return urlsplit(url).path.strip("/").split("/")[-2:]


def _sort(call: RecordedCall, status: int, differences: AnswerDifferences) -> Kind:
    """Return the kind of a step by its status and the differences of its answer."""
    if status != call.status:
        if status == 501:
            return "not served"
        if call.status < 300 <= status:
            return "refused" if status >= 400 else "other status"
        return "not refused" if status < 300 <= call.status else "other status"
    if differences.missing:
        return "field missing"
    if differences.counts:
        return "other count"
    return "other value" if differences.values else "right"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} steps ({100 * part / max(whole, 1):.0f} %)"


def _read_json(answer: httpx.Response) -> Any:
    try:
        return answer.json() if answer.content.strip() else None
    except ValueError:
        return None


class ReplayReport(NamedTuple):
    """How many steps are right, and the others by kind and request."""

    outcomes: list[StepOutcome]

    @property
    def right(self) -> int:
        """The number of steps that are right."""
        return sum(each.kind == "right" for each in self.outcomes)

    @property
    def comparable(self) -> int:
        """The number of steps that depend on nothing but the session."""
        return sum(each.is_comparable for each in self.outcomes)

    @property
    def comparable_right(self) -> int:
        """The number of comparable steps that are right."""
        return sum(each.is_comparable and each.kind == "right" for each in self.outcomes)

    def to_json(self) -> dict[str, Any]:
        """The report as JSON: totals, the kinds, and the steps that are not right."""
        kinds = [{"kind": k, "request": r, "steps": n, "places": places} for k, r, n, places in self.group()]
        return {
            "steps": len(self.outcomes),
            "right": self.right,
            "comparable": self.comparable,
            "comparable_right": self.comparable_right,
            "kinds": kinds,
            "outcomes": [each.to_json() for each in self.outcomes if each.kind != "right"],
        }

    def to_table(self) -> RenderableType:
        """The report for a terminal."""
        from rich.console import Group

        from twindiff.cli.commands.env import facts_table
        from twindiff.cli.render import add_row, table

        facts = {
            "right": _share(self.right, len(self.outcomes)),
            "of comparable": _share(self.comparable_right, self.comparable),
        }
        shown = table("kind", "steps", "request", "where")
        for kind, request, count, places in self.group():
            add_row(shown, kind, str(count), request, ", ".join(places[:3]))
        return Group(facts_table(facts), "", shown)

    def group(self) -> list[tuple[Kind, str, int, list[str]]]:
        """Return the steps that are not right by kind and request, the most frequent first, with places of one."""
        groups: dict[tuple[Kind, str], list[StepOutcome]] = {}
        for each in self.outcomes:
            if each.kind != "right":
                shape = re.sub(r"/[^/]*\d[^/]*", "/…", each.request)
                groups.setdefault((each.kind, shape), []).append(each)
        listed = sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
        return [(kind, request, len(steps), steps[0].places) for (kind, request), steps in listed]


Connect = Callable[[Sequence[RecordedCall]], AbstractContextManager[tuple[httpx.Client, str]]]
"""Returns a context with a client and a token of an environment for a session."""


def replay_sessions(sessions: Sequence[RecordedSession], connect: Connect) -> ReplayReport:
    """Replay each session in an environment of its own."""
    outcomes: list[StepOutcome] = []
    for name, calls in sessions:
        with connect(calls) as (client, token):
            outcomes += RecordedReplay(client, token).run(name, calls)
    return ReplayReport(outcomes)


def connect_draft(openapi: Path | None, shipped: str, *, has_seeds: bool) -> Connect:
    """Return how to reach environments of a description, or else of a shipped draft given as `NAME[=FILE]`.

    With `has_seeds`, each begins with what its session shows to have been there before. Raises DescriptionError.
    """
    name, _, file = shipped.partition("=")
    ours = find_shipped(name) if name else None
    paths = [Path(file)] if file else []
    draft = Draft.read(openapi, snake(openapi.name.partition(".")[0])) if openapi else None
    plain = draft.twin() if draft else cast(ShippedDraft, ours).twin(paths)

    def make_twin(calls: Sequence[RecordedCall]) -> Twin:
        if not has_seeds:
            return plain
        if draft:
            return draft.with_seeds(propose_seeds(calls, draft)).twin()
        return cast(ShippedDraft, ours).twin(paths, calls)

    @contextmanager
    def connect(calls: Sequence[RecordedCall]) -> Generator[tuple[httpx.Client, str]]:
        twin = make_twin(calls)
        with (
            Twindiff(twins=[twin]) as local,
            local.create(f"{twin.name}:{twin.name}_base") as environment,
            httpx.Client(transport=local.transport(environment, twin.name)) as client,
        ):
            yield client, environment.token

    return connect
