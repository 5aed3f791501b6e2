"""Plots of a report as accessible SVG: each has a title and a description, none has a script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import count
from typing import NamedTuple

from markupsafe import Markup

from twindiff.suites.trial_statistics import PassAtK, Share

WIDTH = 640
LEFT, RIGHT = 48, 612
TOP, BOTTOM = 16, 216
BINS = 12
MAX_NAME_CHARACTERS = 44
_numbers = count(1)


class PassRateChange(NamedTuple):
    """The pass rate of a test with each of two agents, from 0 to 1."""

    test: str
    before: float
    after: float


def percent(share: float) -> str:
    """Format a share in percent."""
    return f"{100 * share:.0f} %"


def interval(share: Share, what: str) -> Markup:
    """Plot a share on an axis from 0 to 100 %, with its 95 % confidence interval."""
    x = _scale(0, 1)
    body = [*_percent_axis(56)]
    body.append(_bar(x(share.low), 22, x(share.high) - x(share.low), 20, "band"))
    body.append(f'<circle class="dot" cx="{x(share.value):.1f}" cy="32" r="7"/>')
    body.append(_text(x(share.value), 14, percent(share.value), "middle"))
    said = f"{percent(share.value)}, with 95 % confidence between {percent(share.low)} and {percent(share.high)}"
    return _svg(what, said, 76, body)


def curves(shares_of_k: Sequence[PassAtK]) -> Markup:
    """Plot pass@k and pass^k by k, each with its confidence interval."""
    ks = [each.k for each in shares_of_k]
    x = _scale(1, max(ks))
    body = [*_shares_axis(), *(_text(x(k), BOTTOM + 18, str(k), "middle") for k in _spread(ks))]
    body.append(_text((LEFT + RIGHT) / 2, BOTTOM + 36, "k, trials of each test", "middle"))
    for name, kind, shares in (
        ("pass@k", "one", [each.at_least_one for each in shares_of_k]),
        ("pass^k", "all", [each.all for each in shares_of_k]),
    ):
        band = [(x(k), _y(s.high)) for k, s in zip(ks, shares, strict=True)]
        band += [(x(k), _y(s.low)) for k, s in zip(ks[::-1], shares[::-1], strict=True)]
        body.append(f'<polygon class="band {kind}" points="{_points(band)}"/>')
        line = [(x(k), _y(s.value)) for k, s in zip(ks, shares, strict=True)]
        body.append(f'<polyline class="line {kind}" points="{_points(line)}"/>')
        body += [_mark(kind, *point) for point in line]
        body.append(_text(RIGHT - 4, line[-1][1] - 9, name, "end"))
    said = "; ".join(f"k={e.k}: {percent(e.at_least_one.value)} and {percent(e.all.value)}" for e in shares_of_k)
    return _svg(
        "pass@k and pass^k", f"That at least one of k trials passes, and that all do. {said}", BOTTOM + 44, body
    )


def seconds(passed: Sequence[float], failed: Sequence[float]) -> Markup:
    """Plot a histogram of the trials' durations, failed ones stacked on passed ones."""
    longest = max((*passed, *failed), default=0) or 1.0
    bins = [[0, 0] for _ in range(BINS)]
    for failing, taken in ((0, passed), (1, failed)):
        for each in taken:
            bins[min(BINS - 1, int(each / longest * BINS))][failing] += 1
    most = max(sum(each) for each in bins) or 1
    x, wide = _scale(0, longest), (RIGHT - LEFT) / BINS
    body = [_line(LEFT, BOTTOM, RIGHT, BOTTOM, "axis"), _text(LEFT - 8, TOP + 8, str(most), "end")]
    for number, (good, bad) in enumerate(bins):
        high_good, high_bad = (each / most * (BOTTOM - TOP) for each in (good, bad))
        at = LEFT + number * wide + 2
        body.append(_bar(at, BOTTOM - high_good, wide - 4, high_good, "passed"))
        body.append(_bar(at, BOTTOM - high_good - high_bad, wide - 4, high_bad, "failed"))
    body += [_text(x(each), BOTTOM + 18, f"{each:.3g} s", "middle") for each in (0, longest / 2, longest)]
    everyone = sorted((*passed, *failed))
    middle = everyone[len(everyone) // 2] if everyone else 0
    said = (
        f"{len(passed)} trials that passed and {len(failed)} that failed; "
        f"half took {middle:.3g} s or less, the longest {longest:.3g} s"
    )
    return _svg("How long trials took", said, BOTTOM + 28, body)


KIND_OF_ENDING = {"passed": "passed", "checks do not hold": "failed"}
"""How the bars of endings are coloured; all others are errors."""


def endings(counts: Sequence[tuple[str, int]]) -> Markup:
    """Plot how often trials ended in each way."""
    most = max((number for _, number in counts), default=1)
    body: list[str] = []
    for row, (name, number) in enumerate(counts):
        y, wide = 14 + row * 30, max(2.0, number / most * 300)
        body.append(_text(228, y + 14, name, "end"))
        body.append(_bar(240, y, wide, 20, KIND_OF_ENDING.get(name, "error")))
        body.append(_text(248 + wide, y + 14, f"{number:,}", "start"))
    said = "; ".join(f"{name}: {number:,}" for name, number in counts)
    return _svg("How trials ended", said, 20 + 30 * len(counts), body)


def changes(tests: Sequence[PassRateChange]) -> Markup:
    """Plot the pass rates of tests before and after, those with the largest differences first."""
    x = _scale(0, 1, left=300)
    body: list[str] = []
    for row, each in enumerate(tests):
        y = 20 + row * 24
        name = each.test if len(each.test) <= MAX_NAME_CHARACTERS else f"{each.test[:MAX_NAME_CHARACTERS]}…"
        better = each.after > each.before
        body.append(_text(290, y + 4, name, "end"))
        body.append(_line(x(each.before), y, x(each.after), y, "gain" if better else "loss"))
        body.append(f'<circle class="before" cx="{x(each.before):.1f}" cy="{y}" r="5"/>')
        body.append(_mark("one" if better else "all", x(each.after), y))
    bottom = 20 + len(tests) * 24
    body += [_text(x(each), bottom + 12, percent(each), "middle") for each in (0, 0.5, 1)]
    said = "; ".join(f"{each.test}: {percent(each.before)} to {percent(each.after)}" for each in tests)
    return _svg("Tests that went differently", said, bottom + 20, body)


def _svg(title: str, said: str, height: float, body: Iterable[str]) -> Markup:
    number = next(_numbers)
    named = f'<title id="t{number}">{escape(title)}</title><desc id="d{number}">{escape(said)}</desc>'
    opening = f'<svg role="img" aria-labelledby="t{number} d{number}" viewBox="0 0 {WIDTH} {height:.0f}">'
    return Markup(f"{opening}{named}{''.join(body)}</svg>")  # noqa: S704 - the parts are escaped


class _Scale(NamedTuple):
    low: float
    high: float
    left: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.left + share * (RIGHT - self.left)


def _scale(low: float, high: float, *, left: float = LEFT) -> _Scale:
    return _Scale(low, high, left)


def _y(share: float) -> float:
    return BOTTOM - share * (BOTTOM - TOP)


def _percent_axis(y: float) -> Iterable[str]:
    x = _scale(0, 1)
    yield _line(LEFT, y - 8, RIGHT, y - 8, "axis")
    for each in (0, 0.25, 0.5, 0.75, 1):
        yield _text(x(each), y + 10, percent(each), "middle")


def _shares_axis() -> Iterable[str]:
    for each in (0, 0.25, 0.5, 0.75, 1):
        yield _line(LEFT, _y(each), RIGHT, _y(each), "axis")
        yield _text(LEFT - 6, _y(each) + 4, percent(each), "end")


def _spread(ks: Sequence[int]) -> Sequence[int]:
    return ks if len(ks) <= 10 else [ks[0], *ks[9:]]


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _mark(kind: str, x: float, y: float) -> str:
    """Draw a circle, or a square where only colour would distinguish two kinds."""
    if kind == "one":
        return f'<circle class="mark one" cx="{x:.1f}" cy="{y:.1f}" r="5"/>'
    return f'<rect class="mark all" x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9"/>'


def _bar(x: float, y: float, wide: float, high: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}"/>' if high > 0 else ""


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, said: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(said)}</text>'
